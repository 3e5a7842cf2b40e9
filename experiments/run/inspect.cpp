#include "experiments/run/inspect.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <toml++/toml.h>

#include "experiments/base/text_table.hpp"
#include "experiments/files/hdf5/hdf5.hpp"
#include "experiments/files/hdf5/provenance.hpp"
#include "experiments/run/gradient_transfer.hpp"
#include "experiments/run/state.hpp"
#include "experiments/run/trials/statistics.hpp"
#include "experiments/study/points.hpp"
#include "experiments/study/toml_values.hpp"
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

/// A dataset of `summary` of this many numbers.
std::vector<double> summary_of(const Group& summary, const std::string& name, std::size_t size) {
  std::vector<double> values = summary.read<double>(name).values;
  validate(values.size() == size, "{}: {} values (the trials have {}). Use another copy.", summary.where(name),
           values.size(), size);
  return values;
}

/// Stored mean and interval of a quantity, [point][variant]; of a quantity by layer the mean over the layers
/// alone. Beside them least and largest over the trials of a point.
void add_quantity(Json& list, const Group& summary, const Quantity& q, const Records& records) {
  const std::string name(q.metric->name);
  const std::size_t variants = q.shape.front(), each = q.size() / variants;
  const auto stored = [&](const char* suffix) {
    return summary_of(summary, name + suffix, records.points * q.size());
  };
  const std::vector<double> mean = stored("_mean"), low = stored("_mean_low"), high = stored("_mean_high");
  for (std::size_t i = 0; i < list.size(); ++i) {
    Json& j = list[i];
    std::vector<double> values;
    for (std::size_t c = 0; c < each; ++c) {
      const auto cell = records.cell(i / variants, q.offset + i % variants * each + c);
      values.insert(values.end(), cell.begin(), cell.end());
    }
    if (values.empty()) continue;
    j[name + "_mean"] = each > 1 ? mean_of(values) : mean[i];
    if (each > 1) continue;
    if (values.size() > 1) {
      j[name + "_mean_low"] = low[i];
      j[name + "_mean_high"] = high[i];
    }
    j[name + "_min"] = *std::min_element(values.begin(), values.end());
    j[name + "_max"] = *std::max_element(values.begin(), values.end());
    if (name == "word_accuracy") j["chips_all_right"] = std::count(values.begin(), values.end(), 1.0);
  }
}

/// A metric by layer has a yield for each, which the file holds.
void add_yield(Json& list, const Group& summary) {
  if (!summary.exists("yield") || summary.read<double>("yield").values.size() != list.size()) return;
  for (const char* name : {"yield", "yield_low", "yield_high"}) {
    const std::vector<double> values = summary_of(summary, name, list.size());
    for (std::size_t i = 0; i < list.size(); ++i) list[i][name] = values[i];
  }
}

