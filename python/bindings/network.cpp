#include "onn/network/network.hpp"

#include <cmath>
#include <tuple>

#include <fmt/format.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "onn/task/block_quantiser.hpp"
#include "physics/core/check.hpp"

#include "python/bindings/arrays.hpp"
#include "python/bindings/bindings.hpp"
#include "python/bindings/tasks.hpp"

namespace optinc::bindings {

Task new_task(int servers, int bits, const std::string& rounding, const std::string& level,
              const std::string& reduction, const std::string& outputs, const std::string& adder) {
  validate_field(bits % 2 == 0, "bits", "{} (a multiple of 2: digits have two bits). Give an even number.",
                 bits);
  const Task task{servers,
                  bits / 2,
                  value_of_name<Rounding>(rounding),
                  value_of_name<CascadeLevel>(level),
                  value_of_name<Reduction>(reduction),
                  value_of_name<Outputs>(outputs),
                  value_of_name<Adder>(adder)};
  validate_task(task);
  return task;
}

Codes codes_of(const Task& task, const ArrayLike& given) {
  const auto array = array_of<std::uint32_t>(given, "codes", 2);
  validate(array.shape(0) == static_cast<std::size_t>(task.servers),
           "codes has shape {} (needs ({}, words): a row for every server). Reshape it.",
           shape_text(shape_of(array)), task.servers);
  const Codes codes =
      Eigen::Map<const Codes>(array.data(), static_cast<Eigen::Index>(array.shape(1)), task.servers);
  const std::uint64_t largest = codes.size() > 0 ? codes.maxCoeff() : 0,
                      limit = std::uint64_t{1} << (task.symbol_bits() * task.input_digits());
  validate(largest < limit, "codes reach {} (codes of {} bits: 0..{}). Clip or rescale them.", largest,
           task.symbol_bits() * task.input_digits(), limit - 1);
  return codes;
}

namespace {

/// Codes (servers, words) of words of the enumeration.
Array<std::uint32_t> codes_of_numbers(const Task& task, const ArrayLike& given) {
  const auto numbers = array_of<std::uint64_t>(given, "words", 1);
  const std::vector<std::uint64_t> words(numbers.data(), numbers.data() + numbers.size());
  for (const std::uint64_t word : words)
    validate(word < task.words(), "word {} (0..{}). Give words of the task.", word, task.words() - 1);
  const Codes codes = working([&] { return codes_of_words(task, words); });
  auto array = new_array<std::uint32_t>({static_cast<std::size_t>(task.servers), words.size()});
  std::copy_n(codes.data(), codes.size(), array.data());
  return array;
}

SigmaULayer new_layer(const ArrayLike& unitary, const ArrayLike& sigma, const ArrayLike& bias,
                      const std::vector<int>& reads, const std::string& wiring, const std::string& ending,
                      std::optional<double> ceiling, double offset, bool attenuated) {
  const auto u = array_of<double>(unitary, "unitary", 3), s = array_of<double>(sigma, "sigma", 2),
             b = array_of<double>(bias, "bias", 1);
  const std::size_t blocks = u.shape(0), n = u.shape(1);
  validate(u.shape(2) == n && s.shape(0) == blocks && n >= 1 && blocks >= 1,
           "unitary has shape {} and sigma {} (need (blocks, n, n) and (blocks, channels)). Give a row of "
           "sigma for every block.",
           shape_text(shape_of(u)), shape_text(shape_of(s)));
  validate(b.size() >= 1 && !reads.empty(),
           "a layer of {} inputs and {} outputs (1 or more). Give reads and bias.", reads.size(), b.size());
  const auto finite = [](const Array<const double>& array) {
    return Eigen::Map<const Vector>(array.data(), static_cast<Eigen::Index>(array.size())).allFinite();
  };
  validate(finite(u) && finite(s) && finite(b),
           "unitary, sigma or bias holds NaN or infinity (finite numbers only). Check how they were made.");
  SigmaULayer layer;
  layer.outputs = static_cast<int>(b.size());
  layer.inputs = static_cast<int>(reads.size());
  layer.reads = reads;
  layer.wiring = value_of_name<Wiring>(wiring);
  layer.ending = value_of_name<LayerEnd>(ending);
  if (ceiling) layer.ceiling = *ceiling;
  layer.offset = offset;
  layer.attenuated = attenuated;
  layer.bias = Eigen::Map<const Vector>(b.data(), layer.outputs);
  const auto rows = static_cast<Eigen::Index>(n), channels = static_cast<Eigen::Index>(s.shape(1));
  for (std::size_t i = 0; i < blocks; ++i) {
    layer.unitary.emplace_back(
        Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>(
            u.data() + i * n * n, rows, rows));
    layer.sigma.emplace_back(Eigen::Map<const Vector>(s.data() + i * s.shape(1), channels));
  }
  return layer;
}

/// What pickle keeps of a task.
using StateOfTask = std::tuple<int, int, std::string, std::string, std::string, std::string, std::string>;

StateOfTask state_of(const Task& task) {
  return {task.servers,
          task.bits(),
          std::string(name_of(task.rounding)),
          std::string(name_of(task.level)),
          std::string(name_of(task.reduction)),
          std::string(name_of(task.outputs)),
          std::string(name_of(task.adder))};
}

Task task_of(const StateOfTask& state) { return std::apply(new_task, state); }

/// Blocks (blocks, n, n) and their attenuations (blocks, channels) in C order.
Array<double> unitary_of(const SigmaULayer& layer) {
  const auto n = static_cast<std::size_t>(layer.block_size());
  auto array = new_array<double>({layer.unitary.size(), n, n});
  double* to = array.data();
  for (const Eigen::MatrixXd& u : layer.unitary) {
    Eigen::Map<Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>(to, u.rows(), u.cols()) =
        u;
    to += u.size();
  }
  return array;
}

Array<double> sigma_of(const SigmaULayer& layer) {
  auto array = new_array<double>({layer.sigma.size(), static_cast<std::size_t>(layer.sigma.at(0).size())});
  double* to = array.data();
  for (const Vector& sigma : layer.sigma) to = std::copy(sigma.begin(), sigma.end(), to);
  return array;
}

std::optional<double> ceiling_of(const SigmaULayer& layer) {
  return std::isfinite(layer.ceiling) ? std::optional(layer.ceiling) : std::nullopt;
}

/// What pickle keeps of a layer: the arguments that make it.
nb::tuple state_of(const SigmaULayer& layer) {
  return nb::make_tuple(unitary_of(layer), sigma_of(layer), array_of_vector<double>(layer.bias), layer.reads,
                        std::string(name_of(layer.wiring)), std::string(name_of(layer.ending)),
                        ceiling_of(layer), layer.offset, layer.attenuated);
}

Network new_network(const Task& task, std::vector<SigmaULayer> layers) {
  Network network{task, std::move(layers)};
  validate_network(network);
  return network;
}

Eigen::VectorXf floats_of(const ArrayLike& given, const char* name) {
  const auto array = array_of<float>(given, name, 1);
  return Eigen::Map<const Eigen::VectorXf>(array.data(), static_cast<Eigen::Index>(array.size()));
}

/// Tasks, and networks as numbers.
void bind_networks(nb::module_& m) {
  nb::class_<Task>(m, "Task",
                   "The task of one unit: servers hold codes of `bits` bits and get the rounded mean of the "
                   "codes, or another reduction.")
      .def(
          "__init__",
          [](Task* self, int servers, int bits, const std::string& rounding, const std::string& level,
             const std::string& reduction, const std::string& outputs, const std::string& adder) {
            new (self) Task(new_task(servers, bits, rounding, level, reduction, outputs, adder));
          },
          nb::arg("servers") = 4, nb::arg("bits") = 8, nb::arg("rounding") = "half-even",
          nb::arg("level") = "flat", nb::arg("reduction") = "mean", nb::arg("outputs") = "answer",
          nb::arg("adder") = "light",
          "A task. rounding: \"half-even\", \"half-up\", \"floor\" or \"stochastic\". level, in a cascade: "
          "\"flat\", \"first\" "
          "or \"second\".\n\n"
          "\"flat\" returns the rounded mean of the servers' codes. In a cascade of two levels, \"first\" "
          "returns "
          "the sum of its\n"
          "codes, not rounded, with one digit more; \"second\" takes such sums from as many units as each has "
          "servers, and returns\n"
          "the rounded mean of all servers' codes. reduction: \"mean\", \"saturated-sum\" (the sum, up to the "
          "largest code) or\n"
          "\"majority\" (the largest code where the mean, over that code, rounds to 1; 0 elsewhere). outputs: "
          "\"answer\" (its\n"
          "digits) or \"sums\" (each digit's sum over the servers, from which they compute the answer).\n\n"
          "Raises ValueError for an odd number of bits and for tasks that are too large.")
      .def_ro("servers", &Task::servers, "Number of servers.")
      .def_ro("digits", &Task::digits, "Base-4 digits of a code, bits / 2.")
      .def_prop_ro("bits", &Task::bits, "Bits of a code.")
      .def_prop_ro(
          "answer_bits", [](const Task& t) { return 2 * t.answer_digits(); },
          "Bits of an answer: those of a code, or more where a unit answers the sum of the codes.")
      .def_prop_ro("answer_step", &Task::answer_step,
                   "What 1 in an answer is worth in codes: 1, or 1/servers of an analogue sum.")
      .def_prop_ro("words", &Task::words,
                   "Number of words that a unit tells apart, by their digit sums: (3 servers + 1)^(digits of a "
                   "code that comes "
                   "in), one\n"
                   "digit more at level \"second\".")
      .def_prop_ro(
          "rounding", [](const Task& t) { return std::string(name_of(t.rounding)); }, "Rounding of the mean.")
      .def_prop_ro(
          "level", [](const Task& t) { return std::string(name_of(t.level)); },
          "Where the unit stands in a cascade.")
      .def_prop_ro(
          "reduction", [](const Task& t) { return std::string(name_of(t.reduction)); },
          "What the unit makes of the codes.")
      .def_prop_ro(
          "outputs", [](const Task& t) { return std::string(name_of(t.outputs)); },
          "What the unit's outputs say.")
      .def_prop_ro(
          "adder", [](const Task& t) { return std::string(name_of(t.adder)); }, "Who adds the codes.")
      .def("__getstate__", [](const Task& t) { return state_of(t); })
      .def("__setstate__", [](Task& self, const StateOfTask& state) { new (&self) Task(task_of(state)); })
      .def("__repr__", [](const Task& t) {
        return fmt::format(
            "Task(servers={}, bits={}, rounding='{}', level='{}', reduction='{}', outputs='{}', adder='{}')",
            t.servers, t.bits(), name_of(t.rounding), name_of(t.level), name_of(t.reduction),
            name_of(t.outputs), name_of(t.adder));
      });
  m.def(
      "exact_answers",
      [](const Task& task, const ArrayLike& codes, std::uint32_t instant) {
        const Codes given = codes_of(task, codes);
        return array_of_vector(working([&] { return exact_answers(task, given, instant); }));
      },
      nb::arg("task"), nb::arg("codes"), nb::arg("instant") = 0,
      "The rounded mean, or other reduction, of every word by integer arithmetic: codes, integers (servers, n) "
      "-> uint32 (n,).\n\n"
      "In a cascade, level \"first\" gives their sum. `instant`: which draws stochastic rounding takes, as in "
      "average().\n"
      "Raises TypeError for other numbers, ValueError for another shape and codes out of range.");
  m.def("codes_of_words", &codes_of_numbers, nb::arg("task"), nb::arg("words"),
        "Codes of the servers, uint32 (servers, n), for words of the task's enumeration, integers (n,) from 0 "
        "on.\n\n"
        "A word is one gradient element from every server. Words with the same digit sums are one: there are "
        "Task.words.\n"
        "Raises TypeError for other numbers, ValueError for words out of range.");
  nb::class_<SigmaULayer>(
      m, "SigmaULayer",
      "One layer of a network: blocks Sigma U behind what it reads, and what stands behind them.")
      .def(
          "__init__",
          [](SigmaULayer* self, const ArrayLike& unitary, const ArrayLike& sigma, const ArrayLike& bias,
             const std::vector<int>& reads, const std::string& wiring, const std::string& ending,
             std::optional<double> ceiling, double offset, bool attenuated) {
            new (self) SigmaULayer(
                new_layer(unitary, sigma, bias, reads, wiring, ending, ceiling, offset, attenuated));
          },
          nb::arg("unitary"), nb::arg("sigma"), nb::arg("bias"), nb::arg("reads"), nb::arg("wiring") = "blocks",
          nb::arg("ending") = "receivers", nb::arg("ceiling") = nb::none(), nb::arg("offset") = 0.0,
          nb::arg("attenuated") = true,
          "unitary: real orthogonal (blocks, n, n); sigma: signed (blocks, n), or (1, 1) of a sum; bias: "
          "(outputs,).\n\n"
          "Of the one block of a sum, only row 0 counts, and it must have norm 1; Unit refuses others.\n\n"
          "reads: number of the signal of every input; digits behind unit P come first, then every layer's "
          "outputs. wiring:\n"
          "\"blocks\" or \"sum\"; ending: \"receivers\", \"light\" or \"servers\"; ceiling: of the receivers' "
          "outputs, None without.\n"
          "Raises ValueError where shapes do not agree; Network checks the rest.")
      .def_ro("inputs", &SigmaULayer::inputs, "Number of inputs.")
      .def_ro("outputs", &SigmaULayer::outputs, "Number of outputs.")
      .def_ro("reads", &SigmaULayer::reads, "Number of the signal of every input.")
      .def_prop_ro("unitary", &unitary_of, nb::rv_policy::reference,
                   "Orthogonal matrix of every block, float64 (blocks, n, n), a copy.")
      .def_prop_ro("sigma", &sigma_of, nb::rv_policy::reference,
                   "Signed attenuations behind every block, float64 (blocks, n), a copy.")
      .def_prop_ro(
          "bias", [](const SigmaULayer& l) { return array_of_vector<double>(l.bias); },
          nb::rv_policy::reference, "Bias, float64 (outputs,), a copy.")
      .def_prop_ro("ceiling", &ceiling_of, "Limit of the receivers' outputs; None: no limit.")
      .def_prop_ro(
          "wiring", [](const SigmaULayer& l) { return std::string(name_of(l.wiring)); },
          "How its weight is built: \"blocks\" or \"sum\".")
      .def_prop_ro(
          "ending", [](const SigmaULayer& l) { return std::string(name_of(l.ending)); },
          "What stands behind it: \"receivers\", \"light\" or \"servers\".")
      .def_ro("offset", &SigmaULayer::offset, "What the modulators' bias adds behind the receivers.")
      .def_ro("attenuated", &SigmaULayer::attenuated, "Whether it has attenuators.")
      .def(
          "__getstate__", [](const SigmaULayer& l) { return state_of(l); },
          nb::sig("def __getstate__(self) -> tuple[object, ...]"))
      .def(
          "__setstate__",
          [](nb::handle_t<SigmaULayer> self, const nb::tuple& state) { self.attr("__init__")(*state); },
          nb::sig("def __setstate__(self, state: tuple[object, ...]) -> None"));
  nb::class_<Network>(
      m, "Network",
      "An optical neural network as numbers, without devices: digits' averages -> digits of the answer.")
      .def(
          "__init__",
          [](Network* self, const Task& task, std::vector<SigmaULayer> layers) {
            new (self) Network(new_network(task, std::move(layers)));
          },
          nb::arg("task"), nb::arg("layers"),
          "Raises ValueError unless layers read signals of the layers before them and the servers get the "
          "task's "
          "digits.")
      .def_ro("task", &Network::task, nb::rv_policy::copy, "Its averaging task.")
      .def_ro("layers", &Network::layers, nb::rv_policy::copy, "Its layers, copies.")
      .def_prop_ro("widths", &Network::widths, "Layer widths, inputs first.")
      .def_prop_ro(
          "mzi_count", [](const Network& n) { return mzi_count(n); },
          "MZIs of the network as built: meshes and attenuators of every block.")
      .def("__getstate__", [](const Network& n) { return std::tuple(n.task, n.layers); })
      .def("__setstate__", [](Network& self, const std::tuple<Task, std::vector<SigmaULayer>>& state) {
        new (&self) Network(new_network(std::get<0>(state), std::get<1>(state)));
      });
}

/// Gradients as codes, and back.
void bind_gradients(nb::module_& m) {
  m.def(
      "block_maxima",
      [](const ArrayLike& gradients, int block) {
        const Eigen::VectorXf given = floats_of(gradients, "gradients");
        return array_of_vector(working([&] { return block_maxima(given, block); }));
      },
      nb::arg("gradients"), nb::arg("block") = 1024,
      "Largest magnitude of every block of one server's gradients: real (n,) -> float32 (ceil(n / block),).\n\n"
      "The elementwise maximum of all servers' is the scale that they share. Raises ValueError, naming the "
      "element, where one\n"
      "is NaN or infinite, and for block < 1.");
  m.def(
      "encode",
      [](const ArrayLike& gradients, const ArrayLike& scale, int bits, int block) {
        const Eigen::VectorXf given = floats_of(gradients, "gradients"), scales = floats_of(scale, "scale");
        return array_of_vector(working([&] { return encode(given, scales, bits, block); }));
      },
      nb::arg("gradients"), nb::arg("scale"), nb::arg("bits") = 8, nb::arg("block") = 1024,
      "Codes of one server's gradients in offset binary: real (n,), (ceil(n / block),) -> uint32 (n,).\n\n"
      "code = rint(g / s (2^(bits-1) - 1)) + 2^(bits-1), halves to even, s the scale of its block. Raises "
      "ValueError for bits\n"
      "outside 2..16, another number of scales, and gradients beyond their scale.");
  m.def(
      "decode",
      [](const ArrayLike& codes, const ArrayLike& scale, int bits, int block) {
        const auto array = array_of<double>(codes, "codes", 1);
        const Vector given = Eigen::Map<const Vector>(array.data(), static_cast<Eigen::Index>(array.size()));
        const Eigen::VectorXf scales = floats_of(scale, "scale");
        return array_of_vector(working([&] { return dequantise(given, scales, bits, block); }));
      },
      nb::arg("codes"), nb::arg("scale"), nb::arg("bits") = 8, nb::arg("block") = 1024,
      "Gradients of codes, which may be means: real (n,), (ceil(n / block),) -> float32 (n,).\n\n"
      "g = (code - 2^(bits-1)) s / (2^(bits-1) - 1). Raises ValueError as encode() does, and for codes that "
      "are "
      "not finite.");
}

}  // namespace

void bind_network(nb::module_& m) {
  bind_networks(m);
  bind_gradients(m);
}

}  // namespace optinc::bindings
