#include "experiments/io/netlist_file.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <optional>
#include <sstream>
#include <utility>

#include <yaml-cpp/yaml.h>

#include "experiments/io/text.hpp"
#include "experiments/io/touchstone.hpp"
#include "physics/circuit/circuit.hpp"
#include "physics/circuit/models.hpp"
#include "physics/core/check.hpp"
#include "physics/core/units.hpp"

namespace optinc {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_devices = 1'000'000, longest_netlist_name = 1000;
constexpr std::uintmax_t largest_netlist = std::uintmax_t{64} << 20;
constexpr double widest_turn_rad = 0.5;  // of a phase between two frequencies that a straight line may join

/// S of a measured block at some wavelengths.
Matrix interpolated(const ScatteringSpectrum& block, const std::string& file,
                    std::span<const double> wavelengths_m) {
  const std::vector<double>& known = block.frequency_hz;
  Matrix s(block.s.rows(), static_cast<Eigen::Index>(wavelengths_m.size()));
  for (std::size_t w = 0; w < wavelengths_m.size(); ++w) {
    const double hz = constants::speed_of_light_m_per_s / wavelengths_m[w];
    constexpr double rounding = 1e-9;  // of a frequency that was written as a wavelength
    validate(hz >= known.front() * (1 - rounding) && hz <= known.back() * (1 + rounding),
             "wavelength_m = {} ({:.9g} THz; {} goes from {:.9g} to {:.9g} THz). Stay inside.",
             wavelengths_m[w], hz / 1e12, file, known.front() / 1e12, known.back() / 1e12);
    const auto above = std::ranges::lower_bound(known, hz * (1 - rounding));
    const auto upper = static_cast<Eigen::Index>(above - known.begin());
    if (above == known.end() || *above <= hz * (1 + rounding)) {
      s.col(static_cast<Eigen::Index>(w)) = block.s.col(std::min(upper, block.s.cols() - 1));
      continue;
    }
    const auto from = block.s.col(upper - 1), to = block.s.col(upper);
    const double largest = from.cwiseAbs().maxCoeff();
    for (Eigen::Index e = 0; e < s.rows(); ++e)
      validate(std::abs(std::arg(to[e] * std::conj(from[e]))) <= widest_turn_rad ||
                   std::abs(from[e]) < 0.01 * largest || std::abs(to[e]) < 0.01 * largest,
               "wavelength_m = {} ({} turns a phase by {:.2g} rad from {:.9g} to {:.9g} THz; at most {} are "
               "interpolated). Measure more finely, or ask for its own frequencies.",
               wavelengths_m[w], file, std::abs(std::arg(to[e] * std::conj(from[e]))), *(above - 1) / 1e12,
               *above / 1e12, widest_turn_rad);
    const double share = (hz - *(above - 1)) / (*above - *(above - 1));
    for (Eigen::Index e = 0; e < s.rows();
         ++e)  // magnitude and phase each: a chord of the circle would lose light
      s(e, static_cast<Eigen::Index>(w)) =
          from[e] == Complex(0) ? share * to[e]
                                : from[e] * std::polar(1.0 + share * (std::abs(to[e] / from[e]) - 1.0),
                                                       share * std::arg(to[e] * std::conj(from[e])));
  }
  return s;
}

/// An instance of a netlist.
struct Element {
  std::string name;
  std::shared_ptr<const CircuitComponent> component;
  CircuitSettings settings;
  int line = 0;
};

/// Settings of every element, some of them changed.
std::vector<CircuitSettings> settings_of(const std::vector<Element>& elements, const std::string& file,
                                         const CircuitSettings& changed) {
  std::vector<CircuitSettings> settings;
  for (const Element& element : elements) settings.push_back(element.settings);
  for (const auto& [path, value] : changed) {
    const std::string name = path.substr(0, path.find('.'));
    const auto element = std::ranges::find(elements, name, &Element::name);
    validate(
        element != elements.end() && name.size() < path.size(),
        "setting \"{}\" (it reads INSTANCE.SETTING, of an instance of {}). Name an instance of the netlist.",
        path, file);
    settings[static_cast<std::size_t>(element - elements.begin())][path.substr(name.size() + 1)] = value;
  }
  return settings;
}

/// Scattering or emission of every element, without elements where it emits nothing. Those of one component
/// with the same settings are computed once.
std::vector<Matrix> of_all(const std::vector<Element>& elements, const std::string& file,
                           const std::vector<CircuitSettings>& settings, std::span<const double> wavelengths_m,
                           decltype(&CircuitComponent::scattering) what) {
  std::map<std::pair<const CircuitComponent*, CircuitSettings>, Matrix> known;
  std::vector<Matrix> of_elements;
  for (std::size_t e = 0; e < elements.size(); ++e) {
    auto [found, is_new] = known.try_emplace({elements[e].component.get(), settings[e]});
    const auto& compute = (*elements[e].component).*what;
    if (is_new && compute) try {
        found->second = compute(settings[e], wavelengths_m);
      } catch (const Error& error) {
        throw Error(
            fmt::format("{}:{}: instance \"{}\": {}", file, elements[e].line, elements[e].name, error.what()));
      }
    of_elements.push_back(found->second);
  }
  return of_elements;
}

/// Reads the netlists of one file.
class NetlistReader {
 public:
  NetlistReader(const fs::path& path, bool absorb) : path_(path), file_(path.string()), absorb_(absorb) {}

