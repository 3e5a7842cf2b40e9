#include "experiments/files/readers/lumerical.hpp"

#include <algorithm>
#include <numbers>

#include <fmt/format.h>

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
  CHECK(std::abs(s.s(1, 0) - std::polar(1.0, -std::numbers::pi)) <
        1e-9);  // out of port 2, though it comes first
  CHECK(std::abs(s.s(1, 1) - std::polar(1.0, 0.25)) < 1e-9);
}

// As the files of SiEPIC's kit are written: single quotes, a mode without them, types of its own, a blank in
// the size, exponents of three digits, rows out of order. Fails when rows keep the order of the file.
TEST_CASE("blocks in the dialect of SiEPIC's kit are read") {
  const Scratch scratch;
  put(scratch / "b.sparam",
      "('port 1','TE',1,'port 1',1,'ReturnLoss')\n(3, "
      "3)\n1.95e+014\t0.3\t3\n1.93e+014\t0.1\t1\n1.94e+014\t0.2\t2\n"
      "('port 2',TE,1,'port 1',1,'Through')\n(3,3)\n1.95e+014\t0.6\t6\n1.93e+014\t0.4\t4\n1.94e+014\t0.5\t5\n");
  const LumericalBlock block = read_lumerical(scratch / "b.sparam");
  CHECK(block.ports == std::vector<std::string>{"port1", "port2"});
  CHECK(block.spectrum.frequency_hz == std::vector<double>{1.93e14, 1.94e14, 1.95e14});
  for (int row = 0; row < 3; ++row) {
    CHECK(std::abs(block.spectrum.s(0, row) - std::polar(0.1 * (row + 1), 1.0 + row)) < 1e-15);
    CHECK(std::abs(block.spectrum.s(1, row) - std::polar(0.1 * (row + 4), 4.0 + row)) < 1e-15);
  }
  put(scratch / "b.s2p", "('port 1','TE',1,'port 1',1,'transmission')\n(1,3)\n1.95e14 0.3 3\n");  // renamed
  CHECK(measured_block_component(scratch / "b.s2p").ports.size() == 1);
}

// As the manual has the element "Optical S-Parameter": S11, S21, S12, S22; or S11, S21 of a symmetric device.
// The tapers of SiEPIC's kit are such tables without a first line. Fails when S21 and S12 are exchanged.
TEST_CASE("a table of two ports of Lumerical") {
  const Scratch scratch;
  for (const char* size : {"", "(2, 9)\n"}) {
    put(scratch / "t.dat",
        size + std::string("1.94e14\t0.1\t1\t0.2\t2\t0.3\t3\t0.4\t4\n1.93e14 0.5 1 0.6 2 0.7 3 0.8 4\n"));
    const LumericalBlock block = read_lumerical(scratch / "t.dat");
    CHECK(block.spectrum.frequency_hz == std::vector<double>{1.93e14, 1.94e14});
    for (int e = 0; e < 4; ++e) {  // by columns: S11, S21, S12, S22
      CHECK(std::abs(block.spectrum.s(e, 1) - std::polar(0.1 * (e + 1), 1.0 + e)) < 1e-15);
      CHECK(std::abs(block.spectrum.s(e, 0) - std::polar(0.1 * (e + 5), 1.0 + e)) < 1e-15);
    }
  }
  put(scratch / "t.dat", "1.94e14 0.1 1 0.2 2\n");
  const Matrix s = read_lumerical(scratch / "t.dat").spectrum.s;
  CHECK(s(0, 0) == s(3, 0));
  CHECK(s(1, 0) == s(2, 0));
  CHECK(std::abs(s(1, 0) - std::polar(0.2, 2.0)) < 1e-15);
}

