#include "experiments/files/readers/netlist.hpp"

#include <algorithm>
#include <cmath>
#include <exception>
#include <optional>
#include <tuple>
#include <utility>

#include "experiments/files/readers/text.hpp"
#include "experiments/files/readers/touchstone.hpp"
#include "physics/circuit/circuit.hpp"
#include "physics/circuit/models.hpp"
#include "physics/core/check.hpp"
#include "physics/core/names.hpp"
#include "physics/core/printable.hpp"
#include "physics/core/units.hpp"

namespace optinc {
namespace {

namespace fs = std::filesystem;
using Kind = DocumentNode::Kind;

constexpr std::size_t most_devices = 1'000'000, deepest_hierarchy = 100;
constexpr std::size_t largest_netlist = std::size_t{64} << 20;
// Between two frequencies of a block: a phase turns, or a weak element (of the largest) moves, by no more than
// this.
constexpr double widest_turn_rad = 0.5, widest_chord = 0.1;

/// How far outside its frequencies a block is still at its edge: what the digits of the file leave open.
double edge_hz(const ScatteringSpectrum& block) {
  const double most_hz = block.frequency_hz.back();
  constexpr double rounding = 1e-9, coarsest = 1e-7;  // of a frequency that was written as a wavelength; of any
  return std::clamp(block.digit_hz, rounding * most_hz, coarsest * most_hz);
}

/// S of a measured block at some wavelengths. `largest`: |S| of all its elements.
Matrix interpolated(const ScatteringSpectrum& block, double largest, const std::string& file,
                    std::span<const double> wavelengths_m) {
  const std::vector<double>& known = block.frequency_hz;
  const double edge = edge_hz(block);
  Matrix s(block.s.rows(), static_cast<Eigen::Index>(wavelengths_m.size()));
  for (std::size_t w = 0; w < wavelengths_m.size(); ++w) {
    const double asked = constants::speed_of_light_m_per_s / wavelengths_m[w];
    validate(asked >= known.front() - edge && asked <= known.back() + edge,
             "wavelength_m = {} ({:.12g} THz; {} goes from {:.12g} to {:.12g} THz). Stay inside.",
             wavelengths_m[w], asked / 1e12, file, known.front() / 1e12, known.back() / 1e12);
    const double hz = std::clamp(asked, known.front(), known.back());
    constexpr double rounding = 1e-9;
    const auto above = std::ranges::lower_bound(known, hz * (1 - rounding));
    const auto upper = static_cast<Eigen::Index>(above - known.begin());
    if (*above <= hz * (1 + rounding)) {
      s.col(static_cast<Eigen::Index>(w)) = block.s.col(upper);
      continue;
    }
    const auto from = block.s.col(upper - 1), to = block.s.col(upper);
    const double share = (hz - *(above - 1)) / (*above - *(above - 1));
    for (Eigen::Index e = 0; e < s.rows(); ++e) {
      const double turn = std::abs(std::arg(to[e] * std::conj(from[e])));
      validate(turn <= widest_turn_rad || std::abs(to[e] - from[e]) <= widest_chord * largest,
               "wavelength_m = {} ({} turns a phase by {:.2g} rad from {:.9g} to {:.9g} THz; at most {} are "
               "interpolated). Measure more finely, or ask for its own frequencies.",
               wavelengths_m[w], file, turn, *(above - 1) / 1e12, *above / 1e12, widest_turn_rad);
      // magnitude and phase each, because a chord of a circle would lose light; straight past a zero
      s(e, static_cast<Eigen::Index>(w)) =
          turn > widest_turn_rad || from[e] == Complex(0)
              ? from[e] + share * (to[e] - from[e])
              : from[e] * std::polar(1.0 + share * (std::abs(to[e] / from[e]) - 1.0),
                                     share * std::arg(to[e] * std::conj(from[e])));
    }
  }
  return s;
}

/// An instance of a netlist.
struct Element {
  std::string name;
  std::shared_ptr<const CircuitComponent> component;
  CircuitSettings settings;
  std::function<bool(const std::string&)> takes;  ///< settings, of a caller's model
  int line = 0;
};

/// The instances of a netlist, with the file that they stand in, if any.
struct Elements {
  std::vector<Element> all;
  std::map<std::string, std::size_t> by_name;
  std::string file;

