#include "experiments/files/readers/netlist.hpp"

#include <array>
#include <cmath>
#include <ctime>

#include <fmt/format.h>

#include "experiments/files/chips/scattering_file.hpp"
#include "experiments/files/chips/touchstone_text.hpp"
#include "experiments/files/readers/touchstone.hpp"
#include "physics/circuit/models.hpp"
#include "physics/core/check.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/files.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/scratch.hpp"

using namespace optinc;
namespace fs = std::filesystem;

namespace {

constexpr std::array<double, 3> at = {1.545e-6, 1.55e-6, 1.5561e-6};

/// A ring in two lines of a netlist; the components of its coupler and waveguide as given.
std::string ring(const std::string& bus = "{component: coupler, settings: {eta_rad: 0.4}}",
                 const std::string& turn = "waveguide", const std::string& outer = "\"bus,out0\"") {
  return "instances:\n  bus: " + bus + "\n  turn: " + turn +
         "\nconnections:\n  \"bus,out1\": \"turn,in0\"\n  \"turn,out0\": \"bus,in1\"\nports:\n  in: "
         "\"bus,in0\"\n"
         "  out: " +
         outer + "\n";
}

CircuitComponent read(const Scratch& scratch, const std::string& text, bool absorb = false) {
  put(scratch / "n.yml", text);
  return read_netlist(scratch / "n.yml", {absorb});
}

Matrix closed_ring(double eta_rad) {
  return model_scattering(circuit_model("ring"), {{"bus_eta_rad", eta_rad}, {"length_m", 1e-4}}, at);
}

double difference(const Matrix& a, const Matrix& b) { return (a - b).cwiseAbs().maxCoeff(); }

}  // namespace

// Fails when settings, their overrides or the levels of a hierarchy do not reach their devices.
TEST_CASE("a netlist file is the circuit it describes") {
  const Scratch scratch;
  const CircuitComponent one = read(scratch, ring());
  CHECK(one.ports == std::vector<std::string>{"in", "out"});
  CHECK(one.devices == 2);
  CHECK(difference(one.scattering({}, at), closed_ring(0.4)) < 1e-12);
  CHECK(difference(one.scattering({{"bus.eta_rad", 0.2}}, at), closed_ring(0.2)) < 1e-12);

  put(scratch / "n.json",
      R"({"instances": {"bus": {"component": "coupler", "settings": {"eta_rad": 0.4}}, "turn": {"component": "waveguide"}},
          "nets": [{"p1": "bus,out1", "p2": "turn,in0"}, {"p1": "turn,out0", "p2": "bus,in1"}],
          "ports": {"in": "bus, in0", "out": "bus,out0"}})");
  CHECK(read_netlist(scratch / "n.json").scattering({}, at) == one.scattering({}, at));

  std::string inner = ring();
  for (std::size_t line = 0; (line = inner.find('\n', line)) != inner.npos && line + 1 < inner.size();
       line += 3)
    inner.insert(line + 1, "  ");
  const std::string chain =
      "chain:\n  instances: {a: one, b: {component: one, settings: {bus: {eta_rad: 0.3}}}, c: one}\n"
      "  connections: {\"a,out\": \"b,in\", \"b,out\": \"c,in\"}\n  ports: {left: \"a,in\", right: "
      "\"c,out\"}\none:\n  " +
      inner;
  const CircuitComponent three = read(scratch, chain);
  CHECK(three.devices == 6);
  const Matrix through = three.scattering({{"c.bus.eta_rad", 0.2}}, at).row(1);  // S(right, left)
  CHECK(
      difference(
          through,
          closed_ring(0.4).row(1).cwiseProduct(closed_ring(0.3).row(1)).cwiseProduct(closed_ring(0.2).row(1))) <
      1e-12);
}

