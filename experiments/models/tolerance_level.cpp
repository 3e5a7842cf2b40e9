#include "experiments/models/tolerance_level.hpp"

#include <cmath>

#include "experiments/study/points.hpp"
#include "experiments/study/sweep_parse.hpp"
#include "physics/core/check.hpp"

namespace optinc {

bool whole_levels(const StudyConfig& config) {
  return config.tolerance.key != "chip" &&
         std::holds_alternative<std::int64_t>(entry_of(config, config.tolerance.key).value);
}

StudyConfig at_level(const StudyConfig& config, double level) {
  if (config.tolerance.key == "chip") {
    StudyConfig there = config;
    there.chip = scaled_errors(config.chip, level);
    return there;
  }
  const FieldValue value =
      whole_levels(config) ? FieldValue(static_cast<std::int64_t>(std::llround(level))) : FieldValue(level);
  return with_values(config, {{config.tolerance.key, value}});
}

void validate_tolerance(const StudyConfig& config) {
  const ToleranceSettings& t = config.tolerance;
  validate(config.hardware.timing.sampling == Sampling::settled || config.measure.words > 0,
           "time.sampling = {} with measure.words = 0 in model tolerance (it sends the words of lowest margin "
           "first, and neighbouring words interfere). Set measure.words = 30000 to draw words.",
           name_of(config.hardware.timing.sampling));
  validate_field(t.gentle != t.harsh, "gentle",
                 "{} and harsh = {} (the ends of a range must differ). Set another value.", t.gentle, t.harsh);
  if (t.key == "chip") {
    validate_field(t.gentle >= 0 && t.harsh >= 0, "gentle",
                   "{}, harsh = {} (factors are 0 or more). Try 0.01 and 10.", t.gentle, t.harsh);
    return;
  }
  const FieldEntry entry = swept_entry(config, t.key, "");
  validate_field(
      std::holds_alternative<double>(entry.value) || std::holds_alternative<std::int64_t>(entry.value), "key",
      "\"{}\" is not a number (its value is raised step by step). Set a numeric key, such as "
      "\"chip.sigma_eta_rad\".",
      t.key);
  for (const double end : {t.gentle, t.harsh}) at_level(config, end);
}

}  // namespace optinc
