#pragma once

#include "experiments/study/learner_settings.hpp"
#include "experiments/study/study_names.hpp"
#include "physics/core/rows.hpp"

namespace optinc {

template <Like<LearnerSettings> S, class Visitor>
void visit_rows(S& s, Visitor&& visit) {
  static constexpr std::string_view optimisers[] = {"sgd", "adamw"}, schedules[] = {"constant", "cosine"};
  static constexpr FormerName former[] = {
      {"decoder", "decoder", "Language models are trained by experiments/train_torch decoder-small."}};
  Row kind = name_row("kind", "Model to train: mlp (one hidden layer) or cnn (residual network)",
                      learner_kind_names());
  kind.former = former;
  visit(kind, s.kind);
  visit(name_row("data_set", "Data set: images to classify", data_set_names()), s.data_set);
  visit(may_be_file({"data", "1",
                     "Folder of the image files; default: where the Debian package installs Fashion-MNIST", 0,
                     0, "Debian package dataset-fashion-mnist"}),
        s.data);
  visit(Row{"width", "1",
            "Model width: hidden neurons (mlp) or channels of the first stage (cnn); 0: default of 128 "
            "or 16",
            0, 65536},
        s.width);
  visit(Row{"levels", "1", "Levels of OptINC units: 1 for task.servers servers, 2 for task.servers^2 servers",
            1, 2},
        s.levels);
  visit(Row{"carry_digit", "1",
            "Whether first-level units forward the exact sum with one more digit (true) or the rounded "
            "mean (false)"},
        s.carry_digit);
  visit(name_row(
            "aggregator",
            "How gradients are averaged: in floating point (exact, or the name of a collective), or as integer "
            "codes by exact rounding (quantised), the error-free network (network) or simulated chips (chip)",
            aggregator_names()),
        s.aggregator);
  visit(
      name_row("engine",
               "How words are sent through a chip: by its lookup table (map), or each word through its meshes "
               "(light; slow)",
               engine_names()),
      s.engine);
  visit(Row{"steps", "step", "Training steps", 1, 1048575}, s.steps);
  visit(Row{"evaluations", "1",
            "Number of test-set evaluations, evenly spaced; the last one follows the last step", 1, 1000},
        s.evaluations);
  visit(Row{"batch", "example", "Global batch size, divided equally among the servers", 1, 1048576}, s.batch);
  visit(name_row("optimiser",
                 "Optimiser: gradient descent with momentum (sgd), or Adam with weight decay (adamw)",
                 optimisers),
        s.optimiser);
  visit(Row{"learning_rate", "1", "Peak learning rate of the schedule", 1e-9, 100}, s.learning_rate);
  visit(Row{"momentum", "1", "Momentum of sgd", 0, 0.9999}, s.momentum);
  visit(
      Row{"weight_decay", "1", "Fraction by which parameters shrink per step and unit of learning rate", 0, 10},
      s.weight_decay);
  visit(name_row("schedule", "Learning-rate schedule: constant, or decay to 0 along half a cosine (cosine)",
                 schedules),
        s.schedule);
  visit(Row{"warm_up_steps", "step", "Steps of linear learning-rate warm-up", 0, 1048575}, s.warm_up_steps);
  visit(Row{"largest_norm", "1",
            "Maximum norm of the averaged gradient, to which larger gradients are scaled; 0: no clipping", 0,
            1e9},
        s.largest_norm);
  visit(Row{"block", "gradient", "Gradient elements that share one scale", 1, 1048576,
            "1024 with 32-bit scales: 0.39 % overhead"},
        s.block);
  visit(
      Row{"error_feedback", "1", "Error feedback: servers add their quantisation error to their next gradient"},
      s.error_feedback);
  visit(Row{"range_guard", "1",
            "Range guard: replace received codes that server 0 knows to be impossible by the nearest "
            "possible code"},
        s.range_guard);
  visit(Row{"own_copies", "1",
            "Whether every server applies what it receives itself to a copy of its own (true), or all apply "
            "what server 0 receives (false). Copies drift apart where servers decide differently"},
        s.own_copies);
  visit(Row{"equalise_every", "step", "Steps after which own copies are set to their mean, exactly; 0: never",
            0, 2147483647},
        s.equalise_every);
  visit(
      Row{"error_rate", "1",
          "Fraction of received codes made wrong on purpose: 90 % of them by +-1, the others by +-4, +-16, ..",
          0, 1},
      s.error_rate);
  visit(Row{"offset_lsb", "LSB", "Constant offset added to every received code", -256, 256}, s.offset_lsb);
  visit(Row{"chip_factor", "1", "Factor on all errors of [chip] except the DAC", 0, 1000}, s.chip_factor);
}

}  // namespace optinc
