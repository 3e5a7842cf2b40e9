#include <cmath>

#include <fmt/format.h>

#include "experiments/models/learning/collectives.hpp"
#include "experiments/models/learning/data_parallel.hpp"
#include "experiments/models/learning/tasks.hpp"
#include "experiments/models/trial_model.hpp"
#include "experiments/run/study_inputs.hpp"
#include "experiments/run/trials/run_trials.hpp"
#include "onn/budget/budget.hpp"
#include "onn/network/digit_sums.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/configs.hpp"
#include "tests/support/image_files.hpp"
#include "tests/support/results.hpp"
#include "tests/support/scratch.hpp"

using namespace optinc;

namespace {

/// Images in a folder of their own and studies that learn them: 16-8-10 networks, 226 gradients a step.
struct Studied {
  Scratch folder;

  Studied() { put_images(folder.path(), 96, 40); }

  StudyConfig config(const std::vector<std::string>& more = {}) const {
    std::vector<std::string> settings = {"model=learning",
                                         "run.seed=5",
                                         "task.rounding=half-up",
                                         "network.source=carry-chain",
                                         "parts.set=idealised",
                                         "noise.lock=false",
                                         fmt::format("learner.data=\"{}\"", folder.path().string()),
                                         "learner.width=8",
                                         "learner.steps=7",
                                         "learner.evaluations=3",
                                         "learner.batch=32"};
    settings.insert(settings.end(), more.begin(), more.end());
    return parse("", settings);
  }

  /// The record of one trial, by metric and variant.
  struct Record {
    TrialModel layout;
    std::vector<double> values;

    std::vector<double> all(std::string_view metric, std::size_t variant = 0) const {
      const Quantity& q = *layout.find(metric);
      const std::size_t each = q.size() / q.shape[0];
      const auto from = values.begin() + static_cast<std::ptrdiff_t>(q.offset + variant * each);
      return {from, from + static_cast<std::ptrdiff_t>(each)};
    }
    double one(std::string_view metric, std::size_t variant = 0) const { return all(metric, variant)[0]; }
  };

  Record trial_of(const StudyConfig& config, std::size_t trial) const {
    Record record{make_model(config, make_study_inputs(config, true)), {}};
    record.values = run_trial(record.layout, config, {0, trial}).record;
    return record;
  }
  Record run(const std::vector<std::string>& more, std::size_t trial = 0) const {
    return trial_of(config(more), trial);
  }
};

/// Whether two trainings went alike, to the bit.
bool alike(const Studied::Record& a, const Studied::Record& b, std::size_t variant_of_a = 0,
           std::size_t variant_of_b = 0) {
  for (const auto* metric : {"test_loss", "test_accuracy", "training_loss", "final_loss", "final_accuracy"})
    if (as_bits(a.all(metric, variant_of_a)) != as_bits(b.all(metric, variant_of_b))) return false;
  return true;
}

}  // namespace

// the loop is written out here. Fails when a setting of [learner] does not reach the optimiser, trials share a
// seed, or the curve's places or means are others
TEST_CASE("learning: a record is what steps of training and evaluations give") {
  const Studied studied;
  StudyConfig config =
      studied.config({"learner.optimiser=adamw", "learner.learning_rate=0.02", "learner.weight_decay=0.1",
                      "learner.schedule=cosine", "learner.warm_up_steps=2", "learner.largest_norm=0.5"});
  const LearningTask task = make_learning_task(config.learner);
  std::vector<double> losses;
  for (const std::uint32_t trial : {0u, 3u}) {
    const auto collective = trial == 0 ? &ring_all_reduce : &halving_doubling;
    config.learner.aggregator = trial == 0 ? "ring" : "halving-doubling";
    DataParallelSettings s;
    s.workers = 4;
    s.batch = 32;
    s.steps = 7;
    s.optimiser.rule = OptimiserRule::adamw;
    s.optimiser.learning_rate = 0.02;
    s.optimiser.weight_decay = 0.1;
    s.optimiser.schedule = RateSchedule::cosine;
    s.optimiser.warm_up_steps = 2;
    s.optimiser.largest_norm = 0.5;
    s.seed = 5 + trial * 9007199254740992u;
    Learner learner = start_learner(s, task);
    const auto average = [&](Eigen::MatrixXf gradients, const StepContext&) {
      collective(gradients);
      return Eigen::VectorXf(gradients.col(2));
    };
    const Studied::Record record = studied.trial_of(config, trial);
    const std::size_t ends[] = {2, 4, 7};
    for (std::size_t k = 0, step = 0; k < 3; ++k) {
      const std::size_t first = step;
      double sum = 0.0;
      for (; step < ends[k]; ++step) sum += train_step(learner, task, average);
      const Evaluation test = task.evaluate(learner.parameters);
      CHECK(record.all("test_loss")[k] == test.loss);
      CHECK(record.all("test_accuracy")[k] == test.accuracy);
      CHECK(record.all("training_loss")[k] ==
            Approx(sum / static_cast<double>(ends[k] - first)).epsilon(1e-14));
    }
    CHECK(record.one("final_loss") == record.all("test_loss")[2]);
    CHECK(record.one("final_accuracy") == record.all("test_accuracy")[2]);
    CHECK(std::isnan(record.one("sent_error_rate")));
    losses.push_back(record.one("final_loss"));
  }
  CHECK(losses[0] != losses[1]);
  // sgd, and no constant rate: the settings that the first study leaves alone
  const auto sgd = studied.run({"learner.momentum=0"}), heavy = studied.run({"learner.momentum=0.9"});
  CHECK(sgd.all("test_loss")[0] != heavy.all("test_loss")[0]);
}

