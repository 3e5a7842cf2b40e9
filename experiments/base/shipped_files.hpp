#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace optinc {

/// The folder of what comes with the program: `kind` is "studies", "networks", "lists" or "python/src". Looked
/// for in share/optinc beside the folder the running program lies in (an installed tool, wherever its tree was
/// moved to), then in the source tree it was compiled from, then where the package was installed (programs of
/// others that link the library). Returns the last of them, which need not be there, when none is.
std::filesystem::path shipped_folder(std::string_view kind);

/// Names of the shipped "studies" or "lists", in the order of the alphabet; none where this build's are not on
/// this machine.
std::vector<std::string> shipped_names(std::string_view kind);

/// The file of a study or list: `name` itself, relative to `folder`, where there is such a file, else the
/// shipped one of that name, with or without .toml. Throws Error, naming those that may have been meant, where
/// it is neither a path nor a name.
std::filesystem::path shipped_or_own(std::string_view kind, const std::string& name,
                                     const std::filesystem::path& folder = {});

}  // namespace optinc
