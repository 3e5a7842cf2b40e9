#include "onn/training/settings.hpp"

#include <cmath>

#include <fmt/ranges.h>

#include "onn/task/words.hpp"
#include "onn/training/detail/gradients.hpp"
#include "onn/training/settings_rows.hpp"
#include "physics/core/check.hpp"

namespace optinc {

void validate_training(const TrainingSettings& s) {
  validate_rows(s);
  validate_field(s.words_per_epoch == 0 ||
                     (s.words_per_epoch >= s.batch && s.words_per_epoch <= static_cast<int>(most_table_words)),
                 "words_per_epoch", "{} (0, or from batch = {} to {}). Try 262144, or 0 for every word.",
                 s.words_per_epoch, s.batch, most_table_words);
  validate_field(s.warmup_epochs < s.epochs, "warmup_epochs",
                 "{} of {} epochs (fewer than epochs). Give a smaller one.", s.warmup_epochs, s.epochs);
  validate_field(s.noise == 0 || s.scheme == TrainingScheme::lie_adam || s.on_chips, "noise",
                 "{} with scheme projected (its layers have no gain between projections). Choose lie-adam.",
                 s.noise);
  validate_field(s.full_svd_layers.empty() || (s.matrix_noise == 0 && s.noise == 0 && !s.on_chips),
                 "full_svd_layers",
                 "[{}] with noise or chips in training (their errors are those of meshes U alone). "
                 "Set matrix_noise and noise to 0 and on_chips to false, or leave it out.",
                 fmt::join(s.full_svd_layers, ", "));
}

bool meets_noise(const TrainingUnit& unit) {
  const NoiseSwitches& on = unit.noise;
  return on.any_receiver_noise() || on.lock || on.converter || has_real_limiters(unit.hardware.link) ||
         unit.hardware.timing.sampling == Sampling::clocked || unit.hardware.link.sigma_oscillator_rad > 0 ||
         !unit.hardware.modulator.linearised;
}

}  // namespace optinc
