#include <array>
#include <cmath>

#include <fmt/format.h>

#include "experiments/io/netlist_file.hpp"
#include "experiments/io/scattering_file.hpp"
#include "experiments/io/touchstone.hpp"
#include "physics/circuit/models.hpp"
#include "physics/core/check.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/files.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/scratch.hpp"

using namespace optinc;

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
  return read_netlist(scratch / "n.yml", absorb);
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
  CHECK(read_netlist(scratch / "n.json", false).scattering({}, at) == one.scattering({}, at));

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
             ContainsSubstring("n.yml:1: instance \"a\": wavelength_m = 1.57e-06 (190.95061 THz; "));
  CHECK_THAT(refusal([&] {
               block.scattering({{"a.gain", 1.0}}, at);
             }),
             ContainsSubstring("no setting to change"));
  CHECK(block.files == std::vector{scratch / "n.yml", scratch / "turn.s2p"});  // which no output may replace
  ScatteringSpectrum turned{{190e12, 195e12}, Matrix::Zero(1, 2)};             // between them no light is lost
  turned.s << 1.0, std::polar(1.0, 0.4);
  put(scratch / "turned.s1p", touchstone_text(turned, "a test", "test", {}));
  const CircuitComponent lossless = read(scratch,
                                         "instances: {a: {component: touchstone, settings: {file: "
                                         "turned.s1p}}}\nports: {in: \"a,port1\"}\n");
  const Complex midway =
      lossless.scattering({}, std::array{constants::speed_of_light_m_per_s / 192.5e12})(0, 0);
  CHECK(std::abs(midway - std::polar(1.0, 0.2)) < 1e-9);

  write_scattering(scratch / "turn.s2p", spectrum(21, 1e-3), "a test", "test", true);
  const CircuitComponent coarse = read(scratch,
                                       "instances: {a: {component: touchstone, settings: {file: "
                                       "turn.s2p}}}\nports: {in: \"a,port1\", out: \"a,port2\"}\n");
  CHECK_THAT(refusal([&] { coarse.scattering({}, std::array{1.5502e-6}); }),
             ContainsSubstring("turns a phase by"));
  CHECK(refusal([&] { coarse.scattering({}, std::array{1.55e-6}); }).empty());

  CHECK_THAT(refusal([&] { write_scattering(scratch / "x.s3p", fine, "a test", "test", false); }),
             ContainsSubstring("does not fit a circuit of 2 ports (known: .h5, .s2p)"));
  CHECK_THAT(refusal([&] { write_scattering(scratch / "turn.s2p", fine, "a test", "test", false); }),
             ContainsSubstring("exists"));
}

TEST_CASE("a netlist that is none is refused by line") {
  const Scratch scratch;
  const auto refused = [&](const std::string& text) { return refusal([&] { read(scratch, text); }); };
  const std::string file = (scratch / "n.yml").string();
  CHECK(refused(ring("coupler", "wave_guide")).starts_with(file + ":3: unknown model \"wave_guide\""));
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
             ContainsSubstring(":2: setting eta_rad is not a number"));
  CHECK_THAT(refused(ring("{component: coupler, settings: {eta_rad: .inf}}")),
             ContainsSubstring("is not a number"));
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
             ContainsSubstring(":1: name of an instance holds control characters"));
  std::string doubling = "x0: &a0 {}\n";  // 2^40 empty maps
  for (int i = 1; i <= 40; ++i) doubling += fmt::format("x{}: &a{} {{p: *a{}, q: *a{}}}\n", i, i, i - 1, i - 1);
  CHECK_THAT(refused(doubling + "instances: {a: {component: ring, settings: *a40}}\nports: {in: \"a,in0\"}\n"),
             ContainsSubstring("over 10000 settings"));
  CHECK_THAT(refused("- 1\n- 2\n"), ContainsSubstring("no netlist (expected a mapping"));
  CHECK_THAT(refused("instances: {a: [1\n"), ContainsSubstring(":2: "));
  CHECK_THAT(refused("instances: {a: {component: touchstone}}\n"),
             ContainsSubstring(":1: a touchstone block has one setting, file"));
  CHECK_THAT(refused("instances: {a: {component: touchstone, settings: {file: gone.s2p}}}\n"),
             ContainsSubstring("gone.s2p: no such file"));
  CHECK_THAT(refusal([&] { read_netlist(scratch / "gone.yml", false); }), ContainsSubstring("no such file"));
  CHECK_THAT(refusal([&] {
               read(scratch, ring()).scattering({{"turns.length_m", 1.0}}, at);
             }),
             ContainsSubstring("setting \"turns.length_m\" (it reads INSTANCE.SETTING, of an instance of"));
  CHECK_THAT(refusal([&] {
               read(scratch, ring()).scattering({{"turn.length", 1.0}}, at);
             }),
             ContainsSubstring(":3: instance \"turn\": unknown setting of waveguide \"length\""));
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
