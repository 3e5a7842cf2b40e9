#include "physics/mesh/wiring.hpp"

#include "physics/mesh/engine/mesh_engine.hpp"
#include "physics/random/haar.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/refusal.hpp"

using namespace optinc;

TEST_CASE("a wiring is written out and read back") {
  for (const int ports : {2, 5, 8}) {
    CHECK(wiring_of(wiring_text(clements_topology(ports)), ports) == clements_topology(ports));
    CHECK(wiring_of(wiring_text(reck_topology(ports)), ports) == reck_topology(ports));
  }
  CHECK(wiring_of("0-1 2-3 | 1-2", 4).column_begin == std::vector<int>{0, 2, 3});
  CHECK(wiring_of("2-3, 0-1|1-2", 4) == wiring_of("0-1 2-3 | 1-2", 4));  // sorted from the top
  CHECK(wiring_of("", 3).mzi_count() == 0);
  CHECK(wiring_of("reck", 4) == reck_topology(4));
}

TEST_CASE("a wiring that is none is refused in words") {
  const auto check = [](std::string_view text, const std::vector<std::string>& parts) {
    check_message(refusal([&] { wiring_of(text, 4); }), parts);
  };
  check("clemens", {"topology \"clemens\" is unknown", "0-1 2-3 | 1-2"});
  check("0-1 x-3", {"\"x-3\" is no pair"});
  check("0-4", {"ports 0 and 4", "4 ports"});
  check("1-0", {"ports 1 and 0"});
  check("0-1 1-2", {"column 0 uses port 1 twice"});
  check("0-1 | | 1-2", {"column 1 of a wiring has no pair"});
}

// Six columns on four ports have more phases than a unitary has parameters: the fit is exact. Fails when the
// start is one where the gradient vanishes, as that of phases 0, or when starts do not differ.
TEST_CASE("phases of a wiring of one's own come from a fit") {
  Stream stream(3, Purpose::haar);
  const Matrix target = haar_unitary(4, stream);
  const MeshTopology deep = wiring_of("0-2 1-3 | 0-1 2-3 | 1-2 | 0-3 | 0-1 2-3 | 1-2 | 0-2 1-3", 4);
  const FittedProgram found = program_of_wiring(deep, target);
  CHECK((transfer_matrix(deep, found.program, no_errors(deep)) - target).norm() / 2 < 1e-6);
  CHECK(program_of_wiring(clements_topology(4), target).error == 0.0);
  check_message(refusal([&] { program_of_wiring(clements_topology(5), target); }), {"4 x 4", "5 ports"});
}
