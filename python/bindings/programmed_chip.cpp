#include <algorithm>
#include <memory>
#include <span>

#include <fmt/format.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include "onn/budget/chip_budget.hpp"
#include "onn/budget/operating_power.hpp"
#include "onn/budget/unit_cost.hpp"
#include "onn/chip/chip.hpp"
#include "onn/link/average.hpp"
#include "onn/link/checked_sums.hpp"
#include "onn/link/response_table.hpp"
#include "onn/margin/rare_words.hpp"
#include "onn/task/block_quantiser.hpp"
#include "physics/core/check.hpp"

#include "python/bindings/arrays.hpp"
#include "python/bindings/tasks.hpp"
#include "python/bindings/units.hpp"

namespace optinc::bindings {
namespace {

/// Outputs (digits, words) in C order.
Array<double> array_of_outputs(const Eigen::MatrixXd& outputs) {
  auto array =
      new_array<double>({static_cast<std::size_t>(outputs.rows()), static_cast<std::size_t>(outputs.cols())});
  Eigen::Map<Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>(
      array.data(), outputs.rows(), outputs.cols()) = outputs;
  return array;
}

Eigen::MatrixXd received(const ProgrammedChip& chip, const Codes& codes, NoiseSwitches noise,
                         std::uint32_t server, std::uint32_t instant, std::uint64_t first_word,
                         const std::string& arithmetic) {
  const LitUnit unit{chip.design(), chip.state, chip.hardware, noise, value_of_name<Arithmetic>(arithmetic)};
  // 32,768 words take the largest shipped chip a second of one core; those in succession have neighbours
  const bool divisible = chip.hardware.timing.sampling == Sampling::settled &&
                         chip.task().adder == Adder::light && chip.hardware.link.late_servers == 0;
  Eigen::MatrixXd outputs(chip.task().output_digits(), codes.rows());
  in_parts(codes.rows(), divisible ? 1 << 15 : std::max<Eigen::Index>(codes.rows(), 1),
           [&](Eigen::Index first, Eigen::Index count) {
             outputs.middleCols(first, count) =
                 transmit(unit, codes.middleRows(first, count),
                          {chip.fabricated.seed, chip.fabricated.number, server, instant,
                           first_word + static_cast<std::uint64_t>(first)});
           });
  return outputs;
}

/// Codes that server `server` has in the end.
CodeVector averaged(const ProgrammedChip& chip, const Codes& codes, NoiseSwitches noise, std::uint32_t server,
                    std::uint32_t instant, std::uint64_t first_word, const std::string& arithmetic) {
  const LitUnit unit{chip.design(), chip.state, chip.hardware, noise, value_of_name<Arithmetic>(arithmetic)};
  const TransmissionSeed seed{chip.fabricated.seed, chip.fabricated.number, server, instant, first_word};
  if (checked_block(chip.task(), chip.hardware) > 0)
    return working([&] { return average_codes(unit, codes, seed); });
  const Eigen::MatrixXd outputs =
      received(chip, codes, noise, sums_seed(unit, seed).server, instant, first_word, arithmetic);
  return working([&] { return passed_on(unit, decide(chip.task(), outputs, instant), seed); });
}

Array<std::uint32_t> average(const ProgrammedChip& chip, const ArrayLike& given, NoiseSwitches noise,
                             std::uint32_t server, std::uint32_t instant, std::uint64_t first_word,
                             const std::string& arithmetic) {
  const Codes codes = codes_of(chip.task(), given);
  return array_of_vector(averaged(chip, codes, noise, server, instant, first_word, arithmetic));
}

/// What server `server` decides of checked sums, and what checking them took.
struct CheckedAverage {
  CodeVector codes;
  CheckedSums sums;
};

CheckedAverage average_checked(const ProgrammedChip& chip, const ArrayLike& given, int block,
                               NoiseSwitches noise, std::uint32_t server, std::uint32_t instant) {
  const Codes codes = codes_of(chip.task(), given);
  return working([&] {
    const LitUnit unit{chip.design(), chip.state, chip.hardware, noise};
    const TransmissionSeed seed{chip.fabricated.seed, chip.fabricated.number, server, instant};
    CheckedSums sums = checked_sums(unit, codes, block, sums_seed(unit, seed));
    CodeVector answers = passed_on(unit, decide(chip.task(), sums.levels, instant), seed);
    return CheckedAverage{std::move(answers), std::move(sums)};
  });
}

Array<double> transmitted(const ProgrammedChip& chip, const ArrayLike& given, NoiseSwitches noise,
                          std::uint32_t server, std::uint32_t instant, std::uint64_t first_word,
                          const std::string& arithmetic) {
  const Codes codes = codes_of(chip.task(), given);
  return array_of_outputs(received(chip, codes, noise, server, instant, first_word, arithmetic));
}

nb::dict rare(const ProgrammedChip& chip, const ArrayLike& given, NoiseSwitches noise, std::uint32_t server,
              int draws) {
  const Codes codes = codes_of(chip.task(), given);
  const RareWords found = working([&] {
    return rare_words({chip.design(), chip.state, chip.hardware, noise}, codes,
                      {chip.fabricated.seed, chip.fabricated.number, server}, draws);
  });
  nb::dict told;
  told["share"] = found.share;
  told["error"] = found.error;
  told["beyond_4_sigma"] = found.beyond_4_sigma;
  told["samples"] = found.samples;
  told["counting"] = found.counting;
  return told;
}

/// Estimate of the words wrong of a chip, with its gradient, and moments of what every layer's receivers take.
nb::dict estimated(const ProgrammedChip& chip, const ArrayLike& given, NoiseSwitches noise,
                   std::uint32_t server) {
  const Codes codes = codes_of(chip.task(), given);
  struct Found {
    OperatingTangent log_wrong, energy_j;
    std::vector<std::pair<Eigen::MatrixXd, Eigen::MatrixXd>> moments;
  };
  const Found found = working([&] {
    const LitUnit unit{chip.design(), chip.state, chip.hardware, noise};
    const TransmissionSeed seed{chip.fabricated.seed, chip.fabricated.number, server};
    const OperatingValues<double> values = operating_values(chip.hardware);
    const OperatingPower power(chip.design(), chip.fabricated.model, chip.hardware, {});
    const Margin margin(unit, codes, seed);
    Found made = {margin.log_wrong(as_variables(values)), power.energy_per_bit_j(as_variables(values)), {}};
    for (const Margin::Sending& sent : margin.sendings()) {
      const LevelMoments<double> levels =
          received_levels(sent.unit, sent.of_owner ? owner_values(values) : values, sent.codes, sent.seed)
              .answers;
      auto& [mean, variance] = made.moments.emplace_back(sent.exact, sent.exact);
      for (Eigen::Index m = 0; m < mean.rows(); ++m)
        for (Eigen::Index w = 0; w < mean.cols(); ++w)
          mean(m, w) = levels.mean(m, w), variance(m, w) = levels.variance(m, w);
    }
    return made;
  });
  const auto gradient = [](const OperatingTangent& of) {
    nb::dict by_key;
    for (std::size_t k = 0; k < operating_variables; ++k)
      by_key[nb::str(operating_keys[k].data(), operating_keys[k].size())] = of.slope[k];
    return by_key;
  };
  nb::dict told;
  told["log_wrong"] = found.log_wrong.value;
  told["log_wrong_gradient"] = gradient(found.log_wrong);
  told["energy_per_bit_j"] = found.energy_j.value;
  told["energy_per_bit_gradient"] = gradient(found.energy_j);
  nb::list mean, variance;
  for (const auto& [of_mean, of_variance] : found.moments)
    mean.append(array_of_outputs(of_mean)), variance.append(array_of_outputs(of_variance));
  told["mean"] = mean;
  told["variance"] = variance;
  return told;
}

/// A programmed chip as a response table.
struct Table {
  std::shared_ptr<const ResponseTable> responses;
  std::uint64_t seed = 1;
  std::uint32_t number = 0;

