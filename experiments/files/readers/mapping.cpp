#include "experiments/files/readers/mapping.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "experiments/files/readers/netlist.hpp"
#include "experiments/files/readers/text.hpp"
#include "experiments/files/readers/toml_text.hpp"
#include "physics/circuit/models.hpp"
#include "physics/core/check.hpp"
#include "physics/core/names.hpp"
#include "physics/core/printable.hpp"

namespace optinc {
namespace {

namespace fs = std::filesystem;
using Kind = DocumentNode::Kind;

constexpr std::string_view constant = "constant", of_info = "info.";

/// Whether a name fits a pattern, in which * stands for any text and ? for one character.
bool fits(std::string_view name, std::string_view pattern) {
  if (pattern.empty()) return name.empty();
  if (pattern.front() == '*')
    return fits(name, pattern.substr(1)) || (!name.empty() && fits(name.substr(1), pattern));
  return !name.empty() && (pattern.front() == '?' || pattern.front() == name.front()) &&
         fits(name.substr(1), pattern.substr(1));
}

/// A setting of ours: a constant and settings of the PDK, each times a factor.
struct LinearSetting {
  double constant = 0.0;
  std::vector<std::pair<std::string, double>> factors;
};

/// Settings of ours by name.
using LinearSettings = std::map<std::string, LinearSetting>;

/// The settings that the model takes: computed ones, and those that were given under its own names.
CircuitSettings model_settings(const LinearSettings& linear, const std::set<std::string>& reads,
                               const CircuitSettings& given) {
  CircuitSettings settings;
  for (const auto& [name, of] : linear) {
    double value = of.constant;
    for (const auto& [setting, factor] : of.factors) value += factor * given.at(setting).number(setting);
    settings.emplace(name, value);
  }
  for (const auto& [name, value] : given)
    if (!reads.contains(name)) settings.insert_or_assign(name, value);
  return settings;
}

/// Reads a table of a mapping file.
class MappingReader {
 public:
  MappingReader(fs::path folder, std::string file) : folder_(std::move(folder)), file_(std::move(file)) {}

  /// What `call` returns; its errors name the component.
  template <class Call>
  auto told(int line, Call call) const {
    try {
      return call();
    } catch (const Error& error) {
      refuse(line, "{}", error.what());
    }
  }

  MappedComponent component(const std::string& name, int line, const DocumentNode& given) {
    of_ = fmt::format("component \"{}\"", shown(name));
    require_mapping(given, line, "model, ports and settings");
    constexpr std::string_view of_model[] = {"model", "ports", "settings", "defaults"},
                               of_circuit[] = {"instances", "connections", "ports",
                                               "settings",  "defaults",    "absorb_unconnected"};
    const bool is_circuit = given.find("instances") != nullptr;
    require_keys(given, is_circuit ? std::span<const std::string_view>(of_circuit) : of_model);
    MappedComponent made;
    made.name = name;
    CircuitComponent inner = is_circuit ? circuit(given) : model(given, line);
    LinearSettings linear = settings(given, made);
    if (const DocumentNode* const defaults = given.find("defaults")) {
      require_mapping(*defaults, line, "values of settings");
      for (const auto& [setting, at, value] : defaults->entries) {
        if (!made.reads.contains(setting))
          refuse(at, "default of \"{}\", which no setting reads. Remove it.", shown(setting));
        made.defaults[setting] = number(*value, at);
      }
    }
    made.component = std::make_shared<const CircuitComponent>(
        translated(std::move(inner), std::make_shared<const LinearSettings>(std::move(linear)), made.reads));
    CircuitSettings tried;  // which names settings that the model does not have, and impossible defaults
    for (const std::string& setting : made.reads)
      tried.emplace(setting, made.defaults.contains(setting) ? made.defaults.at(setting) : 1.0);
    const double at[] = {1.55e-6};
    told(line, [&] { return made.component->scattering(tried, at); });
    return made;
  }