// A ring that all light passes, t = 0.9: its phase turns by 2 pi over a linewidth. The step between rows is a
// share of the free spectral range; the truth lies between the rows. Fails when the estimate forgets the phase,
// or counts a whole step.
TEST_CASE("a block that is coarse says how far off it may be") {
  const Scratch scratch;
  const auto ring = [](double hz) {
    const Complex turn = std::polar(1.0, 2 * std::numbers::pi * (hz - 193.5e12) / 1e12);
    return (0.9 - turn) / (1.0 - 0.9 * turn);
  };
  for (const auto& [step, coarse] : {std::pair(2e9, false), std::pair(8e9, true)}) {
    std::string text = "# Hz S RI R 50\n";
    double off = 0.0;
    std::vector<double> between;
    for (double hz = 193.4e12; hz < 193.6e12; hz += step) {
      const Complex s = std::conj(ring(hz));
      text += fmt::format("{} {} {}\n", hz, s.real(), s.imag());
      if (hz + step < 193.6e12) between.push_back(hz + step / 2);
    }
    put(scratch / "ring.s1p", text);
    const CircuitComponent block = measured_block_component(scratch / "ring.s1p");
    for (const double hz : between) {
      const double wavelength[] = {constants::speed_of_light_m_per_s / hz};
      off = std::max(off, std::abs(block.scattering({}, wavelength)(0, 0) - ring(hz)));
    }
    const std::vector<std::string> lines = block.warnings({});
    INFO(step << ": off by " << off << (lines.empty() ? "" : lines[0]));
    REQUIRE(lines.empty() == !coarse);
    CHECK((coarse || off < 0.01));
    if (!coarse) continue;
    const double told = std::stod(lines[0].substr(lines[0].find("off by ") + 7));
    CHECK(told > off / 2);
    CHECK(told < off * 2);
  }
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
  check("1.9e14 1 2 3 4\n1.8e14 1 2\n", {"b.dat:2", "3 numbers in row 2"});
  check("(3,9)\n1.9e14 1 2 3 4 5 6 7 8\n", {"b.dat", "1 rows of 3"});
  check("1.9e14 1 2 3 4\n(\"port 1\",\"TE\",1,\"port 1\",1,\"transmission\")\n", {"b.dat:2", "behind a table"});
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
  check(".subckt a in out\nw in x waveguide\n.ends\n", {"bad.spi:1", "pin out ends at no instance"});
  check(".subckt a in out\nw in out waveguide\n.ends\nx 1 2 a\ny 2 3 a\n",
        {"bad.spi:4", "outside of the subcircuits"});
  check(".subckt a in out\nw in out waveguide length_m={%long%*1e-6}\n.ends\n",
        {"bad.spi:2", "{%long%*1e-6}", "not a number"});
}

// As SiEPIC-Tools and INTERCONNECT write it: names with blanks, text with equals signs, defaults of a
// component, .param, a call of the circuit at the end. Fails when a default replaces what the instance says, or
// the call is an instance.
TEST_CASE("a netlist of SPICE in the dialects of its writers") {
  const Scratch scratch;
  put(scratch / "kit.toml",
      "[components.\"Strip guide\"]\nmodel = \"waveguide\"\nports = {opt1 = \"in0\", opt2 = \"out0\"}\n"
      "settings = {length_m = {wg_length = 1}, loss_db_per_cm = {loss = 1}}\n");
  NetlistOptions options;
  options.mappings.push_back(read_mapping(scratch / "kit.toml"));
  put(scratch / "n.spi",
      "* Spice output from KLayout SiEPIC-Tools\n"
      ".MODEL \"Strip guide\" wg_length=10u loss=2\n"
      ".subckt MZI N$0 N$1\n"
      ".param MC_grid=10e-6 \n"
      " wg_0  N$0 N$2 \"Strip guide\" library=\"Design kits/ebeam\" points=\"[[52.8,100.25],[58.0, 1]]\" "
      "lay_x=21.5E-6 "
      "lay_y=53.0E-6 sch_x=1.1E0 sch_r=270\n"
      " wg_1  N$2 N$1 \"Strip guide\"\n"
      "  + wg_length=198.959u\n"
      ".ends MZI\n\n"
      "MZI   N$0 N$1 MZI sch_x=-1 sch_y=-1 \n");
  const CircuitComponent circuit = read_netlist(scratch / "n.spi", options);
  CHECK(circuit.devices == 2);
  CHECK(circuit.not_read == std::vector<std::string>{"points"});
  const double at[] = {1.55e-6};
  const double loss_db = 2 * (10e-4 + 198.959e-4);  // dB/cm x cm
  CHECK(std::abs(std::norm(circuit.scattering({}, at)(1, 0)) - std::pow(10, -loss_db / 10)) < 1e-12);
}
