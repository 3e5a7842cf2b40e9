#include "experiments/models/learning/learner_file.hpp"

#include <string>
#include <vector>

#include <fmt/format.h>

#include "physics/core/check.hpp"

namespace optinc {
namespace {

/// Name of a dataset of server `n`.
std::string of_server(const char* what, std::size_t n) {
  return n == 0 ? what : fmt::format("{}_of_server_{}", what, n);
}

std::vector<float> values_of(const Eigen::VectorXf& v) { return {v.begin(), v.end()}; }

Eigen::VectorXf read_vector(const Group& group, const std::string& name, Eigen::Index size) {
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
  a.set("copies", static_cast<std::int64_t>(1 + learner.others.size()));
  const auto save = [&](std::size_t n, const Eigen::VectorXf& parameters, const Moments& moments) {
    group.dataset(of_server("parameters", n), {"parameter"}, values_of(parameters), "1", "parameters");
    group.dataset(of_server("first_moment", n), {"parameter"}, values_of(moments.first), "1",
                  "running sum or mean of the gradients");
    if (moments.second.size() > 0)
      group.dataset(of_server("second_moment", n), {"parameter"}, values_of(moments.second), "1",
                    "running mean of the squared gradients");
  };
  save(0, learner.parameters, learner.moments);
  for (std::size_t n = 0; n < learner.others.size(); ++n)
    save(n + 1, learner.others[n].parameters, learner.others[n].moments);
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
  const std::int64_t copies = a.integer("copies");
  validate(copies == 1 || copies == settings.workers, "{}: {} copies (1, or {}, one a server). Train anew.",
           group.where(), copies, settings.workers);
  const auto read = [&](std::size_t n) {
    Replica copy;
    copy.parameters = read_vector(group, of_server("parameters", n), task.parameters);
    copy.moments.first = read_vector(group, of_server("first_moment", n), task.parameters);
    if (adam) copy.moments.second = read_vector(group, of_server("second_moment", n), task.parameters);
    return copy;
  };
  Replica first = read(0);
  learner.parameters = std::move(first.parameters);
  learner.moments = std::move(first.moments);
  for (std::size_t n = 1; n < static_cast<std::size_t>(copies); ++n) learner.others.push_back(read(n));
  learner.order = epoch_order(settings.seed, learner.epoch, task.examples);
  return learner;
}

}  // namespace optinc
