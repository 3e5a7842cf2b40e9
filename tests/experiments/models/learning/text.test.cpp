#include "experiments/models/learning/text.hpp"

#include "physics/core/check.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/files.hpp"
#include "tests/support/gzip.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/scratch.hpp"

using namespace optinc;

// Fails when the test is taken from the beginning, or characters are numbered in the order they come.
TEST_CASE("a text is numbered and cut") {
  const TextData data = text_data("dcba abcd!", 0.3);
  CHECK(data.characters == " !abcd");
  CHECK(data.train == std::vector<std::uint16_t>{5, 4, 3, 2, 0, 2, 3});
  CHECK(data.test == std::vector<std::uint16_t>{4, 5, 1});
  CHECK(text_data("\xff\x01", 0.5).characters == "\x01\xff");  // bytes, not signed chars
  CHECK_THROWS_AS(text_data("aaaaaaaaaa"), Error);
  CHECK_THROWS_AS(text_data("ab", 0.1), Error);
  CHECK_THROWS_AS(text_data("abcdef", 0.0), Error);
  CHECK_THROWS_AS(text_data("abcdef", 1.0), Error);
}

TEST_CASE("a text is read plain or gzipped, up to a limit") {
  const Scratch scratch;
  std::string text;
  for (int i = 0; i < 300'000; ++i) text += static_cast<char>('a' + (i % 23) * (i % 23) % 23);
  put(scratch / "plain.txt", text);
  put_gzipped(scratch / "packed.gz", text);
  for (const char* name : {"plain.txt", "packed.gz"}) {
    CHECK(read_text(scratch / name, 1'000'000) == text);
    CHECK(read_text(scratch / name, 1234) == text.substr(0, 1234));
    CHECK(load_text(scratch / name, 1000, 0.25).test.size() == 250);
  }
}

// Fails when zlib's answers are not asked for.
TEST_CASE("a text that is missing, empty or damaged is refused") {
  const Scratch scratch;
  CHECK(refusal([&] { read_text(scratch / "none", 10); }).find("there is no such file") != std::string::npos);
  put(scratch / "empty", "");
  CHECK(refusal([&] { read_text(scratch / "empty", 10); }).find("is empty") != std::string::npos);
  std::string text;
  for (int i = 0; i < 50'000; ++i) text += static_cast<char>(' ' + i * (i / 7) % 91);
  put_gzipped(scratch / "whole.gz", text);
  const std::string bytes = bytes_of(scratch / "whole.gz");
  put(scratch / "half.gz", bytes.substr(0, bytes.size() / 2));
  CHECK(refusal([&] { read_text(scratch / "half.gz", 100'000); }).find("truncated") != std::string::npos);
  CHECK_THROWS_AS(read_text(scratch / "whole.gz", 0), Error);
}
