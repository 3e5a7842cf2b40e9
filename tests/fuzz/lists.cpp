#include "experiments/designs/design_list.hpp"
#include "experiments/fabrics/cluster/cluster_list.hpp"
#include "experiments/fabrics/interconnect/scenario_list.hpp"

#include "tests/fuzz/support.hpp"

namespace optinc::fuzz {

void lists(Bytes text) {
  const auto path = written(text, "list.toml");
  accepted([&] {
    const DesignList list = load_design_list(path);
    for (const DesignEntry& design : list.designs) accepted([&] { design_config(list, design); });
  });
  accepted([&] { demand(load_cluster_list(path).rows() > 0, "a list of clusters has rows"); });
  accepted([&] {
    const ScenarioList list = load_scenario_list(path);
    for (const Scenario& s : list.scenarios) demand(s.servers >= 2, "a scenario has servers");
  });
}

}  // namespace optinc::fuzz