// Fails when rows and columns are exchanged, frequencies are left in the order of wavelengths, or interpolated
// the wrong way.
TEST_CASE("a measured block from Touchstone, and spectra back into it") {
  const Scratch scratch;
  const CircuitModel& waveguide = circuit_model("waveguide");
  const auto spectrum = [&](int points, double length_m) {
    CircuitScattering s{{"left", "right"}, {}, {}};
    for (int i = 0; i < points; ++i) s.wavelengths_m.push_back(1.54e-6 + 20e-9 * i / (points - 1));
    s.s = model_scattering(waveguide, {{"length_m", length_m}}, s.wavelengths_m);
    s.s.row(2) *= 0.5;  // an isolator: port1 from port2 is weaker
    s.s.row(0).setConstant(Complex(0.1, 0.0));
    return s;
  };
  const CircuitScattering fine = spectrum(2001, 1e-4);
  write_scattering(scratch / "turn.s2p", fine, "a test", "test", false);
  const ScatteringSpectrum back = read_touchstone_spectrum(scratch / "turn.s2p");
  CHECK(back.s.rowwise().reverse() == fine.s);
  CHECK(std::is_sorted(back.frequency_hz.begin(), back.frequency_hz.end()));

  const CircuitComponent block = read(scratch,
                                      "instances: {a: {component: touchstone, settings: {file: "
                                      "turn.s2p}}}\nports: {in: \"a,port1\", out: \"a,port2\"}\n");
  CHECK(difference(block.scattering({}, std::span(fine.wavelengths_m).subspan(700, 9)),
                   fine.s.middleCols(700, 9)) < 1e-12);
  Matrix expected = model_scattering(waveguide, {}, at);
  expected.row(2) *= 0.5;
  expected.row(0).setConstant(Complex(0.1, 0.0));
  CHECK(difference(block.scattering({}, at), expected) < 1e-6);  // (0.004 rad)^2 / 8 between frequencies
  CHECK_THAT(refusal([&] { block.scattering({}, std::array{1.57e-6}); }),
             ContainsSubstring("n.yml:1: instance \"a\": wavelength_m = 1.57e-06 (190.950610191 THz; "));
  CHECK_THAT(refusal([&] {
               block.scattering({{"a.gain", 1.0}}, at);
             }),
             ContainsSubstring("no setting to change"));
  CHECK(block.files == std::vector{scratch / "n.yml", scratch / "turn.s2p"});  // which no output may replace
  ScatteringSpectrum turned{{190e12, 195e12}, Matrix::Zero(1, 2)};             // between them no light is lost
  turned.s << 1.0, std::polar(1.0, 0.4);
  put(scratch / "turned.s1p", touchstone_text(turned, PhaseConvention::rf, "a test", "test", {}));
  const CircuitComponent lossless = read(scratch,
                                         "instances: {a: {component: touchstone, settings: {file: "
                                         "turned.s1p}}}\nports: {in: \"a,port1\"}\n");
  const Complex midway =
      lossless.scattering({}, std::array{constants::speed_of_light_m_per_s / 192.5e12})(0, 0);
  CHECK(std::abs(midway - std::polar(1.0, 0.2)) < 1e-9);

  const std::string turns =
      "instances: {a: {component: touchstone, settings: {file: turn.s2p}}}\nports: {in: \"a,port1\", out: "
      "\"a,port2\"}\n";
  write_scattering(scratch / "turn.s2p", spectrum(21, 1e-4), "a test", "test",
                   true);  // 1.1 rad from row to row
  CHECK(difference(read(scratch, turns).scattering({}, at), expected) < 1e-3);
  write_scattering(scratch / "turn.s2p", spectrum(21, 1e-3), "a test", "test", true);
  const CircuitComponent coarse = read(scratch, turns);
  CHECK_THAT(refusal([&] { coarse.scattering({}, std::array{1.5502e-6}); }),
             ContainsSubstring("turns a phase by"));
  CHECK(refusal([&] { coarse.scattering({}, std::array{1.55e-6}); }).empty());

  CHECK_THAT(refusal([&] { write_scattering(scratch / "x.s3p", fine, "a test", "test", false); }),
             ContainsSubstring("does not fit a circuit of 2 ports (known: .h5, .s2p, .ts, .va)"));
  CHECK_THAT(refusal([&] { write_scattering(scratch / "turn.s2p", fine, "a test", "test", false); }),
             ContainsSubstring("exists"));
}

