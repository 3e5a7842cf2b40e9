#include "experiments/study/inspect.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "experiments/config/points.hpp"
#include "experiments/runner/statistics.hpp"
#include "experiments/store/hdf5.hpp"
#include "experiments/store/provenance.hpp"
#include "experiments/study/gradient_transfer.hpp"
#include "experiments/study/state.hpp"
#include "experiments/validate/laws_file.hpp"
#include "experiments/validate/report.hpp"
#include "physics/core/check.hpp"
#include "physics/core/printable.hpp"

namespace optinc {
namespace {

using Json = nlohmann::ordered_json;

Json onn_summary(const Group& group) {
  const Attributes a = group.attributes();
  Json j = {{"word_accuracy", a.number("word_accuracy")},
            {"words", a.integer("words")},
            {"rounding", a.text("rounding")},
            {"servers", a.integer("servers")},
            {"bits", a.integer("bits")},
            {"margin", a.number("margin")},
            {"mzi_count", a.integer("mzi_count")},
            {"mzi_count_full_svd", a.integer("mzi_count_full_svd")},
            {"mzi_depth", a.integer("mzi_depth")}};
  if (a.has("ideal_chip_word_accuracy")) {
    j["ideal_chip_word_accuracy"] = a.number("ideal_chip_word_accuracy");
    j["ideal_chip_deviation"] = a.number("ideal_chip_deviation");
  }
  return j;
}

/// A value of a key as JSON shows it.
Json json_of(const FieldValue& value) {
  return std::visit([](const auto& v) { return Json(v); }, value);
}

/// What a study's point is, by key; a splitter error is also `sigma`, its usual name.
Json point_keys(const StudyConfig& config, std::size_t point) {
  Json j = Json::object();
  const auto index = point_index(config, point);
  for (std::size_t a = 0; a < index.size(); ++a) {
    const SweepAxis& axis = config.sweeps[a];
    if (axis.ablation()) j["ablation"] = ablation_labels(axis)[index[a]];
    for (const SweptKey& key : axis.keys) {
      j[key_name(key.key)] = json_of(key.values[index[a]]);
      if (key.key == "chip.sigma_eta_rad") j["sigma"] = json_of(key.values[index[a]]);
    }
  }
  return j;
}

/// Mean, interval, least and largest of a quantity over the trials of a point, for one variant; a quantity by
/// layer is averaged over the layers.
void add_quantity(Json& j, const Quantity& q, const StudyConfig& config, const Records& records,
                  std::size_t point, std::size_t variant) {
  const std::size_t each = q.size() / q.shape.front();
  std::vector<double> values;
  for (std::size_t c = 0; c < each; ++c) {
    const auto cell = records.cell(point, q.offset + variant * each + c);
    values.insert(values.end(), cell.begin(), cell.end());
  }
  const std::string name(q.metric->name);
  if (values.empty()) return;
  j[name + "_mean"] = mean_of(values);
  if (each > 1) return;
  const auto cell = static_cast<std::uint32_t>(point * records.record_size + q.offset + variant);
  if (values.size() > 1) {
    const Interval interval = mean_interval(values, config.run.seed, cell);
    j[name + "_mean_low"] = interval.low;
    j[name + "_mean_high"] = interval.high;
  }
  j[name + "_min"] = *std::min_element(values.begin(), values.end());
  j[name + "_max"] = *std::max_element(values.begin(), values.end());
  if (name == "word_accuracy") j["chips_all_right"] = std::count(values.begin(), values.end(), 1.0);
}

/// A metric by layer has a yield for each, which the file holds.
void add_yield(Json& j, const Group& summary, std::size_t i, std::size_t rows) {
  if (!summary.exists("yield") || summary.read<double>("yield").values.size() != rows) return;
  for (const char* name : {"yield", "yield_low", "yield_high"}) {
    const std::vector<double> values = summary.read<double>(name).values;
    validate(values.size() == rows, "{}: {} values (yield has {}). Use another copy.", summary.where(name),
             values.size(), rows);
    j[name] = values[i];
  }
}

/// One entry per point and variant.
Json trial_summaries(const Group& summary, const StudyState& state) {
  const TrialModel model = layout_of(state);
  const auto names = measured_variants(state.config);
  Json list = Json::array();
  for (std::size_t p = 0; p < state.records->points; ++p)
    for (std::size_t v = 0; v < names.size(); ++v) {
      Json j = point_keys(state.config, p);
      j["variant"] = names[v];
      j["trials"] = state.records->count(p);
      for (const Quantity& q : model.quantities)
        if (!q.metric->counts) add_quantity(j, q, state.config, *state.records, p, v);
      add_yield(j, summary, p * names.size() + v, state.records->points * names.size());
      list.push_back(std::move(j));
    }
  return list;
}

/// One entry per point of the other sweeps, variant and source; a share of no variance at all is null.
Json ablation_summary(const Group& group, const StudyState& state) {
  const auto sources = group.read<std::string>("source").values;
  const auto variants = measured_variants(state.config);
  const auto alone = group.read<double>("share_alone").values,
             without = group.read<double>("share_without").values;
  StudyConfig others = state.config;
  std::erase_if(others.sweeps, [](const SweepAxis& axis) { return axis.ablation(); });
  const std::size_t each = sources.size() * variants.size();
  validate(each > 0 && alone.size() % each == 0 && without.size() == alone.size(),
           "{}: {} and {} shares of {} sources in {} variants (a share for each). Use another copy.",
           group.where(), alone.size(), without.size(), sources.size(), variants.size());
  const auto share = [](double x) { return std::isfinite(x) ? Json(x) : Json(nullptr); };
  Json list = Json::array();
  for (std::size_t i = 0; i < alone.size(); ++i)
    list.push_back({{"point", point_label(others, i / each)},
                    {"variant", variants[i / sources.size() % variants.size()]},
                    {"source", sources[i % sources.size()]},
                    {"share_alone", share(alone[i])},
                    {"share_without", share(without[i])}});
  return list;
}

Json gradient_summary(const Group& group) {
  const auto paths = group.read<std::string>("path").values;
  const auto error = group.read<double>("relative_error", {paths.size()});
  const Attributes a = group.attributes();
  Json j = {{"words", a.integer("words")},
            {"servers", a.integer("servers")},
            {"sigma_eta_rad", a.number("sigma_eta_rad")},
            {"test_accuracy", a.number("test_accuracy")}};
  for (std::size_t p = 0; p < paths.size(); ++p) {
    // "chip" without further words is the chip as it is meant to run: corrected, before receiver noise
    if (paths[p] == "chip_corrected") j["relative_error_chip"] = error[p];
    j["relative_error_" + paths[p]] = error[p];
  }
  for (const std::string_view path : gradient_paths)
    validate(j.contains(fmt::format("relative_error_{}", path)),
             "{}: no path {} (expected {}). Use another copy.", group.where("path"), path,
             fmt::join(gradient_paths, ", "));
  return j;
}

Json provenance(const File& file) {
  const Attributes a = file.root().attributes();
  Json j;
  for (const std::string name : {"title", "optinc_version", "git_revision", "build_target", "compiler",
                                 "run_id", "created_utc", "command"})
    if (name != "run_id" || a.has(name)) j[name] = a.text(name);  // a file of no study has no run_id
  j["schema_version"] = a.integer("schema_version");
  if (a.has("seed")) j["seed"] = a.integer("seed");
  return j;
}

std::string percent(double share) {  // truncated, so that only what is exactly one reads 100 %
  return share == 1.0 ? "100 %" : fmt::format("{:.3f} %", std::floor(1e5 * share) / 1e3);
}

std::string onn_text(const Json& o) {
  std::string text = fmt::format(
      "network    {} servers, {} bits, {}: {} of {} words right, margin {:.3f} digit\n"
      "           {} MZIs ({} by full SVD, {:.2f} %), {} MZI columns in series\n",
      o["servers"].get<int>(), o["bits"].get<int>(), o["rounding"].get<std::string>(),
      percent(o["word_accuracy"].get<double>()), o["words"].get<long>(), o["margin"].get<double>(),
      o["mzi_count"].get<long>(), o["mzi_count_full_svd"].get<long>(),
      100.0 * o["mzi_count"].get<double>() / o["mzi_count_full_svd"].get<double>(), o["mzi_depth"].get<int>());
  if (o.contains("ideal_chip_word_accuracy"))
    text += fmt::format("ideal chip {} of words right through the light, {:.1e} digit from the network\n",
                        percent(o["ideal_chip_word_accuracy"].get<double>()),
                        o["ideal_chip_deviation"].get<double>());
  return text;
}

/// Width of a column of points: what most need, or more.
std::size_t label_width(const std::vector<std::string>& labels) {
  std::size_t width = 36;
  for (const std::string& label : labels) width = std::max(width, label.size());
  return width;
}

/// Means of the first metrics, one line per point and variant.
std::string trials_text(const Json& list, const StudyConfig& config, const TrialModel& model) {
  constexpr std::size_t columns = 6;
  std::vector<std::string> shown, further;
  for (const Quantity& q : model.quantities)
    if (!q.metric->counts && q.metric->name != "word_accuracy_all_words")
      (shown.size() < columns ? shown : further).emplace_back(q.metric->name);
  const auto wide = [](const std::string& name) { return std::max<std::size_t>(name.size(), 10); };
  const std::size_t variants = measured_variants(config).size();
  std::vector<std::string> labels;
  for (std::size_t p = 0; p < list.size() / variants; ++p) labels.push_back(point_label(config, p));
  const std::size_t width = label_width(labels);
  std::string text = fmt::format("{:<{}} {:<17} {:>6}", "mean over trials", width, "variant", "trials");
  for (const auto& name : shown) text += fmt::format(" {:>{}}", name, wide(name));
  for (std::size_t i = 0; i < list.size(); ++i) {
    const Json& entry = list[i];
    text += fmt::format("\n{:<{}} {:<17} {:>6}", i % variants == 0 ? labels[i / variants] : "", width,
                        entry["variant"].get<std::string>(), entry["trials"].get<std::size_t>());
    for (const auto& name : shown) {
      const auto found = entry.find(name + "_mean");
      std::string value = "-";
      if (found != entry.end())
        value = name == "word_accuracy" ? percent(found->get<double>())
                                        : fmt::format("{:.4g}", found->get<double>());
      text += fmt::format(" {:>{}}", value, wide(name));
    }
    if (entry.contains("yield"))
      text += fmt::format("  yield {:.4g} [{:.4g}, {:.4g}]", entry["yield"].get<double>(),
                          entry["yield_low"].get<double>(), entry["yield_high"].get<double>());
  }
  text += fmt::format(
      "\n{}intervals: optinc report or optinc-results show\n",
      further.empty() ? "" : fmt::format("also measured: {}; these and ", fmt::join(further, ", ")));
  return text;
}

std::string ablation_text(const Json& list) {
  const auto share = [](const Json& value) {
    return value.is_number() ? fmt::format("{:.4g}", value.get<double>()) : "-";
  };
  std::vector<std::string> labels;
  for (const Json& entry : list) labels.push_back(entry["point"].get<std::string>());
  const std::size_t width = label_width(labels);
  std::string text = fmt::format("\n{:<{}} {:<18} {:<18} {:>12} {:>14}\n", "variance shares at", width,
                                 "source", "variant", "alone", "all without it");
  for (const Json& entry : list)
    text += fmt::format("{:<{}} {:<18} {:<18} {:>12} {:>14}\n", entry["point"].get<std::string>(), width,
                        entry["source"].get<std::string>(), entry["variant"].get<std::string>(),
                        share(entry["share_alone"]), share(entry["share_without"]));
  return text;
}

std::string gradient_text(const Json& g) {
  std::string text =
      fmt::format("\ngradients  {} words x {} servers, classifier at {:.2f} % test accuracy; relative error\n",
                  g["words"].get<long>(), g["servers"].get<int>(), 100 * g["test_accuracy"].get<double>());
  const std::pair<const char*, const char*> paths[] = {
      {"exact", "exact average (by definition)"},
      {"quantised", "ideal quantisation"},
      {"network", "float64 network"},
      {"chip_uncorrected", "chip, uncorrected"},
      {"chip_corrected", "chip, corrected"},
      {"chip_noisy", "chip, corrected, receiver and lock noise"}};
  for (const auto& [key, name] : paths)
    text +=
        fmt::format("           {:<42} {:.5g}\n", name, g[fmt::format("relative_error_{}", key)].get<double>());
  return text;
}

std::string laws_text(const std::vector<LawVerdict>& verdicts) {
  std::string text = verdict_heading();
  for (const LawVerdict& v : verdicts) text += verdict_line(v);
  return text + verdict_summary(verdicts);
}

}  // namespace

Json inspect_json(const std::filesystem::path& path) {
  const File file = File::open(path);
  require_schema(file);
  const Group root = file.root();
  Json j;
  if (root.exists("onn")) j["onn"] = onn_summary(root.open("onn"));
  if (root.exists("trials")) {
    const StudyState state = read_state(path);
    j[has_network(state.config.model) ? "chips" : "meshes"] = trial_summaries(root.open("summary"), state);
    if (root.exists("ablation")) j["ablation"] = ablation_summary(root.open("ablation"), state);
    j["complete"] = root.attributes().integer("complete") == 1;
  }
  if (root.exists("gradient")) j["gradient"] = gradient_summary(root.open("gradient"));
  if (root.exists("laws")) {
    j["laws"] = Json::array();
    for (const LawVerdict& v : read_verdicts(root)) j["laws"].push_back(verdict_json(v));
  }
  j["provenance"] = provenance(file);
  return j;
}

std::string inspect_text(const std::filesystem::path& path) {
  const Json j = inspect_json(path);
  const Json& p = j["provenance"];
  const auto said = [&](const char* name) { return printable(p[name].get<std::string>(), '?'); };
  std::string text = fmt::format("{}\n{}{}{}, OptINC {} ({}, {})\nby {}\n\n", said("title"),
                                 p.contains("run_id") ? fmt::format("run {}, ", said("run_id")) : "",
                                 p.contains("seed") ? fmt::format("seed {}, ", p["seed"].get<long>()) : "",
                                 said("created_utc"), said("optinc_version"), said("git_revision"),
                                 said("build_target"), said("command"));
  if (j.contains("onn")) text += onn_text(j["onn"]);
  if (j.contains("complete")) {
    const StudyState state = read_state(path);
    if (!j["complete"].get<bool>())
      text += fmt::format(
          "NOT COMPLETE: {} of at most {} trials; go on with optinc resume, or merge the other shards\n",
          state.records->count(), trials_wanted(state.config, {}));
    if (j.contains("onn")) text += "\n";
    text += trials_text(j.contains("chips") ? j["chips"] : j["meshes"], state.config, layout_of(state));
  }
  if (j.contains("ablation")) text += ablation_text(j["ablation"]);
  if (j.contains("gradient")) text += gradient_text(j["gradient"]);
  if (j.contains("laws")) text += laws_text(read_verdicts(File::open(path).root()));
  return text;
}

}  // namespace optinc