  std::string where(int line) const { return file.empty() ? "" : fmt::format("{}:{}: ", file, line); }
};

/// Settings of every element, some of them changed.
std::vector<CircuitSettings> changed_settings(const Elements& elements, const CircuitSettings& changed) {
  std::vector<CircuitSettings> settings;
  for (const Element& element : elements.all) settings.push_back(element.settings);
  for (const auto& [path, value] : changed) {
    const std::string name = path.substr(0, path.find('.'));
    const auto element = elements.by_name.find(name);
    validate(
        element != elements.by_name.end() && name.size() < path.size(),
        "setting \"{}\" (it reads INSTANCE.SETTING, of an instance of {}). Name an instance of the netlist.",
        path, elements.file.empty() ? "the netlist" : elements.file);
    const Element& of = elements.all[element->second];
    const std::string setting = path.substr(name.size() + 1);
    validate(!of.takes || of.takes(setting),
             "setting \"{}\" (the model of instance \"{}\" does not take it). Leave it out.", path, name);
    settings[element->second].insert_or_assign(setting, value);
  }
  return settings;
}

/// Scattering or emission of every element, without elements where it emits nothing. Those of one component
/// with the same settings are computed once.
std::vector<Matrix> of_all(const Elements& elements, const std::vector<CircuitSettings>& settings,
                           std::span<const double> wavelengths_m,
                           decltype(&CircuitComponent::scattering) what) {
  std::map<std::pair<const CircuitComponent*, CircuitSettings>, Matrix> known;
  std::vector<Matrix> of_elements;
  for (std::size_t e = 0; e < elements.all.size(); ++e) {
    const Element& element = elements.all[e];
    auto [found, is_new] = known.try_emplace({element.component.get(), settings[e]});
    const auto& compute = (*element.component).*what;
    if (is_new && compute) try {
        found->second = compute(settings[e], wavelengths_m);
      } catch (const Error& error) {  // nested: a caller may want to know what its model said
        std::throw_with_nested(Error(printable(
            fmt::format("{}instance \"{}\": {}", elements.where(element.line), element.name, error.what()))));
      }
    of_elements.push_back(found->second);
  }
  return of_elements;
}

std::map<std::string, double> numbers_of(const CircuitSettings& settings) {
  std::map<std::string, double> numbers;
  for (const auto& [name, value] : settings) numbers[name] = value.number(name);
  return numbers;
}

/// Text without the blanks around it.
std::string unpadded(std::string_view text) {
  const std::size_t first = text.find_first_not_of(' ');
  return first == text.npos ? "" : std::string(text.substr(first, text.find_last_not_of(' ') - first + 1));
}

/// Reads the netlists of one document.
class NetlistReader {
 public:
  NetlistReader(const NetlistOptions& options, fs::path folder, std::string file)
      : options_(options), folder_(std::move(folder)), file_(std::move(file)) {}

  CircuitComponent read(const Document& top) {
    if (!top || top->kind != Kind::mapping || top->entries.empty())
      throw Error(
          fmt::format("{}no netlist (expected a mapping with instances, connections and ports). See optinc "
                      "circuit --help.",
                      file_.empty() ? "" : file_ + ": "));
    for (const auto& [name, line, given] : top->entries) parts_[name] = given.get();
    if (parts_.contains("instances")) {
      parts_.clear();
      return with_files(circuit(*top));
    }
    const auto& [first, line, netlist] = top->entries.front();
    if (netlist->kind != Kind::mapping || netlist->find("instances") == nullptr)
      refuse(line,
             "\"{}\" is no netlist (the first key of a hierarchy is the circuit itself, a mapping with "
             "\"instances\"). Put that first.",
             shown(first));
    open_.push_back(first);
    return with_files(circuit(*netlist));
  }

 private:
  CircuitComponent with_files(CircuitComponent made) {
    made.files = files_;
    return made;
  }

  std::string where(int line) const { return file_.empty() ? "" : fmt::format("{}:{}: ", file_, line); }

