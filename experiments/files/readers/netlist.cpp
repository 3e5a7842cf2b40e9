#include "experiments/files/readers/netlist.hpp"

#include <algorithm>
#include <cmath>
#include <exception>
#include <optional>
#include <set>
#include <utility>

#include "experiments/files/readers/elements.hpp"
#include "experiments/files/readers/measured_block.hpp"
#include "experiments/files/readers/spice_netlist.hpp"
#include "experiments/files/readers/text.hpp"
#include "physics/circuit/circuit.hpp"
#include "physics/circuit/models.hpp"
#include "physics/core/check.hpp"
#include "physics/core/names.hpp"
#include "physics/core/printable.hpp"

namespace optinc {
namespace {

namespace fs = std::filesystem;
using Kind = DocumentNode::Kind;

constexpr std::size_t most_devices = 1'000'000, deepest_hierarchy = 100;
constexpr std::size_t largest_netlist = std::size_t{64} << 20;

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
      return finished(circuit(*top));
    }
    const auto& [first, line, netlist] = top_of(*top);
    if (netlist->kind != Kind::mapping || netlist->find("instances") == nullptr)
      refuse(line,
             "\"{}\" is no netlist (the first key of a hierarchy is the circuit itself, a mapping with "
             "\"instances\"). Put that first.",
             shown(first));
    open_.push_back(first);
    return finished(circuit(*netlist));
  }

 private:
  CircuitComponent finished(CircuitComponent made) {
    for (const Mapping& mapping : options_.mappings)
      files_.insert(files_.end(), mapping.files.begin(), mapping.files.end());
    made.files = files_;
    made.not_read.assign(not_read_.begin(), not_read_.end());
    return made;
  }

  /// The circuit of a hierarchy: its first netlist that no other uses. Files that gdsfactory writes are in the
  /// order of the alphabet.
  static const DocumentNode::Entry& top_of(const DocumentNode& hierarchy) {
    std::set<std::string> used;
    for (const auto& entry : hierarchy.entries)
      if (const DocumentNode* const instances = entry.value->find("instances"))
        for (const auto& instance : instances->entries) {
          const DocumentNode* const component =
              instance.value->kind == Kind::mapping ? instance.value->find("component") : instance.value.get();
          if (component != nullptr && component->text != entry.key) used.insert(component->text);
        }
    const auto top =
        std::ranges::find_if(hierarchy.entries, [&](const auto& entry) { return !used.contains(entry.key); });
    return top != hierarchy.entries.end() ? *top : hierarchy.entries.front();
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
    if (port.port.starts_with('#') && port.port.find_first_not_of("0123456789", 1) == std::string::npos &&
        port.port.size() > 1 && port.port.size() < 6)
      port.port = port_at(port, line);
    line_of_port_[port] = line;
    const auto of = elements_->by_name.find(port.instance);
    if (of != elements_->by_name.end() && elements_->all[of->second.front()].name != port.instance)
      refuse(line, "\"{}\" is a port of an array (its elements have the ports). Name one, such as \"{},{}\".",
             shown(text), elements_->all[of->second.front()].name, shown(port.port));
    return port;
  }

  /// Name of the port "#1" of a netlist of SPICE: of a model or a component of a kit, in the order of names
  /// ("o2" before "o10"); of a subcircuit, of its pins.
  std::string port_at(const InstancePort& port, int line) const {
    const auto of = elements_->by_name.find(port.instance);
    if (of == elements_->by_name.end()) return port.port;  // one without light
    const Element& element = elements_->all[of->second.front()];
    std::vector<std::string> names = element.component->ports;
    if (element.component->instances.empty())
      std::ranges::sort(names, {}, [](const std::string& name) { return std::pair(name.size(), name); });
    const std::size_t number = std::stoul(port.port.substr(1));
    if (number > names.size())
      refuse(line, "instance \"{}\" has {} ports, and net {} (ports: {}). Correct the line.", port.instance,
             names.size(), number, fmt::join(names, ", "));
    return names[number - 1];
  }

  InstancePort port_of(const DocumentNode& node, int line) {
    if (node.kind != Kind::text)
      refuse(line, "a port is not text (a port is \"INSTANCE,PORT\"). Write, for example, \"bus,in0\".");
    return port_of(node.text, line);
  }

  /// Two ports that face each other, unless one of them carries no light.
  void connect(const InstancePort& a, const InstancePort& b, Netlist& wiring) {
    if (is_lit(a) && is_lit(b)) wiring.connections.emplace_back(a, b);
  }

  /// Whether a port carries light. One that does not, by a mapping, is noted.
  bool is_lit(const InstancePort& port) {
    if (dark_.contains(port.instance.substr(0, port.instance.find('<')))) return false;
    const auto of = elements_->by_name.find(port.instance);
    const bool has_port =
        of != elements_->by_name.end() &&
        std::ranges::count(elements_->all[of->second.front()].component->ports, port.port) > 0;
    const bool dark =
        of != elements_->by_name.end() && !has_port &&
        std::ranges::any_of(options_.mappings, [&](const Mapping& m) { return m.is_dark_port(port.port); });
    if (dark) not_read_.insert(fmt::format("port {}", shown(port.port)));
    return !dark;
  }

  /// Pairs of ports of a mapping.
  void read_links(const std::vector<DocumentNode::Entry>& links, Netlist& wiring) {
    for (const auto& [from, line, to] : links) {
      const InstancePort first = port_of(from, line);  // before the other: errors name the first
      connect(first, port_of(*to, line), wiring);
    }
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
      const InstancePort first = port_of(*p1, net->line);
      connect(first, port_of(*p2, net->line), wiring);
    }
  }

  /// Routes are links without length.
  void read_routes(const DocumentNode& netlist, Netlist& wiring) {
    for (const auto& [name, line, route] : part(netlist, "routes")) {
      const std::string of = fmt::format("route \"{}\"", shown(name));
      if (route->kind != Kind::mapping || route->find("links") == nullptr)
        refuse(line, "{} has no links (ports that face each other). Write links: {{\"a,out0\": \"b,in0\"}}.",
               of);
      constexpr std::string_view known[] = {"links", "settings", "routing_strategy"};
      require_keys(*route, known, of, "Correct or remove it.");
      read_links(part(*route, "links"), wiring);
      not_read_.insert("lengths of routes");
    }
  }

  void require_sections(const DocumentNode& netlist) const {
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
             : of != elements.by_name.end() ? elements.all[of->second.front()].line
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
    std::set<std::string> dark;
    for (const auto& [name, line, given] : part(netlist, "instances")) {
      const std::optional<Element> one = element(name, line, *given);
      if (!one) {
        dark.insert(name);
        continue;
      }
      for (const std::string& of_element : names_of(name, line, *given)) {
        elements->by_name[name].push_back(elements->all.size());
        if (of_element != name) elements->by_name[of_element] = {elements->all.size()};
        elements->all.push_back(*one);
        elements->all.back().name = of_element;
        elements->all.back().place = placement_of(netlist, name, of_element, *given);
        wiring.instances.push_back({of_element, one->component->ports});
        made.instances.push_back(of_element);
        made.devices += one->component->devices;
        if (made.devices > most_devices)
          refuse(line, "more than {} devices (components inside components multiply). Use fewer.",
                 most_devices);
      }
    }
    line_of_port_.clear();
    dark_ = std::move(dark);
    elements_ = elements.get();
    read_links(part(netlist, "connections"), wiring);
    read_nets(netlist, wiring);
    read_routes(netlist, wiring);
    for (const auto& [name, line, inner] : part(netlist, "ports")) {
      const InstancePort port = port_of(*inner, line);
      if (!is_lit(port)) continue;
      wiring.ports.emplace_back(name, port);
      made.ports.push_back(name);
    }
    if (elements->all.empty() && !dark_.empty() && open_.size() > 1) return made;  // pads alone
    const auto circuit = std::make_shared<const Circuit>(wired(std::move(wiring), *elements, netlist.line));
    return wired_component(std::move(made), circuit, elements);
  }

  /// An instance, or one element of an array; nothing where it carries no light.
  std::optional<Element> element(const std::string& name, int line, const DocumentNode& given) {
    Element made;
    made.name = name;
    made.line = line;
    const std::string of = fmt::format("instance \"{}\"", shown(name));
    if (name.find_first_of(".,<>") != name.npos)
      refuse(line, "{} (names hold neither dot nor comma, < or >). Rename it.", of);
    const DocumentNode* const component = given.kind == Kind::mapping ? given.find("component") : &given;
    if (component == nullptr || component->text.empty() || component->kind == Kind::object)
      refuse(line, "{} names no component (expected a model's name). Add it.", of);
    constexpr std::string_view known[] = {"component", "settings", "info", "array", "virtual"};
    require_keys(given, known, of, "Settings of the device stand in settings: {SETTING: NUMBER}.");
    static const DocumentNode none{.kind = Kind::mapping};
    const DocumentNode* settings = given.find("settings");
    if (settings != nullptr && settings->kind != Kind::mapping)
      refuse(settings->line, "{}: settings are not a mapping (setting: value). Write {{SETTING: NUMBER}}.", of);
    if (settings == nullptr) settings = &none;
    const DocumentNode* info = given.kind == Kind::mapping ? given.find("info") : nullptr;
    if (info == nullptr || info->kind != Kind::mapping) info = &none;
    const std::string& kind = component->text;
    if (!options_.models.contains(kind)) {
      const auto mapping = std::ranges::find_if(
          options_.mappings, [&](const Mapping& m) { return m.find(kind) != nullptr || m.is_dark(kind); });
      if (mapping != options_.mappings.end()) {
        const MappedComponent* const mapped = mapping->find(kind);
        if (mapped == nullptr) {
          not_read_.insert(fmt::format("component {}", shown(kind)));
          return std::nullopt;
        }
        of_instance(made, [&] {
          made.settings = mapped_settings(*mapped, settings_of(*settings), settings_of(*info), not_read_);
        });
        made.component = mapped->component;
        return made;
      }
    }
    const auto inner = parts_.find(kind);
    if (inner != parts_.end() && !options_.models.contains(kind)) {
      made.component = part_component(kind, *inner->second, line);
      if (made.component->ports.empty()) return std::nullopt;
      of_instance(made, [&] { made.settings = settings_inside(*made.component, *settings); });
    } else {
      of_instance(made, [&] { find_device(made, kind, *settings, *info); });
    }
    return made;
  }

  /// Settings of the instances inside a netlist. Others are those of its layout, which it was drawn with.
  CircuitSettings settings_inside(const CircuitComponent& circuit, const DocumentNode& given) {
    DocumentNode inside = given;
    std::erase_if(inside.entries, [&](const DocumentNode::Entry& entry) {
      const bool is_layout =
          entry.value->kind != Kind::mapping ||
          (!options_.mappings.empty() && std::ranges::count(circuit.instances, entry.key) == 0);
      if (is_layout) not_read_.insert(entry.key);
      return is_layout;
    });
    return settings_of(inside);
  }

  /// Names of an instance's elements: its own, or NAME<COLUMN.ROW> of an array.
  std::vector<std::string> names_of(const std::string& name, int line, const DocumentNode& given) const {
    const DocumentNode* const array = given.kind == Kind::mapping ? given.find("array") : nullptr;
    if (array == nullptr) return {name};
    const auto count = [&](std::string_view key, std::string_view of_kfactory) {
      const DocumentNode* found = array->find(key);
      if (found == nullptr) found = array->find(of_kfactory);
      if (found == nullptr) return 1.0;
      if (found->kind != Kind::number || !(found->number >= 1 && found->number <= most_devices) ||
          found->number != std::floor(found->number))
        refuse(line, "instance \"{}\": array {} = {} (a whole number from 1). Correct it.", shown(name), key,
               shown(found->text));
      return found->number;
    };
    constexpr std::string_view keys[] = {"columns", "rows",  "column_pitch", "row_pitch",
                                         "num_a",   "num_b", "pitch_a",      "pitch_b"};
    if (array->kind == Kind::mapping)
      require_keys(*array, keys, "an array", "Write array: {columns: 2, rows: 1}.");
    if (std::ranges::none_of(array->entries, [](const auto& e) {
          return e.key == "columns" || e.key == "rows" || e.key == "num_a" || e.key == "num_b";
        }))
      refuse(line, "instance \"{}\": an array without columns and rows. Write array: {{columns: 2, rows: 1}}.",
             shown(name));
    const auto columns = static_cast<std::size_t>(count("columns", "num_a")),
               rows = static_cast<std::size_t>(count("rows", "num_b"));
    if (columns > most_devices / rows)
      refuse(line, "instance \"{}\": more than {} elements. Use fewer.", shown(name), most_devices);
    std::vector<std::string> names;
    for (std::size_t column = 0; column < columns; ++column)
      for (std::size_t row = 0; row < rows; ++row) names.push_back(fmt::format("{}<{}.{}>", name, column, row));
    return names;
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
  void find_device(Element& made, const std::string& kind, const DocumentNode& settings,
                   const DocumentNode& info) {
    if (const auto model = options_.models.find(kind); model != options_.models.end()) {
      made.settings = settings_of(settings);
      made.takes = model->second.takes;
      if (made.takes) {  // of the info, too, which stands above the settings as in sax
        for (const auto& [name, value] : settings_of(info)) made.settings.insert_or_assign(name, value);
        std::erase_if(made.settings, [&](const auto& setting) { return !made.takes(setting.first); });
      }
      auto& known = of_caller_[{kind, made.settings}];
      if (!known) known = std::make_shared<const CircuitComponent>(model->second.component(made.settings));
      made.component = known;
    } else if (kind == "touchstone") {
      made.component = measured_block(settings);
    } else {
      made.settings = settings_of(settings);
      auto& known = components_[kind];
      try {
        if (!known) known = std::make_shared<const CircuitComponent>(model_component(kind));
        numbers_of(made.settings);
      } catch (const Error& error) {
        const bool is_model = known != nullptr;
        if (options_.mappings.empty() && is_model) throw;
        throw Error(fmt::format("{} {}", error.what(),
                                options_.mappings.empty()
                                    ? "Components of a process design kit need a mapping."
                                    : "No mapping knows this component: add it to one, or "
                                      "export its netlist, too (recursive=True)."));
      }
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
    const DocumentNode *const file = settings.find("file"), *const named = settings.find("convention"),
                              *const passive = settings.find("passive");
    const std::size_t known_settings = 1 + std::size_t{named != nullptr} + std::size_t{passive != nullptr};
    validate(file != nullptr && file->kind == Kind::text && settings.entries.size() == known_settings &&
                 (passive == nullptr || passive->kind == Kind::boolean),
             "a touchstone block has the settings file (a path relative to the netlist), convention ({}) and "
             "passive "
             "(true or false). Give the file.",
             join_names(phase_convention_names()));
    BlockOptions options;
    if (named != nullptr) options.convention = phase_convention(named->text);
    options.passive = passive != nullptr && passive->text == "true";
    const fs::path path = folder_ / file->text;
    auto& known = components_[fmt::format("touchstone {} {} {}", named != nullptr ? named->text : "",
                                          options.passive, path.string())];
    if (known) return known;
    files_.push_back(path);
    return known = std::make_shared<const CircuitComponent>(measured_block_component(path, options));
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
  const Elements* elements_ = nullptr;  ///< of the netlist whose ports are being read
  std::set<std::string> dark_;          ///< its instances without light
  std::set<std::string> not_read_;      ///< what has no meaning for light
};

}  // namespace

CircuitComponent netlist_circuit(const Document& netlist, const NetlistOptions& options, const fs::path& folder,
                                 const std::string& file) {
  return NetlistReader(options, folder, file).read(netlist);
}

CircuitComponent read_netlist(const fs::path& path, const NetlistOptions& options) {
  const std::string file = path.string();
  const std::string text = read_bytes(path, largest_netlist);
  const Document document = is_spice_netlist(path) ? spice_document(text, file) : read_document(text, file);
  CircuitComponent made = netlist_circuit(document, options, path.parent_path(), file);
  made.files.insert(made.files.begin(), path);
  return made;
}

}  // namespace optinc
