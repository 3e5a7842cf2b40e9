#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "experiments/files/readers/document.hpp"
#include "physics/circuit/circuit.hpp"
#include "physics/core/field.hpp"

/// \file circuit_component.hpp What instances of a netlist are made of, whoever computes it.

namespace optinc {

/// Value of a setting: a number, or whatever else a netlist or a caller gives to a model of the caller's.
class SettingValue {
 public:
  /// A number, as a node.
  SettingValue(double number);
  /// Whatever else a document holds there.
  explicit SettingValue(Document value) : node_(std::move(value)) {}

  /// What models of the caller's are given.
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

/// Values of settings by their path, one for each draw.
using CircuitSweep = std::map<std::string, std::vector<double>>;

/// Draws `first` .. `first + count - 1` of a sweep.
struct SweepPart {
  const CircuitSweep& of;
  std::size_t first = 0, count = 0;
};

/// Where an instance lies in the layout of its circuit: mirrored (y to -y), turned, then moved.
struct Placement {
  double x_m = 0.0, y_m = 0.0, rotation_rad = 0.0;
  bool mirror = false;
};

/// A device of a model of circuit_models() inside a circuit.
struct PlacedDevice {
  std::string path;                        ///< INSTANCE, or INSTANCE.INSTANCE; empty for the device itself
  std::string model;                       ///< its name
  std::map<std::string, double> settings;  ///< that are not the usual ones
  double x_m = 0.0, y_m = 0.0;             ///< of its origin in the layout
};

/// The numbers of settings. Throws Error, naming the setting, where one is none.
std::map<std::string, double> numbers_of(const CircuitSettings& settings);

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
  /// S of several draws (ports^2, draws x wavelengths), all wavelengths of a draw side by side; empty where
  /// draws are computed one by one (swept_scattering). Throws as scattering does.
  std::function<Matrix(const CircuitSettings& fixed, const SweepPart&, std::span<const double> wavelengths_m)>
      swept = {};
  /// Fields that enter `at`, ports of a circuit's own instances, for a field of 1 into each of its ports
  /// (places x ports, wavelengths), each column in column order; empty where it is no circuit. Throws as
  /// scattering does, and for ports that it does not have.
  std::function<Matrix(const CircuitSettings&, std::span<const double> wavelengths_m,
                       std::span<const InstancePort> at)>
      fields = {};
  /// The devices of our models that it holds, at their places; empty for a model of a caller or a measured
  /// block.
  std::function<std::vector<PlacedDevice>(const CircuitSettings&)> placed_devices = {};
  bool has_placements = false;              ///< of all its instances
  std::vector<std::string> instances = {};  ///< of a circuit, in order; of an array, its elements
  std::vector<std::string> not_read = {};   ///< settings, ports and components that say nothing of light
};

/// S of several draws of a component (ports^2, draws x wavelengths). Throws as CircuitComponent::scattering.
Matrix swept_scattering(const CircuitComponent& component, const CircuitSettings& fixed, const SweepPart& sweep,
                        std::span<const double> wavelengths_m);

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