TEST_CASE("a netlist that is none is refused by line") {
  const Scratch scratch;
  const auto refused = [&](const std::string& text) { return refusal([&] { read(scratch, text); }); };
  const std::string file = (scratch / "n.yml").string();
  CHECK(refused(ring("coupler", "wave_guide"))
            .starts_with(file + ":3: instance \"turn\": unknown model \"wave_guide\""));
  CHECK(refused(ring("coupler", "waveguide", "\"bus,out7\"")) ==
        file +
            ":9: port bus,out7: instance \"bus\" has no port \"out7\" (its ports: in0, in1, out0, out1). Use "
            "one of "
            "these.");
  CHECK(refused(ring("coupler", "crossing")) ==
        file +
            ":3: port turn,in1 faces nothing (it would end in the air). Connect it, "
            "name it among the ports, or let unconnected ports absorb.");
  CHECK(refusal([&] { read(scratch, ring("coupler", "crossing"), true); }).empty());
  CHECK_THAT(refused(ring("{settings: {}}")), ContainsSubstring(":2: instance \"bus\" names no component"));
  CHECK_THAT(refused(ring("{component: coupler, settings: {eta_rad: strip}}")),
             ContainsSubstring(":2: instance \"bus\": setting eta_rad is \"strip\", not a number"));
  CHECK_THAT(refused(ring("{component: coupler, settings: {eta_rad: .inf}}")),
             ContainsSubstring("setting eta_rad is .inf, not a number"));
  CHECK_THAT(refused(ring("coupler", "waveguide", "bus")), ContainsSubstring(":9: \"bus\" is not a port"));
  CHECK_THAT(refused("instances: {\"a.b\": ring}\nports: {in: \"a.b,in0\"}\n"),
             ContainsSubstring("neither dot nor comma"));
  CHECK_THAT(refused("instances: [1]\n"), ContainsSubstring(":1: \"instances\" is not a mapping"));
  CHECK_THAT(refused("instances: {a: ring}\n"), ContainsSubstring(":1: a circuit without ports"));
  CHECK_THAT(refused("instances: {a: ring}\nnets: {p1: \"a,in0\"}\n"),
             ContainsSubstring(":2: \"nets\" is not a list"));
  CHECK_THAT(refused("instances: {a: ring}\nnets: [{p1: \"a,in0\"}]\n"),
             ContainsSubstring(":2: a net without p1 and p2"));
  CHECK_THAT(refused("a: {instances: {b: c}}\nc: {instances: {d: a}}\n"),
             ContainsSubstring(":2: component \"a\" contains itself (a > c)"));
  CHECK_THAT(refused("instances: {\"a\\e[31m\": ring}\nports: {in: \"a,in0\"}\n"),
             ContainsSubstring(":1: a name holds control characters"));
  CHECK(refused("instances: {a: \"x\\e[31m\\ny\"}\nports: {in: \"a,in0\"}\n")
            .starts_with(file + ":1: instance \"a\": unknown model \"x [31m y\""));
  CHECK(refused("instances: {a: ring}\nports: {in: \"a,\\e\\n\"}\n").find_first_of("\n\x1b") ==
        std::string::npos);
  std::string doubling = "info:\n  - &a0 {}\n";  // 2^40 empty maps
  for (int i = 1; i <= 40; ++i) doubling += fmt::format("  - &a{} {{p: *a{}, q: *a{}}}\n", i, i - 1, i - 1);
  CHECK_THAT(refused(doubling + "instances: {a: {component: ring, settings: *a40}}\nports: {in: \"a,in0\"}\n"),
             ContainsSubstring("over 10000 settings"));
  CHECK_THAT(refused("- 1\n- 2\n"), ContainsSubstring("no netlist (expected a mapping"));
  CHECK_THAT(refused("instances: {a: [1\n"), ContainsSubstring(":2: "));
  CHECK_THAT(refused("instances: {a: {component: touchstone}}\n"),
             ContainsSubstring(":1: instance \"a\": a touchstone block has the settings file"));
  CHECK_THAT(refused("instances: {a: {component: touchstone, settings: {file: gone.s2p}}}\n"),
             ContainsSubstring("gone.s2p: no such file"));
  CHECK_THAT(refusal([&] { read_netlist(scratch / "gone.yml"); }), ContainsSubstring("no such file"));
  CHECK_THAT(refusal([&] {
               read(scratch, ring()).scattering({{"turns.length_m", 1.0}}, at);
             }),
             ContainsSubstring("setting \"turns.length_m\" (it reads INSTANCE.SETTING, of an instance of"));
  CHECK_THAT(refusal([&] {
               read(scratch, ring()).scattering({{"turn.length", 1.0}}, at);
             }),
             ContainsSubstring(":3: instance \"turn\": unknown setting of waveguide \"length\""));
}

