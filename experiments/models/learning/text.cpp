#include "experiments/models/learning/text.hpp"

#include <algorithm>
#include <array>
#include <memory>

#include <zlib.h>

#include "physics/core/check.hpp"

namespace optinc {
namespace {

struct Close {
  void operator()(gzFile file) const { gzclose(file); }
};

constexpr auto advice = "Install the Debian package dict-gcide, or name another text file.";

}  // namespace

TextData text_data(std::string_view text, double test_share) {
  validate(test_share > 0.0 && test_share < 1.0,
           "a test share of {} (it lies between 0 and 1, and neither part is empty). Choose 0.1.", test_share);
  const auto test = static_cast<std::size_t>(test_share * static_cast<double>(text.size()));
  validate(test >= 1 && test < text.size(),
           "a text of {} characters, {} of them to test (each part needs one). "
           "Read more.",
           text.size(), test);
  std::array<bool, 256> seen{};
  for (const char c : text) seen[static_cast<unsigned char>(c)] = true;
  TextData data;
  std::array<std::uint16_t, 256> number{};
  for (std::size_t byte = 0; byte < 256; ++byte) {
    if (!seen[byte]) continue;
    number[byte] = static_cast<std::uint16_t>(data.characters.size());
    data.characters += static_cast<char>(byte);
  }
  validate(data.characters.size() >= 2,
           "a text of one character repeated (there is nothing to learn). Read another.");
  const auto coded = [&](std::string_view part) {
    std::vector<std::uint16_t> codes(part.size());
    std::transform(part.begin(), part.end(), codes.begin(),
                   [&](char c) { return number[static_cast<unsigned char>(c)]; });
    return codes;
  };
  data.train = coded(text.substr(0, text.size() - test));
  data.test = coded(text.substr(text.size() - test));
  return data;
}

std::string read_text(const std::filesystem::path& path, std::size_t limit) {
  validate(limit >= 1 && limit <= std::size_t{1} << 30,
           "at most {} characters (1 to 2^30 are read). Choose 10000000.", limit);
  std::error_code none;
  validate(std::filesystem::is_regular_file(path, none), "{} cannot be read (there is no such file). {}",
           path.string(), advice);
  const std::unique_ptr<gzFile_s, Close> file(gzopen(path.c_str(), "rb"));
  validate(file != nullptr, "{} cannot be read (it does not open). {}", path.string(), advice);
  gzbuffer(file.get(), 1u << 17);
  std::string text;
  constexpr std::size_t piece = std::size_t{1} << 20;
  while (text.size() < limit) {
    const std::size_t before = text.size(), wanted = std::min(piece, limit - before);
    text.resize(before + wanted);
    const int got = gzread(file.get(), text.data() + before, static_cast<unsigned>(wanted));
    int error = Z_OK;
    gzerror(file.get(), &error);
    validate(got >= 0 && error != Z_DATA_ERROR && error != Z_BUF_ERROR,
             "{} is damaged or truncated (zlib stopped after {} characters). {}", path.string(), before,
             advice);
    text.resize(before + static_cast<std::size_t>(got));
    if (static_cast<std::size_t>(got) < wanted) break;
  }
  validate(!text.empty(), "{} is empty (a text has characters). {}", path.string(), advice);
  return text;
}

TextData load_text(const std::filesystem::path& path, std::size_t limit, double test_share) {
  return text_data(read_text(path, limit), test_share);
}

}  // namespace optinc