  std::vector<std::string> patterns(const DocumentNode* list, std::string_view key) {
    std::vector<std::string> all;
    of_ = key;
    if (list == nullptr) return all;
    if (list->kind != Kind::list) refuse(list->line, "not a list of names. Write {} = [\"pad\"].", key);
    for (const Document& item : list->items) {
      if (item->kind != Kind::text || std::ranges::count(item->text, '*') > 2)
        refuse(list->line, "an entry is no name (text with at most two *). Correct it.");
      all.push_back(item->text);
    }
    return all;
  }

  template <class... Args>
  [[noreturn]] void refuse(int line, fmt::format_string<Args...> what, Args&&... args) const {
    throw Error(printable((file_.empty() ? "" : fmt::format("{}:{}: ", file_, line)) + of_ + ": " +
                          fmt::format(what, std::forward<Args>(args)...)));
  }

  void require_keys(const DocumentNode& table, std::span<const std::string_view> known) const {
    for (const auto& entry : table.entries)
      if (std::ranges::find(known, entry.key) == known.end())
        refuse(entry.line, "unknown key \"{}\" (known: {}). Correct or remove it.", shown(entry.key),
               join_names(known));
  }

  std::vector<fs::path> files;  ///< read

 private:
  void require_mapping(const DocumentNode& node, int line, std::string_view of) const {
    if (node.kind != Kind::mapping) refuse(line, "not a table (of {}). Write one.", of);
  }

  double number(const DocumentNode& node, int line) const {
    if (node.kind != Kind::number || !std::isfinite(node.number))
      refuse(line, "\"{}\" is not a number. Write one.", shown(node.text));
    return node.number;
  }

  CircuitComponent circuit(const DocumentNode& given) {
    const auto netlist = std::make_shared<DocumentNode>();
    netlist->kind = Kind::mapping;
    netlist->line = given.line;
    NetlistOptions options;
    for (const auto& entry : given.entries) {
      if (entry.key == "instances" || entry.key == "connections" || entry.key == "ports")
        netlist->entries.push_back(entry);
      if (entry.key == "absorb_unconnected") options.absorb_unconnected = entry.value->text == "true";
    }
    CircuitComponent made = netlist_circuit(netlist, options, folder_, file_);
    files.insert(files.end(), made.files.begin(), made.files.end());
    return made;
  }

  CircuitComponent model(const DocumentNode& given, int line) const {
    const DocumentNode *const model = given.find("model"), *const ports = given.find("ports");
    if (model == nullptr || model->kind != Kind::text || ports == nullptr || ports->kind != Kind::mapping)
      refuse(line,
             "no model or no ports (of optinc circuit --models). Write model = \"waveguide\" and ports "
             "= {{o1 = \"in0\", o2 = \"out0\"}}.");
    CircuitComponent made = told(line, [&] { return model_component(model->text); });
    std::vector<std::string> theirs(made.ports.size());
    for (const auto& [name, at, port] : ports->entries) {
      const auto found = std::ranges::find(made.ports, port->text);
      if (found == made.ports.end())
        refuse(at, "port \"{}\" stands for \"{}\", which {} does not have (its ports: {}). Name one of these.",
               shown(name), shown(port->text), model->text, fmt::join(made.ports, ", "));
      std::string& of = theirs[static_cast<std::size_t>(found - made.ports.begin())];
      if (!of.empty())
        refuse(at, "ports \"{}\" and \"{}\" both stand for {} (a port is one). Remove one.", shown(of),
               shown(name), port->text);
      of = name;
    }
    for (std::size_t p = 0; p < theirs.size(); ++p)
      if (theirs[p].empty())
        refuse(line, "no port stands for {} of {} (all of a model's are named). Name one.", made.ports[p],
               model->text);
    made.ports = std::move(theirs);
    return made;
  }

  LinearSettings settings(const DocumentNode& given, MappedComponent& made) const {
    LinearSettings linear;
    const DocumentNode* const all = given.find("settings");
    if (all == nullptr) return linear;
    require_mapping(*all, all->line, "settings of the model");
    for (const auto& [name, line, value] : all->entries) {
      LinearSetting& setting = linear[name];
      if (value->kind != Kind::mapping) {
        setting.constant = number(*value, line);
        continue;
      }
      for (const auto& [of, at, factor] : value->entries) {
        const double times = number(*factor, at);
        if (of == constant) {
          setting.constant = times;
        } else {
          setting.factors.emplace_back(of, times);
          made.reads.insert(of);
        }
      }
    }
    return linear;
  }

