#include "experiments/files/readers/spice_netlist.hpp"

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "experiments/files/readers/text.hpp"
#include "physics/core/check.hpp"

namespace optinc {
namespace {

using Kind = DocumentNode::Kind;

/// One line with its continuations.
struct SpiceLine {
  std::string text;
  int number = 0;
};

/// An end of a net.
struct NetEnd {
  std::string port;  ///< INSTANCE,#NUMBER
  int line = 0;
};

/// Parameters as they are written, by name.
using SpiceParameters = std::vector<std::pair<std::string, std::string>>;

/// An instance, as it is written.
struct SpiceInstance {
  std::string name, component;
  std::vector<std::string> nets;
  SpiceParameters settings;
  std::optional<double> x_m, y_m;
  int line = 0;
};

struct Subcircuit {
  std::string name;
  std::vector<std::string> pins;
  std::vector<SpiceInstance> instances;
  int line = 0;
};

/// A number of SPICE, with a suffix for its power of ten; nothing where it is text.
std::optional<double> spice_number(std::string_view text) {
  double value = 0.0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc()) return std::nullopt;
  std::string suffix(end, static_cast<std::size_t>(text.data() + text.size() - end));
  for (char& c : suffix)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  static const std::map<std::string, double> powers = {{"", 1},     {"f", 1e-15}, {"p", 1e-12}, {"n", 1e-9},
                                                       {"u", 1e-6}, {"m", 1e-3},  {"k", 1e3},   {"meg", 1e6},
                                                       {"g", 1e9},  {"t", 1e12}};
  const auto power = powers.find(suffix);
  return power == powers.end() ? std::nullopt : std::optional(value * power->second);
}

std::vector<SpiceLine> lines_of(const std::string& text) {
  std::vector<SpiceLine> lines;
  int number = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    std::string_view line(text.data() + at, end - at);
    ++number;
    at = end + 1;
    const std::size_t first = line.find_first_not_of(" \t\r");
    if (first == line.npos || line[first] == '*') continue;
    line = line.substr(first, line.find_last_not_of(" \t\r") - first + 1);
    if (line[0] == '+' && !lines.empty())
      lines.back().text += " " + std::string(line.substr(1));
    else
      lines.push_back({std::string(line), number});
  }
  return lines;
}

/// Words between blanks, without quotes; quoted text, also behind an equals sign, is part of its word.
std::vector<std::string> words_of(const std::string& line) {
  std::vector<std::string> words(1);
  bool quoted = false;
  for (const char c : line) {
    if (c == '"')
      quoted = !quoted;
    else if ((c != ' ' && c != '\t') || quoted)
      words.back() += c;
    else if (!words.back().empty())
      words.emplace_back();
  }
  if (words.back().empty()) words.pop_back();
  return words;
}

/// Those of `words` from `first` on that are written NAME=VALUE, but for what says nothing of a device.
SpiceParameters parameters_of(const std::vector<std::string>& words, std::size_t first) {
  SpiceParameters found;
  for (std::size_t w = first; w < words.size(); ++w) {
    const std::size_t equals = words[w].find('=');
    const std::string name = words[w].substr(0, equals);
    if (equals != std::string::npos && name != "library" && !name.starts_with("sch_"))
      found.emplace_back(name, words[w].substr(equals + 1));
  }
  return found;
}