  template <class... Args>
  [[noreturn]] void refuse(int line, fmt::format_string<Args...> what, Args&&... args) const {
    throw Error(printable(where(line) + fmt::format(what, std::forward<Args>(args)...)));
  }

  /// Throws Error unless every key of a mapping is known.
  void require_keys(const DocumentNode& mapping, std::span<const std::string_view> known, const std::string& of,
                    std::string_view remedy) const {
    for (const auto& entry : mapping.entries)
      if (std::ranges::find(known, entry.key) == known.end())
        refuse(entry.line, "{} has the unknown key \"{}\" (known: {}). {}", of, shown(entry.key),
               join_names(known), remedy);
  }

  /// Entries of a part of a netlist, a mapping; none where it is left out.
  const std::vector<DocumentNode::Entry>& part(const DocumentNode& netlist, const char* name) const {
    static const std::vector<DocumentNode::Entry> none;
    const DocumentNode* const found = netlist.find(name);
    if (found == nullptr) return none;
    if (found->kind != Kind::mapping)
      refuse(found->line,
             "\"{}\" is not a mapping (see optinc circuit --help). Write its entries as NAME: VALUE.", name);
    return found->entries;
  }

  InstancePort port_of(const std::string& text, int line) {
    const std::size_t comma = text.rfind(',');
    if (comma == text.npos)
      refuse(line, "\"{}\" is not a port (a port is \"INSTANCE,PORT\"). Write, for example, \"bus,in0\".",
             shown(text));
    InstancePort port{unpadded(std::string_view(text).substr(0, comma)),
                      unpadded(std::string_view(text).substr(comma + 1))};
    line_of_port_[port] = line;
    return port;
  }

  InstancePort port_of(const DocumentNode& node, int line) {
    if (node.kind != Kind::text)
      refuse(line, "a port is not text (a port is \"INSTANCE,PORT\"). Write, for example, \"bus,in0\".");
    return port_of(node.text, line);
  }

  void read_nets(const DocumentNode& netlist, Netlist& wiring) {
    const DocumentNode* const nets = netlist.find("nets");
    if (nets == nullptr) return;
    if (nets->kind != Kind::list)
      refuse(nets->line,
             "\"nets\" is not a list (of pairs p1, p2). Write - {{p1: \"a,out0\", p2: \"b,in0\"}}.");
    for (const Document& net : nets->items) {
      const DocumentNode *const p1 = net->find("p1"), *const p2 = net->find("p2");
      if (p1 == nullptr || p2 == nullptr)
        refuse(net->line, "a net without p1 and p2 (two ports). Write {{p1: \"a,out0\", p2: \"b,in0\"}}.");
      constexpr std::string_view known[] = {"p1", "p2", "name", "settings"};
      require_keys(*net, known, "a net", "Write {p1: \"a,out0\", p2: \"b,in0\"}.");
      wiring.connections.push_back({port_of(*p1, net->line), port_of(*p2, net->line)});
    }
  }

  void require_sections(const DocumentNode& netlist) const {
    for (const auto& [key, line, routes] : netlist.entries)
      if (key == "routes" && routes->kind != Kind::null &&
          (routes->kind != Kind::mapping || !routes->entries.empty()))
        refuse(line,
               "routes are not read (a route has a length, which nobody states). Write their links as "
               "connections, such as \"a,out0\": \"b,in0\".");
    constexpr std::string_view known[] = {"instances", "connections", "nets",     "ports",
                                          "routes",    "placements",  "info",     "name",
                                          "pdk",       "settings",    "warnings", "schema_version"};
    require_keys(netlist, known, "the netlist", "Correct or remove it.");
  }

  Circuit wired(Netlist wiring, const Elements& elements, int line) const {
    try {
      return Circuit(std::move(wiring));
    } catch (const PortError& error) {
      const auto at = line_of_port_.find(error.port);
      const auto of = elements.by_name.find(error.port.instance);
      refuse(at != line_of_port_.end()      ? at->second
             : of != elements.by_name.end() ? elements.all[of->second].line
                                            : line,
             "{}", error.what());
    } catch (const Error& error) {
      refuse(line, "{}", error.what());
    }
  }

