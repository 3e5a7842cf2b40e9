#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "onn/task/task.hpp"

namespace optinc {

/// Names of the trained networks that come with the program, as network.source takes them: "shipped/NAME", in
/// the order of the alphabet; none where this build's are not on this machine.
std::vector<std::string> shipped_networks();

/// What a shipped network is, as its file says: widths of its layers, MZIs, what its last training
/// met, and the keys of its task, link and devices that are not the defaults. Throws Error where its file
/// cannot be read.
std::string network_description(const std::string& source);

/// How the network of "shipped/NAME" or a file rounds (Overrides::rounding_of); none where that cannot be read.
std::optional<Rounding> network_rounding(const std::string& source);

/// The file that network.source or network.start means: that of "shipped/NAME", or the path itself. Throws
/// Error, naming the nearest, for a name that is not shipped.
std::filesystem::path network_path(const std::string& source);

}  // namespace optinc
