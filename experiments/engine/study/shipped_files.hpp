#pragma once

#include <filesystem>
#include <string_view>

namespace optinc {

/// The folder of what comes with the program: `kind` is "studies", "networks", "lists" or "python/src". Looked
/// for in share/optinc beside the folder the running program lies in (an installed tool, wherever its tree was
/// moved to), then in the source tree it was compiled from, then where the package was installed (programs of
/// others that link the library). Returns the last of them, which need not be there, when none is.
std::filesystem::path shipped_folder(std::string_view kind);

}  // namespace optinc
