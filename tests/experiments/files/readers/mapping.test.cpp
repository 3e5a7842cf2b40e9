#include "experiments/files/readers/mapping.hpp"

#include <array>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "experiments/base/shipped_files.hpp"
#include "experiments/files/readers/netlist.hpp"
#include "physics/circuit/models.hpp"
#include "physics/core/units.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/files.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/scratch.hpp"

using namespace optinc;

namespace {

constexpr std::array<double, 2> two_wavelengths = {1.545e-6, 1.55e-6};

CircuitComponent read_mapped(const Scratch& scratch, const std::string& netlist, const std::string& mapping) {
  put(scratch / "n.yml", netlist);
  put(scratch / "m.toml", mapping);
  return read_netlist(scratch / "n.yml", {.mappings = {read_mapping(scratch / "m.toml")}});
}

double off_by(const Matrix& a, const Matrix& b) { return (a - b).cwiseAbs().maxCoeff(); }

constexpr const char* straight_kit =
    "[components.straight]\nmodel = \"waveguide\"\nports = {o1 = \"in0\", o2 = \"out0\"}\n"
    "settings = {length_m = {length = 1e-6, extra = 2e-6, constant = 3e-6}, loss_db_per_cm = 2}\n"
    "defaults = {extra = 4}\n";

std::string of_straight(const std::string& settings) {
  return "instances:\n  a: {component: straight, " + settings + "}\nports: {o1: \"a,o1\", o2: \"a,o2\"}\n";
}

}  // namespace

// Fails when a constant, a factor or a default is lost, null is taken for a number, or info for nothing.
TEST_CASE("a mapping gives a component of a kit its model, ports and settings") {
  const Scratch scratch;
  const auto length_m = [&](const std::string& settings) {
    const Matrix s = read_mapped(scratch, of_straight(settings), straight_kit).scattering({}, two_wavelengths);
    const double loss_db = -20 * std::log10(std::abs(s(1, 0)));
    const double found = loss_db / 200;  // 2 dB/cm
    CHECK(off_by(s, model_scattering(circuit_model("waveguide"), {{"length_m", found}, {"loss_db_per_cm", 2.0}},
                                     two_wavelengths)) < 1e-9);
    return found;
  };
  CHECK(std::abs(length_m("settings: {length: 10}") - 21e-6) < 1e-15);
  CHECK(std::abs(length_m("settings: {length: 10, extra: 0}") - 13e-6) < 1e-15);
  CHECK(std::abs(length_m("settings: {length: null, extra: null}, info: {length: 20}") - 31e-6) < 1e-15);
  CHECK(std::abs(length_m("settings: {length: 10}, info: {length: 20}") - 21e-6) < 1e-15);
  CHECK(std::abs(length_m("settings: {length: \"10\"}") - 21e-6) < 1e-15);

  const CircuitComponent circuit = read_mapped(
      scratch, of_straight("settings: {length: 10, cross_section: strip, layer: [1, 0], npoints: null}"),
      straight_kit);
  CHECK(circuit.not_read == std::vector<std::string>{"cross_section", "layer", "npoints"});
  CHECK(circuit.scattering({{"a.length", 30}}, two_wavelengths) != circuit.scattering({}, two_wavelengths));
  CHECK(off_by(circuit.scattering({{"a.length_m", 1e-6}}, two_wavelengths),
               model_scattering(circuit_model("waveguide"), {{"length_m", 1e-6}, {"loss_db_per_cm", 2.0}},
                                two_wavelengths)) < 1e-12);
  CHECK(circuit.files == std::vector{scratch / "n.yml", scratch / "m.toml"});  // which no output may replace
  const std::string n = (scratch / "n.yml").string();
  CHECK(refusal([&] { read_mapped(scratch, of_straight("settings: {extra: 1}"), straight_kit); }) ==
        n + ":2: instance \"a\": setting length is missing (the mapping of \"straight\" reads it). Write it, "
            "or a "
            "default in the mapping.");
  CHECK_THAT(refusal([&] { read_mapped(scratch, of_straight("settings: {length: long}"), straight_kit); }),
             ContainsSubstring(":2: instance \"a\": setting length is \"long\", not a number"));
  CHECK_THAT(refusal([&] {
               circuit.scattering({{"a.lenght", 1.0}}, two_wavelengths);
             }),
             ContainsSubstring(":2: instance \"a\": unknown setting of waveguide \"lenght\""));
  CHECK_THAT(
      refusal([&] { read_mapped(scratch, "instances: {a: bent}\nports: {o1: \"a,o1\"}\n", straight_kit); }),
      ContainsSubstring("unknown model \"bent\"") && ContainsSubstring("No mapping knows this component"));
  CHECK_THAT(refusal([&] {
               read_mapped(scratch,
                           of_straight("settings: {length: 1}") + "nets: [{p1: \"a,o1@TE\", p2: \"a,o3\"}]\n",
                           straight_kit);
             }),
             ContainsSubstring("instance \"a\" has no port \"o1@TE\""));
}