// Fails when a key that is no key of an instance, or one that stands twice, is passed over: the device would
// have other settings than its netlist says.
TEST_CASE("what a netlist says and nobody reads is refused") {
  const Scratch scratch;
  const auto refused = [&](const std::string& text, bool absorb = false) {
    return refusal([&] { read(scratch, text, absorb); });
  };
  const std::string file = (scratch / "n.yml").string();
  const std::string ports = "ports: {in: \"a,in0\", out: \"a,out0\"}\n";
  CHECK(refused("instances:\n  a: {component: waveguide, setting: {length_m: 1.0e-2}}\n" + ports) ==
        file +
            ":2: instance \"a\" has the unknown key \"setting\" (known: component, settings, info, array, "
            "virtual). "
            "Settings "
            "of the device stand in settings: {SETTING: NUMBER}.");
  CHECK_THAT(refused("instances: {a: {component: waveguide, length_m: 1.0e-2}}\n" + ports),
             ContainsSubstring("instance \"a\" has the unknown key \"length_m\""));
  CHECK(refused("instances: {a: {component: waveguide, array: null, info: {x: 1}}}\nplacements: {a: {x: 0}}\n" +
                ports)
            .empty());
  CHECK_THAT(refused("instances: {a: waveguide}\nroutes:\n  bundle: {}\n" + ports),
             ContainsSubstring(":3: route \"bundle\" has no links"));
  CHECK_THAT(refused("instances: {a: waveguide}\nroutes:\n  bundle: {links: {}, length: 3}\n" + ports),
             ContainsSubstring(":3: route \"bundle\" has the unknown key \"length\""));
  CHECK(refused("instances: {a: waveguide}\nroutes: {}\n" + ports).empty());
  CHECK_THAT(refused("instances: {a: waveguide}\nconections: {}\n" + ports),
             ContainsSubstring(":2: the netlist has the unknown key \"conections\""));
  CHECK_THAT(
      refused("instances: {a: waveguide}\nnets: [{p1: \"a,in0\", p2: \"a,out0\", p3: \"a,in1\"}]\n" + ports),
      ContainsSubstring(":2: a net has the unknown key \"p3\""));
  CHECK(refused("instances:\n  a: waveguide\n  a: coupler\n" + ports) ==
        file +
            ":3: instances > a stands there twice, first in line 2 (keys of a mapping differ). Remove or "
            "rename one.");
  CHECK_THAT(refused("instances: {a: {component: waveguide, settings: {length_m: 1, length_m: 2}}}\n" + ports),
             ContainsSubstring(":1: instances > a > settings > length_m stands there twice"));
  CHECK_THAT(refused("instances: {a: waveguide}\n" + ports + "instances: {a: coupler}\n"),
             ContainsSubstring(":3: instances stands there twice, first in line 1"));
  CHECK_THAT(refused("instances: {a: waveguide, b: waveguide, c: waveguide}\n"
                     "connections: {\"a,out0\": \"b,in0\", \"a,out0\": \"c,in0\"}\n" +
                         ports,
                     true),
             ContainsSubstring(":2: connections > a,out0 stands there twice"));
  CHECK_THAT(refused("instances: {a: waveguide, b: waveguide, c: waveguide}\n"
                     "connections: {\"a,out0\": \"b,in0\", \"a, out0\": \"c,in0\"}\n" +
                         ports,
                     true),
             ContainsSubstring("a,out0"));
  CHECK_THAT(
      refused("w: &w {length_m: 1.0e-4}\ninstances: {a: {component: waveguide, settings: {<<: *w}}}\n" + ports),
      ContainsSubstring(":2: instances > a > settings > << merges mappings"));
  CHECK_THAT(refused("version: 2\nchip: {instances: {a: waveguide}}\n"),
             ContainsSubstring(":1: \"version\" is no netlist"));
  CHECK_THAT(refused("instances: {a: waveguide}\n" + ports + "---\ninstances: {}\n"),
             ContainsSubstring("more than one document"));
  CHECK_THAT(refused("? [1]\n: 2\n"), ContainsSubstring(":1: a key is a list or a mapping"));
}

