#pragma once

#include "experiments/config/study_config.hpp"
#include "experiments/config/study_names.hpp"

// Field tables of sections: the task, the network and its training.

namespace optinc {

template <Like<Task> S, class Visitor>
void visit_fields(S& s, Visitor&& visit) {
  visit(FieldInfo{"servers", "1", "servers whose codes are averaged", 1, 64, "OptINC: 4"}, s.servers);
  int bits = s.bits();
  visit(FieldInfo{"bits", "bit", "bits of a gradient code; two a PAM4 digit", 2, 32, "OptINC: 8", {}, 2}, bits);
  std::string rounding(name_of(s.rounding));
  visit(FieldInfo{"rounding", "1", "what becomes of the fraction of the mean", 0, 0,
                  "half-even: IEEE 754, unbiased", names_of<Rounding>()},
        rounding);
  std::string level(name_of(s.level));
  visit(FieldInfo{"level", "1", "the unit's place: alone, or first or second of a cascade for servers^2", 0, 0,
                  "", names_of<CascadeLevel>()},
        level);
  if constexpr (!std::is_const_v<S>) {
    s.digits = bits / 2;
    s.level = value_of_name<CascadeLevel>(level);
    s.rounding = value_of_name<Rounding>(rounding);
  }
}

template <Like<NetworkSettings> S, class Visitor>
void visit_fields(S& s, Visitor&& visit) {
  visit(
      FieldInfo{
          "source", "1",
          "network: train; carry-chain, right by construction; shipped/NAME (optinc list); or a file of this "
          "task's (optinc train)"},
      s.source);
  visit(FieldInfo{"above", "1", "model cascade: the source of the second level; same: as source"}, s.above);
  visit(FieldInfo{"start", "1", "random: Haar matrices; or the file of the network that training goes on from"},
        s.start);
  visit(FieldInfo{"step_width", "1", "carry-chain: a step rises over so much of its sum of whole numbers", 0.01,
                  0.99},
        s.carry_chain.step_width);
  visit(FieldInfo{"step_level", "digit", "carry-chain: distance of a step's two levels", 0.01, 100},
        s.carry_chain.step_level);
  std::string carries(name_of(s.carry_chain.carries));
  visit(name_field("carries", "carry-chain: digit after digit, or all at once by a parallel prefix",
                   names_of<Carries>()),
        carries);
  if constexpr (!std::is_const_v<S>) s.carry_chain.carries = value_of_name<Carries>(carries);
  visit(FieldInfo{"hidden", "neuron", "widths of the hidden layers to train; a file brings its own", 1, 4096,
                  "OptINC: 64, 128, 256, 128, 64"},
        s.hidden);
}

template <Like<TrainingSettings> S, class Visitor>
void visit_fields(S& s, Visitor&& visit) {
  std::string scheme(name_of(s.scheme));
  visit(name_field("scheme",
                   "how weights are kept to diagonal times orthogonal blocks: steps along the "
                   "orthogonal group, or free steps and projections",
                   names_of<TrainingScheme>()),
        scheme);
  if constexpr (!std::is_const_v<S>) s.scheme = value_of_name<TrainingScheme>(scheme);
  visit(FieldInfo{"project_every", "1", "scheme projected: epochs from one projection to the next", 1, 100000,
                  "5 to 10 leave words wrong"},
        s.project_every);
  visit(FieldInfo{"squared_share", "1",
                  "scheme projected: share of the epochs, from the first, whose loss has no dead zone", 0, 1},
        s.squared_share);
  visit(FieldInfo{"epochs", "1", "passes over every word of the task", 1, 100000}, s.epochs);
  visit(FieldInfo{"batch", "word", "words per step", 4, 1048576}, s.batch);
  visit(FieldInfo{"learning_rate", "1", "peak step of Adam", 1e-6, 1, "0.02 stalls at batch 512"},
        s.learning_rate);
  visit(FieldInfo{"warmup_epochs", "1", "epochs of linear rise to the peak step", 0, 100000}, s.warmup_epochs);
  visit(FieldInfo{"dead_zone", "digit", "error of an output digit that costs nothing", 0, 0.499,
                  "0.3 leaves thin margins"},
        s.dead_zone);
  visit(FieldInfo{"matrix_noise", "1", "stand-in for devices: relative error of every U, fresh at every step",
                  0, 0.9, "0.03 after 100 epochs without, then 0.05"},
        s.matrix_noise);
  visit(FieldInfo{"on_chips", "1",
                  "every step meets a new chip of [chip] with the receivers of [link]; needs network.start"},
        s.on_chips);
  visit(FieldInfo{"stop_margin", "digit", "ends when all words are right by so much; 0: never", 0, 0.499},
        s.stop_margin);
}

}  // namespace optinc
