// Where the trials' dies lie on their wafers, as a result file says it.

#include "experiments/run/die_group.hpp"

#include <cmath>

#include "experiments/files/hdf5/hdf5.hpp"
#include "physics/variation/wafer_map.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/configs.hpp"

using namespace optinc;

// A wafer of radius 0.1 m and a rim of 3 mm has 23 dies of 26 x 33 mm (typed: rows of 3, 5, 7, 5, 3). Fails
// when a trial of five chips counts as one, or when corners stand for centres
TEST_CASE("dies of trials are numbered wafer after wafer, and chips of independent errors have none") {
  const StudyConfig config = parse(
      "model = 'cascade'\n[task]\nservers = 4\n[network]\nhidden = [8]\n[runner]\ntrials = 8\n"
      "[[sweep]]\nvalues = {\"fabrication.process\" = ['independent', 'wafer']}\n");
  REQUIRE(has_dies(config));
  CHECK_FALSE(has_dies(parse("")));
  CHECK(has_dies(parse("model = 'mesh'\n[fabrication]\nprocess = 'wafer'\n")));
  const File file = File::in_memory("dies.h5");
  write_dies_group(file.root().group("dies"), config);
  const Group dies = file.root().group("dies");
  const auto wafer = dies.read<std::int64_t>("wafer"), die = dies.read<std::int64_t>("die");
  const auto x = dies.read<double>("die_x"), y = dies.read<double>("die_y");
  CHECK(wafer.shape == std::vector<std::size_t>{2, 8});
  for (std::size_t t = 0; t < 8; ++t) {
    CHECK(wafer.values[t] == -1);
    CHECK(std::isnan(x.values[t]));
    CHECK(wafer.values[8 + t] == static_cast<std::int64_t>(5 * t / 23));  // five chips a trial
    CHECK(die.values[8 + t] == static_cast<std::int64_t>(5 * t % 23));
    CHECK(std::abs(std::remainder(x.values[8 + t], 26e-3)) < 1e-12);  // the grid is centred on a die
    CHECK(std::abs(std::remainder(y.values[8 + t], 33e-3)) < 1e-12);
  }
}
