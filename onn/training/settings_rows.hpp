#pragma once

#include "onn/training/settings.hpp"
#include "physics/core/rows.hpp"

namespace optinc {

template <Like<TrainingSettings> S, class Visitor>
void visit_rows(S& s, Visitor&& visit) {
  visit_enum(visit, "scheme",
             "How weights are kept in the form diagonal times orthogonal: by steps along the orthogonal group "
             "(lie-adam), or by free steps with projections (projected)",
             s.scheme);
  visit(Row{"project_every", "1", "Epochs between projections (scheme projected)", 1, 100000,
            "5 to 10 leave some words wrong"},
        s.project_every);
  visit(
      Row{"squared_share", "1",
          "Fraction of the epochs, at the start, in which the loss has no dead zone (scheme projected)", 0, 1},
      s.squared_share);
  visit(or_none({"full_svd_layers", "1",
                 "Layers built by full SVD (numbered from 1): two meshes a block, for arbitrary weights, where "
                 "other layers are approximated by one mesh a block; empty list: none",
                 1, 1000, "1, 2, 3, 7, 8 for the published network of 16 bits"}),
        s.full_svd_layers);
  visit(Row{"epochs", "1", "Training epochs; an epoch covers every word of the task", 1, 100000}, s.epochs);
  visit(Row{"batch", "word", "Words per training step", 4, 1048576}, s.batch);
  visit(Row{"learning_rate", "1", "Peak learning rate of Adam", 1e-6, 1,
            "training stalls at 0.02 with batch 512"},
        s.learning_rate);
  visit(Row{"warmup_epochs", "1", "Epochs of linear learning-rate warm-up", 0, 100000}, s.warmup_epochs);
  visit(Row{"dead_zone", "digit", "Largest error of an output digit that the loss does not penalise", 0, 0.499,
            "0.3 leaves small margins"},
        s.dead_zone);
  visit(Row{"matrix_noise", "1",
            "Gaussian weight noise in training: relative error of every orthogonal matrix U, redrawn at "
            "every step",
            0, 0.9, "shipped/published_standin: 100 epochs without noise, then 0.03, then 0.05"},
        s.matrix_noise);
  visit(Row{"on_chips", "1", "Train through a newly drawn chip of [chip] at every step; needs network.start"},
        s.on_chips);
  visit(
      Row{"noise", "1",
          "Noise in training, in the last epochs, as a multiple of the unit's own ([noise]): at 1, receivers, "
          "locks and converters are as noisy as in operation, limiters as soft and unequal, and clocked words "
          "interfere as much. Needs ceilings",
          0, 100, "networks trained at 1.1 tolerate the noise of 1"},
      s.noise);
  visit(Row{"noise_ramp", "1",
            "Fraction of the epochs, at the start, in which the noise grows from 2 % to all of "
            "training.noise",
            0, 1},
        s.noise_ramp);
  visit(Row{"ceiling", "1",
            "Ceiling of every hidden layer's outputs, as a share of the largest output before training "
            "(of the ceiling, in a network that has them); 0: unchanged",
            0, 1, "0.6 from random matrices, 0.7 from a trained network"},
        s.ceiling);
  visit(Row{"initial_variance", "1", "Variance of random weights at the start, times the inputs of the layer",
            0.1, 10, "2 (He) keeps the variance through ReLU; 2.56 suits seven hidden layers"},
        s.initial_variance);
  visit(Row{"words_per_epoch", "word",
            "Words of an epoch, for tasks of too many words: drawn, and at least half of them anew for "
            "every epoch; 0: every word of the task",
            0, 6000000, "262144 for 16 bits"},
        s.words_per_epoch);
  visit(Row{"hard_error", "digit",
            "Hard-example sampling: error after the previous epoch above which a word is in every pass "
            "of an epoch; 0: every word once per epoch",
            0, 0.499, "0.25 for 8 and 16 servers"},
        s.hard_error);
  visit(
      Row{"easy_share", "1",
          "Probability that any other word is in such a pass (only with training.hard_error above 0)", 0.01, 1},
      s.easy_share);
  visit(Row{"hard_power", "1",
            "How often a hard word is in such a pass: (its error / training.hard_error) to this power, "
            "rounded, at most 255; 0: once",
            0, 16, "4 for the last wrong words, with training.hard_memory"},
        s.hard_power);
  visit(Row{"hard_memory", "1",
            "Share of these times that a word keeps from epoch to epoch, should they be fewer by its "
            "error; 0: none",
            0, 0.999, "0.9 keeps sets of words from taking turns at being wrong"},
        s.hard_memory);
  visit(Row{"window", "1",
            "Range curriculum: central share of the range of the two most significant input digits from "
            "which the first epoch takes its words; 1: every word from the start",
            0.001, 1, "0.1 for 8 servers"},
        s.window);
  visit(Row{"window_ramp", "1",
            "Fraction of the epochs, at the start, in which training.window grows to every word", 0, 1},
        s.window_ramp);
  visit(
      Row{"stop_margin", "digit",
          "Decision margin that every word must reach for training to stop early; 0: run all epochs", 0, 0.499},
      s.stop_margin);
}

}  // namespace optinc