/// One entry per point and variant.
Json trial_summaries(const Group& summary, const StudyState& state) {
  Json list = Json::array();
  for (std::size_t p = 0; p < state.records->points; ++p)
    for (const auto& variant : measured_variants(state.config)) {
      Json& j = list.emplace_back(point_keys(state.config, p));
      j["variant"] = variant;
      j["trials"] = state.records->count(p);
    }
  for (const TrialModel model = layout_of(state); const Quantity& q : model.quantities)
    if (!q.metric->counts()) add_quantity(list, summary, q, *state.records);
  add_yield(list, summary);
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

Json cost_summary(const Group& group) {
  Json j;
  for (const char* name : {"static_power_w", "most_gain_db"}) j[name] = group.attributes().number(name);
  return j;
}

/// What is said of every network of several: what asks for it, `onn`, and `gradient` and `cost` where measured.
Json network_summaries(const Group& root, const StudyInputs& inputs) {
  Json list = Json::array();
  for (std::size_t i = 0; i < inputs.networks.size(); ++i) {
    const Group group = root.open(network_group(i));
    Json& j = list.emplace_back(onn_summary(group.open("onn")));
    j["source"] = parse_toml(inputs.networks[i].identity, {group.where()})["network"]["source"].value_or(
        std::string("?"));
    j["identity"] = inputs.networks[i].identity;
    if (group.exists("gradient")) j["gradient"] = gradient_summary(group.open("gradient"));
    if (group.exists("cost")) j["cost"] = cost_summary(group.open("cost"));
  }
  return list;
}

Json provenance(const File& file) {
  const Attributes a = file.root().attributes();
  Json j;
  for (const std::string name : {"title", "optinc_version", "git_revision", "build_target", "compiler",
                                 "run_id", "created_utc", "command"})
    if (name != "run_id" || a.has(name)) j[name] = a.text(name);  // a file of no study has no run_id
  if (a.has("git_revisions")) j["git_revisions"] = a.text("git_revisions");
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

/// A share with five significant digits of itself and of what is missing to 1: only 1 reads 1. A formula's rate
/// of 1e-225 is told as less than any count of words could show.
std::string share_text(double share) {
  if (share > 0.0 && share < 1e-15) return "<1e-15";
  if (!(share > 0.5 && share < 1.0)) return fmt::format("{:.5g}", share);
  const int decimals = std::min(4 - static_cast<int>(std::floor(std::log10(1 - share))), 16);
  std::string text = fmt::format("{:.{}f}", share, decimals);
  return text.erase(text.find_last_not_of('0') + 1);
}

/// What a column of points says of one: `key = value, key = value`, wrapped between keys only.
std::string point_text(const std::string& label) {
  std::string text;
  for (std::size_t at = 0; at < label.size(); ++at)
    if (label.compare(at, 3, " = ") == 0) {
      text += "\u00a0=\u00a0";
      at += 2;
    } else {
      text += label[at];
    }
  return text;
}

/// Heading and width of a column of points.
TextColumn point_column(std::string heading) {
  constexpr std::size_t most = 48;
  return {std::move(heading), Align::left, most};
}

/// Means of the first metrics, one line per point and variant.
std::string trials_text(const Json& list, const StudyConfig& config, const TrialModel& model) {
  constexpr std::size_t most = 6, keys = 3;
  std::vector<std::string> shown, further;
  for (const Quantity& q : model.quantities)
    if (!q.metric->counts() && !q.metric->trial_0_only)
      (shown.size() < most ? shown : further).emplace_back(q.metric->name);
  std::vector<TextColumn> columns = {point_column("mean over trials"), {"variant", Align::left}, {"trials"}};
  for (const std::string& name : shown) columns.push_back({name});
  const bool yields = !list.empty() && list.front().contains("yield");
  if (yields) columns.insert(columns.end(), {{"yield"}, {"95 % interval"}});
  const std::size_t variants = measured_variants(config).size();
  std::vector<std::vector<std::string>> rows;
  for (std::size_t i = 0; i < list.size(); ++i) {
    const Json& entry = list[i];
    std::vector<std::string> row = {i % variants == 0 ? point_text(point_label(config, i / variants)) : "",
                                    entry["variant"].get<std::string>(),
                                    std::to_string(entry["trials"].get<std::size_t>())};
    for (const std::string& name : shown) {
      const auto found = entry.find(name + "_mean");
      row.push_back(found == entry.end() ? "-"
                    : is_share(name)     ? share_text(found->get<double>())
                                         : fmt::format("{:.5g}", found->get<double>()));
    }
    if (yields) {
      row.push_back(share_text(entry["yield"].get<double>()));
      row.push_back(fmt::format("[{}, {}]", share_text(entry["yield_low"].get<double>()),
                                share_text(entry["yield_high"].get<double>())));
    }
    rows.push_back(std::move(row));
  }
  std::string text = text_table(columns, rows, keys);
  if (!further.empty()) text += hanging_text("also measured:", fmt::format("{}", fmt::join(further, ", ")), 15);
  return text + "intervals: optinc report or optinc-results show\n";
}

std::string ablation_text(const Json& list) {
  const auto share = [](const Json& value) {
    return value.is_number() ? fmt::format("{:.4g}", value.get<double>()) : "-";
  };
  const std::vector<TextColumn> columns = {point_column("variance shares at"),
                                           {"source", Align::left},
                                           {"variant", Align::left},
                                           {"alone"},
                                           {"all without it"}};
  std::vector<std::vector<std::string>> rows;
  for (const Json& entry : list)
    rows.push_back({point_text(entry["point"].get<std::string>()), entry["source"].get<std::string>(),
                    entry["variant"].get<std::string>(), share(entry["share_alone"]),
                    share(entry["share_without"])});
  return "\n" + text_table(columns, rows, 3);
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

/// A line for every network.
std::string networks_text(const Json& list) {
  std::vector<TextColumn> columns = {
      {"", Align::right}, {"network", Align::left}, {"MZIs"}, {"right, no noise"}, {"margin"}};
  const bool gradients = list.front().contains("gradient");
  if (gradients) columns.push_back({"gradient error"});
  const bool costs = list.front().contains("cost");
  if (costs) columns.insert(columns.end(), {{"static W"}, {"worst loss (dB)"}});
  std::vector<std::vector<std::string>> rows;
  for (const Json& j : list) {
    rows.push_back({std::to_string(rows.size()), j["source"].get<std::string>(),
                    std::to_string(j["mzi_count"].get<long>()), percent(j["word_accuracy"].get<double>()),
                    fmt::format("{:.3f}", j["margin"].get<double>())});
    if (gradients)
      rows.back().push_back(fmt::format("{:.5g}", j["gradient"]["relative_error_chip_noisy"].get<double>()));
    if (costs) {
      rows.back().push_back(fmt::format("{:.3g}", j["cost"]["static_power_w"].get<double>()));
      rows.back().push_back(fmt::format("{:.3g}", j["cost"]["most_gain_db"].get<double>()));
    }
  }
  return text_table(columns, rows, 2) + "\n";
}

}  // namespace

Json inspect_json(const std::filesystem::path& path, std::span<const InspectedGroup> others) {
  const File file = File::open(path);
  require_schema(file);
  const Group root = file.root();
  Json j;
  if (root.exists("onn")) j["onn"] = onn_summary(root.open("onn"));
  if (root.exists("trials")) {
    const StudyState state = read_state(path);
    j[model_of(state.config).list] = trial_summaries(root.open("summary"), state);
    if (root.exists("networks")) j["networks"] = network_summaries(root, *state.inputs);
    if (root.exists("ablation")) j["ablation"] = ablation_summary(root.open("ablation"), state);
    j["complete"] = root.attributes().integer("complete") == 1;
  }
  if (root.exists("gradient")) j["gradient"] = gradient_summary(root.open("gradient"));
  if (root.exists("cost")) j["cost"] = cost_summary(root.open("cost"));
  for (const InspectedGroup& other : others)
    if (root.exists(other.name)) j[other.name] = other.json(root);
  j["provenance"] = provenance(file);
  return j;
}

std::string inspect_text(const std::filesystem::path& path, std::span<const InspectedGroup> others) {
  const Json j = inspect_json(path, others);
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
          "NOT COMPLETE: {} of at most {} trials; continue with optinc resume, or merge the other shards\n",
          state.records->count(), trials_wanted(state.config, {}));
    if (j.contains("onn")) text += "\n";
    if (j.contains("networks")) text += networks_text(j["networks"]);
    text += trials_text(j[model_of(state.config).list], state.config, layout_of(state));
  }
  if (j.contains("ablation")) text += ablation_text(j["ablation"]);
  if (j.contains("gradient")) text += gradient_text(j["gradient"]);
  if (j.contains("cost"))
    text += fmt::format("static power: {:.3g} W; worst loss between regenerations: {:.3g} dB\n",
                        j["cost"]["static_power_w"].get<double>(), j["cost"]["most_gain_db"].get<double>());
  const File file = File::open(path);
  for (const InspectedGroup& other : others)
    if (j.contains(other.name)) text += other.text(file.root());
  return text;
}

}  // namespace optinc
