#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "physics/core/field.hpp"

namespace optinc {

/// Settings of a circuit's devices by "INSTANCE.SETTING"; inside a component that is itself a netlist,
/// "INSTANCE.INSTANCE.SETTING".
using CircuitSettings = std::map<std::string, double>;

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
  /// What is legal but unlike anything built, "INSTANCE.SETTING: sentence" each.
  std::function<std::vector<std::string>(const CircuitSettings&)> warnings = {};
};

/// A circuit from a YAML or JSON file as gdsfactory and sax write netlists: "instances" (name: component, or
/// {component, settings}), "connections" ("a,out0": "b,in0") or "nets" ([{p1, p2}]), "ports" (name: "a,in0");
/// or a mapping of several of these by name, of which the first is the circuit and others are components. A
/// component is a model of circuit_models(), or `touchstone` with the setting `file` (relative to the netlist),
/// ports port1.., linear between its frequencies; it emits nothing. Ports that face nothing are errors unless
/// `absorb_unconnected`. Throws Error "file:line: .." for a netlist that is none.
CircuitComponent read_netlist(const std::filesystem::path& path, bool absorb_unconnected);

}  // namespace optinc
