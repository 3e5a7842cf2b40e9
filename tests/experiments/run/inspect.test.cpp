#include "experiments/run/inspect.hpp"

#include <sstream>

#include "experiments/base/text_table.hpp"
#include "experiments/run/run_study.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/configs.hpp"
#include "tests/support/run_options.hpp"
#include "tests/support/scratch.hpp"

using namespace optinc;

namespace {

std::vector<std::string> lines_of(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

/// Meshes of little error: their fidelities lie just below 1.
const std::string meshes =
    "study = 'toy'\nmodel = 'mesh'\n[runner]\ntrials = 5\n[chip]\npreset = 'ideal'\n[mesh]\nports = 4\n"
    "[yield]\nmetric = 'fidelity'\nlimit = 0.99\n";

}  // namespace

// Fails where the columns of a wide table share one line again, or a block forgets whose rows it shows
TEST_CASE("inspect prints tables that fit a terminal, every block with points and variants") {
  const Scratch scratch;
  const StudyConfig config =
      parse(meshes +
            "[[sweep]]\nvalues = {\"chip.sigma_eta_rad\" = [0.0001, 0.02], \"chip.sigma_cal_rad\" = "
            "[0.000123456789, 0.1], "
            "\"chip.sigma_phase_rad\" = [0.000123456789, 0.1]}\n"
            "[[sweep]]\nmethod = 'ablation'\nsources = ['splitters', 'calibration', 'phase noise']\n");
  REQUIRE(run_study(config, to(scratch / "meshes.h5")) == Ending::complete);
  int tables = 0;
  for (const std::string& line : lines_of(inspect_text(scratch / "meshes.h5"))) {
    CAPTURE(line);
    CHECK(line.size() <= terminal_columns);
    tables += line.starts_with("mean over trials") ? 1 : 0;
    if (line.starts_with("mean over trials")) CHECK(line.find("variant") != std::string::npos);
  }
  CHECK(tables >= 2);
}

// Fails where a fidelity is rounded to four digits, so that one below 1 reads 1
TEST_CASE("inspect tells shares near 1 from 1") {
  const Scratch scratch;
  const StudyConfig config =
      parse(meshes + "[[sweep]]\nvalues = {\"chip.sigma_eta_rad\" = [0, 0.0001, 0.4]}\n");
  REQUIRE(run_study(config, to(scratch / "meshes.h5")) == Ending::complete);
  const auto entries = inspect_json(scratch / "meshes.h5")["meshes"];
  REQUIRE(entries.size() == 9);
  const double near = entries[3]["fidelity_mean"].get<double>();
  REQUIRE(near < 1.0);
  REQUIRE(near > 0.999999);
  const std::string text = inspect_text(scratch / "meshes.h5");
  bool found = false;  // five digits of what is missing; ideal meshes may miss a rounding
  for (std::size_t at = text.find("0.9999999"); at != std::string::npos; at = text.find("0.9999999", at + 1))
    found = found || 1 - std::stod(text.substr(at)) == Approx(1 - near).epsilon(1e-4);
  CHECK(found);
}