  const Task& task() const { return responses->task; }
};

Table tabulated(const ProgrammedChip& chip, NoiseSwitches noise) {
  return working(true, [chip, noise] {
    const LitUnit unit{chip.design(), chip.state, chip.hardware, noise};
    return Table{std::make_shared<const ResponseTable>(
                     tabulate_chip(unit, {chip.fabricated.seed, chip.fabricated.number})),
                 chip.fabricated.seed, chip.fabricated.number};
  });
}

CodeVector looked_up(const Table& table, const Codes& codes, std::uint32_t instant, std::uint64_t first_word) {
  CodeVector decided(codes.rows());
  in_parts(codes.rows(), 1 << 22, [&](Eigen::Index first, Eigen::Index count) {
    decided.segment(first, count) =
        send_by_table(*table.responses, codes.middleRows(first, count),
                      {table.seed, table.number, instant, first_word + static_cast<std::uint64_t>(first)});
  });
  return decided;
}

Array<std::uint32_t> average_by_table(const Table& table, const ArrayLike& given, std::uint32_t instant,
                                      std::uint64_t first_word) {
  const Codes codes = codes_of(table.task(), given);
  return array_of_vector(looked_up(table, codes, instant, first_word));
}

/// Mean of gradients whose codes `average` averages.
template <class Average>
Array<float> averaged_gradients(const Task& task, const ArrayLike& given, int block,
                                const CodeRounding& rounding, Average average) {
  const auto array = array_of<float>(given, "gradients", 2);
  validate(array.shape(0) == static_cast<std::size_t>(task.servers),
           "gradients has shape {} (needs ({}, n): a row for every server). Reshape it.",
           shape_text(shape_of(array)), task.servers);
  validate(task.level == CascadeLevel::flat && task.reduction == Reduction::mean,
           "gradients through a unit that returns no mean (level {}, reduction {}). Average its codes.",
           name_of(task.level), name_of(task.reduction));
  const Eigen::MatrixXf gradients =
      Eigen::Map<const Eigen::MatrixXf>(array.data(), static_cast<Eigen::Index>(array.shape(1)), task.servers);
  const QuantisedGradients sent = working([&] { return quantise(gradients, task.bits(), block, rounding); });
  const CodeVector mean = average(sent.codes);
  return array_of_vector(working([&] {
    return dequantise(mean.template cast<double>() * task.answer_step(), sent.block_scale, sent.bits, block);
  }));
}

Array<float> average_gradients(const ProgrammedChip& chip, const ArrayLike& given, int block,
                               NoiseSwitches noise, std::uint32_t server, std::uint32_t instant,
                               const std::string& arithmetic) {
  return averaged_gradients(
      chip.task(), given, block, code_rounding(chip.task(), chip.fabricated.seed, instant),
      [&](const Codes& codes) { return averaged(chip, codes, noise, server, instant, 0, arithmetic); });
}

Array<float> average_gradients_by_table(const Table& table, const ArrayLike& given, int block,
                                        std::uint32_t instant) {
  return averaged_gradients(table.task(), given, block, code_rounding(table.task(), table.seed, instant),
                            [&](const Codes& codes) { return looked_up(table, codes, instant, 0); });
}

UnitCost computed_cost(const ProgrammedChip& chip) {
  const UnitParts& parts = *chip.fabricated.unit.parts;
  const Working working;
  return unit_cost(parts.network,
                   budget(chip.design(), chip.operated.program, chip.fabricated.model, chip.hardware));
}

nb::dict cost_of(const ProgrammedChip& chip) {
  const UnitCost cost = computed_cost(chip);
  nb::dict d;
  d["servers"] = cost.servers;
  d["bits"] = cost.bits;
  d["mzis"] = cost.mzis;
  d["modulators"] = cost.modulators;
  d["receivers"] = cost.receivers;
  d["columns"] = cost.columns;
  d["conversions"] = cost.conversions;
  d["area_m2"] = cost.area_m2;
  d["die_rise_k"] = cost.die_rise_k;
  d["loss_db"] = cost.loss_db;
  d["most_gain_db"] = cost.most_gain_db;
  d["heater_w"] = cost.heater_w;
  d["static_power_w"] = cost.static_power_w;
  d["symbol_power_w"] = cost.symbol_power_w;
  d["delay_s"] = cost.delay_s;
  d["symbol_rate_bd"] = cost.symbol_rate_bd;
  d["symbol_rate_limit_bd"] = cost.symbol_rate_limit_bd;
  d["energy_per_bit_j"] = cost.energy_per_bit_j();
  return d;
}

}  // namespace

void bind_programmed_chip(nb::module_& m) {
  nb::class_<Table>(
      m, "ResponseTable",
      "What a chip makes of every word of its task, and how far noise moves it: words are looked up in it, at\n"
      "a hundred times the rate of the meshes (bench/python_rates.py). Made by ProgrammedChip.table().")
      .def("average", &average_by_table, nb::arg("codes"), nb::arg("instant") = 0, nb::arg("first_word") = 0,
           "Codes that a server decides, integers (servers, n) -> uint32 (n,), with the noise of this "
           "instant.\n\n"
           "Noise is distributed as that of ProgrammedChip.average(), and drawn otherwise: words and instants "
           "differ. "
           "`first_word` is\n"
           "a multiple of 4096. Raises TypeError for other numbers, ValueError for another shape and codes out "
           "of range.")
      .def("average_gradients", &average_gradients_by_table, nb::arg("gradients"), nb::kw_only(),
           nb::arg("block") = 1024, nb::arg("instant") = 0,
           "Mean of the servers' gradients: real (servers, n) -> float32 (n,); otherwise as that of "
           "ProgrammedChip.")
      .def_prop_ro(
          "task", [](const Table& t) { return t.task(); }, "The averaging task of its unit.")
      .def("__repr__", [](const Table& t) {
        return fmt::format("<ResponseTable: {} servers, {} bits, {} words>", t.task().servers, t.task().bits(),
                           t.task().words());
      });

  nb::class_<CheckedAverage>(m, "CheckedAverage",
                             "Codes of checked sums. Made by ProgrammedChip.average_checked().")
      .def_prop_ro(
          "codes", [](const CheckedAverage& c) { return array_of_vector(c.codes); }, nb::rv_policy::reference,
          "uint32 (n,).")
      .def_prop_ro(
          "failed", [](const CheckedAverage& c) { return c.sums.failed; },
          "Of every lane, most significant digit first: blocks whose first sending failed.")
      .def_prop_ro(
          "blocks", [](const CheckedAverage& c) { return c.sums.blocks; },
          "Blocks of words; every lane of each is checked by itself.")
      .def_prop_ro(
          "left", [](const CheckedAverage& c) { return c.sums.left; },
          "Blocks of lanes that failed every time and were taken as they were.")
      .def_prop_ro(
          "symbols", [](const CheckedAverage& c) { return c.sums.symbols; },
          "Symbols sent, check words and repetitions among them, over those that average() sends.")
      .def("__repr__", [](const CheckedAverage& c) {
        return fmt::format("<CheckedAverage: {} codes, {:.3g} % of checks failed, {:.4g} times the symbols>",
                           c.codes.size(), 100 * c.sums.share_failed(), c.sums.symbols);
      });
  nb::class_<ProgrammedChip> programmed_chip(m, "ProgrammedChip",
                                             "A unit in operation. Made by Chip.program().");
  programmed_chip
      .def("average", &average, nb::arg("codes"), nb::arg("noise") = NoiseSwitches::all(),
           nb::arg("server") = 0, nb::arg("instant") = 0, nb::arg("first_word") = 0,
           nb::arg("arithmetic") = "float64",
           "Codes that server `server` decides, integers (servers, n) -> uint32 (n,).\n\n"
           "Through the servers' modulators, unit P, every mesh and receiver, unit T and the converter. Noise "
           "is drawn anew at\n"
           "every `instant`: the same codes at the same instant give the same answer. `first_word` is the "
           "number "
           "of the first word\n"
           "of this call, a multiple of 512: settled words that are sent in parts get the noise that they get "
           "together. Words in\n"
           "succession (time.sampling) meet the neighbours of their own call. `arithmetic` \"float32\" takes "
           "half the time\n"
           "or less and draws the same numbers, so that only words at a threshold are decided differently.\n\n"
           "Raises TypeError for other numbers, ValueError for another shape, codes out of range, impossible "
           "hardware values, and\n"
           "an unknown arithmetic.")
      .def(
          "average_gradients", &average_gradients, nb::arg("gradients"), nb::kw_only(), nb::arg("block") = 1024,
          nb::arg("noise") = NoiseSwitches::all(), nb::arg("server") = 0, nb::arg("instant") = 0,
          nb::arg("arithmetic") = "float64",
          "Mean of the servers' gradients as server `server` gets it: real (servers, n) -> float32 (n,).\n\n"
          "Every `block` elements share one scale, the largest of all servers; codes of the task's bits pass "
          "average(), in the\n"
          "same `arithmetic`. Raises\n"
          "TypeError for other numbers, ValueError for another shape, gradients that are not finite, and units "
          "of a cascade.")
      .def(
          "average_checked", &average_checked, nb::arg("codes"), nb::arg("block") = 16,
          nb::arg("noise") = NoiseSwitches::all(), nb::arg("server") = 0, nb::arg("instant") = 0,
          "Codes as average() gives them, of sums that were checked: a CheckedAverage. For units of digit "
          "sums.\n\n"
          "Behind every `block` words every server sends a check word, the sums of its digits mod 4. Light "
          "adds "
          "check words too,\n"
          "and a block whose sums do not agree with their check sum mod 4 is sent again, up to 8 times. Of raw "
          "errors p, about\n"
          "block p^2 / 2 pass. Raises what average() raises, and ValueError for a unit whose outputs are "
          "answers and block < 1.")
      .def("transmit", &transmitted, nb::arg("codes"), nb::arg("noise") = NoiseSwitches::all(),
           nb::arg("server") = 0, nb::arg("instant") = 0, nb::arg("first_word") = 0,
           nb::arg("arithmetic") = "float64",
           "What average() decides on, with the same arguments: outputs in digits, float64 (output digits, n), "
           "most significant first.")
      .def(
          "margin", &estimated, nb::arg("codes"), nb::arg("noise") = NoiseSwitches::all(),
          nb::arg("server") = 0,
          nb::sig(
              "def margin(self, codes: numpy.typing.ArrayLike, noise: NoiseSwitches = ..., server: int = 0) -> "
              "dict[str, object]"),
          "Gaussian estimate of how many of these words average() gets wrong, and its gradient: a dict of "
          "log_wrong, the natural\n"
          "logarithm of the share; energy_per_bit_j; log_wrong_gradient and energy_per_bit_gradient, dicts of "
          "derivatives by key\n"
          "of the operator's settings (\"link.launch_power_w\", ...), each per unit of the setting; mean and "
          "variance, "
          "lists of arrays\n"
          "(digits, words) of the levels in digits that are decided: of the unit; of sums with an owner also "
          "of its "
          "answers; of a\n"
          "ring or hub of its links. First order: ties of words with each other, and how lock errors' effect "
          "is distributed, are\n"
          "left out.\n\n"
          "Raises ValueError as average(), and for words unclocked, late light, incoherent averages, "
          "modulators that "
          "are not\n"
          "linearised, and checked sums.")
      .def("rare_words", &rare, nb::arg("codes"), nb::arg("noise") = NoiseSwitches::all(),
           nb::arg("server") = 0, nb::arg("draws") = 1000,
           nb::sig(
               "def rare_words(self, codes: numpy.typing.ArrayLike, noise: NoiseSwitches = ..., server: int = "
               "0, draws: int = 1000) -> dict[str, float]"),
           "Share of words wrong, however rare: Gaussian levels at given phases of the servers' locks, which "
           "are "
           "integrated by\n"
           "importance sampling with four times `draws` phases. `codes` (n, servers): words that stand for "
           "all. A "
           "dict of share,\n"
           "error (its standard error), beyond_4_sigma (the part of it that phases beyond four times their rms "
           "make: not to be\n"
           "trusted above 0.5, since locks slip), samples (words, each with phases of its own) and counting "
           "(the "
           "variance of a\n"
           "count of as many over that of this).\n\n"
           "Raises ValueError as margin(), and for trained networks, whose neurons pass on noise.")
      .def(
          "table", &tabulated, nb::arg("noise"),
          "Its ResponseTable: the chip sent every word once, and up to 8 times more where the receivers of its "
          "neurons are noisy "
          "(noise\n"
          "of the servers' own is drawn at every look-up).\n\n"
          "Raises ValueError where light depends on more than the sums of the servers' digits: lock errors "
          "(NoiseSwitches.lock),\n"
          "errors of unit P's combiners, oscillators out of phase, levels that are not linear, words in "
          "succession; and for "
          "tasks of\n"
          "too many words.")
      .def("cost", &cost_of, nb::sig("def cost(self) -> dict[str, float]"),
           "Totals of loss, power, delay and area, of the mean chip with these phases: a dict of numbers, "
           "units in the names.\n"
           "\n"
           "energy_per_bit_j is NaN if the devices cannot carry the symbol rate.")
      .def_prop_ro(
          "clipped", [](const ProgrammedChip& c) { return c.state.clipped; },
          "MZIs whose splitters cannot reach the bar power asked of them.")
      .def_prop_ro(
          "matrix_error",
          [](const ProgrammedChip& c) {
            std::vector<double> errors;
            for (const LayerState& layer : c.state.layers) errors.push_back(layer.matrix_error);
            return errors;
          },
          "Relative error of every layer's matrix (Frobenius norm).")
      .def_prop_ro(
          "task", [](const ProgrammedChip& c) { return c.task(); }, "The averaging task of its unit.")
      .def_ro("hardware", &ProgrammedChip::hardware, nb::rv_policy::copy,
              "The devices beside its meshes, a copy.")
      .def("__repr__", [](const ProgrammedChip& c) { return described("ProgrammedChip", c.fabricated.unit); });
  bind_environment(programmed_chip);
}

}  // namespace optinc::bindings
