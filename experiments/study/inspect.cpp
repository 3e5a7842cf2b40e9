#include "experiments/study/inspect.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "experiments/config/study_config.hpp"
#include "experiments/store/hdf5.hpp"
#include "experiments/store/provenance.hpp"

namespace optinc {
namespace {

using Json = nlohmann::ordered_json;

double mean(std::span<const double> x) {
  return std::accumulate(x.begin(), x.end(), 0.0) / static_cast<double>(x.size());
}

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
            {"mzi_depth", a.integer("mzi_depth")},
            {"train_seconds", a.number("train_seconds")}};
  if (a.has("ideal_chip_word_accuracy")) {
    j["ideal_chip_word_accuracy"] = a.number("ideal_chip_word_accuracy");
    j["ideal_chip_deviation"] = a.number("ideal_chip_deviation");
  }
  return j;
}

/// One entry per level and variant.
Json chip_summaries(const Group& group) {
  const auto sigma = group.read<double>("level").values;
  const auto names = group.read<std::string>("variant").values;
  const std::size_t levels = sigma.size(), cases = names.size();
  const std::size_t chips = group.read<std::int64_t>("chip").values.size();
  const std::size_t layers = group.read<std::int64_t>("layer").values.size();
  const auto accuracy = group.read<double>("word_accuracy", {levels, cases, chips});
  const auto margin = group.read<double>("margin", {levels, cases, chips});
  const auto error = group.read<double>("matrix_error", {levels, cases, chips, layers});
  const auto in_phase = group.read<double>("matrix_error_in_phase", {levels, cases, chips, layers});
  const auto all_words = group.read<double>("word_accuracy_all_words", {levels, cases});
  Json list = Json::array();
  for (std::size_t i = 0; i < sigma.size() * names.size(); ++i) {
    const std::span trials(accuracy.data() + i * chips, chips);
    const std::span margins(margin.data() + i * chips, chips);
    list.push_back({{"sigma", sigma[i / names.size()]},
                    {"variant", names[i % names.size()]},
                    {"trials", chips},
                    {"word_accuracy_mean", mean(trials)},
                    {"word_accuracy_min", *std::min_element(trials.begin(), trials.end())},
                    {"chips_all_right", std::count(trials.begin(), trials.end(), 1.0)},
                    {"margin_min", *std::min_element(margins.begin(), margins.end())},
                    {"word_accuracy_all_words", all_words[i]},
                    {"matrix_error_mean", mean(std::span(error.data() + i * chips * layers, chips * layers))},
                    {"matrix_error_in_phase_mean",
                     mean(std::span(in_phase.data() + i * chips * layers, chips * layers))}});
  }
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
  return j;
}

Json provenance(const File& file) {
  const Attributes a = file.root().attributes();
  Json j;
  for (const char* name : {"title", "optinc_version", "git_revision", "build_target", "compiler", "run_id",
                           "created_utc", "command"})
    j[name] = a.text(name);
  j["schema_version"] = a.integer("schema_version");
  j["seed"] = a.integer("seed");
  return j;
}

std::string percent(double share) {  // truncated, so that only what is exactly one reads 100 %
  return share == 1.0 ? "100 %" : fmt::format("{:.3f} %", std::floor(1e5 * share) / 1e3);
}

std::string onn_text(const Json& o) {
  std::string text = fmt::format(
      "network    {} servers, {} bits, {}: {} of {} words right, margin {:.3f} digit\n"
      "           {} MZIs ({} by full SVD, {:.2f} %), {} MZI columns in series; trained in {:.1f} s\n",
      o["servers"].get<int>(), o["bits"].get<int>(), o["rounding"].get<std::string>(),
      percent(o["word_accuracy"].get<double>()), o["words"].get<long>(), o["margin"].get<double>(),
      o["mzi_count"].get<long>(), o["mzi_count_full_svd"].get<long>(),
      100.0 * o["mzi_count"].get<double>() / o["mzi_count_full_svd"].get<double>(), o["mzi_depth"].get<int>(),
      o["train_seconds"].get<double>());
  if (o.contains("ideal_chip_word_accuracy"))
    text += fmt::format("ideal chip {} of words right through the light, {:.1e} digit from the network\n",
                        percent(o["ideal_chip_word_accuracy"].get<double>()),
                        o["ideal_chip_deviation"].get<double>());
  return text;
}

std::string chips_text(const Json& chips) {
  std::string text =
      fmt::format("\nchips      {:>10} {:>12} {:>6} {:>10} {:>10} {:>10} {:>9} {:>9}\n", "sigma rad", "variant",
                  "chips", "mean", "worst", "all right", "error", "in phase");
  for (const auto& c : chips)
    text += fmt::format("           {:>10.4g} {:>12} {:>6} {:>10} {:>10} {:>10} {:>9.4f} {:>9.4f}\n",
                        c["sigma"].get<double>(), c["variant"].get<std::string>(), c["trials"].get<long>(),
                        percent(c["word_accuracy_mean"].get<double>()),
                        percent(c["word_accuracy_min"].get<double>()), c["chips_all_right"].get<long>(),
                        c["matrix_error_mean"].get<double>(), c["matrix_error_in_phase_mean"].get<double>());
  return text +
         "           (share of drawn words decoded exactly; chips with all of them right; relative matrix "
         "error, "
         "mean over layers)\n";
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

}  // namespace

Json inspect_json(const std::filesystem::path& path) {
  const File file = File::open(path);
  require_schema(file);
  Json j;
  if (file.root().exists("onn")) j["onn"] = onn_summary(file.group("onn"));
  if (file.root().exists("chips")) j["chips"] = chip_summaries(file.group("chips"));
  if (file.root().exists("gradient")) j["gradient"] = gradient_summary(file.group("gradient"));
  j["provenance"] = provenance(file);
  return j;
}

std::string inspect_text(const std::filesystem::path& path) {
  const Json j = inspect_json(path);
  const Json& p = j["provenance"];
  std::string text =
      fmt::format("{}\nrun {}, seed {}, {}, OptINC {} ({}, {})\nby {}\n\n", p["title"].get<std::string>(),
                  p["run_id"].get<std::string>(), p["seed"].get<long>(), p["created_utc"].get<std::string>(),
                  p["optinc_version"].get<std::string>(), p["git_revision"].get<std::string>(),
                  p["build_target"].get<std::string>(), p["command"].get<std::string>());
  if (j.contains("onn")) text += onn_text(j["onn"]);
  if (j.contains("chips")) text += chips_text(j["chips"]);
  if (j.contains("gradient")) text += gradient_text(j["gradient"]);
  return text;
}

}  // namespace optinc
