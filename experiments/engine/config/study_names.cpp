#include "experiments/engine/config/study_names.hpp"

#include <array>

namespace optinc {
namespace {

using Names = std::vector<std::string_view>;

template <class Entry>
Names names_of(std::span<const Entry> entries) {
  Names names;
  for (const Entry& entry : entries) names.push_back(entry.name);
  return names;
}

}  // namespace

std::span<const Metric> metrics() {
  static const std::vector<Metric> all = {
      {"word_accuracy", "chip", "1", "Fraction of the drawn words decoded exactly", {"variant"}},
      {"word_accuracy_all_words",
       "chip",
       "1",
       "Fraction of all words decoded exactly; trial 0 only",
       {"variant"}},
      {"digit_error_rate", "chip", "1", "Fraction of the drawn words' digits decoded wrongly", {"variant"}},
      {"readout_error_rate",
       "chip",
       "1",
       "Digit error rate predicted from the noise-free received levels and the noise of the servers' receivers",
       {"variant"}},
      {"pam4_error_rate",
       "chip",
       "1",
       "Digit error rate predicted by the PAM4 formula for ideal levels",
       {"variant"}},
      {"received_power",
       "chip",
       "W",
       "Signal power at a server's receiver for digit 3, weakest digit",
       {"variant"}},
      {"margin",
       "chip",
       "digit",
       "Smallest decision margin of the drawn words: 0.5 - max |y - d| for output y and correct digit d",
       {"variant"}},
      {"output_error",
       "chip",
       "digit",
       "RMS deviation of the outputs from those of the error-free float64 network",
       {"variant"}},
      {"code_bias", "chip", "LSB", "Mean code error over the drawn words", {"variant"}},
      {"code_error_rms", "chip", "LSB", "RMS code error over the drawn words", {"variant"}},
      {"clipped", "chip", "1", "Number of MZIs that cannot reach their target bar power", {"variant"}},
      {"weakest_digit",
       "chip",
       "1",
       "Digit of the answer with the least signal power at a server (0: most significant)",
       {"variant"}},
      {"receiver_power",
       "chip",
       "W",
       "Signal power at the layer's receivers for its largest output (servers: digit 3)",
       {"variant", "layer"}},
      {"matrix_error",
       "chip",
       "1",
       "Relative error of the layer's matrix (Frobenius norm)",
       {"variant", "layer"}},
      {"matrix_error_in_phase",
       "chip",
       "1",
       "Relative error of the real part of the layer's matrix",
       {"variant", "layer"}},
      {"code_error_count",
       "chip",
       "1",
       "Number of drawn words with this code error",
       {"variant", "code_error"},
       true},
      {"tolerance",
       "tolerance",
       "1",
       "Most severe value of tolerance.key at which every word is decoded; 0 if there are errors even at "
       "gentle (infinity if harsh is below gentle)",
       {"variant"}},
      {"cascade_accuracy",
       "cascade",
       "1",
       "Fraction of the drawn words of all servers decoded exactly",
       {"variant"}},
      {"first_level_accuracy",
       "cascade",
       "1",
       "Fraction of words that the first-level units decode exactly",
       {"variant"}},
      {"second_level_accuracy",
       "cascade",
       "1",
       "Fraction of words that the second-level unit averages exactly, whether its inputs are right or wrong",
       {"variant"}},
      {"cascade_error_rms", "cascade", "LSB", "RMS code error over the drawn words", {"variant"}},
      {"instant_accuracy",
       "drift",
       "1",
       "Fraction of the drawn words decoded exactly at this time",
       {"variant", "time"}},
      {"instant_error_rms",
       "drift",
       "LSB",
       "RMS code error over the drawn words at this time",
       {"variant", "time"}},
      {"phase_drift",
       "drift",
       "rad",
       "RMS change of the chip's phases since the last calibration",
       {"variant", "time"}},
      {"die_temperature",
       "drift",
       "K",
       "Die temperature relative to the mean ambient temperature",
       {"variant", "time"}},
      {"laser_drift", "drift", "m", "Laser wavelength relative to its mean", {"variant", "time"}},
      {"accuracy_all_words", "drift", "1", "Fraction of all words decoded exactly", {"variant", "end"}},
      {"heater_power",
       "drift",
       "W",
       "Electrical power of all heaters, with static phase offsets trimmed",
       {"variant"}},
      {"final_accuracy",
       "learning",
       "1",
       "Fraction of test examples predicted correctly after the last step",
       {"variant"}},
      {"final_loss",
       "learning",
       "nat",
       "Mean cross-entropy of the test examples after the last step",
       {"variant"}},
      {"test_accuracy", "learning", "1", "Fraction of test examples predicted correctly", {"variant", "step"}},
      {"test_loss", "learning", "nat", "Mean cross-entropy of the test examples", {"variant", "step"}},
      {"training_loss",
       "learning",
       "nat",
       "Mean cross-entropy of the training batches since the previous evaluation",
       {"variant", "step"}},
      {"diverged",
       "learning",
       "1",
       "Fraction of training runs that diverged (parameters no longer finite) and stopped",
       {"variant"}},
      {"sent_error_rate",
       "learning",
       "1",
       "Fraction of gradient codes received with a value other than Q(mean), the rounded mean",
       {"variant"}},
      {"sent_off_by_one",
       "learning",
       "1",
       "Fraction of the wrongly received codes that are off by one",
       {"variant"}},
      {"sent_bias",
       "learning",
       "LSB",
       "Mean of received code minus Q(mean), before offset_lsb and range_guard",
       {"variant"}},
      {"sent_error_rms",
       "learning",
       "LSB",
       "RMS of received code minus Q(mean), before offset_lsb and range_guard",
       {"variant"}},
      {"sent_guarded", "learning", "1", "Fraction of codes that the range guard replaced", {"variant"}},
      {"wire_bits",
       "learning",
       "bit",
       "Bits per gradient element sent by the busiest server, including scales",
       {"variant"}},
      {"mesh_error", "mesh", "1", "Relative error of the mesh's matrix (Frobenius norm)", {"variant"}},
      {"mesh_error_in_phase", "mesh", "1", "Relative error of the real part of the mesh's matrix", {"variant"}},
      {"fidelity",
       "mesh",
       "1",
       "Fidelity of the mesh: normalised overlap of its transfer matrix with the target",
       {"variant"}},
      {"insertion_loss",
       "mesh",
       "dB",
       "Insertion loss of the mesh, from its mean power transmission",
       {"variant"}},
      {"mesh_clipped", "mesh", "1", "Number of MZIs that cannot reach their target bar power", {"variant"}},
  };
  return all;
}

std::span<const VariantName> variants() {
  static constexpr std::array<VariantName, 21> all = {{{"uncorrected", "chip"},
                                                       {"corrected", "chip"},
                                                       {"noisy", "chip"},
                                                       {"stand-in", "chip", true},
                                                       {"uncorrected", "tolerance"},
                                                       {"corrected", "tolerance"},
                                                       {"noisy", "tolerance"},
                                                       {"stand-in", "tolerance", true},
                                                       {"uncorrected", "cascade"},
                                                       {"corrected", "cascade"},
                                                       {"noisy", "cascade"},
                                                       {"drifting", "drift"},
                                                       {"recalibrated", "drift"},
                                                       {"uncorrected", "learning", true},
                                                       {"corrected", "learning", true},
                                                       {"noisy", "learning"},
                                                       {"drifting", "learning", true},
                                                       {"recalibrated", "learning", true},
                                                       {"uncorrected", "mesh"},
                                                       {"corrected", "mesh"},
                                                       {"corrected_nearest", "mesh"}}};
  return all;
}

std::span<const std::string_view> model_names() {
  static constexpr std::array<std::string_view, 6> names = {"chip",  "tolerance", "cascade",
                                                            "drift", "mesh",      "learning"};
  return names;
}

bool has_network(std::string_view model) { return model != "mesh"; }

std::span<const std::string_view> metric_names() {
  static const Names names = names_of(metrics());
  return names;
}

std::span<const std::string_view> metric_or_none_names() {
  static const Names names = [] {
    Names all = {"none"};
    for (const Metric& metric : metrics())
      if (!metric.counts) all.push_back(metric.name);
    return all;
  }();
  return names;
}

std::span<const std::string_view> variant_names() {
  static constexpr std::array<std::string_view, 7> names = {
      "uncorrected", "corrected", "noisy", "stand-in", "corrected_nearest", "drifting", "recalibrated"};
  return names;
}

std::span<const std::string_view> once_names() {
  static constexpr std::array<std::string_view, 2> names = {"eye", "gradient"};
  return names;
}

std::span<const std::string_view> figure_names() {
  static constexpr std::array<std::string_view, 17> names = {"metric_vs_parameter",
                                                             "heat_map",
                                                             "error_histogram",
                                                             "eye",
                                                             "training",
                                                             "gradient",
                                                             "ablation",
                                                             "pareto",
                                                             "drift",
                                                             "mesh_comparison",
                                                             "mesh_balance",
                                                             "receiver_noise",
                                                             "tolerance",
                                                             "search",
                                                             "learning",
                                                             "chip_to_accuracy",
                                                             "gradient_errors"};
  return names;
}

std::span<const std::string_view> mesh_topology_names() {
  static constexpr std::array<std::string_view, 2> names = {"clements", "reck"};
  return names;
}

}  // namespace optinc
