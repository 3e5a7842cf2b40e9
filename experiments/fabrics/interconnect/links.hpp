#pragma once

#include <string>
#include <utility>
#include <vector>

namespace optinc {

/// Directed links of a network.
struct LinkTable {
  std::vector<double> capacity_bytes_per_s;
  std::vector<std::string> names;

  /// Appends a link that carries so many bytes/s; its index.
  int add(std::string name, double bytes_per_s) {
    names.push_back(std::move(name));
    capacity_bytes_per_s.push_back(bytes_per_s);
    return static_cast<int>(names.size()) - 1;
  }
};

}  // namespace optinc