// Each average of four is off by at most 3 roundings of 2^-24 of sums that are at most 4 gradients: 1e-6 of the
// gradient after seven steps, and of losses of some 2 nats. Fails when a collective leaves a server out
TEST_CASE("learning: collectives end where the exact average ends, but for rounding") {
  const Studied studied;
  const auto exact = studied.run({});
  CHECK(exact.one("final_loss") < 0.9 * std::log(10.0));  // something was learnt
  CHECK(exact.one("wire_bits") == 48.0);                  // costed as the ring: 2 (4 - 1)/4 32
  for (const auto& [name, bits] :
       {std::pair{"ring", 48.0}, std::pair{"halving-doubling", 48.0}, std::pair{"parameter-server", 96.0}}) {
    INFO(name);
    const auto record = studied.run({fmt::format("learner.aggregator={}", name)});
    CHECK(record.one("wire_bits") == bits);
    for (std::size_t k = 0; k < 3; ++k)
      CHECK(record.all("test_loss")[k] == Approx(exact.all("test_loss")[k]).epsilon(1e-6));
  }
  CHECK(studied.run({"task.servers=8"}).one("wire_bits") == 56.0);
  CHECK(studied.run({"learner.levels=2"}).one("wire_bits") == 60.0);  // 16 servers
}

// networks that are right on all words. Fails when the network, or the chip of no error, has another task's
// rounding, or words of other servers
TEST_CASE("learning: a network that is right, and a chip without errors, are Q(mean) to the bit") {
  const Studied studied;
  const auto quantised = studied.run({"learner.aggregator=quantised"});
  CHECK(quantised.one("sent_error_rate") == 0.0);
  CHECK(std::isnan(quantised.one("sent_off_by_one")));
  CHECK(quantised.one("wire_bits") == 8.03125);  // 8 bits, and 32 for every 1,024 codes
  CHECK_FALSE(alike(quantised, studied.run({})));
  for (const auto* source : {"carry-chain", "shipped/32x5"}) {
    INFO(source);
    const auto network =
        studied.run({"learner.aggregator=network", fmt::format("network.source=\"{}\"", source)});
    CHECK(alike(network, quantised));
    CHECK(network.one("sent_error_rate") == 0.0);
  }
  for (const auto* engine : {"map", "light"}) {
    INFO(engine);
    const auto chip =
        studied.run({"learner.aggregator=chip", "chip.preset=ideal", "noise.shot=false", "noise.tia=false",
                     "noise.rin=false", fmt::format("learner.engine={}", engine),
                     "measure.variants=[\"uncorrected\", \"corrected_quadrature\", \"noisy\"]"});
    for (const std::size_t variant : {0u, 1u, 2u}) CHECK(alike(chip, quantised, variant));
  }
  // a block and bits of one's own: 4 + 32/100
  const auto coarse = studied.run({"learner.aggregator=quantised", "task.bits=4", "learner.block=100"});
  CHECK(coarse.one("wire_bits") == Approx(4.32).epsilon(1e-15));
  CHECK_FALSE(alike(coarse, quantised));
}

