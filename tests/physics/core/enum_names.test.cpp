#include "physics/core/enum_names.hpp"

#include "physics/mesh/conventions.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/refusal.hpp"

namespace optinc {
namespace {

enum class Fruit { apple, blood_orange, cherry };
enum class Nameless { one };

}  // namespace

template <>
inline constexpr EnumNames enum_names<Fruit> = {"fruit", {"apple", "blood-orange", "cherry"}};

}  // namespace optinc

using namespace optinc;

// fails when a name goes to the value beside it, or an unknown name to the first
TEST_CASE("names of an enumeration go to its values and back") {
  CHECK(names_of<Fruit>().size() == 3);
  CHECK(name_of(Fruit::blood_orange) == "blood-orange");
  for (const Fruit fruit : {Fruit::apple, Fruit::blood_orange, Fruit::cherry})
    CHECK(value_of_name<Fruit>(name_of(fruit)) == fruit);
  CHECK(find_value<Fruit>("cherry") == Fruit::cherry);
  CHECK_FALSE(find_value<Fruit>("Cherry").has_value());
  STATIC_REQUIRE(NamedEnum<Fruit>);
  STATIC_REQUIRE_FALSE(NamedEnum<Nameless>);
}

TEST_CASE("what is no name and no value of an enumeration is refused") {
  check_message(refusal([] { value_of_name<Fruit>("chery"); }),
                {"unknown fruit \"chery\" (known: apple, blood-orange, cherry)", "Did you mean \"cherry\"?"});
  check_message(refusal([] { name_of(static_cast<Fruit>(3)); }), {"fruit number 3", "0..2"});
  // fails where a switch over conventions falls through to this project's own
  const auto none = static_cast<PhaseConvention>(9);
  check_message(refusal([&] { screen_at_inputs(none); }), {"phase convention number 9"});
  check_message(refusal([&] { convention_block(none, 1.0, 0.5); }), {"phase convention number 9"});
}
