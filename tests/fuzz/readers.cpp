#include "tests/fuzz/readers.hpp"

#include "experiments/files/chips/chip_file.hpp"
#include "experiments/files/chips/matrix_file.hpp"
#include "experiments/files/chips/mesh_errors_file.hpp"
#include "experiments/files/chips/phases_file.hpp"
#include "experiments/files/chips/twin_file.hpp"
#include "experiments/files/hdf5/network_file.hpp"
#include "experiments/run/inspect.hpp"
#include "experiments/run/state.hpp"
#include "experiments/run/training_checkpoint.hpp"
#include "experiments/validate/laws_file.hpp"
#include "onn/chip/chip_design.hpp"

#include "tests/fuzz/support.hpp"

namespace optinc::fuzz {
namespace {

/// What resume and merge do with a result file before they compute.
void put_together(const std::filesystem::path& path) {
  const StudyState part = read_state(path);
  StudyState whole{part.config, {}, {}, {}};
  whole.config.runner.trials = static_cast<int>(part.records->trials) + 1;
  add_state(part, whole);
  demand(whole.records->count() <= part.records->count(), "no trial comes from nowhere");
  demand(layout_of(part).record_size == part.records->record_size, "records are as wide as the study's");
}

}  // namespace

void read_everything(const std::filesystem::path& path) {
  const auto has = [&](const char* name) {
    bool there = false;
    accepted([&] { there = File::open(path).root().exists(name); });
    return there;
  };
  accepted([&] { inspect_text(path); });  // which is made of inspect_json()
  if (has("laws")) accepted([&] { verdicts_text(File::open(path).root()); });
  // readers of something else only say so, and take their time for it
  if (has("trials")) accepted([&] { put_together(path); });
  if (has("network")) accepted([&] { design_chip(load_network(File::open(path).group("network"))); });
  if (has("phases")) accepted([&] { read_phases(path); });
  if (has("matrix")) accepted([&] { read_matrix(path); });
  if (has("chip")) accepted([&] { load_chip(File::open(path).group("chip")); });
  if (has("power") || has("field")) accepted([&] { read_twin_measurement(path, 1.0); });
  if (has("measured")) accepted([&] { read_mesh_errors(path, clements_topology(2)); });
  if (has("state")) accepted([&] { read_checkpoint(path); });
}

}  // namespace optinc::fuzz
