// What explain says of a key's range against what the checks of a study take.

#include <cmath>
#include <set>

#include "experiments/study/study_config.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/configs.hpp"

using namespace optinc;

namespace {

/// What a study with this value is refused with; empty where it is taken.
std::string refused(const StudyConfig& base, const std::string& key, const FieldValue& value) {
  return refusal([&] { validate_config(with_values(base, {{key, value}})); });
}

bool numeric(const FieldEntry& entry) {
  return std::holds_alternative<double>(entry.value) || std::holds_alternative<std::int64_t>(entry.value) ||
         std::holds_alternative<std::vector<double>>(entry.value) ||
         std::holds_alternative<std::vector<std::int64_t>>(entry.value);
}

/// A number as a value of the entry's type, in a list of one where it takes lists.
FieldValue value_like(const FieldEntry& entry, double number) {
  return std::visit(
      [&](const auto& like) -> FieldValue {
        using T = std::decay_t<decltype(like)>;
        if constexpr (std::is_same_v<T, double>)
          return number;
        else if constexpr (std::is_same_v<T, std::int64_t>)
          return static_cast<std::int64_t>(number);
        else if constexpr (std::is_same_v<T, std::vector<double>>)
          return std::vector<double>{number};
        else
          return std::vector<std::int64_t>{static_cast<std::int64_t>(number)};
      },
      entry.value);
}

bool whole(const FieldEntry& entry) {
  return std::holds_alternative<std::int64_t>(entry.value) ||
         std::holds_alternative<std::vector<std::int64_t>>(entry.value);
}

/// The ends of the range that explain prints, and values beside them that it excludes.
struct Ends {
  std::vector<double> inside, outside;
};
Ends ends_of(const FieldEntry& entry) {
  const Row& info = entry.info;
  Ends ends;
  const double step = whole(entry) ? 1.0 : 0.0;
  if (std::isfinite(info.min)) {
    ends.inside.push_back(info.min);
    ends.outside.push_back(step > 0 ? info.min - step : std::nextafter(info.min, -HUGE_VAL));
    if (info.step > 1) ends.outside.push_back(info.min + 1);
    if (info.may_be_zero) ends.outside.push_back(info.min / 2);
  }
  if (std::isfinite(info.max)) {
    ends.inside.push_back(info.max);
    ends.outside.push_back(std::max(info.max + step, std::nextafter(info.max, HUGE_VAL)));
  }
  if (info.may_be_zero) ends.inside.push_back(0.0);
  std::erase_if(ends.outside, [&](double value) { return info.may_be_zero && value == 0.0; });
  return ends;
}

/// Whether a message opens with "section.key = " or "section.key: " of a key that is there: the one that was
/// set, or one that it does not go with.
bool names_a_key(const std::string& message) {
  static const auto keys = all_keys();
  return std::ranges::any_of(keys,
                             [&](const std::string& key) {
                               return message.starts_with(key + " = ") || message.starts_with(key + ": ");
                             }) ||
         message.starts_with("network: a carry chain for ");  // of so many servers
}

/// Studies in which other checks between keys are at work.
const std::vector<std::vector<std::string>>& bases() {
  static const std::vector<std::vector<std::string>> all = {
      {},
      {"time.sampling=clocked"},
      {"time.sampling=unclocked"},
      {"link.averaging=incoherent"},
      {"link.oscillators=direct", "link.oscillator_loop_hz=10", "link.oscillator_dither_rad=0.01"},
      {"model=mesh"},
      {"model=mesh", "fabrication.process=wafer"},
      {"model=comb"},
      {"model=drift"},
      {"network.source=carry-chain"},
      {"task.level=first", "network.hidden=[20]"},
      {"training.noise=1", "training.ceiling=0.7"}};
  return all;
}

}  // namespace

// Fails where a range stands in a field table and otherwise in a check: link.limiter_knee, time.equaliser_taps.
TEST_CASE("a study takes both ends of every range that explain prints, and nothing beyond them") {
  // what defaults of other keys do not go with: a converter's effective bits, words of a task, the parts of an
  // MZI, a phase lock of direct oscillators, epochs after the warm-up, layers that are there, a metric of that
  // precision
  const std::set<std::string> not_alone = {"converter.bits",
                                           "converter.effective_bits",
                                           "owner.converter_bits",
                                           "task.servers",
                                           "task.bits",
                                           "layout.mzi_length_m",
                                           "layout.coupler_length_m",
                                           "link.oscillator_loop_hz",
                                           "link.cut_servers",
                                           "link.late_servers",
                                           "link.oscillator_dither_rad",
                                           "training.epochs",
                                           "training.warmup_epochs",
                                           "training.full_svd_layers",
                                           "runner.precision"};
  const StudyConfig base;
  int keys = 0;
  for (const FieldEntry& entry : config_entries(base)) {
    if (!numeric(entry)) continue;
    ++keys;
    const auto [inside, outside] = ends_of(entry);
    for (const double value : inside) {
      CAPTURE(entry.name(), value);
      if (!not_alone.contains(entry.name())) CHECK(refused(base, entry.name(), value_like(entry, value)) == "");
    }
    for (const double value : outside) {
      CAPTURE(entry.name(), value);
      CHECK_THAT(refused(base, entry.name(), value_like(entry, value)),
                 Catch::Matchers::StartsWith(entry.name() + " = "));
    }
  }
  CHECK(keys > 150);
}

// Fails where a check of one section is told under another: "link: lane_skew_s = .." of [time].
TEST_CASE("what a study refuses names the section and key that were set") {
  int refusals = 0;
  for (const auto& settings : bases()) {
    const StudyConfig base = parse("", settings);
    for (const FieldEntry& entry : config_entries(base)) {
      if (!numeric(entry)) continue;
      const auto [inside, outside] = ends_of(entry);
      for (const auto* values : {&inside, &outside})
        for (const double value : *values) {
          const std::string message = refused(base, entry.name(), value_like(entry, value));
          if (message.empty()) continue;
          ++refusals;
          CAPTURE(settings, entry.name(), value, message);
          CHECK(names_a_key(message));
        }
    }
  }
  CHECK(refusals > 1000);
}
