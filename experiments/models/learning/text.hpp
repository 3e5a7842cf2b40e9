#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace optinc {

/// A text as numbers, cut in two: the beginning to train on, the end to test on.
struct TextData {
  std::vector<std::uint16_t> train;
  std::vector<std::uint16_t> test;
  std::string characters;  ///< byte of each number, in ascending order; those of the whole text
};

/// Cuts a text and numbers its bytes. The last test_share of it is the test. Throws Error unless
/// 0 < test_share < 1, both parts have a byte, and there are two different bytes.
TextData text_data(std::string_view text, double test_share = 0.1);

/// Reads at most `limit` bytes of a text, plain or gzipped (.gz, or .dz as dictionaries come). Throws Error for
/// a file that is missing, empty or damaged.
std::string read_text(const std::filesystem::path& path, std::size_t limit);

/// The collaborative dictionary of English as text: 40 MB, of Debian's package dict-gcide.
inline constexpr auto dictionary_path = "/usr/share/dictd/gcide.dict.dz";

/// text_data of read_text.
TextData load_text(const std::filesystem::path& path = dictionary_path, std::size_t limit = 10'000'000,
                   double test_share = 0.1);

}  // namespace optinc
