#include "experiments/cli/listing.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <vector>

#include <fmt/format.h>

#include "experiments/engine/config/study_config.hpp"
#include "experiments/engine/config/study_model.hpp"
#include "experiments/engine/config/study_names.hpp"
#include "experiments/engine/process/text_table.hpp"
#include "experiments/engine/study/shipped_files.hpp"
#include "experiments/engine/study/shipped_networks.hpp"
#include "experiments/engine/study/shipped_studies.hpp"
#include "physics/core/check.hpp"
#include "physics/core/names.hpp"

namespace optinc {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t indent = 27;

/// `  NAME  description` under a hanging indent.
std::string described(std::string_view name, std::string_view description) {
  return hanging_text(fmt::format("  {}", name), description, indent);
}

/// The first comment of a study: what it is for.
std::string first_comment(const fs::path& study) {
  std::ifstream file(study);
  std::string line;
  while (std::getline(file, line))
    if (line.starts_with("# ")) return line.substr(2);
  return "";
}

std::string studies_text() {
  const fs::path folder = shipped_folder("studies");
  std::error_code none;
  std::string text = fmt::format("studies ({})\n", folder.string());
  if (!fs::is_directory(folder, none))
    return text + "  not found: this build's studies are not installed on this machine\n";
  for (const std::string& name : shipped_studies())
    text += described(name, first_comment(folder / (name + ".toml")));
  return text;
}

/// Of a damaged or newer file, why it cannot be read: the others are listed all the same.
std::string described_network(const std::string& name) {
  try {
    return network_description(name);
  } catch (const Error& error) {
    return error.what();
  }
}

std::string networks_text() {
  constexpr std::size_t behind_names = 43;
  std::string text =
      "trained networks for network.source: widths of layers; MZIs; what their last training met; keys of\n"
      "task, link and devices that are not the defaults\n";
  for (const std::string& name : shipped_networks())
    text += hanging_text("  " + name, described_network(name), behind_names);
  return text;
}

std::string presets_text() {
  std::string text = "chip presets (optinc explain chip.preset)\n";
  for (const auto name : error_preset_names()) {
    StudyConfig config;
    config.chip = error_preset(name);
    std::string values;
    for (const FieldEntry& entry : config_entries(config))
      if (entry.section == "chip" && entry.info.key != "preset")
        values += fmt::format("{}{} {}", values.empty() ? "" : ", ", entry.info.key, toml_text(entry.value));
    text += described(name, values);
  }
  return text;
}

std::string models_text() {
  std::string text;
  for (const StudyModel& model : study_models()) {
    text += fmt::format("model {}: a trial simulates {}; metrics\n", model.name, model.simulates);
    for (const Metric& metric : model.metrics)
      text += described(metric.name, fmt::format("{} [{}]", metric.long_name, metric.unit));
    std::vector<std::string_view> ways;
    for (const VariantName& variant : model.variants) ways.push_back(variant.name);
    text += hanging_text("  variants:", join_names(ways), 12);
  }
  return text;
}

std::string devices_text() {
  return "devices of the light path, and the section of a study that configures each\n"
         "(published devices: optinc devices)\n"
         "  PAM4 modulator, fibre lock    [link]      launch power, phase-lock error\n"
         "  power divider (unit P)        [task]      number of servers\n"
         "  coupler, phase shifter, DAC   [chip]      splitter error, calibration, loss, DAC bits, phase "
         "noise\n"
         "  mesh of MZIs, attenuators     [chip]      errors drawn per chip; [mesh] for a single mesh\n"
         "  homodyne receiver, amplifier  [receiver]  local oscillator, responsivity, noise, bandwidth;\n"
         "                                [noise]     switches for the noise sources\n"
         "  environment of a chip         [drift]     ambient, die and laser; recalibration (model drift)\n";
}

std::string sources_text() {
  std::string text =
      "error sources that an ablation switches off, and the keys that it sets to zero or false\n";
  for (const FieldEntry& entry : config_entries({}))
    if (!entry.info.ablation.empty()) text += described(entry.info.ablation, entry.name());
  return text;
}

}  // namespace

std::string listing() {
  return studies_text() + "\n" + networks_text() + "\n" + devices_text() + "\n" + presets_text() + "\n" +
         models_text() + "\n" + sources_text() + "\n" + hanging_text("figures:", join_names(figure_names()), 9);
}

}  // namespace optinc