// Fails when elements are counted by rows first, an element shares the settings of another, or routes are lost.
TEST_CASE("arrays of instances and routes are links and elements") {
  const Scratch scratch;
  const std::string arms =
      "instances:\n  split: coupler\n"
      "  arms: {component: phase_shifter, settings: {phi_rad: 0.5}, array: {columns: 3, rows: 2}}\n"
      "routes:\n  first: {links: {\"split,out0\": \"arms<0.1>,in0\"}, settings: {radius: 10}}\n"
      "  second: {links: {\"split,out1\": \"arms<2.0>,in0\"}, routing_strategy: route_bundle}\n"
      "ports: {in: \"split,in0\", a: \"arms<0.1>,out0\", b: \"arms<2.0>,out0\"}\n";
  const CircuitComponent circuit = read(scratch, arms, true);
  CHECK(circuit.devices == 7);
  CHECK(circuit.instances == std::vector<std::string>{"split", "arms<0.0>", "arms<0.1>", "arms<1.0>",
                                                      "arms<1.1>", "arms<2.0>", "arms<2.1>"});
  CHECK(circuit.not_read == std::vector<std::string>{"lengths of routes"});
  const auto fields = [&](const CircuitSettings& changed) -> Matrix {
    return circuit.scattering(changed, std::array{1.55e-6}).col(0).head(3);  // out of in, a and b
  };
  const Matrix as_read = fields({});
  CHECK(std::abs(std::norm(as_read(1)) + std::norm(as_read(2)) - std::pow(10.0, -0.005)) < 1e-12);
  const Matrix one = fields({{"arms<0.1>.phi_rad", 0.75}}), all = fields({{"arms.phi_rad", 0.75}});
  const Complex turned = std::polar(1.0, 0.25);
  CHECK(std::abs(one(1) - turned * as_read(1)) < 1e-14);
  CHECK(one(2) == as_read(2));
  CHECK(difference(all, turned * as_read) < 1e-14);

  const auto refused = [&](const std::string& array, const std::string& port) {
    return refusal([&] {
      read(scratch,
           "instances:\n  a: {component: waveguide, array: " + array + "}\nports: {in: \"" + port + "\"}\n",
           true);
    });
  };
  CHECK(refused("{columns: 1, rows: 1}", "a<0.0>,in0").empty());
  CHECK(refused("{num_a: 2, num_b: 1, pitch_a: [1, 0]}", "a<1.0>,in0").empty());
  CHECK_THAT(
      refused("{columns: 1, rows: 1}", "a,in0"),
      ContainsSubstring(
          "\"a,in0\" is a port of an array (its elements have the ports). Name one, such as \"a<0.0>,in0\""));
  CHECK_THAT(refused("{columns: 2, rows: 1}", "a<0.1>,in0"), ContainsSubstring("no instance \"a<0.1>\""));
  CHECK_THAT(refused("{columns: 0, rows: 1}", "a,in0"),
             ContainsSubstring(":2: instance \"a\": array columns = 0 (a whole number from 1)"));
  CHECK_THAT(refused("{columns: 1.5, rows: 1}", "a,in0"), ContainsSubstring("array columns = 1.5"));
  CHECK_THAT(refused("{columns: 1000000, rows: 1000000}", "a,in0"),
             ContainsSubstring("more than 1000000 elements"));
  CHECK_THAT(refused("{column_pitch: 3}", "a,in0"), ContainsSubstring("an array without columns and rows"));
  CHECK_THAT(refused("{columns: 1, rovs: 2}", "a,in0"),
             ContainsSubstring("an array has the unknown key \"rovs\""));
  CHECK_THAT(refused("[1, 2]", "a,in0"), ContainsSubstring("an array without columns and rows"));
  CHECK_THAT(refusal([&] { read(scratch, "instances: {\"a<0.0>\": waveguide}\nports: {in: \"a,in0\"}\n"); }),
             ContainsSubstring("neither dot nor comma, < or >"));
}