// Fails when what carries no light becomes an error, or a typed port that is none passes as a wire.
TEST_CASE("pads, wires and their ports are passed over by name") {
  const Scratch scratch;
  const std::string mapping =
      std::string("components_without_light = [\"pad*\"]\nports_without_light = [\"e?\", \"*_e?\"]\n") +
      straight_kit;
  const std::string netlist =
      "instances: {a: {component: straight, settings: {length: 1}}, p: {component: pad_array, settings: {size: "
      "[1, 2]}}}\n"
      "nets: [{p1: \"a,l_e1\", p2: \"p,e1\"}, {p1: \"p,e2\", p2: \"p,e4\"}]\n";
  const CircuitComponent circuit = read_mapped(
      scratch, netlist + "ports: {o1: \"a,o1\", o2: \"a,o2\", e1: \"a,r_e1\", e2: \"p,e3\"}\n", mapping);
  CHECK(circuit.ports == std::vector<std::string>{"o1", "o2"});
  CHECK(circuit.devices == 1);
  CHECK(circuit.not_read == std::vector<std::string>{"component pad_array", "port l_e1", "port r_e1"});
  CHECK_THAT(refusal([&] { read_mapped(scratch, netlist + "ports: {o1: \"a,o1\", o2: \"a,o3\"}\n", mapping); }),
             ContainsSubstring("instance \"a\" has no port \"o3\""));
}

// Fails when an array of pads, or a cell of pads alone, is asked for ports of light.
TEST_CASE("cells and arrays of pads are passed over") {
  const Scratch scratch;
  const CircuitComponent circuit = read_mapped(
      scratch,
      "top:\n  instances: {a: {component: straight, settings: {length: 1}}, p: {component: pads, settings: "
      "{pitch: 3}}, "
      "q: {component: pad, array: {columns: 2, rows: 1}, virtual: true}}\n"
      "  nets: [{p1: \"p,e1\", p2: \"q<1.0>,e1\"}]\n  ports: {o1: \"a,o1\", o2: \"a,o2\", e1: \"q<0.0>,e1\"}\n"
      "pads:\n  instances: {one: {component: pad, array: {columns: 1, rows: 3}}}\n  ports: {e1: "
      "\"one<0.1>,e1\"}\n",
      std::string("components_without_light = [\"pad\"]\n") + straight_kit);
  CHECK(circuit.ports == std::vector<std::string>{"o1", "o2"});
  CHECK(circuit.not_read == std::vector<std::string>{"component pad"});
  CHECK_THAT(refusal([&] {
               read_mapped(
                   scratch,
                   "instances: {a: {component: mzi, settings: {bend: bend_euler}}}\nports: {o1: \"a,o1\"}\n",
                   straight_kit);
             }),
             ContainsSubstring("setting bend is \"bend_euler\"") && ContainsSubstring("recursive=True"));
}

// Fails when the parts of a component are wired or set otherwise than its table says.
TEST_CASE("a mapping gives a component of a kit a circuit of its own") {
  const Scratch scratch;
  const std::string mapping =
      "[components.straight]\ninstances = {guide = \"waveguide\", heater = {component = \"phase_shifter\", "
      "settings = {loss_db = 1}}}\n"
      "connections = {\"guide,out0\" = \"heater,in0\"}\nports = {o1 = \"guide,in0\", o2 = \"heater,out0\"}\n"
      "settings.\"guide.length_m\" = {length = 1e-6}\nsettings.\"guide.loss_db_per_cm\" = 0\n";
  const CircuitComponent circuit = read_mapped(scratch, of_straight("settings: {length: 10}"), mapping);
  CHECK(circuit.devices == 2);
  const Complex cold = circuit.scattering({}, two_wavelengths)(1, 1);
  CHECK(std::abs(std::abs(cold) - std::pow(10.0, -0.05)) < 1e-12);
  CHECK(std::abs(cold - std::pow(10.0, -0.05) * model_scattering(circuit_model("waveguide"),
                                                                 {{"length_m", 1e-5}, {"loss_db_per_cm", 0.0}},
                                                                 two_wavelengths)(1, 1)) < 1e-12);
  CHECK(std::abs(circuit.scattering({{"a.heater.phi_rad", 0.3}}, two_wavelengths)(1, 1) -
                 std::polar(1.0, 0.3) * cold) < 1e-12);
  const std::string ended =
      "[components.straight]\ninstances = {end = \"waveguide\"}\nports = {o1 = "
      "\"end,in0\"}\nabsorb_unconnected = true\n";
  CHECK(read_mapped(scratch, "instances: {a: straight}\nports: {o1: \"a,o1\"}\n", ended)
            .scattering({}, two_wavelengths)
            .isZero());
}

