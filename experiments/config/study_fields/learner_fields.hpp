#pragma once

#include "experiments/config/study_config.hpp"
#include "experiments/config/study_names.hpp"

// Field tables of sections: training over servers.

namespace optinc {

template <Like<LearnerSettings> S, class Visitor>
void visit_fields(S& s, Visitor&& visit) {
  static constexpr std::string_view optimisers[] = {"sgd", "adamw"}, schedules[] = {"constant", "cosine"};
  visit(name_field("kind", "what is trained: mlp (one hidden layer), cnn (residual), decoder (of text)",
                   learner_kind_names()),
        s.kind);
  visit(name_field("data_set", "images with a class each, or a text whose next character is to be told",
                   data_set_names()),
        s.data_set);
  visit(FieldInfo{"data", "1", "folder of the images' files, or the text; default: where Debian puts them", 0,
                  0, "Debian: dataset-fashion-mnist, dict-gcide"},
        s.data);
  visit(
      FieldInfo{
          "characters", "character",
          "of a text, read from its beginning; the last tenth is its test, of which 100,000 are looked at",
          1000, 1e9},
      s.characters);
  visit(FieldInfo{"width", "1",
                  "hidden neurons, channels of the first stage, or width of the decoder; 0: 128, 16, 64", 0,
                  65536},
        s.width);
  visit(FieldInfo{"levels", "1", "levels of units: servers of the task, or their square", 1, 2}, s.levels);
  visit(
      FieldInfo{"carry_digit", "1",
                "units of the first level send the exact sum on, as one digit more; false: their rounded mean"},
      s.carry_digit);
  visit(
      name_field("aggregator",
                 "how gradients are averaged: exactly or by a collective in float; as codes by Q(mean), by the "
                 "network without devices, or by a chip",
                 aggregator_names()),
      s.aggregator);
  visit(name_field("engine",
                   "how words pass a chip: by its map, or each through its meshes (slow; noise repeats after "
                   "2048 steps)",
                   engine_names()),
        s.engine);
  visit(FieldInfo{"steps", "step", "length of a training", 1, 1048575}, s.steps);
  visit(FieldInfo{"evaluations", "1", "times the model is tested, evenly spread, the last at the end", 1, 1000},
        s.evaluations);
  visit(FieldInfo{"batch", "example", "global batch, shared by the servers", 1, 1048576}, s.batch);
  visit(name_field("optimiser", "rule of the step: gradient descent with momentum, or Adam with weight decay",
                   optimisers),
        s.optimiser);
  visit(FieldInfo{"learning_rate", "1", "largest step of the schedule", 1e-9, 100}, s.learning_rate);
  visit(FieldInfo{"momentum", "1", "of sgd", 0, 0.9999}, s.momentum);
  visit(FieldInfo{"weight_decay", "1", "share of a parameter taken away per step and unit of learning rate", 0,
                  10},
        s.weight_decay);
  visit(
      name_field("schedule", "of the learning rate: constant, or falling to 0 along half a cosine", schedules),
      s.schedule);
  visit(FieldInfo{"warm_up_steps", "step", "over which the learning rate grows to its largest", 0, 1048575},
        s.warm_up_steps);
  visit(
      FieldInfo{"largest_norm", "1", "averaged gradients of a larger norm are scaled to it; 0: never", 0, 1e9},
      s.largest_norm);
  visit(FieldInfo{"block", "gradient", "gradients that share one scale", 1, 1048576,
                  "1024 with 32-bit scales: 0.39 % overhead"},
        s.block);
  visit(FieldInfo{"error_feedback", "1", "servers add what their quantisation left out to their next gradient"},
        s.error_feedback);
  visit(FieldInfo{"range_guard", "1",
                  "codes that server 0 knows to be impossible are drawn back to the nearest possible"},
        s.range_guard);
  visit(FieldInfo{"error_rate", "1",
                  "share of received codes made wrong: 90 % of them by +-1, others by +-4, +-16 ..", 0, 1},
        s.error_rate);
  visit(FieldInfo{"offset_lsb", "LSB", "added to every received code", -256, 256}, s.offset_lsb);
  visit(FieldInfo{"chip_factor", "1", "factor on every error of [chip] but its DAC", 0, 1000}, s.chip_factor);
}

}  // namespace optinc
