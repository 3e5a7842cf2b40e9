#include "experiments/run/trials/run_trials.hpp"

#include <atomic>
#include <bit>
#include <chrono>
#include <cmath>
#include <set>
#include <thread>

#include "experiments/study/points.hpp"
#include "physics/random/stream.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/configs.hpp"

using namespace optinc;

namespace {

/// A study of toy trials: three points whose mesh_error is 10 + spread x normal, spread 0.3, 1 and 3.
StudyConfig toy_study(int trials, const std::string& more = {}) {
  return parse(
      "model = 'mesh'\n[runner]\ntrials = " + std::to_string(trials) + "\n" + more +
      "[measure]\nmetrics = ['mesh_error', 'fidelity']\nvariants = ['uncorrected', 'corrected_quadrature']\n"
      "[[sweep]]\nvalues = {\"mesh.sigma_common_rad\" = [0.03, 0.1, 0.3]}\n");
}

double toy_error(const StudyConfig& at_point, std::uint32_t trial) {
  Stream stream(at_point.run.seed, Purpose::test, 0, trial);
  return 10 + 10 * at_point.mesh.sigma_common_rad * stream.normal();
}

/// Cells: mesh_error of two variants, fidelity of two; the last one does not exist for odd trials.
TrialModel toy_model(const StudyConfig& config) {
  TrialModel model = model_layout(config, 0);
  model.run = [](const StudyConfig& at_point, std::uint32_t trial, std::span<double> record) {
    record[0] = toy_error(at_point, trial);
    record[1] = 2 * record[0];
    record[2] = record[0] / 3;
    if (trial % 2 == 0) record[3] = at_point.mesh.sigma_common_rad;
  };
  return model;
}

std::vector<StudyConfig> points_of(const StudyConfig& config) {
  std::vector<StudyConfig> points;
  for (std::size_t p = 0; p < point_count(config); ++p) points.push_back(config_at(config, p));
  return points;
}

Records no_records(const StudyConfig& config, const TrialModel& model) {
  return {point_count(config), static_cast<std::size_t>(config.runner.trials), model.record_size};
}

/// Runs what `records` lacks.
TrialsReport run(const StudyConfig& config, Records& records, int threads = 1, const Shard& shard = {}) {
  const TrialModel model = toy_model(config);
  return run_trials(
      config, model, shard, on_threads(model, points_of(config), threads), [](const TrialResult&) {}, true,
      records);
}

Records run_all(const StudyConfig& config, int threads = 1, const Shard& shard = {}) {
  Records records = no_records(config, toy_model(config));
  CHECK(run(config, records, threads, shard).ending == Ending::complete);
  return records;
}

/// NaN equals NaN.
bool same(const Records& a, const Records& b) {
  return a.completed == b.completed &&
         std::equal(a.values.begin(), a.values.end(), b.values.begin(), b.values.end(), [](double x, double y) {
           return std::bit_cast<std::uint64_t>(x) == std::bit_cast<std::uint64_t>(y);
         });
}

/// The shards' records put together, each trial in one of them.
Records together(const std::vector<Records>& shards) {
  Records whole = shards.front();
  for (std::size_t s = 1; s < shards.size(); ++s)
    for (std::size_t p = 0; p < whole.points; ++p)
      for (std::size_t t = 0; t < whole.trials; ++t)
        if (shards[s].has(p, t)) {
          CHECK_FALSE(whole.has(p, t));
          whole.put(p, t, shards[s].at(p, t));
        }
  return whole;
}

const std::string by_precision = "precision = 0.036\nprecision_metric = 'mesh_error'\n";

}  // namespace

TEST_CASE("a record's layout follows the metrics and variants asked for") {
  const TrialModel model = model_layout(toy_study(1), 0);
  CHECK(model.record_size == 4);
  REQUIRE(model.find("fidelity") != nullptr);
  CHECK(model.find("fidelity")->offset == 2);
  CHECK(model.find("fidelity")->shape == std::vector<std::size_t>{2});
  CHECK(model.find("insertion_loss") == nullptr);
  CHECK(model.axis("variant").size() == 2);
  CHECK_THROWS_AS(model.axis("layer"), Error);
  // what a yield, a stop rule or an ablation looks at is recorded, listed or not
  const StudyConfig listed =
      parse("model = 'mesh'\n[yield]\nmetric = 'fidelity'\n[measure]\nmetrics = ['mesh_clipped']\n");
  const TrialModel needed = model_layout(listed, 0);
  CHECK(needed.find("fidelity") != nullptr);
  CHECK(needed.find("mesh_error") != nullptr);
  CHECK(needed.find("mesh_error_in_phase") == nullptr);
  CHECK(needed.record_size == 9);
  // model chip: codes of 2 bits differ by -3 .. 3
  const TrialModel chip = model_layout(parse("[task]\nbits = 2\n[network]\nhidden = [4]\n"), 2);
  CHECK(chip.find("code_error_count")->shape == std::vector<std::size_t>{3, 7});
  CHECK(chip.find("matrix_error")->shape == std::vector<std::size_t>{3, 2});
  CHECK(std::get<0>(chip.axis("code_error").values) == std::vector<std::int64_t>{-3, -2, -1, 0, 1, 2, 3});
}

