#include "experiments/files/readers/netlist.hpp"

#include "tests/fuzz/support.hpp"

namespace optinc::fuzz {

void netlists(Bytes text) {
  const auto path = written(text, "netlist.yml");
  accepted([&] { read_mapping(path); });
  static const Mapping kit = read_mapping(std::filesystem::path(FUZZ_CORPUS) / "netlists/by_hand_mapping.toml");
  for (const std::vector<Mapping>& mappings : {std::vector<Mapping>{}, {kit}})
    accepted([&] {
      const CircuitComponent circuit = read_netlist(path, {true, {}, mappings});
      constexpr std::size_t few = 200;
      if (circuit.devices > few) return;
      const double wavelengths[] = {1.54e-6, 1.55e-6};
      demand(circuit.scattering({}, wavelengths).allFinite(), "scattering is finite");
    });
}

}  // namespace optinc::fuzz