  CircuitComponent read() {
    std::error_code error;
    validate(fs::is_regular_file(path_, error),
             "{}: no such file (expected a netlist in YAML or JSON). Check the "
             "path.",
             file_);
    validate(fs::file_size(path_) <= largest_netlist,
             "{}: over 64 MiB (no netlist is that large). Check the path.", file_);
    std::ifstream in(path_, std::ios::binary);
    std::stringstream text;
    text << in.rdbuf();
    YAML::Node top;
    try {
      top = YAML::Load(text.str());
    } catch (const YAML::Exception& problem) {
      throw Error(fmt::format("{}:{}: {} (expected YAML or JSON). Correct the line.", file_,
                              problem.mark.line + 1, problem.msg));
    }
    validate(top.IsMap() && top.size() > 0,
             "{}: no netlist (expected a mapping with instances, connections and "
             "ports). See optinc circuit --help.",
             file_);
    files_.push_back(path_);
    if (top["instances"]) return with_files(circuit(top));
    for (const auto& part : top) parts_[text_of(part.first, "name of a netlist")] = part.second;
    const std::string first = text_of(top.begin()->first, "name of a netlist");
    open_.push_back(first);
    return with_files(circuit(parts_.at(first)));
  }

 private:
  CircuitComponent with_files(CircuitComponent made) {
    made.files = files_;
    return made;
  }

  template <class... Args>
  [[noreturn]] void refuse(const YAML::Node& at, fmt::format_string<Args...> what, Args&&... args) const {
    throw Error(fmt::format("{}:{}: {}", file_, line_of(at), fmt::format(what, std::forward<Args>(args)...)));
  }

  static int line_of(const YAML::Node& node) { return node.Mark().line + 1; }

  std::string text_of(const YAML::Node& node, std::string_view what) const {
    if (!node.IsScalar()) refuse(node, "{} is not text (expected a name). Write a name there.", what);
    const std::string& text = node.Scalar();
    if (std::ranges::any_of(text, [](unsigned char c) { return c < 0x20 || c == 0x7f; }) ||
        text.size() > longest_netlist_name)
      refuse(node, "{} holds control characters or is over {} long (a terminal shows it). Rename it.", what,
             longest_netlist_name);
    return text;
  }

  double number_of(const YAML::Node& node, std::string_view name) const {
    double value = NAN;
    if (!node.IsScalar() || !YAML::convert<double>::decode(node, value) || !std::isfinite(value))
      refuse(node,
             "setting {} is not a number (settings of models are finite numbers). Write one, in SI units.",
             name);
    return value;
  }

  /// Part of a netlist, a mapping; empty where it is left out.
  YAML::Node part(const YAML::Node& netlist, const char* name) const {
    const YAML::Node found = netlist[name];
    if (!found || found.IsNull()) return YAML::Node(YAML::NodeType::Map);
    if (!found.IsMap())
      refuse(found, "\"{}\" is not a mapping (see optinc circuit --help). Write its entries as NAME: VALUE.",
             name);
    return found;
  }

  InstancePort port_of(const YAML::Node& node) {
    const std::string text = text_of(node, "a port");
    const std::size_t comma = text.rfind(',');
    if (comma == text.npos)
      refuse(node, "\"{}\" is not a port (a port is \"INSTANCE,PORT\"). Write, for example, \"bus,in0\".",
             shown(text));
    const auto trimmed = [](std::string_view word) {
      const std::size_t first = word.find_first_not_of(' ');
      return first == word.npos ? std::string()
                                : std::string(word.substr(first, word.find_last_not_of(' ') - first + 1));
    };
    InstancePort port{trimmed(std::string_view(text).substr(0, comma)),
                      trimmed(std::string_view(text).substr(comma + 1))};
    line_of_port_[port] = line_of(node);
    return port;
  }