// chips that err. Fails when the map is made of another chip than the one that light passes, or of another
// variant's
TEST_CASE("learning: by the map as by the light, where no noise is") {
  const Studied studied;
  const std::vector<std::string> settings = {"learner.aggregator=chip", "chip.preset=doped-heaters",
                                             "chip.sigma_eta_rad=0.12",
                                             "measure.variants=[\"uncorrected\", \"corrected_quadrature\"]"};
  auto by_light = settings;
  by_light.push_back("learner.engine=light");
  for (const std::size_t trial : {0u, 2u}) {
    const auto map = studied.run(settings, trial), light = studied.run(by_light, trial);
    for (const std::size_t variant : {0u, 1u}) {
      CAPTURE(trial, variant, map.one("sent_error_rate", variant));
      CHECK(alike(map, light, variant, variant));
      for (const auto* metric : {"sent_error_rate", "sent_off_by_one", "sent_bias", "sent_error_rms"})
        CHECK(as_bits(map.all(metric, variant)) == as_bits(light.all(metric, variant)));
    }
    CHECK(map.one("sent_error_rate", 0) > 0.01);  // or nothing is tested
    CHECK(map.one("sent_error_rate", 0) != map.one("sent_error_rate", 1));
  }
}

// Fails when the second level rounds what the first has rounded, or both levels have one task
TEST_CASE("learning: two levels that carry a digit are one unit of sixteen servers") {
  const Studied studied;
  const auto cascade = [&](std::vector<std::string> more) {
    more.emplace_back("learner.levels=2");
    return studied.run(more);
  };
  const auto quantised = cascade({"learner.aggregator=quantised"});
  CHECK(alike(cascade({"learner.aggregator=network"}), quantised));
  CHECK(alike(
      cascade({"learner.aggregator=chip", "chip.preset=ideal", "measure.variants=[\"corrected_quadrature\"]"}),
      quantised));
  // half-up twice is biased: three of 16 remainders of the sum by 16 end above what rounding once gives
  const auto twice = cascade({"learner.aggregator=network", "learner.carry_digit=false"});
  CHECK(twice.one("sent_error_rate") > 0.05);
  CHECK(twice.one("sent_off_by_one") == 1.0);
  CHECK(twice.one("sent_bias") > 0.05);
}

// Fails when what a channel keeps goes from one variant to the next, or a variant starts where another ended
TEST_CASE("learning: every variant is a training of its own from the same start") {
  const Studied studied;
  const auto record =
      studied.run({"learner.aggregator=chip", "chip.preset=ideal", "learner.error_feedback=true",
                   "noise.shot=false", "noise.tia=false", "noise.rin=false",
                   "measure.variants=[\"uncorrected\", \"corrected_quadrature\", \"noisy\"]"});
  for (const std::size_t variant : {1u, 2u}) CHECK(alike(record, record, 0, variant));
  CHECK_FALSE(alike(record, studied.run({"learner.aggregator=quantised"})));  // that has no feedback
}

// Fails when a training that diverges throws, goes on, or leaves its curve empty
TEST_CASE("learning: a training that diverges ends there and is tested on what it had") {
  const Studied studied;
  const auto record = studied.run({"learner.aggregator=quantised", "learner.learning_rate=100",
                                   "learner.weight_decay=10", "learner.steps=30"});
  CHECK(record.one("diverged") == 1.0);
  CHECK(studied.run({"learner.aggregator=quantised"}).one("diverged") == 0.0);
  const std::vector<double> accuracy = record.all("test_accuracy");
  CHECK(accuracy.back() == record.one("final_accuracy"));
  CHECK(accuracy[1] == accuracy[2]);  // the last parameters that were finite
  CHECK(std::isnan(record.all("training_loss").back()));
}

