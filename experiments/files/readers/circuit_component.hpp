#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "experiments/files/readers/document.hpp"
#include "physics/core/field.hpp"

/// \file circuit_component.hpp What instances of a netlist are made of, whoever computes it.

namespace optinc {

/// Value of a setting: a number, or whatever else a netlist or a caller gives to a model of the caller's.
class SettingValue {
 public:
  SettingValue(double number);
  explicit SettingValue(Document value) : node_(std::move(value)) {}

  const DocumentNode& node() const { return *node_; }
  /// The number, also of text that is one. Throws Error, naming the setting, for anything else.
  double number(const std::string& setting) const;

  /// Equal values may compare as different, never the reverse.
  friend bool operator<(const SettingValue& a, const SettingValue& b);

 private:
  Document node_;
};

/// Settings of a circuit's devices by "INSTANCE.SETTING"; inside a component that is itself a netlist,
/// "INSTANCE.INSTANCE.SETTING".
using CircuitSettings = std::map<std::string, SettingValue>;

/// Settings of a mapping, those of mappings inside it by their path. Throws Error where it is none, holds over
/// 10,000, or two of the same path.
CircuitSettings settings_of(const DocumentNode& mapping);

/// What an instance is made of: a device, a measured block, or a circuit of others.
struct CircuitComponent {
  std::vector<std::string> ports;
  std::size_t devices = 1;                   ///< it consists of
  std::vector<std::filesystem::path> files;  ///< that were read for it: the netlist and its measured blocks
  /// S (ports^2, wavelengths), each column in column order. Throws Error for unknown settings and impossible
  /// values.
  std::function<Matrix(const CircuitSettings&, std::span<const double> wavelengths_m)> scattering;
  /// What it emits (ports^2, wavelengths), as Circuit::emission has it; empty where it holds no amplifier.
  /// Throws as scattering does.
  std::function<Matrix(const CircuitSettings&, std::span<const double> wavelengths_m)> emission = {};
  /// What is legal but unlike anything built, "INSTANCE.SETTING: sentence" each. Throws as scattering does.
  std::function<std::vector<std::string>(const CircuitSettings&)> warnings = {};
  std::vector<std::string> instances = {};  ///< of a circuit, in order; of an array, its elements
  std::vector<std::string> not_read = {};   ///< settings, ports and components that say nothing of light
};

/// Most wavelengths that are worth computing at once: S of all devices then takes 64 MiB.
std::size_t wavelengths_at_once(const CircuitComponent& circuit);

/// The component of a model of circuit_models(). Throws Error, naming the nearest, for another name.
CircuitComponent model_component(const std::string& name);

/// A model of the caller's. What it takes of the settings that its instance has is its own affair, so settings
/// of a netlist reach it unchecked.
struct CallerModel {
  /// The component of an instance that has these settings.
  std::function<CircuitComponent(const CircuitSettings&)> component;
  /// Whether it takes the setting. Those of a netlist that it does not take are left out, as sax does.
  std::function<bool(const std::string& setting)> takes;
};

}  // namespace optinc
