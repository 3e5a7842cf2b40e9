#include "experiments/files/readers/lumerical.hpp"

#include <numbers>

#include "experiments/files/readers/measured_block.hpp"
#include "experiments/files/readers/netlist.hpp"
#include "physics/core/check.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/files.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/scratch.hpp"

using namespace optinc;

namespace {

const std::string two_ports =
    "[\"port 1\",\"LEFT\"]\n[\"port 2\",\"RIGHT\"]\n"
    "(\"port 2\",\"TE\",1,\"port 1\",1,\"transmission\")\n(3,3)\n"
    "1.93e+14 0.9 1.2\n1.935e+14 0.9 1.3\n1.94e+14 0.8 1.4\n";

}  // namespace

// The table of Ansys' manual, option 2. Fails when input and output are exchanged, or the sign of phase is that
// of Touchstone.
TEST_CASE("a block of Lumerical has its elements from port to port") {
  const Scratch scratch;
  put(scratch / "b.dat", two_ports);
  const LumericalBlock block = read_lumerical(scratch / "b.dat");
  CHECK(block.ports == std::vector<std::string>{"port1", "port2"});
  CHECK(block.spectrum.frequency_hz == std::vector<double>{1.93e14, 1.935e14, 1.94e14});
  CHECK(std::abs(block.spectrum.s(1, 2) - std::polar(0.8, 1.4)) < 1e-15);  // out of 2, into 1
  CHECK(block.spectrum.s.row(2).isZero());                                 // not in the file
  CHECK(std::abs(read_lumerical(scratch / "b.dat", PhaseConvention::rf).spectrum.s(1, 2) -
                 std::polar(0.8, -1.4)) < 1e-15);
  put(scratch / "b.s2p", two_ports);  // renamed
  CHECK(measured_block_component(scratch / "b.s2p").ports.size() == 2);
}

// 1 ps of delay over 1 THz is 2 pi: at the edges +-pi, which option 3 takes out of the phase
TEST_CASE("a group delay of Lumerical is put back into the phase") {
  const Scratch scratch;
  put(scratch / "b.sparam",
      "(\"port 2\",\"TE\",1,\"port 1\",1,\"transmission\",1e-12)\n(3,3)\n1.94e14 1 0.5\n1.935e14 1 "
      "0.25\n1.93e14 1 0\n");
  const ScatteringSpectrum s = read_lumerical(scratch / "b.sparam").spectrum;  // in falling order: turned round
  CHECK(s.frequency_hz.front() == 1.93e14);
  CHECK(std::abs(s.s(2, 0) - std::polar(1.0, -std::numbers::pi)) <
        1e-9);  // ports in order of appearance: 2, then 1
  CHECK(std::abs(s.s(2, 1) - std::polar(1.0, 0.25)) < 1e-9);
}

TEST_CASE("modes of Lumerical are ports") {
  const Scratch scratch;
  put(scratch / "m.dat", two_ports +
                             "(\"port 2\",\"TM\",2,\"port 1\",1,\"transmission\")\n(3,3)\n1.93e14 0.1 "
                             "0\n1.935e14 0.1 0\n1.94e14 0.1 0\n");
  const LumericalBlock block = read_lumerical(scratch / "m.dat");
  CHECK(block.ports == std::vector<std::string>{"port1@1", "port2@1", "port2@2"});
  CHECK(std::abs(block.spectrum.s(2, 0) - 0.1) < 1e-15);
}

