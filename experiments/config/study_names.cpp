#include "experiments/config/study_names.hpp"

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
      {"word_accuracy", "chip", "1", "share of the drawn words decoded exactly", {"variant"}},
      {"word_accuracy_all_words", "chip", "1", "share of all words decoded exactly; trial 0 only", {"variant"}},
      {"digit_error_rate", "chip", "1", "share of the drawn words' digits decoded wrongly", {"variant"}},
      {"readout_error_rate",
       "chip",
       "1",
       "the same predicted from the servers' receivers alone and the levels without noise",
       {"variant"}},
      {"pam4_error_rate", "chip", "1", "the same by the formula of PAM4 at exact levels", {"variant"}},
      {"received_power", "chip", "W", "signal on a server's receiver at digit 3", {"variant"}},
      {"margin", "chip", "digit", "least over the drawn words of 0.5 - max |y - d|", {"variant"}},
      {"output_error", "chip", "digit", "rms distance of the outputs from the float64 network's", {"variant"}},
      {"code_bias", "chip", "LSB", "mean over the drawn words of the code error", {"variant"}},
      {"code_error_rms", "chip", "LSB", "rms over the drawn words of the code error", {"variant"}},
      {"clipped", "chip", "1", "MZIs that cannot reach the bar power asked of them", {"variant"}},
      {"matrix_error", "chip", "1", "relative error of the layer's matrix (Frobenius)", {"variant", "layer"}},
      {"matrix_error_in_phase",
       "chip",
       "1",
       "relative error of the real part of the layer's matrix",
       {"variant", "layer"}},
      {"code_error_count", "chip", "1", "drawn words with this code error", {"variant", "code_error"}, true},
      {"tolerance",
       "tolerance",
       "1",
       "harshest value of tolerance.key, in its unit, at which every word is right; 0 (infinity where it "
       "falls) where not even at "
       "gentle",
       {"variant"}},
      {"cascade_accuracy",
       "cascade",
       "1",
       "share of the drawn words of all servers decoded exactly",
       {"variant"}},
      {"first_level_accuracy",
       "cascade",
       "1",
       "share of the words of the four units below decoded exactly",
       {"variant"}},
      {"second_level_accuracy",
       "cascade",
       "1",
       "share of what the unit above is sent, right or wrong, averaged exactly",
       {"variant"}},
      {"cascade_error_rms", "cascade", "LSB", "rms over the drawn words of the code error", {"variant"}},
      {"instant_accuracy",
       "drift",
       "1",
       "share of the drawn words decoded exactly at this time",
       {"variant", "time"}},
      {"instant_error_rms",
       "drift",
       "LSB",
       "rms over the drawn words of the code error at this time",
       {"variant", "time"}},
      {"phase_drift",
       "drift",
       "rad",
       "rms change of the chip's phases since the last calibration",
       {"variant", "time"}},
      {"die_temperature", "drift", "K", "temperature of the die over the mean ambient", {"variant", "time"}},
      {"laser_drift", "drift", "m", "wavelength of the laser over its mean", {"variant", "time"}},
      {"accuracy_all_words", "drift", "1", "share of all words decoded exactly", {"variant", "end"}},
      {"heater_power", "drift", "W", "electrical power of all heaters, static phases trimmed", {"variant"}},
      {"final_accuracy",
       "learning",
       "1",
       "share of the test examples told right after the last step",
       {"variant"}},
      {"final_loss",
       "learning",
       "nat",
       "mean cross-entropy of the test examples after the last step",
       {"variant"}},
      {"test_accuracy", "learning", "1", "share of the test examples told right", {"variant", "step"}},
      {"test_loss", "learning", "nat", "mean cross-entropy of the test examples", {"variant", "step"}},
      {"training_loss",
       "learning",
       "nat",
       "mean cross-entropy of the batches since the evaluation before",
       {"variant", "step"}},
      {"diverged",
       "learning",
       "1",
       "share of trainings that left the finite numbers and ended there",
       {"variant"}},
      {"sent_error_rate",
       "learning",
       "1",
       "share of all gradients' codes received as another than Q(mean)",
       {"variant"}},
      {"sent_off_by_one", "learning", "1", "share of these that are off by one", {"variant"}},
      {"sent_bias",
       "learning",
       "LSB",
       "mean of received code minus Q(mean), before offset_lsb and range_guard",
       {"variant"}},
      {"sent_error_rms", "learning", "LSB", "its root mean square", {"variant"}},
      {"sent_guarded", "learning", "1", "share of codes drawn back by the range guard", {"variant"}},
      {"wire_bits", "learning", "bit", "sent by the busiest server per gradient, scales included", {"variant"}},
      {"mesh_error", "mesh", "1", "relative error of the mesh's matrix (Frobenius)", {"variant"}},
      {"mesh_error_in_phase", "mesh", "1", "relative error of the real part of the mesh's matrix", {"variant"}},
      {"fidelity", "mesh", "1", "overlap of the mesh's transfer matrix with its target", {"variant"}},
      {"insertion_loss", "mesh", "dB", "loss of the mean power transmission", {"variant"}},
      {"mesh_clipped", "mesh", "1", "MZIs that cannot reach the bar power asked of them", {"variant"}},
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
