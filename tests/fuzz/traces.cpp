#include <fstream>

#include "experiments/fabrics/cluster/chakra_file.hpp"

#include "tests/fuzz/support.hpp"

namespace optinc::fuzz {

void traces(Bytes bytes) {
  const auto path = written(bytes, "t.0.et"), groups = path.parent_path() / "groups.json";
  std::ofstream(groups) << R"({"first stage": [0]})";
  accepted([&] {
    const ExecutionTrace trace = read_chakra(path.parent_path() / "t", groups, 1e12);
    demand(run_trace(trace, nullptr, {}).iteration_s >= 0.0, "an iteration takes time");
  });
}

}  // namespace optinc::fuzz