  CircuitComponent circuit(const DocumentNode& netlist) {
    if (netlist.kind != Kind::mapping)
      refuse(netlist.line,
             "a netlist is not a mapping (see optinc circuit --help). Write instances, connections and ports.");
    require_sections(netlist);
    const auto elements = std::make_shared<Elements>();
    elements->file = file_;
    Netlist wiring;
    wiring.absorb_unconnected = options_.absorb_unconnected;
    CircuitComponent made;
    made.devices = 0;
    for (const auto& [name, line, given] : part(netlist, "instances")) {
      elements->by_name[name] = elements->all.size();
      elements->all.push_back(element(name, line, *given));
      const CircuitComponent& component = *elements->all.back().component;
      wiring.instances.push_back({name, component.ports});
      made.instances.push_back(name);
      made.devices += component.devices;
      if (made.devices > most_devices)
        refuse(line, "more than {} devices (components inside components multiply). Use fewer.", most_devices);
    }
    line_of_port_.clear();
    for (const auto& [from, line, to] : part(netlist, "connections"))
      wiring.connections.push_back({port_of(from, line), port_of(*to, line)});
    read_nets(netlist, wiring);
    for (const auto& [name, line, inner] : part(netlist, "ports")) {
      wiring.ports.emplace_back(name, port_of(*inner, line));
      made.ports.push_back(name);
    }
    const auto circuit = std::make_shared<const Circuit>(wired(std::move(wiring), *elements, netlist.line));
    made.scattering = [circuit, elements](const CircuitSettings& changed,
                                          std::span<const double> wavelengths_m) {
      return circuit->scattering(of_all(*elements, changed_settings(*elements, changed), wavelengths_m,
                                        &CircuitComponent::scattering));
    };
    made.warnings = [elements](const CircuitSettings& changed) {
      std::vector<std::string> all;
      const auto settings = changed_settings(*elements, changed);
      for (std::size_t e = 0; e < elements->all.size(); ++e)
        if (const auto& of_component = elements->all[e].component->warnings)
          for (const std::string& line : of_component(settings[e]))
            all.push_back(elements->all[e].name + "." + line);
      return all;
    };
    if (std::ranges::none_of(elements->all, [](const Element& e) { return bool(e.component->emission); }))
      return made;
    made.emission = [circuit, elements](const CircuitSettings& changed, std::span<const double> wavelengths_m) {
      const auto settings = changed_settings(*elements, changed);
      return circuit->emission(of_all(*elements, settings, wavelengths_m, &CircuitComponent::scattering),
                               of_all(*elements, settings, wavelengths_m, &CircuitComponent::emission));
    };
    return made;
  }

  Element element(const std::string& name, int line, const DocumentNode& given) {
    Element made;
    made.name = name;
    made.line = line;
    const std::string of = fmt::format("instance \"{}\"", shown(name));
    if (name.find_first_of(".,") != name.npos)
      refuse(line, "{} (names hold neither dot nor comma). Rename it.", of);
    const DocumentNode* const component = given.kind == Kind::mapping ? given.find("component") : &given;
    if (component == nullptr || component->text.empty() || component->kind == Kind::object)
      refuse(line, "{} names no component (expected a model's name). Add it.", of);
    if (given.find("array") != nullptr)
      refuse(line,
             "{} is an array (arrays of instances are not read). Write each element as an instance of its own.",
             of);
    constexpr std::string_view known[] = {"component", "settings", "info", "array"};
    require_keys(given, known, of, "Settings of the device stand in settings: {SETTING: NUMBER}.");
    static const DocumentNode none{.kind = Kind::mapping};
    const DocumentNode* const settings = given.find("settings");
    if (settings != nullptr && settings->kind != Kind::mapping)
      refuse(settings->line, "{}: settings are not a mapping (setting: value). Write {{SETTING: NUMBER}}.", of);
    const auto inner = parts_.find(component->text);
    if (inner != parts_.end() && !options_.models.contains(component->text)) {
      of_instance(made, [&] { made.settings = settings_of(settings != nullptr ? *settings : none); });
      made.component = part_component(component->text, *inner->second, line);
    } else {
      of_instance(made, [&] { find_device(made, component->text, settings != nullptr ? *settings : none); });
    }
    return made;
  }

