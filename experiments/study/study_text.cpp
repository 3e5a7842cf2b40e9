#include <map>

#include <fmt/format.h>

#include "experiments/study/study_config.hpp"
#include "experiments/study/study_rows.hpp"
#include "onn/hardware/unit_parts.hpp"

namespace optinc {
namespace {

std::string sweep_text(const SweepAxis& axis) {
  std::string text = fmt::format("\n[[sweep]]\nname = {}\n", toml_text(axis.name));
  if (axis.ablation())
    return text + fmt::format("method = \"ablation\"\nsources = {}\n", toml_text(axis.sources));
  text += "[sweep.values]\n";
  for (const SweptKey& key : axis.keys) {
    std::string values;
    for (const FieldValue& value : key.values) values += (values.empty() ? "" : ", ") + toml_text(value);
    text += fmt::format("\"{}\" = [{}]\n", key.key, values);
  }
  return text;
}

std::string print(const StudyConfig& config, bool comments, bool identity) {
  std::string text;
  std::string_view section;
  std::map<std::string, std::string> overrides;  // by the key that names the part
  for (const UnitPart& part : unit_parts(config.hardware)) overrides[part.key] = overrides_text(part);
  for (const FieldEntry& entry : config_entries(config)) {
    if (identity && !entry.info.changes_results) continue;
    if (entry.section != section) text += fmt::format("\n[{}]\n", section = entry.section);
    text += fmt::format("{} = {}", entry.info.key, toml_text(entry.value));
    std::string said;
    if (comments)
      said = fmt::format("{}{}", entry.info.meaning,
                         entry.info.unit == "1" ? "" : fmt::format(" [{}]", entry.info.unit));
    if (!entry.info.part.empty())
      if (const std::string& with = overrides[entry.name()]; !with.empty())
        said += (said.empty() ? "" : "; ") + with;
    text += said.empty() ? "\n" : fmt::format("  # {}\n", said);
  }
  for (const SweepAxis& axis : config.sweeps) text += sweep_text(axis);
  return text;
}

}  // namespace

std::vector<FieldEntry> config_entries(const StudyConfig& config) {
  std::vector<FieldEntry> entries;
  visit_config(config, [&](std::string_view section, const Row& info, const auto& member) {
    entries.push_back({section, info, to_field_value(member)});
  });
  return entries;
}

std::vector<FieldEntry> sweep_entries() {
  const Row shapes{
      "shapes", "1",
      "Architecture search: network.hidden of every width and depth (and pyramids w, 2w, .., 2w, w) within the "
      "limits most_mzis, most_columns (MZIs in series), most_loss_db (one pass) and most_heater_w"};
  static constexpr std::string_view methods[] = {"linear",          "log",     "random", "sobol",
                                                 "latin-hypercube", "ablation"};
  static constexpr std::string_view scales[] = {"linear", "log"};
  const auto example = [](std::string_view text) { return FieldValue(std::string(text)); };
  Row values{"values", "1",
             "Keys and lists of values, varied together; sweeps are nested and the last one varies fastest"};
  Row range{"range", "1", "Keys and ranges [from, to], sampled by method at the given number of points"};
  Row points{"points", "1", "Number of points of a range", 1, 1e6};
  Row name{"name", "1", "Name of the sweep axis in the result file"};
  Row sources{"sources", "1", "Error sources that method = ablation switches; if omitted, all active sources"};
  return {{"sweep", name, example("the last word of the key")},
          {"sweep", values, example("{\"chip.sigma_eta_rad\" = [0.005, 0.01]}")},
          {"sweep", shapes, example("{widths = [32, 64], depths = [4, 5], most_mzis = 10000}")},
          {"sweep", range, example("{\"receiver.lo_power_w\" = [1e-4, 1e-2]}")},
          {"sweep",
           name_row("method",
                    "How a range is sampled; ablation: each error source alone, all together, and all but one",
                    methods),
           example("linear")},
          {"sweep", points, std::int64_t{9}},
          {"sweep", name_row("scale", "Scale of random, sobol and latin-hypercube sampling", scales),
           example("linear")},
          {"sweep", sources, std::vector<std::string>{}}};
}

bool operator==(const StudyConfig& a, const StudyConfig& b) {
  const auto left = config_entries(a), right = config_entries(b);
  for (std::size_t i = 0; i < left.size(); ++i)
    if (left[i].value != right[i].value) return false;
  return a.sweeps == b.sweeps;
}

std::string to_toml(const StudyConfig& config, bool comments) { return print(config, comments, false); }

std::string identity_toml(const StudyConfig& config) { return print(config, false, true); }

std::string run_id(const StudyConfig& config) {
  std::uint64_t hash = 14695981039346656037u;  // FNV-1a 64
  for (const char c : identity_toml(config)) {
    hash ^= static_cast<unsigned char>(c);
    hash *= 1099511628211u;
  }
  return fmt::format("{:016x}", hash);
}

}  // namespace optinc