  /// Settings of an instance, those of instances inside it by their path.
  /// `visited`: entries so far.
  void take_settings(const YAML::Node& from, const std::string& prefix, std::size_t& visited,
                     CircuitSettings& into) const {
    if (!from.IsMap()) refuse(from, "settings are not a mapping (setting: value). Write {{SETTING: NUMBER}}.");
    constexpr std::size_t most_settings = 10'000,
                          longest_path = 1000;  // aliases of YAML may multiply and turn in circles
    for (const auto& entry : from) {
      if (++visited > most_settings || prefix.size() > longest_path)
        refuse(from, "over {} settings, or a path over {} characters. Use fewer.", most_settings, longest_path);
      const std::string name = prefix + text_of(entry.first, "a setting");
      if (entry.second.IsMap())
        take_settings(entry.second, name + ".", visited, into);
      else
        into[name] = number_of(entry.second, name);
    }
  }

  CircuitComponent circuit(const YAML::Node& netlist) {
    if (!netlist.IsMap())
      refuse(netlist,
             "a netlist is not a mapping (see optinc circuit --help). Write instances, connections and ports.");
    std::vector<Element> elements;
    Netlist wiring;
    wiring.absorb_unconnected = absorb_;
    CircuitComponent made;
    made.devices = 0;
    for (const auto& entry : part(netlist, "instances")) {
      elements.push_back(element(text_of(entry.first, "name of an instance"), entry.second));
      const CircuitComponent& component = *elements.back().component;
      wiring.instances.push_back({elements.back().name, component.ports});
      made.devices += component.devices;
      if (made.devices > most_devices)
        refuse(entry.first, "more than {} devices (components inside components multiply). Use fewer.",
               most_devices);
    }
    line_of_port_.clear();
    for (const auto& entry : part(netlist, "connections"))
      wiring.connections.emplace_back(port_of(entry.first), port_of(entry.second));
    if (const YAML::Node nets = netlist["nets"]; nets && !nets.IsNull()) {
      if (!nets.IsSequence())
        refuse(nets, "\"nets\" is not a list (of pairs p1, p2). Write - {{p1: \"a,out0\", p2: \"b,in0\"}}.");
      for (const auto& net : nets) {
        if (!net.IsMap() || !net["p1"] || !net["p2"])
          refuse(net, "a net without p1 and p2 (two ports). Write {{p1: \"a,out0\", p2: \"b,in0\"}}.");
        wiring.connections.emplace_back(port_of(net["p1"]), port_of(net["p2"]));
      }
    }
    for (const auto& entry : part(netlist, "ports")) {
      wiring.ports.emplace_back(text_of(entry.first, "name of a port"), port_of(entry.second));
      made.ports.push_back(wiring.ports.back().first);
    }
    const auto wired = [&] {
      try {
        return Circuit(std::move(wiring));
      } catch (const PortError& error) {
        const auto at = line_of_port_.find(error.port);
        const auto of = std::ranges::find(elements, error.port.instance, &Element::name);
        const int line = at != line_of_port_.end() ? at->second
                         : of != elements.end()    ? of->line
                                                   : line_of(netlist);
        throw Error(fmt::format("{}:{}: {}", file_, line, error.what()));
      } catch (const Error& error) {
        refuse(netlist, "{}", error.what());
      }
    };
    const auto circuit = std::make_shared<const Circuit>(wired());
    made.scattering = [circuit, elements, file = file_](const CircuitSettings& changed,
                                                        std::span<const double> wavelengths_m) {
      return circuit->scattering(of_all(elements, file, settings_of(elements, file, changed), wavelengths_m,
                                        &CircuitComponent::scattering));
    };
    made.warnings = [elements, file = file_](const CircuitSettings& changed) {
      std::vector<std::string> all;
      const auto settings = settings_of(elements, file, changed);
      for (std::size_t e = 0; e < elements.size(); ++e)
        if (const auto& of_component = elements[e].component->warnings)
          for (const std::string& line : of_component(settings[e]))
            all.push_back(elements[e].name + "." + line);
      return all;
    };
    if (std::ranges::none_of(elements, [](const Element& e) { return bool(e.component->emission); }))
      return made;
    made.emission = [circuit, elements, file = file_](const CircuitSettings& changed,
                                                      std::span<const double> wavelengths_m) {
      const auto settings = settings_of(elements, file, changed);
      return circuit->emission(of_all(elements, file, settings, wavelengths_m, &CircuitComponent::scattering),
                               of_all(elements, file, settings, wavelengths_m, &CircuitComponent::emission));
    };
    return made;
  }

