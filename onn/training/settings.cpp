#include "onn/training/settings.hpp"

#include <cmath>

#include <fmt/ranges.h>

#include "onn/task/words.hpp"
#include "onn/training/detail/gradients.hpp"
#include "physics/core/check.hpp"

namespace optinc {

void validate_training(const TrainingSettings& s) {
  validate_field(s.epochs >= 1, "epochs", "{} (at least one). Give epochs >= 1.", s.epochs);
  validate_field(s.batch >= training::shares, "batch", "{} (at least {}). Give batch >= {}.", s.batch,
                 training::shares, training::shares);
  validate_field(s.words_per_epoch == 0 ||
                     (s.words_per_epoch >= s.batch && s.words_per_epoch <= static_cast<int>(most_table_words)),
                 "words_per_epoch", "{} (0, or from batch = {} to {}). Try 262144, or 0 for every word.",
                 s.words_per_epoch, s.batch, most_table_words);
  validate_field(std::isfinite(s.learning_rate) && s.learning_rate > 0, "learning_rate",
                 "{} (> 0). Try 1.2e-2.", s.learning_rate);
  validate_field(s.warmup_epochs >= 0 && s.warmup_epochs < s.epochs, "warmup_epochs",
                 "{} of {} epochs (0 or more, fewer than epochs). Give a smaller one.", s.warmup_epochs,
                 s.epochs);
  validate_field(s.matrix_noise >= 0 && s.matrix_noise < 1, "matrix_noise", "{} (0 to less than 1). Try 0.03.",
                 s.matrix_noise);
  validate_field(s.noise >= 0 && s.noise <= 100, "noise", "{} (0 to 100). Try 1.1.", s.noise);
  validate_field(s.noise_ramp >= 0 && s.noise_ramp <= 1, "noise_ramp", "{} (0 to 1). Try 0.4.", s.noise_ramp);
  validate_field(s.ceiling >= 0 && s.ceiling <= 1, "ceiling", "{} (0 to 1). Try 0.7.", s.ceiling);
  validate_field(s.noise == 0 || s.scheme == TrainingScheme::lie_adam || s.on_chips, "noise",
                 "{} with scheme projected (its layers have no gain between projections). Choose lie-adam.",
                 s.noise);
  validate_field(s.full_svd_layers.empty() || (s.matrix_noise == 0 && s.noise == 0 && !s.on_chips),
                 "full_svd_layers",
                 "[{}] with noise or chips in training (their errors are those of meshes U alone). "
                 "Set matrix_noise and noise to 0 and on_chips to false, or leave it out.",
                 fmt::join(s.full_svd_layers, ", "));
  validate_field(s.project_every >= 1, "project_every", "{} (1 or more epochs). Try 1.", s.project_every);
  validate_field(s.squared_share >= 0 && s.squared_share <= 1, "squared_share", "{} (0 to 1). Try 0.5.",
                 s.squared_share);
  validate_field(s.initial_variance >= 0.1 && s.initial_variance <= 10, "initial_variance",
                 "{} (0.1 to 10). Try 2.", s.initial_variance);
  validate_field(s.hard_error >= 0 && s.hard_error < 0.5, "hard_error", "{} (0 <= hard_error < 0.5). Try 0.25.",
                 s.hard_error);
  validate_field(s.easy_share >= 0.01 && s.easy_share <= 1, "easy_share", "{} (0.01 to 1). Try 0.2.",
                 s.easy_share);
  validate_field(s.hard_power >= 0 && s.hard_power <= 16, "hard_power", "{} (0 to 16). Try 4.", s.hard_power);
  validate_field(s.hard_memory >= 0 && s.hard_memory < 1, "hard_memory", "{} (0 to less than 1). Try 0.9.",
                 s.hard_memory);
  validate_field(s.window > 0 && s.window <= 1, "window", "{} (0 < window <= 1). Try 0.1, or 1 for all words.",
                 s.window);
  validate_field(s.window_ramp >= 0 && s.window_ramp <= 1, "window_ramp", "{} (0 to 1). Try 0.45.",
                 s.window_ramp);
  validate_field(s.stop_margin >= 0 && s.stop_margin < 0.5, "stop_margin",
                 "{} (0 <= stop_margin < 0.5). Try 0.2.", s.stop_margin);
  validate_field(s.dead_zone >= 0 && s.dead_zone < 0.5, "dead_zone", "{} (0 <= dead_zone < 0.5). Try 0.1.",
                 s.dead_zone);
}

bool meets_noise(const TrainingUnit& unit) {
  const NoiseSwitches& on = unit.noise;
  return on.any_receiver_noise() || on.lock || on.converter || has_real_limiters(unit.hardware.link) ||
         unit.hardware.timing.sampling == Sampling::clocked || unit.hardware.link.sigma_oscillator_rad > 0 ||
         !unit.hardware.modulator.linearised;
}

}  // namespace optinc
