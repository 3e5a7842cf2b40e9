#include "experiments/study/study_model.hpp"

#include "experiments/study/study_config.hpp"
#include "experiments/study/study_names.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/configs.hpp"

using namespace optinc;

// mutation: a metric without a label, a share that is not one, an error metric that is better when higher
TEST_CASE("every model says of its metrics what figures and tables need") {
  for (const StudyModel& model : study_models()) {
    CAPTURE(model.name);
    CHECK_FALSE(model.simulates.empty());
    CHECK(model.find(model.error_metric)->better != Better::higher);
    for (const Metric& metric : model.metrics) {
      CAPTURE(metric.name);
      CHECK_FALSE(metric.long_name.empty());
      CHECK_FALSE(metric.label.empty());
      CHECK(metric.label.size() <= 40);  // on an axis
      CHECK(metric.axes.front() == "variant");
      if (!metric.complement.empty()) {
        CHECK(metric.kind == MetricKind::share);
        CHECK(metric.better == Better::higher);
      }
      if (metric.name.ends_with("accuracy") || metric.name.find("_accuracy_") != metric.name.npos)
        CHECK(metric.better == Better::higher);
      if (metric.name.ends_with("error") || metric.name.ends_with("error_rate") ||
          metric.name.ends_with("rms") || metric.name.ends_with("loss"))
        CHECK(metric.better == Better::lower);
    }
  }
}

// mutation: the first entry decides and not the last, a '!' is not looked at, or a key reads its whole section
TEST_CASE("the last entry that fits says whether a model reads a key") {
  StudyModel model;
  model.reads = {"chip", "!chip.dac_bits", "drift.sine_k", "laser", "!laser.power_w", "laser.power_w"};
  CHECK(model.reads_key("chip", "preset"));
  CHECK_FALSE(model.reads_key("chip", "dac_bits"));
  CHECK(model.reads_key("drift", "sine_k"));
  CHECK_FALSE(model.reads_key("drift", "ramp_k_per_s"));
  CHECK(model.reads_key("laser", "power_w"));
  CHECK_FALSE(model.reads_key("mesh", "ports"));
}

// mutation: add_model() takes a model that nobody will see; study_model() gives the first for an unknown name
TEST_CASE("a model that comes too late and one that is unknown are refused by name") {
  CHECK(study_models().size() >= 6);
  StudyModel late;
  late.name = "late";
  check_message(refusal([&] { add_model(late); }), {"model late", "before main()"});
  check_message(refusal([] { study_model("chop"); }), {"chop", "chip"});
  CHECK(find_metric("mesh_error") == study_model("mesh").find("mesh_error"));
  CHECK(find_metric("nonsense") == nullptr);
}
