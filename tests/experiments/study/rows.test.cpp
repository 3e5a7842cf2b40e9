#include "physics/core/rows.hpp"

#include "experiments/files/hdf5/stored_values.hpp"
#include "experiments/study/table_reader.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/scratch.hpp"

namespace optinc {
namespace {

struct Toy {
  double gap_m = 200e-9;
  int taps = 3;
};

/// Two keys, each said once.
template <Like<Toy> S, class Visitor>
void visit_rows(S& s, Visitor&& visit) {
  visit(or_zero({"gap_m", "m", "Gap between the guides", 1e-9, 1e-6, "150 to 300 nm"}), s.gap_m);
  visit(odd({"taps", "1", "Taps", 1, 9}), s.taps);
}

}  // namespace
}  // namespace optinc

using namespace optinc;

// Fails where any of these would need to be told of the key a second time
TEST_CASE("a key that is one row is checked, explained, read and stored") {
  Toy toy;
  validate_rows(toy);
  toy.gap_m = 0.0;
  validate_rows(toy);
  toy.gap_m = 1e-10;
  check_message(refusal([&] { validate_rows(toy); }), {"gap_m = 1e-10", "0 or 1e-09..1e-06", "at least 1e-09"});
  toy = {200e-9, 4};
  check_message(refusal([&] { validate_rows(toy); }), {"taps = 4", "Give 3 or 5"});
  toy.taps = 5;

  const Scratch scratch;
  {
    const File file = File::create(scratch / "toy.h5");
    visit_rows(toy, [&](const Row& row, const auto& value) {
      set_field(file.root().attributes(), row, to_field_value(value));
    });
    CHECK(file.root().attributes().number("gap_m") == 200e-9);
    CHECK(file.root().attributes().integer("taps") == 5);
  }
  std::vector<std::string> said;
  visit_rows(toy, [&](const Row& row, const auto& value) {
    said.push_back(expected_text(row, to_field_value(value)));
  });
  CHECK(said == std::vector<std::string>{"a number (0 or 1e-09..1e-06)", "an integer (1..9, in steps of 2)"});

  const toml::table table = toml::parse("gap_m = 3e-7\n");
  const TomlSource source{"toy.toml"};
  visit_rows(toy, [&](const Row& row, auto& value) { TableReader{table, source, "toy"}.take(row, value); });
  CHECK(toy.gap_m == 3e-7);
  CHECK(toy.taps == 5);
}