TEST_CASE("a mapping that is none is refused by line") {
  const Scratch scratch;
  const auto refused = [&](const std::string& mapping) {
    put(scratch / "m.toml", mapping);
    return refusal([&] { read_mapping(scratch / "m.toml"); });
  };
  const std::string file = (scratch / "m.toml").string();
  const std::string ports = "ports = {o1 = \"in0\", o2 = \"out0\"}\n";
  CHECK(refused("").empty());
  CHECK_THAT(refused("[component.a]\n"),
             ContainsSubstring(":1: ") && ContainsSubstring("unknown key \"component\""));
  CHECK_THAT(refused("[components.a]\nmodel = \"wave\"\n" + ports),
             ContainsSubstring("component \"a\": unknown model \"wave\""));
  CHECK_THAT(refused("[components.a]\nmodel = \"waveguide\"\n"),
             ContainsSubstring(file + ":1: component \"a\": no model or no ports"));
  CHECK(refused("[components.a]\nmodel = \"waveguide\"\nports = {o1 = \"in0\", o2 = \"out1\"}\n") ==
        file +
            ":3: component \"a\": port \"o2\" stands for \"out1\", which waveguide does not have (its ports: "
            "in0, "
            "out0). Name one of these.");
  CHECK_THAT(refused("[components.a]\nmodel = \"waveguide\"\nports = {o1 = \"in0\", o2 = \"in0\"}\n"),
             ContainsSubstring("ports \"o1\" and \"o2\" both stand for in0"));
  CHECK_THAT(refused("[components.a]\nmodel = \"waveguide\"\nports = {o1 = \"in0\"}\n"),
             ContainsSubstring("no port stands for out0 of waveguide"));
  CHECK_THAT(
      refused("[components.a]\nmodel = \"waveguide\"\n" + ports + "settings = {length = {length = 1}}\n"),
      ContainsSubstring("component \"a\": unknown setting of waveguide \"length\""));
  CHECK_THAT(
      refused("[components.a]\nmodel = \"waveguide\"\n" + ports + "settings = {length_m = \"length\"}\n"),
      ContainsSubstring(":4: component \"a\": \"length\" is not a number"));
  CHECK_THAT(refused("[components.a]\nmodel = \"waveguide\"\n" + ports + "settings = {length_m = -1}\n"),
             ContainsSubstring("component \"a\": length_m"));
  CHECK_THAT(refused("[components.a]\nmodel = \"waveguide\"\n" + ports + "defaults = {length = 1}\n"),
             ContainsSubstring(":4: component \"a\": default of \"length\", which no setting reads"));
  CHECK_THAT(refused("[components.a]\nmodel = \"waveguide\"\n" + ports + "setting = {length_m = 1}\n"),
             ContainsSubstring(":4: component \"a\": unknown key \"setting\""));
  CHECK_THAT(refused("[components.a]\ninstances = {g = \"waveguide\"}\nports = {o1 = \"g,in0\"}\n"),
             ContainsSubstring("port g,out0 faces nothing"));
  CHECK_THAT(refused("components_without_light = \"pad\"\n"),
             ContainsSubstring(":1: components_without_light: not a list"));
  CHECK_THAT(refused("ports_without_light = [\"a***\"]\n"), ContainsSubstring("at most two *"));
  CHECK_THAT(refused("[components.a\n"), ContainsSubstring("not readable as TOML"));
  CHECK_THAT(refused("[components]\na = 2026-01-01\n"), ContainsSubstring(":2: a date or a time"));
  CHECK_THAT(refusal([&] { read_mapping(scratch / "gone.toml"); }),
             ContainsSubstring("gone.toml: no such file"));
}

