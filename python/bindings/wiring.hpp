#pragma once

#include <cstdint>

#include "physics/mesh/topology.hpp"

#include "python/bindings/arrays.hpp"

namespace optinc::bindings {

/// The wiring of a mesh as properties; topology(object) has it.
template <class Any, class Topology>
void wiring(nb::class_<Any>& c, Topology topology) {
  const auto of_mzis = [&](const char* name, auto number, const char* meaning) {
    c.def_prop_ro(
        name,
        [topology, number](const Any& any) {
          const MeshTopology& t = topology(any);
          auto array = new_array<std::int64_t>({t.mzis.size()});
          std::int64_t* next = array.data();
          for (int column = 0; column < t.columns(); ++column)
            for (const PortPair& pair : t.column(column)) *next++ = number(column, pair);
          return array;
        },
        nb::rv_policy::reference, meaning);
  };
  c.def_prop_ro(
      "ports", [topology](const Any& any) { return topology(any).ports; }, "Number of ports.");
  c.def_prop_ro(
      "columns", [topology](const Any& any) { return topology(any).columns(); }, "Number of columns of MZIs.");
  of_mzis(
      "column", [](int column, const PortPair&) { return column; },
      "Column of every MZI, from 0, int64 (MZIs,).");
  of_mzis(
      "upper", [](int, const PortPair& pair) { return pair.upper; },
      "Upper port of every MZI, from 0, int64 (MZIs,).");
  of_mzis(
      "lower", [](int, const PortPair& pair) { return pair.lower; },
      "Lower port of every MZI, from 0, int64 (MZIs,).");
}

}  // namespace optinc::bindings
