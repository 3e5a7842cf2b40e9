#include "experiments/files/readers/netlist.hpp"

#include "tests/fuzz/support.hpp"

namespace optinc::fuzz {

void netlists(Bytes text) {
  const auto path = written(text, "netlist.yml");
  accepted([&] {
    const CircuitComponent circuit = read_netlist(path, {true});
    constexpr std::size_t few = 200;
    if (circuit.devices > few) return;
    const double wavelengths[] = {1.54e-6, 1.55e-6};
    demand(circuit.scattering({}, wavelengths).allFinite(), "scattering is finite");
  });
}

}  // namespace optinc::fuzz