// A ring of couplers, bends and straights, as gdsfactory exports it, and the ring that stands for the same cell
// where the export has no cells inside. Fails when their lengths or ports differ.
TEST_CASE("rings of the shipped mappings are those of their parts") {
  for (const char* kit : {"gdsfactory", "siepic"}) {
    CAPTURE(kit);
    const Scratch scratch;
    const Mapping mapping = read_mapping(shipped_or_own("mappings", kit));
    const auto computed = [&](const std::string& netlist) {
      put(scratch / "n.yml", netlist);
      return read_netlist(scratch / "n.yml", {.mappings = {mapping}}).scattering({}, two_wavelengths);
    };
    const std::string bend = "{component: bend_euler, info: {length: 16.637}}",
                      arc = "{component: coupler_ring, settings: {length_x: 2}}",
                      side = "{component: straight, settings: {length: 3}}";
    CHECK(
        off_by(
            computed("instances: {c: " + arc + ", l: " + side + ", r: " + side +
                     ", t: {component: straight, settings: {length: 2}}, a: " + bend + ", b: " + bend +
                     "}\nconnections: {\"c,o2\": \"l,o1\", \"l,o2\": \"a,o1\", \"a,o2\": \"t,o1\", \"t,o2\": "
                     "\"b,o1\", "
                     "\"b,o2\": \"r,o1\", \"r,o2\": \"c,o3\"}\nports: {o1: \"c,o1\", o2: \"c,o4\"}\n"),
            computed(
                "instances: {r: {component: ring_single, settings: {length_x: 2, length_y: 3, radius: null}}}\n"
                "ports: {o1: \"r,o1\", o2: \"r,o2\"}\n")) < 1e-9);
    CHECK(off_by(computed("instances: {below: " + arc + ", above: " + arc + ", l: " + side + ", r: " + side +
                          "}\nconnections: {\"below,o2\": \"l,o1\", \"l,o2\": \"above,o3\", \"below,o3\": "
                          "\"r,o1\", \"r,o2\": \"above,o2\"}\n"
                          "ports: {o1: \"below,o1\", o2: \"below,o4\", o3: \"above,o4\", o4: \"above,o1\"}\n"),
                 computed("instances: {r: {component: ring_double, settings: {length_x: 2, length_y: 3}}}\n"
                          "ports: {o1: \"r,o1\", o2: \"r,o2\", o3: \"r,o3\", o4: \"r,o4\"}\n")) < 1e-9);
  }
}

// Shares of the light that cross, in the S parameters of siepic_ebeam_pdk 0.4.53 at 193.4 THz (a gap of 200 nm;
// 0 to 20 um; 500 x 220 nm). Fails when ports 3 and 4 are exchanged, or lengths are read in um.
TEST_CASE("couplers of the mapping for SiEPIC's SPICE split as the kit's own") {
  const Scratch scratch;
  const Mapping mapping = read_mapping(shipped_or_own("mappings", "siepic_spice"));
  const double at[] = {constants::speed_of_light_m_per_s / 193.414e12};
  const auto crossing = [&](const std::string& device) {
    put(scratch / "n.spi", ".subckt c p1 p2 p3 p4\nx p1 p2 p3 p4 " + device + "\n.ends c\n");
    const Matrix s = read_netlist(scratch / "n.spi", {.mappings = {mapping}}).scattering({}, at).reshaped(4, 4);
    return std::norm(s(3, 0)) / (std::norm(s(2, 0)) + std::norm(s(3, 0)));
  };
  const std::pair<const char*, double> straight[] = {
      {"0", 0.0063}, {"5u", 0.0778}, {"10u", 0.2197}, {"15u", 0.4076}, {"20u", 0.6073}};
  for (const auto& [length, share] : straight)
    CHECK(std::abs(crossing(fmt::format("ebeam_dc_te1550 coupling_length={}", length)) - share) < 0.003);
  struct HalfRing {
    const char *radius, *gap;
    double share;
  };
  for (const auto& [radius, gap, share] :
       {HalfRing{"3u", "100n", 0.027}, {"5u", "100n", 0.042}, {"10u", "100n", 0.076}, {"3u", "80n", 0.040}})
    CHECK(std::abs(crossing(fmt::format("ebeam_dc_halfring_straight radius={} gap={} Lc=0", radius, gap)) -
                   share) < 0.006);
}
