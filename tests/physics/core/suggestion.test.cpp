#include "physics/core/suggestion.hpp"

#include <vector>

#include "tests/support/catch.hpp"

using namespace optinc;

namespace {

std::string of(std::string_view word, const std::vector<std::string_view>& names) {
  return suggestion(word, names);
}

}  // namespace

TEST_CASE("edit distance: insertions, deletions, substitutions, and neighbours exchanged") {
  CHECK(edit_distance("", "abc") == 3);
  CHECK(edit_distance("kitten", "sitting") == 3);
  CHECK(edit_distance("trails", "trials") == 1);
  CHECK(edit_distance("same", "same") == 0);
}

// fails where the nearest name is offered however far it is: nofile once meant sine
TEST_CASE("a name is suggested if it is near, in whatever case, or if it holds the word") {
  CHECK(of("nofile", {"sine", "skew", "shapes"}) == "Use one of these.");
  CHECK(of("half", {"double", "single"}) == "Use one of these.");
  CHECK(of("", {"sine"}) == "Use one of these.");
  CHECK(of("word", {}) == "Use one of these.");
  CHECK(of("rnu", {"resume", "run"}) == "Did you mean \"run\"?");
  CHECK(of("dac", {"noise", "DAC"}) == "Did you mean \"DAC\"?");
  CHECK(of("vgg", {"llama-8x384-tied", "vgg19"}) == "Did you mean \"vgg19\"?");
  CHECK(of("mesh", {"mesh_a", "cut", "mesh_b", "a_mesh"}) ==
        "Did you mean \"mesh_a\", \"mesh_b\" or \"a_mesh\"?");
}
