#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace optinc {

/// One member of an archive.
struct ZipMember {
  std::string name;
  std::string bytes;
};

/// The members of a ZIP archive, stored or deflated. `file` names it in messages. Throws Error for an archive
/// that is damaged, encrypted, cut into parts or in the form for more than 4 GiB, and for another compression.
std::vector<ZipMember> unzip(std::string_view archive, std::string_view file);

}  // namespace optinc