// 1,582 words: the share of injected errors within 5 sigma of the binomial. Fails when rate, digits, offset,
// guard or factor do not reach the channel
TEST_CASE("learning: injected errors, offsets, the guard and the factor on errors act") {
  const Studied studied;
  const double words = 7 * 226, rate = 0.2;
  const auto injected = studied.run({"learner.aggregator=quantised", "learner.error_rate=0.2"});
  CHECK(std::abs(injected.one("sent_error_rate") - rate) < 5 * std::sqrt(rate * (1 - rate) / words));
  CHECK(std::abs(injected.one("sent_off_by_one") - 0.9) < 5 * std::sqrt(0.09 / (rate * words)));
  const auto guarded = [&](const char* guard) {
    return studied
        .run({"learner.aggregator=chip", "chip.sigma_eta_rad=0.5", "measure.variants=[\"uncorrected\"]",
              fmt::format("learner.range_guard={}", guard)})
        .one("sent_guarded");
  };
  CHECK(guarded("false") == 0.0);
  CHECK(guarded("true") > 0.0);
  const auto offset = studied.run({"learner.aggregator=quantised", "learner.offset_lsb=2"});
  CHECK(offset.one("sent_error_rate") == 0.0);
  CHECK(offset.all("training_loss")[0] !=
        studied.run({"learner.aggregator=quantised"}).all("training_loss")[0]);
  const auto wrong = [&](const char* factor) {
    return studied
        .run({"learner.aggregator=chip", "chip.preset=doped-heaters", "chip.dac_bits=0",
              "measure.variants=[\"uncorrected\"]", fmt::format("learner.chip_factor={}", factor)})
        .one("sent_error_rate");
  };
  CHECK(wrong("0.0") == 0.0);
  CHECK(wrong("1.0") < wrong("8.0"));
}

// Fails when "recalibrated" is never calibrated again, or instants do not share the steps
TEST_CASE("learning: recalibration helps where a chip drifts, and only there") {
  const Studied studied;
  const auto lived = [&](std::vector<std::string> more) {
    for (const auto* setting :
         {"learner.aggregator=chip", "noise.shot=false", "noise.tia=false", "noise.rin=false",
          "drift.instants=7", "drift.interval_s=100", "drift.recalibrate_s=100", "drift.ou_k=0",
          "drift.laser_m=0", "drift.warm_up_s=1e6", "chip.preset=ideal",
          "measure.variants=[\"corrected_quadrature\", \"drifting\", \"recalibrated\"]"})
      more.emplace_back(setting);
    return studied.run(more);
  };
  const auto steady = lived({"drift.sine_k=0"});
  CHECK(alike(steady, steady, 0, 1));
  CHECK(alike(steady, steady, 0, 2));
  CHECK(steady.one("sent_error_rate", 1) == 0.0);
  const auto swing = lived({"drift.sine_k=40", "drift.imbalance_m=3e-4"});
  CHECK(swing.one("sent_error_rate", 0) == 0.0);
  CHECK(swing.one("sent_error_rate", 1) > 0.1);
  CHECK(swing.one("sent_error_rate", 2) == 0.0);  // calibrated at every instant, and perfect at it
}

TEST_CASE("learning: what cannot be trained is refused before the first trial") {
  const Studied studied;
  const auto refused = [&](const std::vector<std::string>& more) {
    const StudyConfig config = studied.config(more);
    const StudyInputs inputs = make_study_inputs(config, true);
    return refusal([&] { make_model(config, inputs); });
  };
  check_message(refused({"learner.batch=100"}), {"batch of 100", "96 training examples"});
  check_message(refused({"learner.data=/nowhere"}), {"/nowhere"});
}

// By budget() of the unit at the point's own settings. Fails when energies are those of the study's first
// point, of a bit, or are told of ways without a chip or of a rate that no device carries
TEST_CASE("learning: a step's energy is that of its unit for all gradients") {
  const Studied studied;
  const StudyConfig config =
      studied.config({"learner.aggregator=chip", "learner.engine=light", "network.source=digit-sums",
                      "task.bits=6", "link.destinations=1", "time.symbol_rate_bd=40e9"});
  const ChipDesign design = design_chip(digit_sums(config.task));
  const ChipBudget b = budget(design, config.chip, config.hardware, config.budget);
  const double watts = b.static_power_w.total() + b.symbol_power_w.total();
  CHECK(studied.trial_of(config, 0).one("step_energy") ==
        Approx(226 * watts / b.symbol_rate_bd).epsilon(1e-12));
  CHECK(std::isnan(studied.run({"learner.aggregator=ring"}).one("step_energy")));
  CHECK(std::isnan(studied.run({"learner.aggregator=chip", "learner.engine=light", "time.symbol_rate_bd=500e9"})
                       .one("step_energy")));
}