// Fails when the first netlist of a file in the order of the alphabet is taken for the circuit, or what a cell
// was drawn with for settings of what it consists of.
TEST_CASE("the circuit of a hierarchy is the netlist that no other uses") {
  const Scratch scratch;
  const CircuitComponent circuit =
      read(scratch,
           "arm:\n  instances: {g: {component: phase_shifter, settings: {phi_rad: 0.25}}}\n"
           "  ports: {o1: \"g,in0\", o2: \"g,out0\"}\n"
           "top:\n  instances:\n    a: {component: arm, settings: {delta_length: 10, bend: bend_euler, g: "
           "{loss_db: 0}}}\n"
           "    b: {component: arm, settings: {g: {phi_rad: 0.5}}, info: {length: 3}}\n"
           "  nets: [{p1: \"a,o2\", p2: \"b,o1\"}]\n  ports: {left: \"a,o1\", right: \"b,o2\"}\n");
  CHECK(circuit.ports == std::vector<std::string>{"left", "right"});
  CHECK(std::abs(circuit.scattering({}, std::array{1.55e-6})(1, 0) - std::polar(1.0, 0.75)) < 1e-14);
  CHECK(circuit.not_read == std::vector<std::string>{"bend", "delta_length"});
  CHECK_THAT(
      refusal([&] {
        read(scratch,
             "top: {instances: {a: {component: arm, settings: {h: {phi_rad: 1}}}}, ports: {in: \"a,o1\"}}\n"
             "arm: {instances: {g: coupler}, ports: {o1: \"g,in0\"}}\n",
             true)
            .scattering({}, at);
      }),
      ContainsSubstring("setting \"h.phi_rad\""));
}

// The core schema of YAML 1.2. Fails when octal, sexagesimal or on/off of YAML 1.1 come back.
TEST_CASE("numbers and names of a netlist are those of YAML 1.2") {
  const Scratch scratch;
  const auto passed_db = [&](const std::string& loss) {
    const CircuitComponent guide =
        read(scratch, "instances: {on: {component: phase_shifter, settings: {loss_db: " + loss +
                          "}}}\nports: {no: \"on,in0\", 02: \"on,out0\"}\n");
    CHECK(guide.ports == std::vector<std::string>{"no", "02"});
    return -10 * std::log10(std::norm(guide.scattering({}, at)(1, 0)));
  };
  for (const auto& [text, db] : {std::pair("010", 10.0),
                                 {"0o10", 8.0},
                                 {"0x10", 16.0},
                                 {"30e-1", 3.0},
                                 {"3E0", 3.0},
                                 {".5", 0.5},
                                 {"+2", 2.0},
                                 {"2.", 2.0},
                                 {"\"2\"", 2.0},
                                 {"!!float 4", 4.0}})
    CHECK(std::abs(passed_db(text) - db) < 1e-12);
  for (const auto* text :
       {"1_0", "1:30", "yes", "true", "null", "~", "1e999", ".nan", "[1]", "0o8", "1 2", "1.5dB"})
    CHECK_THAT(refusal([&] { passed_db(text); }),
               ContainsSubstring("n.yml:1: instance \"on\": setting loss_db is "));
}