TEST_CASE("trials are the same on any number of threads") {
  const StudyConfig config = toy_study(70);
  const Records one = run_all(config, 1);
  CHECK(one.count() == 210);
  for (std::size_t p = 0; p < 3; ++p)
    for (std::uint32_t t = 0; t < 70; ++t) {
      CHECK(one.at(p, t)[0] == toy_error(config_at(config, p), t));
      CHECK(std::isnan(one.at(p, t)[3]) == (t % 2 == 1));
    }
  CHECK(same(run_all(config, 2), one));
  CHECK(same(run_all(config, 3), one));
  CHECK(is_complete(config, toy_model(config), one));
}

TEST_CASE("every trial is handed over once, as it was put down") {
  const StudyConfig config = toy_study(20);
  const TrialModel model = toy_model(config);
  Records records = no_records(config, model), kept = records;
  std::size_t handed = 0;
  const TrialsReport report = run_trials(
      config, model, {}, on_threads(model, points_of(config), 3),
      [&](const TrialResult& r) {
        ++handed;
        kept.put(r.task.point, r.task.trial, r.record);
      },
      true, records);
  CHECK(handed == 60);
  CHECK(report.run == 60);
  CHECK(same(kept, records));
}

TEST_CASE("trials that are there are not run again") {
  const StudyConfig config = toy_study(20);
  const Records whole = run_all(config);
  Records part = no_records(config, toy_model(config));
  const std::vector<double> mark(4, -1.0);  // shows whether a trial was run over
  part.put(1, 3, mark);
  part.put(2, 19, mark);
  CHECK(run(config, part).run == 58);
  CHECK(part.at(1, 3)[0] == -1.0);
  CHECK(part.at(2, 19)[3] == -1.0);
  part.put(1, 3, whole.at(1, 3));
  part.put(2, 19, whole.at(2, 19));
  CHECK(same(part, whole));
  CHECK(run(config, part).run == 0);
}

TEST_CASE("shards together are the whole") {
  const StudyConfig config = toy_study(17);
  const Records whole = run_all(config);
  std::vector<Records> shards;
  std::size_t wanted = 0;
  for (int s = 1; s <= 3; ++s) {
    const Shard shard{s, 3};
    shards.push_back(run_all(config, s, shard));
    CHECK(shards.back().count() == 17);  // 51 trials
    CHECK(trials_wanted(config, shard) == shards.back().count());
    CHECK_FALSE(is_complete(config, toy_model(config), shards.back()));
    wanted += trials_wanted(config, shard);
  }
  CHECK(same(together(shards), whole));
  CHECK(is_complete(config, toy_model(config), together(shards)));
  CHECK(wanted == 51);
  CHECK(trials_wanted(config, {}) == 51);
  CHECK(trials_wanted(config, {1, 2}) == 26);
  CHECK(trials_wanted(config, {2, 2}) == 25);
}

TEST_CASE("a point goes on until the mean is precise in every variant") {
  const StudyConfig config = toy_study(300, by_precision);
  TrialModel model = toy_model(config);
  model.run = [](const StudyConfig&, std::uint32_t trial, std::span<double> record) {
    record[0] = 1.0;                                  // at once
    record[1] = 1.0 + (trial % 2 == 0 ? 0.5 : -0.5);  // not within 300 trials
    record[2] = 1.0;
  };
  Records records = no_records(config, model);
  run_trials(
      config, model, {}, on_threads(model, points_of(config), 2), [](const TrialResult&) {}, true, records);
  for (std::size_t p = 0; p < records.points; ++p) CHECK(records.count(p) == 300);
}

