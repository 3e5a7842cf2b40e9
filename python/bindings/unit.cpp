#include <memory>

#include <fmt/format.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include "onn/chip/unit_floor_plan.hpp"
#include "onn/network/carry_chain.hpp"
#include "onn/network/digit_sums.hpp"

#include "python/bindings/arrays.hpp"
#include "python/bindings/floor_plans.hpp"
#include "python/bindings/tasks.hpp"
#include "python/bindings/units.hpp"

namespace optinc::bindings {
namespace {

Unit new_unit(const Network& network) {
  const Working working;
  return {std::make_shared<const UnitParts>(network, design_chip(network))};
}

Unit new_carry_chain(int servers, int bits, const std::string& rounding, const std::string& level,
                     const std::string& reduction, const std::string& carries, double step_width,
                     double step_level) {
  const CarryChainSettings settings{step_width, step_level, value_of_name<Carries>(carries)};
  validate_carry_chain(settings);
  return new_unit(carry_chain(new_task(servers, bits, rounding, level, reduction), settings));
}

Unit new_analogue_sum(int servers, int bits, const std::string& rounding) {
  return new_unit(analogue_sum(new_task(servers, bits, rounding, "flat", "mean", "analogue")));
}

Unit new_digit_sums(int servers, int bits, const std::string& rounding, const std::string& reduction) {
  return new_unit(digit_sums(new_task(servers, bits, rounding, "flat", reduction, "sums")));
}

Unit new_word_hops(const std::string& adder, int servers, int bits, const std::string& rounding,
                   const std::string& reduction) {
  return new_unit(word_hops(new_task(servers, bits, rounding, "flat", reduction, "answer", adder),
                            value_of_name<Adder>(adder)));
}

Unit load(nb::handle source) {
  return new_unit(nb::cast<Network>(nb::module_::import_("optinc.networks").attr("load_network")(source)));
}

Array<std::uint32_t> ideal_average(const Unit& unit, const ArrayLike& given) {
  const Codes codes = codes_of(unit.task(), given);
  return array_of_vector(working(
      [&] { return decide(unit.task(), forward(unit.parts->network, digit_averages(unit.task(), codes))); }));
}

PlacedUnit placed(const Unit& unit, const FloorPlanSettings& settings, double die_width_m) {
  const Working working;
  const UnitFloorPlan plan = unit_floor_plan(unit.parts->design, settings, {.width_m = die_width_m});
  PlacedUnit all{{}, settings, plan.die.length_m, plan.die.width_m};
  for (std::size_t i = 0; i < plan.names.size(); ++i)
    all.meshes.push_back({plan.names[i], plan.topologies[i], settings, plan.die.meshes[i]});
  return all;
}

}  // namespace

std::string described(const char* what, const Unit& unit) {
  return fmt::format("<{}: {} servers, {} bits, {} layers, {} MZIs>", what, unit.task().servers,
                     unit.task().bits(), unit.parts->design.layers.size(), unit.parts->design.mzi_count());
}

void bind_unit(nb::module_& m) {
  nb::class_<Unit>(m, "Unit",
                   "A unit that averages servers' codes: a network, and the design of its chip without errors.")
      .def(
          "__init__", [](Unit* self, const Network& network) { new (self) Unit(new_unit(network)); },
          nb::arg("network"),
          "Designs a chip for a network. Raises ValueError where a block is not orthogonal, or row 0 of a "
          "sum has not norm 1\n"
          "(both to 1e-6).")
      .def_static(
          "load", &load, nb::arg("source"),
          "A trained network from an HDF5 file of optinc train, or one that is shipped: "
          "\"shipped/published\" (shipped_networks()).\n\n"
          "Needs h5py, extra `results`. Raises FileNotFoundError where there is no such file, OSError where "
          "it is not HDF5 or\n"
          "cannot be read, ValueError for an unknown shipped network and a file that holds no network.",
          nb::sig("def load(source: str | os.PathLike[str]) -> Unit"))
      .def_prop_ro(
          "task", [](const Unit& u) { return u.task(); }, "Its averaging task.")
      .def_prop_ro(
          "network", [](const Unit& u) { return u.parts->network; }, "Its network, a copy.")
      .def_prop_ro(
          "mzi_count", [](const Unit& u) { return u.parts->design.mzi_count(); }, "MZIs of all layers.")
      .def("average", &ideal_average, nb::arg("codes"),
           "Codes that the network itself decides, without devices or noise: integers (servers, n) -> uint32 "
           "(n,).")
      .def("floor_plan", &placed, nb::arg("settings") = FloorPlanSettings(),
           nb::arg("die_width_m") = DieSettings().width_m,
           "Where its meshes lie on one die: in rows, left to right, 0.1 mm apart; optinc.layout draws it and "
           "writes GDS.\n\n"
           "The die is `die_width_m` [m] wide, or as wide as its longest mesh. Modulators, receivers and "
           "routing have no "
           "place.\n"
           "Raises ValueError for lengths that are not positive, and couplers and heaters that do not fit.")
      .def("fabricate", &fabricate_unit, nb::arg("model"), nb::arg("seed") = 1, nb::arg("chip") = 0,
           "Chip number `chip` with errors drawn from `model` (an ErrorModel or the name of a preset).\n\n"
           "The same (seed, chip) gives the same chip. Raises ValueError for an unknown preset.")
      .def(
          "calibrate", &calibrate_unit, nb::arg("model"), nb::arg("settings") = CalibrationSettings(),
          nb::arg("seed") = 1, nb::arg("chip") = 0, nb::arg("number") = 0, nb::arg("wafer").none() = nb::none(),
          "The chip of fabricate(), calibrated for the first time (number 0) or once more (1, 2, ..).\n\n"
          "Every calibration leaves phases and finds splitter angles with errors of its own; phase noise "
          "comes in operation.\n"
          "With a wafer, the chip is a die of it: neighbouring devices share what its process does.\n"
          "Raises ValueError for an unknown preset, impossible settings and meshes that do not fit on the die.")
      .def("__getstate__", [](const Unit& u) { return u.parts->network; })
      .def("__setstate__", [](Unit& self, const Network& network) { new (&self) Unit(new_unit(network)); })
      .def("__repr__", [](const Unit& u) { return described("Unit", u); });
  m.def("carry_chain", &new_carry_chain, nb::arg("servers") = 4, nb::arg("bits") = 8,
        nb::arg("rounding") = "half-up", nb::arg("level") = "flat", nb::arg("reduction") = "mean",
        nb::arg("carries") = "ripple", nb::arg("step_width") = 0.25, nb::arg("step_level") = 0.9,
        "A unit that is exact by construction, not trained: 2, 4, 8 or 16 servers, rounding "
        "\"half-up\" or \"floor\"; for\n"
        "other reductions than the mean 2 to 16 servers.\n\n"
        "carries: \"ripple\" (digit by digit) or \"lookahead\". step_width: a step rises over so much of its "
        "sum, 0..1; step_level:\n"
        "distance of a step's two levels [digits]. Raises ValueError for other tasks.");
  m.def("digit_sums", &new_digit_sums, nb::arg("servers") = 4, nb::arg("bits") = 8,
        nb::arg("rounding") = "half-even", nb::arg("reduction") = "mean",
        "A unit without a network: light adds the servers' digits, and every server decides the "
        "3 servers + 1 sums of each and\n"
        "computes the answer with integers. No MZI, no training; 1 to 64 servers.\n\n"
        "Raises ValueError for other tasks.");
  m.def("analogue_sum", &new_analogue_sum, nb::arg("servers") = 4, nb::arg("bits") = 8,
        nb::arg("rounding") = "half-even",
        "A unit without a network or a digit: every server sends its whole code as one of 2^bits levels, light "
        "adds them, and\n"
        "receivers read the sum as well as noise and converters let them. Its answers, average()'s too, are "
        "sums of codes, in steps\n"
        "of 1/servers of a code. rounding: of gradients to codes, \"stochastic\" for gradients that mostly lie "
        "below a step.\n\n"
        "Raises ValueError for other tasks; 16 bits at most.");
  m.def("word_hops", &new_word_hops, nb::arg("adder"), nb::arg("servers") = 4, nb::arg("bits") = 8,
        nb::arg("rounding") = "half-even", nb::arg("reduction") = "mean",
        "A unit in which electronics add, and words take several PAM4 links one after the other, decided at "
        "the end of each.\n"
        "adder: \"ring\" (servers, one after the other; once round to add, once for the answer) or \"hub\" (an "
        "adder chip or a\n"
        "switch that adds between the servers).\n\n"
        "Raises ValueError for other tasks.");
}

}  // namespace optinc::bindings