bool is_word(const std::string& word, std::string_view lower) {
  return std::ranges::equal(word, lower, {},
                            [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
}

class SpiceReader {
 public:
  explicit SpiceReader(const std::string& file) : file_(file), builder_(file) {}

  void take(const SpiceLine& line) {
    const std::vector<std::string> words = words_of(line.text);
    if (words.empty()) return;
    if (is_word(words.front(), ".subckt")) {
      require(line.number, words.size() >= 2, "a subcircuit without a name. Write .subckt NAME PINS.");
      require(line.number, !open_, "a subcircuit inside another (SiEPIC has none). Close it by .ends.");
      open_ = true;
      all_.push_back({words[1], {words.begin() + 2, words.end()}, {}, line.number});
    } else if (is_word(words.front(), ".ends")) {
      open_ = false;
    } else if (is_word(words.front(), ".model") && words.size() >= 2) {
      defaults_[words[1]] = parameters_of(words, 2);
    } else if (words.front()[0] != '.') {
      (open_ ? all_.back().instances : outside_).push_back(instance(words, line.number));
    }
  }

  Document document() {
    if (all_.empty() || open_)
      throw Error(fmt::format("{}: {} (a netlist of SPICE is .subckt NAME PINS to .ends). Export it again.",
                              file_, all_.empty() ? "no subcircuit" : "the last subcircuit is not closed"));
    const bool is_call = outside_.size() == 1 && outside_.front().component == all_.back().name;
    for (const SpiceInstance& each : outside_)  // SiEPIC-Tools closes with a call of the circuit itself
      require(
          each.line, is_call,
          fmt::format("instance {} outside of the subcircuits (a circuit has pins). Put all such lines between "
                      ".subckt NAME PINS and .ends.",
                      each.name));
    if (all_.size() == 1) {
      put(all_.front());
      return builder_.last();
    }
    builder_.begin(Kind::mapping, 1);
    for (const Subcircuit& each : all_) {
      builder_.key(each.name, each.line);
      put(each);
    }
    return builder_.end();
  }

 private:
  void require(int line, bool holds, std::string_view problem) const {
    if (!holds) throw Error(fmt::format("{}:{}: {}", file_, line, problem));
  }

  SpiceInstance instance(const std::vector<std::string>& words, int line) const {
    SpiceInstance made;
    made.line = line;
    std::size_t last = words.size();
    while (last > 0 && words[last - 1].find('=') != std::string::npos) --last;
    require(line, last >= 3,
            "no instance (expected NAME NETS COMPONENT PARAMETER=VALUE ..). Correct the line.");
    made.name = words.front();
    made.component = words[last - 1];
    made.nets.assign(words.begin() + 1, words.begin() + static_cast<std::ptrdiff_t>(last) - 1);
    for (auto& [name, value] : parameters_of(words, last)) {
      if (name == "lay_x" || name == "lay_y")
        (name == "lay_x" ? made.x_m : made.y_m) = spice_number(value);
      else
        made.settings.emplace_back(name, std::move(value));
    }
    return made;
  }

  void put(const Subcircuit& of) {
    std::map<std::string, std::vector<NetEnd>> nets;
    builder_.begin(Kind::mapping, of.line);
    builder_.key("instances", of.line);
    builder_.begin(Kind::mapping, of.line);
    for (const SpiceInstance& each : of.instances) {
      builder_.key(each.name, each.line);
      builder_.begin(Kind::mapping, each.line);
      builder_.key("component", each.line);
      builder_.scalar(each.component, true, each.line);
      builder_.key("settings", each.line);
      builder_.begin(Kind::mapping, each.line);
      SpiceParameters settings = each.settings;
      for (const auto& usual : defaults_[each.component])
        if (std::ranges::find(settings, usual.first, &SpiceParameters::value_type::first) == settings.end())
          settings.push_back(usual);
      for (const auto& [name, text] : settings) {
        builder_.key(name, each.line);
        if (const auto value = spice_number(text))
          builder_.number(*value, each.line);
        else
          builder_.scalar(text, true, each.line);
      }
      builder_.end();
      builder_.end();
      for (std::size_t n = 0; n < each.nets.size(); ++n)
        nets[each.nets[n]].push_back({fmt::format("{},#{}", each.name, n + 1), each.line});
    }
    builder_.end();
    put_placements(of);
    std::map<std::string, std::string> pins;
    for (const std::string& pin : of.pins) {
      const auto net = nets.find(pin);
      require(
          of.line, net != nets.end(),
          fmt::format("pin {} ends at no instance (a pin is the end of a net). Correct or remove it.", pin));
      require(net->second.back().line, net->second.size() == 1,
              fmt::format("pin {} ends at {} instances (at one: light goes one way). Put a splitter there.",
                          pin, net->second.size()));
      pins[pin] = net->second.front().port;
      nets.erase(net);
    }
    builder_.key("nets", of.line);
    builder_.begin(Kind::list, of.line);
    for (const auto& [name, ends] : nets) {
      require(ends.back().line, ends.size() <= 2,
              fmt::format("net {} joins {} ports (two: light goes one way). Put a splitter there.", name,
                          ends.size()));
      if (ends.size() < 2) continue;  // in the air: whoever reads the netlist says so
      builder_.begin(Kind::mapping, ends.front().line);
      for (std::size_t e = 0; e < 2; ++e) {
        builder_.key(e == 0 ? "p1" : "p2", ends[e].line);
        builder_.scalar(ends[e].port, true, ends[e].line);
      }
      builder_.end();
    }
    builder_.end();
    builder_.key("ports", of.line);
    builder_.begin(Kind::mapping, of.line);
    for (const std::string& pin : of.pins)
      if (const auto found = pins.find(pin); found != pins.end()) {
        builder_.key(pin, of.line);
        builder_.scalar(found->second, true, of.line);
      }
    builder_.end();
    builder_.end();
  }

  void put_placements(const Subcircuit& of) {
    constexpr double um = 1e6;
    builder_.key("placements", of.line);
    builder_.begin(Kind::mapping, of.line);
    for (const SpiceInstance& each : of.instances) {
      if (!each.x_m || !each.y_m) continue;
      builder_.key(each.name, each.line);
      builder_.begin(Kind::mapping, each.line);
      builder_.key("x", each.line);
      builder_.number(um * *each.x_m, each.line);
      builder_.key("y", each.line);
      builder_.number(um * *each.y_m, each.line);
      builder_.end();
    }
    builder_.end();
  }

  std::string file_;
  DocumentBuilder builder_;
  std::vector<Subcircuit> all_;
  std::vector<SpiceInstance> outside_;               ///< of any subcircuit
  std::map<std::string, SpiceParameters> defaults_;  ///< of .model, by component
  bool open_ = false;
};

}  // namespace

bool is_spice_netlist(const std::filesystem::path& path) { return extension_of(path) == ".spi"; }

Document spice_document(const std::string& text, const std::string& file) {
  SpiceReader reader(file);
  for (const SpiceLine& line : lines_of(text)) reader.take(line);
  return reader.document();
}

}  // namespace optinc