TEST_CASE("a file of Lumerical that is none is refused by line") {
  const Scratch scratch;
  const auto check = [&](const std::string& text, const std::vector<std::string>& parts) {
    put(scratch / "b.dat", text);
    check_message(refusal([&] { read_lumerical(scratch / "b.dat"); }), parts);
  };
  check("[\"port 1\",\"LEFT\"]\n", {"b.dat", "no S parameters"});
  check("(\"port 1\",\"TE\",1,\"port 1\",1,\"modulation\")\n", {"b.dat:1", "modulation"});
  check("(\"port 1\",\"TE\",1)\n", {"b.dat:1", "3 entries"});
  check(two_ports + "1.95e14 1 1\n", {"b.dat:8", "as many as announced"});
  check(two_ports.substr(0, two_ports.rfind("1.94e+14")), {"b.dat:3", "2 rows of 3"});
  check(two_ports + two_ports.substr(two_ports.find('(')), {"b.dat:8", "second time"});
  check(two_ports + "(\"port 1\",\"TE\",1,\"port 1\",1,\"transmission\")\n(1,3)\n1.9e14 1 1\n",
        {"b.dat:8", "frequencies differ"});
  check("1.93e14 0.9 1.2\n", {"b.dat:1", "expected rows"});
  check("(\"port 1\",\"TE\",1,\"port 1\",1,\"transmission\")\n(2,3)\n1.9e14 -1 1\n",
        {"b.dat:3", "magnitude -1"});
}

TEST_CASE("a block that gives light becomes the nearest passive one") {
  const Scratch scratch;
  put(scratch / "b.dat",
      "(\"a\",\"TE\",1,\"a\",1,\"transmission\")\n(2,3)\n1.93e14 1.2 0.5\n1.94e14 0.7 0.5\n");
  const auto at = [&](bool passive, double hz) {
    const double wavelength[] = {constants::speed_of_light_m_per_s / hz};
    return measured_block_component(scratch / "b.dat", {.passive = passive}).scattering({}, wavelength)(0, 0);
  };
  CHECK(std::abs(at(false, 1.93e14) - std::polar(1.2, 0.5)) < 1e-12);
  CHECK(std::abs(at(true, 1.93e14) - std::polar(1.0, 0.5)) < 1e-12);
  CHECK(std::abs(at(true, 1.94e14) - std::polar(0.7, 0.5)) < 1e-12);
}

// The example of SiEPIC-Tools (tests/data/circuits/l2.spi) with two y-splitters and guides of 100 and 110 um.
// Fails when nets go to other ports than their place says, or 100u is 100 m.
TEST_CASE("a netlist of SPICE is a circuit") {
  const Scratch scratch;
  put(scratch / "kit.toml",
      "[components.ebeam_y_1550]\nmodel = \"mmi_1x2\"\nports = {opt1 = \"in0\", opt2 = \"out0\", opt3 = "
      "\"out1\"}\n"
      "[components.ebeam_wg_integral_1550]\nmodel = \"waveguide\"\nports = {opt1 = \"in0\", opt2 = \"out0\"}\n"
      "settings = {length_m = {wg_length = 1}}\n");
  NetlistOptions options;
  options.mappings.push_back(read_mapping(scratch / "kit.toml"));
  const std::filesystem::path file = std::filesystem::path(TEST_DATA_DIR) / "circuits/l2.spi";
  const CircuitComponent circuit = read_netlist(file, options);
  CHECK(circuit.ports == std::vector<std::string>{"in", "out"});
  const double at[] = {1.55e-6};
  const double power = std::norm(circuit.scattering({}, at)(1, 0));
  const double beta = 2 * std::numbers::pi * 2.44365 / 1.55e-6;
  const Complex arms = (std::polar(std::pow(10, -1.5e2 * 100e-6 / 20), beta * 100e-6) +
                        std::polar(std::pow(10, -1.5e2 * 110e-6 / 20), beta * 110e-6)) /
                       2.0;
  CHECK(std::abs(power - std::pow(10, -0.06) * std::norm(arms)) < 1e-9);
  const auto check = [&](const std::string& text, const std::vector<std::string>& parts) {
    put(scratch / "bad.spi", text);
    check_message(refusal([&] { read_netlist(scratch / "bad.spi", options); }), parts);
  };
  check("* nothing\n", {"bad.spi", "no subcircuit"});
  check(".subckt a in\nw in out waveguide\n", {"not closed"});
  check(".subckt a in\nwaveguide\n.ends\n", {"bad.spi:2", "no instance"});
  check(".subckt a in\nw in in in waveguide\n.ends\n", {"bad.spi:2", "pin in ends at 3"});
  check(".subckt a in out\nw in x out waveguide\n.ends\n", {"bad.spi:1", "2 ports, and net 3"});
}
