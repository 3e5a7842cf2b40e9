#include "experiments/study/shipped_networks.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <toml++/toml.h>

#include "experiments/base/shipped_files.hpp"
#include "experiments/files/hdf5/hdf5.hpp"
#include "experiments/files/hdf5/network_file.hpp"
#include "experiments/files/hdf5/provenance.hpp"
#include "experiments/study/stored_config.hpp"
#include "experiments/study/study_config.hpp"
#include "experiments/study/toml_values.hpp"
#include "physics/core/check.hpp"
#include "physics/core/names.hpp"
#include "physics/core/suggestion.hpp"

namespace optinc {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view prefix = "shipped/";
constexpr FormerName former[] = {{"shipped/foundry_noise_aware", "shipped/doped_heaters_noise_aware",
                                  "It is called \"shipped/doped_heaters_noise_aware\" now."}};

std::string training_text(const toml::table& config) {
  const double noise = config["training"]["noise"].value_or(0.0);
  const double weight_noise = config["training"]["matrix_noise"].value_or(0.0);
  std::vector<std::string> with;
  if (noise > 0)
    with.push_back(
        fmt::format("noise ({}), losses of {}", config["noise"]["set"].value_or("custom"),
                    present_name(config["chip"]["preset"].value_or("custom"), former_error_presets())));
  if (weight_noise > 0) with.push_back(fmt::format("weight noise {}", weight_noise));
  if (config["training"]["on_chips"].value_or(false)) with.push_back("simulated chips");
  return with.empty() ? "trained without errors" : fmt::format("trained with {}", fmt::join(with, ", "));
}

}  // namespace

std::vector<std::string> shipped_networks() {
  std::vector<std::string> names;
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(shipped_folder("networks"), none))
    if (entry.path().extension() == ".h5") names.push_back(std::string(prefix) + entry.path().stem().string());
  std::sort(names.begin(), names.end());
  return names;
}

std::string network_description(const std::string& source) {
  const File file = File::open(network_path(source));
  require_schema(file);
  const Group root = file.root();
  // not stored_config(): a network outlives keys that studies no longer have
  const toml::table config = parse_toml(root.attributes().text("config_toml"), {root.where()});
  std::string text = fmt::format("{}; {} MZIs; {}", fmt::join(load_network(root.open("network")).widths(), "-"),
                                 root.open("onn").attributes().integer("mzi_count"), training_text(config));
  const std::string parts =
      config["parts"]["set"].value_or(std::string("idealised"));  // what there was before it
  if (parts != default_parts && config["training"]["noise"].value_or(0.0) > 0)
    text += fmt::format("; parts.set = {}", toml_text(parts));
  constexpr std::array<std::string_view, 5> sections = {"task", "link", "receiver", "modulator", "time"};
  for (const FieldEntry& usual : config_entries(with_values({}, {{"parts.set", parts}}))) {
    const toml::node* node = config[usual.section][usual.info.key].node();
    if (node == nullptr || std::ranges::find(sections, usual.section) == sections.end()) continue;
    const std::optional<FieldValue> here = value_of(*node, usual.value);
    if (here && *here != usual.value) text += fmt::format("; {} = {}", usual.name(), toml_text(*here));
  }
  return text;
}

std::optional<Rounding> network_rounding(const std::string& source) {
  try {
    const File file = File::open(network_path(source));
    require_schema(file);
    return value_of_name<Rounding>(file.root().open("network").attributes().text("rounding"));
  } catch (const Error&) {  // its reader says why, where the network is asked for
    return std::nullopt;
  }
}

fs::path network_path(const std::string& source) {
  if (!source.starts_with(prefix)) return source;
  const auto names = shipped_networks();
  const std::vector<std::string_view> known(names.begin(), names.end());
  validate(!known.empty(), "{}: no network is shipped here ({} is not on this machine). Name a file.", source,
           shipped_folder("networks").string());
  validate(std::find(known.begin(), known.end(), source) != known.end(),
           "{}: no such network (shipped: {}). {}", source, join_names(known), remedy(source, known, former));
  return shipped_folder("networks") / (source.substr(prefix.size()) + ".h5");
}

}  // namespace optinc
