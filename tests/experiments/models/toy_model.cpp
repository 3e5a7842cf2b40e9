// A model of a trial that only this file knows: linked with main.cpp it is the tool with one model more
// (toy_model_test.py). Its numbers are known functions of the trial and of one key.

#include "experiments/models/recorder.hpp"
#include "experiments/models/trial_model.hpp"
#include "experiments/study/study_config.hpp"
#include "experiments/study/study_model.hpp"

namespace optinc {
namespace {

TrialModel toy_model(const StudyConfig& config, const StudyInputs&, const std::filesystem::path&) {
  TrialModel model = model_layout(config, 0);
  model.run = [layout = model, variants = measured_variants(config)](
                  const StudyConfig& at_point, std::uint32_t trial, std::span<double> cells) {
    const Recorder record(layout, cells);
    for (std::size_t v = 0; v < variants.size(); ++v) {
      const double factor = variants[v] == "doubled" ? 2.0 : 1.0;
      record.put("toy_score", v, factor * (trial + 1000 * at_point.chip.sigma_eta_rad));
      record.put("toy_miss", v, at_point.chip.sigma_eta_rad / (trial + 1.0));
    }
  };
  return model;
}

const bool added = add_model({.name = "toy",
                              .simulates = "one toy",
                              .trial = "toy",
                              .metrics = {{"toy_score", "m", "Number of the trial plus 1000 sigma_eta_rad",
                                           "score of a toy", Better::higher},
                                          {"toy_miss", "rad", "sigma_eta_rad over the number of the trial",
                                           "miss of a toy", Better::lower}},
                              .variants = {{"plain"}, {"doubled"}},
                              .error_metric = "toy_miss",
                              .reads = {"chip.sigma_eta_rad"},
                              .make = toy_model});

}  // namespace
}  // namespace optinc
