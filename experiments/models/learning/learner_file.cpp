#include "experiments/models/learning/learner_file.hpp"

#include <vector>

#include "physics/core/check.hpp"

namespace optinc {
namespace {

std::vector<float> values_of(const Eigen::VectorXf& v) { return {v.begin(), v.end()}; }

Eigen::VectorXf read_vector(const Group& group, const char* name, Eigen::Index size) {
  const std::vector<float> values = group.read<float>(name, {static_cast<std::size_t>(size)});
  Eigen::VectorXf vector = Eigen::Map<const Eigen::VectorXf>(values.data(), size);
  validate(vector.allFinite(), "{}: not finite (training cannot go on from it). Train anew.",
           group.where(name));
  return vector;
}

}  // namespace

void save_learner(const Group& group, const Learner& learner) {
  const Attributes a = group.attributes();
  a.set("epoch", std::int64_t{learner.epoch});
  a.set("step", std::int64_t{learner.step});
  a.set("seed", std::to_string(learner.settings.seed));  // all 64 bits, which int64 has no room for
  group.counting_dimension("parameter", static_cast<std::size_t>(learner.parameters.size()),
                           "learnt parameter");
  group.dataset("parameters", {"parameter"}, values_of(learner.parameters), "1", "parameters");
  group.dataset("first_moment", {"parameter"}, values_of(learner.moments.first), "1",
                "running sum or mean of the gradients");
  if (learner.moments.second.size() > 0)
    group.dataset("second_moment", {"parameter"}, values_of(learner.moments.second), "1",
                  "running mean of the squared gradients");
}

Learner load_learner(const Group& group, const DataParallelSettings& settings, const LearningTask& task) {
  Learner learner = start_learner(settings, task);
  const Attributes a = group.attributes();
  const std::string seed = a.text("seed");
  validate(seed == std::to_string(settings.seed), "{}: of seed {} (this training has seed {}). Train anew.",
           group.where(), seed, settings.seed);
  const bool adam = settings.optimiser.rule == OptimiserRule::adamw;
  validate(group.exists("second_moment") == adam,
           "{}: of another optimiser (adamw has a second moment, sgd has none). Train anew.", group.where());
  const std::int64_t epoch = a.integer("epoch"), step = a.integer("step");
  validate(epoch >= 0 && epoch < 1'000'000'000 && step >= 0 && step < steps_per_epoch(settings, task),
           "{}: epoch {}, step {} (an epoch has {} steps). Train anew.", group.where(), epoch, step,
           steps_per_epoch(settings, task));
  learner.epoch = static_cast<int>(epoch);
  learner.step = static_cast<int>(step);
  learner.parameters = read_vector(group, "parameters", task.parameters);
  learner.moments.first = read_vector(group, "first_moment", task.parameters);
  if (adam) learner.moments.second = read_vector(group, "second_moment", task.parameters);
  learner.order = epoch_order(settings.seed, learner.epoch, task.examples);
  return learner;
}

}  // namespace optinc
