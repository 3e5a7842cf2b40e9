#include "experiments/files/chips/text_frame.hpp"

#include <fmt/format.h>

#include "experiments/files/hdf5/provenance.hpp"
#include "experiments/files/readers/text.hpp"
#include "physics/core/printable.hpp"

namespace optinc {

std::string text_header(char comment, std::string_view title, std::string_view command,
                        std::span<const std::string_view> remarks) {
  std::string text = fmt::format("{} {}file, schema_version: {}\n", comment, text_signature, schema_version);
  for (auto [name, value] : file_origin(title, command)) {
    // one line each, whatever the shell let into the command
    text += fmt::format("{} {}: {}\n", comment, name, printable(value));
  }
  for (const auto remark : remarks) text += fmt::format("{} {}\n", comment, remark);
  return text;
}

std::string text_footer(char comment) { return fmt::format("{} {}\n", comment, text_end); }

}  // namespace optinc