  Element element(const std::string& name, const YAML::Node& given) {
    Element made;
    made.name = name;
    made.line = line_of(given);
    if (name.find_first_of(".,") != name.npos)
      refuse(given, "instance \"{}\" (names hold neither dot nor comma). Rename it.", shown(name));
    const YAML::Node component = given.IsMap() ? given["component"] : given;
    if (!component || !component.IsScalar())
      refuse(given, "instance \"{}\" names no component (expected a model's name). Add it.", shown(name));
    const std::string& kind = component.Scalar();
    YAML::Node settings(YAML::NodeType::Map);
    if (given.IsMap() && given["settings"] && !given["settings"].IsNull()) settings = given["settings"];
    if (kind == "touchstone") {
      made.component = measured_block(given, settings);
      return made;
    }
    std::size_t visited = 0;
    take_settings(settings, "", visited, made.settings);
    auto& known = components_[kind];
    if (!known) known = std::make_shared<const CircuitComponent>(component_of(kind, component));
    made.component = known;
    return made;
  }

  std::shared_ptr<const CircuitComponent> measured_block(const YAML::Node& given, const YAML::Node& settings) {
    if (!settings.IsMap() || settings.size() != 1 || !settings["file"])
      refuse(given, "a touchstone block has one setting, file (a path relative to the netlist). Give it.");
    const fs::path path = path_.parent_path() / text_of(settings["file"], "file");
    auto& known = components_["touchstone " + path.string()];
    if (known) return known;
    CircuitComponent made;
    auto block = std::make_shared<const ScatteringSpectrum>(read_touchstone_spectrum(path));
    files_.push_back(path);
    for (Eigen::Index p = 1; p <= block->ports(); ++p) made.ports.push_back(fmt::format("port{}", p));
    made.scattering = [block, file = path.string()](const CircuitSettings& changed,
                                                    std::span<const double> wavelengths_m) {
      validate(changed.empty(),
               "a touchstone block has no setting to change (a file measured it). Leave it out.");
      return interpolated(*block, file, wavelengths_m);
    };
    return known = std::make_shared<const CircuitComponent>(std::move(made));
  }

  CircuitComponent component_of(const std::string& kind, const YAML::Node& at) {
    if (const auto inner = parts_.find(kind); inner != parts_.end()) {
      if (std::ranges::find(open_, kind) != open_.end())
        refuse(at, "component \"{}\" contains itself ({}). Break the cycle.", shown(kind),
               fmt::join(open_, " > "));
      open_.push_back(kind);
      CircuitComponent made = circuit(inner->second);
      open_.pop_back();
      return made;
    }
    try {
      const CircuitModel& model = circuit_model(kind);
      CircuitComponent made{
          model.ports, 1, {}, [&model](const CircuitSettings& settings, std::span<const double> wavelengths_m) {
            return model_scattering(model, settings, wavelengths_m);
          }};
      if (model.emission_w_per_hz)
        made.emission = [&model](const CircuitSettings& settings, std::span<const double> wavelengths_m) {
          return model_emission(model, settings, wavelengths_m);
        };
      if (model.warnings)
        made.warnings = [&model](const CircuitSettings& settings) {
          std::vector<std::string> lines;
          for (const Warning& w : model_warnings(model, settings))
            lines.push_back(fmt::format("{}: {}", w.field, w.text));
          return lines;
        };
      return made;
    } catch (const Error& error) {
      refuse(at, "{}", error.what());
    }
  }

  fs::path path_;
  std::string file_;
  bool absorb_;
  std::map<std::string, YAML::Node> parts_;                                    ///< netlists of a hierarchy
  std::map<std::string, std::shared_ptr<const CircuitComponent>> components_;  ///< those known already
  std::vector<std::string> open_;                                              ///< netlists being read
  std::vector<fs::path> files_;                                                ///< those read
  std::map<InstancePort, int> line_of_port_;
};

}  // namespace

CircuitComponent read_netlist(const fs::path& path, bool absorb_unconnected) {
  return NetlistReader(path, absorb_unconnected).read();
}

}  // namespace optinc
