#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/files/readers/circuit_component.hpp"

/// \file mapping.hpp Which of our models the components of a process design kit (PDK) stand for.

namespace optinc {

/// A component of a PDK.
struct MappedComponent {
  std::string name;
  /// Its light, with the ports of the PDK. It takes the settings that `reads` names, in units of the PDK, and
  /// those of the model behind it.
  std::shared_ptr<const CircuitComponent> component;
  std::set<std::string> reads;             ///< settings of an instance; "info.NAME" of its info alone
  std::map<std::string, double> defaults;  ///< where an instance says nothing, or null
};

/// The components of a PDK, by name.
class Mapping {
 public:
  /// A table of a mapping file, as docs/guide/gdsfactory.md describes it. Models and files of its components
  /// are read now. Throws Error, with `file` and line, for unknown keys, models, ports and settings.
  Mapping(const Document& table, const std::filesystem::path& folder, const std::string& file);

  /// The component of that name; nullptr where the mapping does not know it.
  const MappedComponent* find(const std::string& name) const;
  /// Whether instances of this component carry no light, such as pads.
  bool is_dark(const std::string& component) const;
  /// Whether ports of this name carry no light, such as those of wires.
  bool is_dark_port(const std::string& port) const;

  std::vector<std::filesystem::path> files;  ///< that were read for it

 private:
  std::map<std::string, MappedComponent> components_;
  std::vector<std::string> dark_, dark_ports_;  ///< patterns
};

/// The mapping of a TOML file. Throws Error "file:line: ..".
Mapping read_mapping(const std::filesystem::path& path);

/// The settings that a mapped component takes of an instance's: of `settings`, of `info` where that says
/// nothing or null, else its default. Names of settings that it does not read go into `not_read`. Throws Error,
/// naming the setting, where nobody says it.
CircuitSettings mapped_settings(const MappedComponent& mapped, const CircuitSettings& settings,
                                const CircuitSettings& info, std::set<std::string>& not_read);

}  // namespace optinc