  /// Names the instance in errors of `read`.
  template <class Read>
  void of_instance(const Element& element, Read read) const {
    try {
      read();
    } catch (const Error& error) {
      std::throw_with_nested(Error(
          printable(fmt::format("{}instance \"{}\": {}", where(element.line), element.name, error.what()))));
    }
  }

  /// Settings and component of an instance that is no netlist.
  void find_device(Element& made, const std::string& kind, const DocumentNode& settings) {
    if (const auto model = options_.models.find(kind); model != options_.models.end()) {
      made.settings = settings_of(settings);
      made.takes = model->second.takes;
      if (made.takes)
        std::erase_if(made.settings, [&](const auto& setting) { return !made.takes(setting.first); });
      auto& known = of_caller_[{kind, made.settings}];
      if (!known) known = std::make_shared<const CircuitComponent>(model->second.component(made.settings));
      made.component = known;
    } else if (kind == "touchstone") {
      made.component = measured_block(settings);
    } else {
      made.settings = settings_of(settings);
      auto& known = components_[kind];
      if (!known) known = std::make_shared<const CircuitComponent>(model_component(kind));
      numbers_of(made.settings);
      made.component = known;
    }
  }

  /// A netlist of the hierarchy.
  std::shared_ptr<const CircuitComponent> part_component(const std::string& kind, const DocumentNode& netlist,
                                                         int line) {
    if (std::ranges::find(open_, kind) != open_.end())
      refuse(line, "component \"{}\" contains itself ({}). Break the cycle.", shown(kind),
             fmt::join(open_, " > "));
    if (open_.size() >= deepest_hierarchy)
      refuse(line, "component \"{}\" lies more than {} netlists deep (no circuit does). Flatten the hierarchy.",
             shown(kind), deepest_hierarchy);
    if (const auto& known = components_[kind]) return known;
    open_.push_back(kind);
    auto made = std::make_shared<const CircuitComponent>(circuit(netlist));
    open_.pop_back();
    return components_[kind] = made;
  }

  std::shared_ptr<const CircuitComponent> measured_block(const DocumentNode& settings) {
    const DocumentNode *const file = settings.find("file"), *const named = settings.find("convention");
    validate(
        file != nullptr && file->kind == Kind::text && settings.entries.size() == (named != nullptr ? 2 : 1),
        "a touchstone block has the settings file (a path relative to the netlist) and convention ({}). Give "
        "the file.",
        join_names(phase_convention_names()));
    std::optional<PhaseConvention> convention;
    if (named != nullptr) convention = phase_convention(named->text);
    const fs::path path = folder_ / file->text;
    auto& known =
        components_[fmt::format("touchstone {} {}", named != nullptr ? named->text : "", path.string())];
    if (known) return known;
    CircuitComponent made;
    auto block = std::make_shared<const ScatteringSpectrum>(read_touchstone_spectrum(path, convention));
    files_.push_back(path);
    for (Eigen::Index p = 1; p <= block->ports(); ++p) made.ports.push_back(fmt::format("port{}", p));
    made.scattering = [block, largest = block->s.cwiseAbs().maxCoeff(), shown_path = path.string()](
                          const CircuitSettings& changed, std::span<const double> wavelengths_m) {
      validate(changed.empty(),
               "a touchstone block has no setting to change (a file measured it). Leave it out.");
      return interpolated(*block, largest, shown_path, wavelengths_m);
    };
    return known = std::make_shared<const CircuitComponent>(std::move(made));
  }

