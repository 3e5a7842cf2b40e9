#include <filesystem>

#include "experiments/files/readers/measured_block.hpp"
#include "experiments/files/readers/netlist.hpp"

#include "tests/fuzz/support.hpp"

namespace optinc::fuzz {

void netlists(Bytes text) {
  accepted([&] {  // a block of Lumerical
    const CircuitComponent block = measured_block_component(written(text, "block.sparam"));
    block.warnings({});
    constexpr std::size_t few = 20;
    const double wavelengths[] = {1.54e-6, 1.55e-6};
    if (block.ports.size() < few) block.scattering({}, wavelengths);
  });
  accepted([&] { read_netlist(written(text, "netlist.spi"), {true, {}, {}}); });
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
