#pragma once

#include <string_view>

#include "experiments/models/foundry.hpp"
#include "experiments/study/study_config.hpp"
#include "experiments/study/study_model.hpp"
#include "onn/link/transmission.hpp"

namespace optinc {

/// What a variant of model "chip" does: how phases are chosen, and whether noise acts on the light.
struct ChipVariant {
  Programming programming = Programming::uncorrected;
  bool noisy = false;
};

/// "uncorrected", "corrected_quadrature" (for known splitters, Clipping::quadrature) or "noisy" (the same, with
/// the study's noise).
ChipVariant chip_variant(std::string_view name);

/// The noise that acts in a variant.
NoiseSwitches noise_in(const ChipVariant& variant, const StudyConfig& config);

/// Numbers of evaluation_words() of the task as they are sent: in their order, or where words follow each other
/// in time (time.sampling), shuffled: neighbours in the enumeration are alike, and interfere less than those of
/// a real link.
std::vector<std::uint64_t> judged_words(const StudyConfig& config);

/// Numbers of the words that trial `trial` draws, uniformly from the enumeration; others at every instant of a
/// chip's life. judged_words() where measure.words is 0.
std::vector<std::uint64_t> drawn_words(const StudyConfig& config, std::uint32_t trial,
                                       std::uint32_t instant = 0);

/// Share of the words that received outputs (M, words) decode exactly.
double share_right(const Task& task, const CodeVector& answers, const Codes& codes, std::uint32_t instant = 0);

/// Outputs y (M, words) of chip 0 at the configuration's own chip settings for evaluation_words() of the task.
Eigen::MatrixXd all_word_outputs(const ChipDesign& design, const StudyConfig& config,
                                 const ChipVariant& variant, const Foundry& foundry = Foundry());

/// The words of one variant, in a group of their own: what was asked, sent back and decided.
void write_words(const Group& group, const Task& task, const std::vector<std::uint64_t>& words,
                 const Codes& codes, const Eigen::MatrixXd& outputs);

/// What led to trial `trial` of such a chip: what fabrication drew, each layer's transfer matrix in each
/// variant, every word sent and what was received.
void write_chip_trial(const Group& root, const StudyConfig& at_point, const StudyInputs& inputs,
                      std::uint32_t trial);

}  // namespace optinc