  static CircuitComponent translated(CircuitComponent inner, std::shared_ptr<const LinearSettings> linear,
                                     const std::set<std::string>& reads) {
    const auto with = [linear, reads](auto of) {
      return [linear, reads, of = std::move(of)](const CircuitSettings& given, auto... at) {
        return of(model_settings(*linear, reads, given), at...);
      };
    };
    inner.scattering = with(std::move(inner.scattering));
    inner.swept = {};   // its draws have settings of the kit
    inner.fields = {};  // its ports inside are not those of a netlist
    if (inner.placed_devices) inner.placed_devices = with(std::move(inner.placed_devices));
    if (inner.emission) inner.emission = with(std::move(inner.emission));
    if (inner.warnings) inner.warnings = with(std::move(inner.warnings));
    return inner;
  }

  fs::path folder_;
  std::string file_, of_;
};

}  // namespace

Mapping::Mapping(const Document& table, const fs::path& folder, const std::string& file) {
  MappingReader reader(folder, file);
  validate(table && table->kind == Kind::mapping,
           "{}no mapping (a table of components). Write [components.NAME].", file.empty() ? "" : file + ": ");
  constexpr std::string_view known[] = {"components", "components_without_light", "ports_without_light"};
  dark_ = reader.patterns(table->find("components_without_light"), "components_without_light");
  dark_ports_ = reader.patterns(table->find("ports_without_light"), "ports_without_light");
  reader.require_keys(*table, known);
  if (const DocumentNode* const components = table->find("components"))
    for (const auto& [name, line, given] : components->entries)
      components_.emplace(name, reader.component(name, line, *given));
  files = std::move(reader.files);
}

const MappedComponent* Mapping::find(const std::string& name) const {
  const auto found = components_.find(name);
  return found == components_.end() ? nullptr : &found->second;
}

bool Mapping::is_dark(const std::string& component) const {
  return std::ranges::any_of(dark_, [&](const std::string& pattern) { return fits(component, pattern); });
}

bool Mapping::is_dark_port(const std::string& port) const {
  return std::ranges::any_of(dark_ports_, [&](const std::string& pattern) { return fits(port, pattern); });
}

Mapping read_mapping(const fs::path& path) {
  const std::string file = path.string();
  const toml::table table = parse_toml(read_toml_file(path, "a mapping is a TOML file"), {file});
  Mapping mapping(document_of(table, file), path.parent_path(), file);
  mapping.files.insert(mapping.files.begin(), path);
  return mapping;
}

CircuitSettings mapped_settings(const MappedComponent& mapped, const CircuitSettings& settings,
                                const CircuitSettings& info, std::set<std::string>& not_read) {
  CircuitSettings taken;
  const auto value_in = [](const CircuitSettings& all, const std::string& name) -> const SettingValue* {
    const auto found = all.find(name);
    return found == all.end() || found->second.node().kind == Kind::null ? nullptr : &found->second;
  };
  for (const std::string& name : mapped.reads) {
    const bool is_info = name.starts_with(of_info);
    const SettingValue* value =
        is_info ? value_in(info, name.substr(of_info.size())) : value_in(settings, name);
    if (value == nullptr && !is_info) value = value_in(info, name);
    const auto usual = mapped.defaults.find(name);
    validate(value != nullptr || usual != mapped.defaults.end(),
             "setting {} is missing (the mapping of \"{}\" reads it). Write it, or a default in the mapping.",
             name, mapped.name);
    if (value != nullptr) value->number(name);
    taken.emplace(name, value != nullptr ? *value : SettingValue(usual->second));
  }
  for (const auto& [name, value] : settings)
    if (!mapped.reads.contains(name)) not_read.insert(name);
  return taken;
}

}  // namespace optinc
