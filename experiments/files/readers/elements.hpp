#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "experiments/files/readers/circuit_component.hpp"

namespace optinc {

/// An instance of a netlist.
struct Element {
  std::string name;                                   ///< of an array, NAME<COLUMN.ROW>
  std::shared_ptr<const CircuitComponent> component;  ///< what it is made of
  CircuitSettings settings;                           ///< as the netlist has them
  std::function<bool(const std::string&)> takes;      ///< settings, of a caller's model
  int line = 0;                                       ///< of the file
  std::optional<Placement> place = {};                ///< in the layout of the netlist
};

/// The instances of a netlist, with the file that they stand in, if any.
struct Elements {
  std::vector<Element> all;                                 ///< in order
  std::map<std::string, std::vector<std::size_t>> by_name;  ///< of an array, its elements
  std::string file;                                         ///< empty: none

  /// "file:line: ", which opens messages.
  std::string where(int line) const { return file.empty() ? "" : fmt::format("{}:{}: ", file, line); }
};

/// Where instance `name` of a netlist, or its element NAME<COLUMN.ROW>, lies in the layout, in um there;
/// nothing where the netlist says nothing. `given`: the instance.
std::optional<Placement> placement_of(const DocumentNode& netlist, const std::string& name,
                                      const std::string& of_element, const DocumentNode& given);

/// Settings of every element, some of them changed, by "INSTANCE.SETTING". Throws Error for unknown instances,
/// and for settings that a caller's model does not take.
std::vector<CircuitSettings> changed_settings(const Elements& elements, const CircuitSettings& changed);

/// Scattering or emission of every element, without elements where it emits nothing. Those of one component
/// with the same settings are computed once. Throws Error as they do, naming the instance.
std::vector<Matrix> of_all(const Elements& elements, const std::vector<CircuitSettings>& settings,
                           std::span<const double> wavelengths_m, decltype(&CircuitComponent::scattering) what);

/// Scattering of every element in several draws, all wavelengths of a draw side by side. Throws Error as
/// of_all() and changed_settings() do.
std::vector<Matrix> of_all_draws(const Elements& elements, const CircuitSettings& fixed, const SweepPart& sweep,
                                 std::span<const double> wavelengths_m);

/// The devices of all elements, at their places.
std::vector<PlacedDevice> placed_devices(const Elements& elements, const CircuitSettings& changed);

/// The circuit of elements as they are wired: its functions; `made` has names and counts.
CircuitComponent wired_component(CircuitComponent made, std::shared_ptr<const Circuit> circuit,
                                 std::shared_ptr<const Elements> elements);

}  // namespace optinc