// Fails by a stack overflow where lists, mappings, aliases or netlists inside each other are followed without a
// limit.
TEST_CASE("netlists and documents of any depth are refused") {
  const Scratch scratch;
  const auto refused = [&](const std::string& text) { return refusal([&] { read(scratch, text); }); };
  const auto nested = [](int depth) {
    std::string text;
    for (int i = 0; i < depth; ++i)
      text += fmt::format("n{0}: {{instances: {{a: {1}}}, ports: {{in: \"a,in\", out: \"a,out\"}}}}\n", i,
                          i + 1 < depth ? fmt::format("n{}", i + 1) : "last");
    return text + "last: {instances: {a: waveguide}, ports: {in: \"a,in0\", out: \"a,out0\"}}\n";
  };
  const CircuitComponent deep = read(scratch, nested(99));
  CHECK(difference(deep.scattering({}, at), model_scattering(circuit_model("waveguide"), {}, at)) < 1e-12);
  CHECK_THAT(refused(nested(5000)),
             ContainsSubstring(":100: component \"n100\" lies more than 100 netlists deep"));
  std::string doubling;  // 2^18 devices of one component: each netlist is read once
  for (int i = 0; i < 18; ++i)
    doubling += fmt::format(
        "n{0}: {{instances: {{a: n{1}, b: n{1}}}, connections: {{\"a,out\": \"b,in\"}}, ports: {{in: "
        "\"a,in\", out: \"b,out\"}}}}\n",
        i, i + 1);
  const CircuitComponent many =
      read(scratch, doubling +
                        "n18: {instances: {a: {component: waveguide, settings: {loss_db_per_cm: 0}}}, ports: "
                        "{in: \"a,in0\", out: \"a,out0\"}}\n");
  CHECK(many.devices == 1 << 18);
  CHECK(std::abs(std::abs(many.scattering({}, std::array{1.55e-6})(1, 0)) - 1) < 1e-9);
  for (const std::string& open : {std::string("["), std::string("{a: "), std::string("? ")}) {
    std::string text;
    for (int i = 0; i < 100'000; ++i) text += open;
    CHECK_THAT(refused("instances: " + text), ContainsSubstring(":1: "));
  }
  std::string chain = "x0: &a0 {}\n";
  for (int i = 1; i < 50'000; ++i) chain += fmt::format("x{0}: &a{0} {{p: *a{1}}}\n", i, i - 1);
  CHECK_THAT(refused(chain), ContainsSubstring("more than 100 deep"));
}

// Was quadratic: yaml-cpp joins the memory of two documents at every assignment, 49 s for these.
TEST_CASE("4,000 instances with settings are read in time proportional to them") {
  const Scratch scratch;
  std::string instances, connections;
  constexpr int count = 4000;
  for (int i = 0; i < count; ++i) {
    instances += fmt::format(
        "{}\"g{}\": {{\"component\": \"waveguide\", \"settings\": {{\"length_m\": 1e-5}}}}", i ? ", " : "", i);
    if (i > 0) connections += fmt::format("{}\"g{},out0\": \"g{},in0\"", i > 1 ? ", " : "", i - 1, i);
  }
  put(scratch / "n.json",
      fmt::format("{{\"instances\": {{{}}}, \"connections\": {{{}}}, \"ports\": {{\"in\": \"g0,in0\", "
                  "\"out\": \"g{},out0\"}}}}",
                  instances, connections, count - 1));
  const std::clock_t start = std::clock();
  const CircuitComponent chain = read_netlist(scratch / "n.json");
  const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  CHECK(chain.devices == count);
  CHECK(seconds < 5);  // some 0.1 s; a sanitizer takes ten times as long
}

// Light of a line that scikit-rf describes (tests/data/circuits/make_skrf.py) and of the same waveguide of ours
// goes around a ring in phase. With the sign of phase lost, the phases cancel and the ring has no resonance.
TEST_CASE("a line of scikit-rf and a waveguide of ours make the ring of two waveguides") {
  const Scratch scratch;
  fs::copy_file(fs::path(TEST_DATA_DIR) / "circuits/skrf_line.s2p", scratch / "line.s2p");
  const auto ring_with = [&](const std::string& line, const std::string& in, const std::string& out) {
    return read(scratch,
                "instances: {bus: {component: coupler, settings: {eta_rad: 0.4}}, half: waveguide, line: " +
                    line + "}\nconnections: {\"bus,out1\": \"half,in0\", \"half,out0\": \"line," + in +
                    "\", \"line," + out + "\": \"bus,in1\"}\nports: {in: \"bus,in0\", out: \"bus,out0\"}\n");
  };
  std::vector<double> wavelengths;
  for (int i = 0; i <= 2000; ++i) wavelengths.push_back(1.54e-6 + 2e-8 * i / 2000);
  const Matrix ours = ring_with("waveguide", "in0", "out0").scattering({}, wavelengths);
  const auto measured = [&](const std::string& convention) {
    return ring_with("{component: touchstone, settings: {file: line.s2p" + convention + "}}", "port1", "port2")
        .scattering({}, wavelengths);
  };
  CHECK(ours.row(1).cwiseAbs2().minCoeff() < 0.7);
  CHECK(difference(measured(""), ours) < 1e-5);  // of a line between frequencies 20 GHz apart
  CHECK(difference(measured(", convention: rf"), ours) < 1e-5);
  CHECK(difference(measured(", convention: optics"), ours) > 0.1);
  CHECK_THAT(refusal([&] { measured(", convention: physics"); }),
             ContainsSubstring("instance \"line\": unknown convention \"physics\" (known: rf, optics)"));
}

// Fails when the edge of a file is finer than its digits, or a weak element that turns is refused as a strong
// one is.
TEST_CASE("a measured block is used to its edges and past its zeros") {
  const Scratch scratch;
  const auto block = [&](const std::string& rows) {
    put(scratch / "b.s1p", "# MHz S RI R 50\n" + rows);
    return read(scratch,
                "instances: {m: {component: touchstone, settings: {file: b.s1p}}}\nports: {in: \"m,port1\"}\n");
  };
  // c / 1540 nm = 194670427.27 MHz, which the file has to a MHz: the wavelength lies outside by 1.4e-9
  const CircuitComponent edge = block("194670420 0.5 0\n194670427 1 0\n");
  CHECK(std::abs(edge.scattering({}, std::array{1.54e-6})(0, 0) - 1.0) < 1e-12);
  CHECK_THAT(refusal([&] { edge.scattering({}, std::array{1.53999e-6}); }),
             ContainsSubstring("(194.671691375 THz; ") && ContainsSubstring("to 194.670427 THz)"));
  // through the zero of a critically coupled ring, the phase jumps by pi: the chord passes it
  const CircuitComponent zero = block("193000000 1 0\n193000001 0.03 0\n193000002 -0.03 0\n193000003 -1 0\n");
  const double between = constants::speed_of_light_m_per_s / 193.0000015e12;
  CHECK(std::abs(zero.scattering({}, std::array{between})(0, 0)) < 1e-4);
}

// Fails when a component's amplifiers are lost, or emission ignores a changed setting.
TEST_CASE("amplifiers inside components emit through the whole circuit") {
  const Scratch scratch;
  const std::string flat =
      "instances: {a: {component: amplifier, settings: {small_signal_gain_db: 10}}, s: coupler, loss: "
      "{component: phase_shifter, settings: {loss_db: 2}}}\n"
      "connections: {\"a,out0\": \"s,in0\", \"s,out0\": \"loss,in0\"}\n"
      "ports: {in: \"a,in0\", up: \"loss,out0\", down: \"s,out1\", other: \"s,in1\"}\n";
  const std::string nested =
      "top:\n  instances: {p: pair, loss: {component: phase_shifter, settings: {loss_db: 2}}}\n"
      "  connections: {\"p,up\": \"loss,in0\"}\n"
      "  ports: {in: \"p,in\", up: \"loss,out0\", down: \"p,down\", other: \"p,other\"}\n"
      "pair:\n  instances: {a: {component: amplifier, settings: {small_signal_gain_db: 10}}, s: coupler}\n"
      "  connections: {\"a,out0\": \"s,in0\"}\n"
      "  ports: {in: \"a,in0\", up: \"s,out0\", down: \"s,out1\", other: \"s,in1\"}\n";
  const CircuitComponent one = read(scratch, flat), two = read(scratch, nested);
  const Matrix expected = one.emission({}, at), found = two.emission({}, at);
  CHECK(difference(expected, found) <= 1e-14 * expected.cwiseAbs().maxCoeff());
  CHECK(std::abs(expected(1 * 4 + 2, 0)) >
        0.3 * std::abs(expected(1 * 4 + 1, 0)));  // up and down share their origin
  CHECK(difference(one.emission({{"a.small_signal_gain_db", 20}}, at),
                   two.emission({{"p.a.small_signal_gain_db", 20}}, at)) <=
        1e-13 * expected.cwiseAbs().maxCoeff() * 10);
  CHECK(one.emission({{"a.small_signal_gain_db", 20}}, at)(5, 1).real() > 5 * expected(5, 1).real());
  CHECK(!read(scratch, ring()).emission);
  const CircuitComponent laser =
      read(scratch, ring("{component: coupler, settings: {eta_rad: 0.4}}", "amplifier"));
  CHECK_THAT(refusal([&] { laser.scattering({}, at); }),
             ContainsSubstring("instance \"turn\" amplifies in a loop"));
}
