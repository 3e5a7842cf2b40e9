#include "physics/core/printable.hpp"

#include <string>

#include "tests/support/catch.hpp"

using namespace optinc;

// Fails where only ASCII's control characters are known
TEST_CASE("no character that commands a terminal or turns the direction of writing is printed") {
  for (const std::string commanding :
       {"\x1b", "\x07", "\r", "\n", "\t", "\x7f", "\xc2\x80", "\xc2\x9b", "\xc2\x9f",  // U+0080..U+009F
        "\xe2\x80\xa8", "\xe2\x80\xaa", "\xe2\x80\xae",                                // U+2028, U+202A, U+202E
        "\xe2\x81\xa6", "\xe2\x81\xa9"}) {                                             // U+2066, U+2069
    CHECK(printable("a" + commanding + "b") == "a b");
    if (commanding != "\n") CHECK(printable_lines("a" + commanding + "b\n") == "a?b\n");
  }
  CHECK(printable(std::string("a\0b", 3), '?') == "a?b");
  // letters on both sides of those, of one byte to four
  for (const std::string letters :
       {" ~", "\xc2\xa0", "\xc3\xa9", "\xe2\x80\xa7", "\xe2\x80\xaf", "\xe2\x81\xa5", "\xe2\x81\xaa",
        "\xe4\xb8\xad", "\xf0\x9f\x98\x80", "\xf4\x8f\xbf\xbf"})
    CHECK(printable(letters) == letters);
  // what is no UTF-8: cut short, a lone continuation, Latin-1, overlong, a surrogate, beyond U+10FFFF; byte by
  // byte
  CHECK(printable("\xe4\xb8", '?') == "??");
  CHECK(printable("\x9b", '?') == "?");
  CHECK(printable("\xe9t\xe9", '?') == "?t?");
  CHECK(printable("\xc0\x9b", '?') == "??");
  CHECK(printable("\xe0\x80\x9b", '?') == "???");
  CHECK(printable("\xed\xa0\x80", '?') == "???");
  CHECK(printable("\xf4\x90\x80\x80", '?') == "????");
  CHECK(printable_json("{\"a\": \"\xc2\x9b\xe2\x80\xae\x7f\"}\n") == "{\"a\": \"\\u009b\\u202e\\u007f\"}\n");
}
