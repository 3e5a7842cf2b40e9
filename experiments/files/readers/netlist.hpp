#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "experiments/files/readers/circuit_component.hpp"
#include "experiments/files/readers/mapping.hpp"

namespace optinc {

/// How a netlist is read.
struct NetlistOptions {
  bool absorb_unconnected = false;  ///< ports that face nothing absorb light; otherwise they are errors
  std::map<std::string, CallerModel> models = {};  ///< components of these names, before any other
  std::vector<Mapping> mappings = {};              ///< then those of these, the first that knows a component
};

/// A circuit from a netlist as gdsfactory and sax write them: "instances" (name: component, or {component,
/// settings}), "connections" ("a,out0": "b,in0") or "nets" ([{p1, p2}]), "ports" (name: "a,in0"); or a mapping
/// of several of these by name: the circuit is the first that no other uses, others are components. An instance
/// with "array" {columns, rows} is NAME<COLUMN.ROW>, from 0; "routes" (name: {links: {port: port}}) are links
/// without length. A component is, in this order: one of `options.models`, which takes settings and then info,
/// as in sax; one of `options.mappings`; a netlist of the same document; `touchstone`, with the settings
/// `file` (of Touchstone or Lumerical, relative to `folder`), `convention` (PhaseConvention; left out: the
/// file's) and `passive`, ports port1.., linear between its frequencies, which emits nothing; a model of
/// circuit_models(). "placements", "info", "name", "warnings", "settings" of a netlist and "info" of an
/// instance say nothing of light and are passed over; what a mapping, or an instance of a netlist, passes over
/// besides is in `not_read`. Throws Error, with `file` and line if there is a file, for any other key, and for
/// whatever else makes it no circuit.
CircuitComponent netlist_circuit(const Document& netlist, const NetlistOptions& options,
                                 const std::filesystem::path& folder, const std::string& file = {});

/// The circuit of a YAML or JSON file. Throws Error "file:line: ..".
CircuitComponent read_netlist(const std::filesystem::path& path, const NetlistOptions& options = {});

}  // namespace optinc