TEST_CASE("a point stops once its mean is precise, after whole rounds") {
  const StudyConfig config = toy_study(300, by_precision);
  const TrialModel model = toy_model(config);
  // the first multiple of 50 trials at which Student's interval is 0.036 of the mean, quantiles t(0.975, n - 1)
  // typed
  const std::vector<double> t_quantile = {2.009575, 1.984217, 1.976013, 1.971957, 1.969537, 1.967930};
  std::vector<std::size_t> stop;
  for (const StudyConfig& point : points_of(config)) {
    double sum = 0, squares = 0;
    std::size_t n = 0, found = 300;
    for (std::uint32_t t = 0; t < 300 && found == 300; ++t) {
      const double x = toy_error(point, t);
      ++n;
      sum += x;
      squares += x * x;
      if (n % 50 != 0) continue;
      const auto m = static_cast<double>(n);
      const double deviation = std::sqrt((squares - sum * sum / m) / (m - 1));
      if (2 * t_quantile[n / 50 - 1] * deviation / std::sqrt(m) <= 0.036 * sum / m) found = n;
    }
    stop.push_back(found);
  }
  CHECK(stop[0] == 50);
  CHECK(stop[1] > 50);
  CHECK(stop[1] < 300);
  CHECK(stop[2] == 300);

  const Records one = run_all(config, 1);
  for (std::size_t p = 0; p < 3; ++p) {
    CHECK(one.count(p) == stop[p]);
    CHECK(one.has(p, stop[p] - 1));  // the first ones, without a gap
  }
  CHECK(is_complete(config, model, one));
  CHECK(same(run_all(config, 2), one));
  CHECK(same(run_all(config, 3), one));
  Records again = one;
  CHECK(run(config, again).run == 0);

  Records less = no_records(config, model);  // one trial short of a point's stop
  for (std::size_t p = 0; p < 3; ++p)
    for (std::size_t t = 0; t < stop[p]; ++t)
      if (p != 1 || t != stop[1] - 1) less.put(p, t, one.at(p, t));
  CHECK_FALSE(is_complete(config, model, less));
  CHECK(run(config, less).run == 1);
  CHECK(same(less, one));

  // with a stop rule, shards share out points
  const Records first = run_all(config, 2, {1, 2}), second = run_all(config, 1, {2, 2});
  CHECK(first.count(0) == 50);
  CHECK(first.count(1) == 0);
  CHECK(second.count(1) == stop[1]);
  CHECK(same(together({first, second}), one));
  CHECK_FALSE(is_complete(config, model, first));
  CHECK(trials_wanted(config, {2, 2}) == 300);
}

TEST_CASE("a study of less than a round runs all its trials") {
  const StudyConfig config = toy_study(30, by_precision);
  const Records records = run_all(config, 2);
  CHECK(records.count() == 90);
  CHECK(is_complete(config, toy_model(config), records));
}

TEST_CASE("the time limit stops early and the rest can follow") {
  StudyConfig config = toy_study(400);
  config.run.time_limit_s = 0.1;
  const Records whole = run_all(toy_study(400));
  TrialModel slow = toy_model(config);
  slow.run = [fast = slow.run](const StudyConfig& at_point, std::uint32_t trial, std::span<double> record) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    fast(at_point, trial, record);
  };
  Records records = no_records(config, slow);
  const TrialsReport report = run_trials(
      config, slow, {}, on_threads(slow, points_of(config), 2), [](const TrialResult&) {}, true, records);
  CHECK(report.ending == Ending::time_limit);
  CHECK(report.run == records.count());
  CHECK(report.wall_seconds >= 0.1);
  CHECK(records.count() > 0);
  CHECK(records.count() < 240);  // 1 ms each at least, two threads
  CHECK_FALSE(is_complete(config, slow, records));
  config.run.time_limit_s = 0;
  CHECK(run(config, records).ending == Ending::complete);
  CHECK(same(records, whole));
}

TEST_CASE("an executor or a trial that fails ends the run with its error and keeps what is finished") {
  const StudyConfig config = toy_study(20);
  const TrialModel model = toy_model(config);
  Records records = no_records(config, model);
  const Executor failing = [&](std::span<const TrialTask> tasks, const auto&, const auto& keep) {
    keep(run_trial(model, config_at(config, tasks[0].point), tasks[0]));
    throw Error("rank 3 is gone (for the test). Nothing.");
  };
  CHECK_THROWS_WITH(run_trials(
                        config, model, {}, failing, [](const TrialResult&) {}, true, records),
                    ContainsSubstring("rank 3 is gone"));
  CHECK(records.count() == 1);

  TrialModel broken = model;
  broken.run = [good = model.run](const StudyConfig& at_point, std::uint32_t trial, std::span<double> record) {
    if (trial == 7) throw Error("trial 7 (for the test). Nothing.");
    good(at_point, trial, record);
  };
  CHECK_THROWS_WITH(run_trials(
                        config, broken, {}, on_threads(broken, points_of(config), 2), [](const TrialResult&) {},
                        true, records),
                    ContainsSubstring("trial 7"));
  CHECK(records.count() > 1);
  CHECK(run(config, records).ending == Ending::complete);
  CHECK(same(records, run_all(config)));
}

TEST_CASE("shards are written I/N") {
  CHECK(parse_shard("2/4").index == 2);
  CHECK(parse_shard("2/4").count == 4);
  CHECK(parse_shard("2/4").text() == "2/4");
  CHECK(parse_shard("1/1").whole());
  for (const auto* wrong : {"", "2", "0/4", "5/4", "1/0", "-1/4", "1/4x", "a/b", "1/4/2", " 1/2", "+1/2",
                            "1/99999999999", "4294967297/4294967298"})
    check_message(refusal([&] { parse_shard(wrong); }), {std::string("--shard ") + wrong + ":", "1 <= I <= N"});
}
