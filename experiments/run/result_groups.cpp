#include "experiments/run/result_groups.hpp"

#include <algorithm>
#include <cmath>
#include <span>

#include "onn/task/codes.hpp"
#include "physics/devices/pam4_levels.hpp"

namespace optinc {
namespace {

/// One column of the learning curve.
template <class Get>
std::vector<double> column(const std::vector<EpochReport>& curve, Get get) {
  std::vector<double> values;
  for (const auto& epoch : curve) values.push_back(static_cast<double>(get(epoch)));
  return values;
}

}  // namespace

void write_training_group(const Group& group, const std::vector<EpochReport>& curve) {
  std::vector<std::int64_t> epochs;
  for (const auto& e : curve) epochs.push_back(e.epoch);
  group.dimension("epoch", epochs, "1", "passes over every word of the task");
  group.dataset("loss", {"epoch"}, column(curve, [](auto& e) { return e.loss; }), "digit^2",
                "mean training loss of the epoch, max(abs(y - d) - dead zone, 0)^2");
  group.dataset("word_accuracy", {"epoch"}, column(curve, [](auto& e) { return e.word_accuracy; }), "1",
                "share of all words whose every digit is right after the epoch");
  group.dataset("margin", {"epoch"}, column(curve, [](auto& e) { return e.margin; }), "digit",
                "least over all words of 0.5 - max abs(y - d)");
  group.dataset("learning_rate", {"epoch"}, column(curve, [](auto& e) { return e.learning_rate; }), "1",
                "step of Lie-Adam at the end of the epoch");
}

std::vector<EpochReport> read_training_group(const Group& group) {
  const auto epochs = group.read<std::int64_t>("epoch").values;
  const auto column_of = [&](std::string_view name) { return group.read<double>(name, {epochs.size()}); };
  const auto loss = column_of("loss"), accuracy = column_of("word_accuracy"), margin = column_of("margin"),
             rate = column_of("learning_rate");
  std::vector<EpochReport> curve;
  for (std::size_t i = 0; i < epochs.size(); ++i)
    curve.push_back({static_cast<int>(epochs[i]), loss[i], accuracy[i], margin[i], rate[i], 0.0});
  return curve;
}

OnnSummary summarise(const Network& network) {
  constexpr std::size_t part = std::size_t{1} << 14;  // all at once would be the most memory of many a run
  const std::vector<std::uint64_t> words = evaluation_words(network.task);
  double right = 0.0, margin = network.task.level_spacing() / 2;
  for (std::size_t first = 0; first < words.size(); first += part) {
    const auto some = std::span(words).subspan(first, std::min(part, words.size() - first));
    const Codes codes = codes_of_words(network.task, some);
    const DecodingScore found = score(forward(network, digit_averages(network.task, codes)),
                                      exact_outputs(network.task, codes), network.task.level_spacing());
    right += std::round(found.word_accuracy * static_cast<double>(some.size()));
    if (!(found.margin >= margin)) margin = found.margin;
  }
  return {{right / static_cast<double>(words.size()), margin}};
}

void write_onn_group(const Group& group, const Network& network, const OnnSummary& summary) {
  const Attributes a = group.attributes();
  a.set("word_accuracy", summary.score.word_accuracy);
  a.set("words", static_cast<std::int64_t>(evaluation_words(network.task).size()));
  a.set("margin", summary.score.margin);
  a.set("rounding", name_of(network.task.rounding));
  a.set("servers", static_cast<std::int64_t>(network.task.servers));
  a.set("bits", static_cast<std::int64_t>(network.task.bits()));
  a.set("mzi_count", mzi_count(network));
  a.set("mzi_count_full_svd", mzi_count_full_svd(network));
  a.set("mzi_depth", static_cast<std::int64_t>(mzi_depth(network)));
  if (summary.ideal_chip_word_accuracy >= 0) {
    a.set("ideal_chip_word_accuracy", summary.ideal_chip_word_accuracy);
    a.set("ideal_chip_deviation", summary.ideal_chip_deviation);
  }
}

void write_eye_group(const Group& group, const Task& task, const Eye& eye) {
  const double spacing = task.level_spacing();
  const Eigen::MatrixXd wanted = exact_outputs(task, codes_of_words(task, evaluation_words(task))) / spacing;
  const auto words = static_cast<std::size_t>(wanted.cols()),
             digits = static_cast<std::size_t>(task.output_digits());
  group.dimension("variant", std::vector<std::string>{"corrected_quadrature", "noisy"}, "1",
                  "what acts on the light");
  group.counting_dimension("word", words, "word of the task, most significant digit sum first");
  group.counting_dimension("digit", digits, "digit position, most significant first");
  std::vector<float> outputs;
  for (const auto* y : {&eye.corrected, &eye.noisy})  // column-major (digit, word) is row-major [word][digit]
    for (Eigen::Index i = 0; i < y->size(); ++i) outputs.push_back(static_cast<float>(y->data()[i]));
  std::vector<std::uint8_t> targets;
  for (Eigen::Index i = 0; i < wanted.size(); ++i)
    targets.push_back(static_cast<std::uint8_t>(std::lround(wanted.data()[i])));
  group.dataset("outputs", {"variant", "word", "digit"}, outputs, "digit", "received output level of chip 0");
  group.dataset("target", {"word", "digit"}, targets, "digit",
                "level of the output without errors, counted from 0: the digit of Q(mean), or a sum");
  group.attributes().set("sigma_eta_rad", eye.sigma_eta_rad);
  std::vector<double> thresholds;
  for (int level = 0; (level + 0.5) * spacing < pam4_full_scale_digit; ++level)
    thresholds.push_back((level + 0.5) * spacing);
  group.attributes().set("thresholds_digit", std::span<const double>(thresholds));
}

void write_gradient_group(const Group& group, const GradientTransfer& t) {
  const auto elements = static_cast<std::size_t>(t.step.average.size());
  std::vector<std::string> paths(gradient_paths.begin(), gradient_paths.end());
  group.dimension("path", paths, "1", "how the servers' gradients were averaged");
  group.counting_dimension("element", elements, "gradient element");
  std::vector<float> received;
  std::vector<std::int32_t> code_error;
  for (std::size_t p = 0; p < paths.size(); ++p) {
    received.insert(received.end(), t.received[p].begin(), t.received[p].end());
    code_error.insert(code_error.end(), t.code_error[p].begin(), t.code_error[p].end());
  }
  group.dataset("average", {"element"}, std::vector<float>(t.step.average.begin(), t.step.average.end()), "1",
                "exact mean of the servers' gradients");
  group.dataset("received", {"path", "element"}, received, "1", "gradient that came back");
  group.dataset("code_error", {"path", "element"}, code_error, "LSB",
                "decoded code minus exact Q(mean of codes)");
  group.dataset("relative_error", {"path"},
                std::vector<double>(t.relative_error.begin(), t.relative_error.end()), "1",
                "norm of (received - average) over norm of average");
  const Attributes a = group.attributes();
  a.set("words", static_cast<std::int64_t>(elements));
  a.set("servers", static_cast<std::int64_t>(t.step.sent.codes.cols()));
  a.set("test_accuracy", t.step.test_accuracy);
  a.set("loss", t.step.loss);
  a.set("sigma_eta_rad", t.sigma_eta_rad);
}

void write_cost_group(const Group& group, const UnitCost& cost) {
  const Attributes a = group.attributes();
  a.set("mzis", cost.mzis);
  a.set("modulators", cost.modulators);
  a.set("receivers", cost.receivers);
  a.set("area_m2", cost.area_m2);
  a.set("columns", static_cast<std::int64_t>(cost.columns));
  a.set("loss_db", cost.loss_db);
  a.set("most_gain_db", cost.most_gain_db);
  a.set("heater_w", cost.heater_w);
  a.set("static_power_w", cost.static_power_w);
}

}  // namespace optinc