  const NetlistOptions& options_;
  fs::path folder_;
  std::string file_;
  std::map<std::string, const DocumentNode*> parts_;                           ///< netlists of a hierarchy
  std::map<std::string, std::shared_ptr<const CircuitComponent>> components_;  ///< those known already
  std::map<std::pair<std::string, CircuitSettings>, std::shared_ptr<const CircuitComponent>> of_caller_;
  std::vector<std::string> open_;  ///< netlists being read
  std::vector<fs::path> files_;    ///< those read
  std::map<InstancePort, int> line_of_port_;
};

/// Adds the settings of a mapping under their paths. `visited`: entries so far.
void take_settings(const DocumentNode& from, const std::string& prefix, std::size_t& visited,
                   CircuitSettings& into) {
  constexpr std::size_t most_settings = 10'000, longest_path = 1000;  // aliases of YAML multiply
  for (const auto& [key, line, value] : from.entries) {
    validate(++visited <= most_settings && prefix.size() <= longest_path,
             "over {} settings, or a path over {} characters. Use fewer.", most_settings, longest_path);
    const std::string name = prefix + key;
    if (value->kind == Kind::mapping)
      take_settings(*value, name + ".", visited, into);
    else
      validate(into.emplace(name, SettingValue(value)).second, "setting {} stands there twice. Remove one.",
               name);
  }
}

}  // namespace

SettingValue::SettingValue(double number) {
  DocumentNode node;
  node.kind = Kind::number;
  node.number = number;
  node.text = fmt::format("{}", number);
  node_ = std::make_shared<const DocumentNode>(std::move(node));
}

double SettingValue::number(const std::string& setting) const {
  double value = node_->number;
  const bool is_number =
      node_->kind == Kind::number || (node_->kind == Kind::text && core_number(node_->text, value));
  const std::string what = node_->kind == Kind::text   ? fmt::format("\"{}\"", shown(node_->text))
                           : node_->kind == Kind::list ? "a list"
                                                       : shown(node_->text);
  validate(is_number && std::isfinite(value),
           "setting {} is {}, not a number (settings of models are finite numbers). Write one, in SI units.",
           setting, what);
  return value;
}

bool operator<(const SettingValue& a, const SettingValue& b) {
  const auto key = [](const SettingValue& value) {  // what has neither text nor object is only like itself
    const DocumentNode& node = value.node();
    const bool is_list = node.kind == Kind::list || node.kind == Kind::mapping;
    return std::tuple(node.kind, std::string_view(node.text),
                      is_list || node.kind == Kind::object ? static_cast<const void*>(&node) : nullptr);
  };
  return key(a) < key(b);
}

CircuitSettings settings_of(const DocumentNode& mapping) {
  CircuitSettings settings;
  std::size_t visited = 0;
  take_settings(mapping, "", visited, settings);
  return settings;
}

std::size_t wavelengths_at_once(const CircuitComponent& circuit) {
  constexpr std::size_t elements = std::size_t{1} << 22, per_device = 16, least = 16;
  return std::max(least, elements / (per_device * std::max<std::size_t>(circuit.devices, 1)));
}

CircuitComponent model_component(const std::string& name) {
  const CircuitModel& model = circuit_model(name);
  CircuitComponent made{
      model.ports, 1, {}, [&model](const CircuitSettings& settings, std::span<const double> wavelengths_m) {
        return model_scattering(model, numbers_of(settings), wavelengths_m);
      }};
  if (model.emission_w_per_hz)
    made.emission = [&model](const CircuitSettings& settings, std::span<const double> wavelengths_m) {
      return model_emission(model, numbers_of(settings), wavelengths_m);
    };
  if (model.warnings)
    made.warnings = [&model](const CircuitSettings& settings) {
      std::vector<std::string> lines;
      for (const Warning& w : model_warnings(model, numbers_of(settings)))
        lines.push_back(fmt::format("{}: {}", w.field, w.text));
      return lines;
    };
  return made;
}

CircuitComponent netlist_circuit(const Document& netlist, const NetlistOptions& options, const fs::path& folder,
                                 const std::string& file) {
  return NetlistReader(options, folder, file).read(netlist);
}

CircuitComponent read_netlist(const fs::path& path, const NetlistOptions& options) {
  const std::string file = path.string();
  const Document document = read_document(read_bytes(path, largest_netlist), file);
  CircuitComponent made = netlist_circuit(document, options, path.parent_path(), file);
  made.files.insert(made.files.begin(), path);
  return made;
}

}  // namespace optinc
