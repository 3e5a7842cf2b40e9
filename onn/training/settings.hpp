#pragma once

#include <vector>

#include "onn/link/noise.hpp"
#include "physics/core/enum_names.hpp"
#include "physics/variation/error_model.hpp"

namespace optinc {

/// How weights are kept to their blocks S U.
enum class TrainingScheme {
  lie_adam,   ///< every step moves S and, along the orthogonal group, U
  projected,  ///< steps move all of W; from time to time each block goes to S U, U its polar factor
};

/// As users write them.
template <>
inline constexpr EnumNames enum_names<TrainingScheme> = {"training scheme", {"lie-adam", "projected"}};

/// Training of exact Sigma-U networks (defaults found here: 4 servers of 8 bits decode every word after 100
/// epochs, 5 of 5 seeds): what the operator sets.
struct TrainingSettings {
  TrainingScheme scheme = TrainingScheme::lie_adam;
  int project_every = 1;       ///< projected: epochs from one projection to the next
  double squared_share = 0.5;  ///< projected: share of the epochs, from the first, without dead zone
  std::vector<int> full_svd_layers =
      {};  ///< numbers from 1: layers whose W may be any matrix (with_full_svd())
  int epochs = 100;
  int batch = 512;
  double learning_rate = 1.2e-2;
  int warmup_epochs = 3;
  int words_per_epoch = 0;  ///< 0: every word of the task; otherwise so many drawn ones, at least half of
                            ///< them new in every epoch; hard ones may stay
  double dead_zone = 0.1;   ///< loss = mean of max(|y - d| - dead_zone, 0)^2
  double matrix_noise =
      0.0;  ///< stand-in for device errors: every step meets every U with an error of this relative
            ///< Frobenius norm, normal and fresh; the answers it is trained for are those with it
  bool on_chips = false;    ///< every step meets a simulated chip (train_on_chips), not a stand-in
  double noise = 0.0;       ///< rms of the unit's noise that the last epochs meet, of its own; 0: none.
                            ///< Interference, jitter and phases of oscillators grow with it
  double noise_ramp = 0.4;  ///< share of the epochs, from the first, in which it grows from 2 % of that
  double ceiling = 0.0;     ///< of every hidden layer, of the largest value that it puts out over all words
                            ///< before training; 0: those of the network trained on from, if it has any
  double initial_variance = 2.0;  ///< of the random weights at the start, over 1 / inputs; 2 (He) keeps the
                                  ///< variance through ReLU
  double hard_error = 0.0;  ///< > 0: an epoch's words are drawn by difficulty: every word whose error after
                            ///< the epoch before was larger [digits], of the others `easy_share`
  double easy_share = 0.2;  ///< chance of each word that is not hard, in every pass
  double hard_power = 0.0;  ///< a hard word is (error / hard_error)^hard_power times in every pass
  double hard_memory =
      0.0;              ///< share of these times that an epoch keeps for the next, should they be fewer then
  double window = 1.0;  ///< share of the range of the two most significant sums, about its centre, that words
                        ///< of the first epoch come from; 1: every word from the start
  double window_ramp = 0.45;  ///< share of the epochs, from the first, in which the window grows to all words
  double stop_margin = 0.0;   ///< ends after the epoch whose words are all right by so much; 0: all epochs

  /// Whether epochs choose among the words of the task.
  bool chooses_words() const { return hard_error > 0 || window < 1; }
  /// Whether training depends on the unit that it stands for.
  bool meets_unit() const { return on_chips || noise > 0; }
};

/// The unit that training stands for: what its chips lose and err by, what receives their light, and the noise
/// that acts.
struct TrainingUnit {
  ErrorModel chip = {};
  UnitHardware hardware = {};
  NoiseSwitches noise = {};
};

/// Whether anything that training.noise scales acts in this unit: noise, real limiters, interference
/// of clocked words, or oscillators off phase.
bool meets_noise(const TrainingUnit& unit);

/// Throws Error, naming the setting, for one out of range.
void validate_training(const TrainingSettings& settings);

}  // namespace optinc
