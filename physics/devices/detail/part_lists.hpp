#pragma once

#include <string>
#include <vector>

#include "physics/devices/catalogue.hpp"

// Parts by kind, and the four ways in which their figures are known.

namespace optinc::parts {

/// In the source, whose words `quoted` gives; behind " | " stands what was computed from them.
inline Figure read(std::string name, double value, std::string unit, std::string key,
                   const std::string& quoted) {
  const auto end = quoted.find(" | ");
  std::string from = "\"" + quoted.substr(0, end) + "\"";
  if (end != quoted.npos) from += ": " + quoted.substr(end + 3);
  return {std::move(name), value, std::move(unit), Known::read, std::move(from), std::move(key)};
}

/// Measured here.
inline Figure measured(std::string name, double value, std::string unit, std::string key, std::string how) {
  return {std::move(name), value, std::move(unit), Known::measured, std::move(how), std::move(key)};
}

/// The source is silent.
inline Figure assumed(std::string name, double value, std::string unit, std::string key,
                      const std::string& why) {
  return {std::move(name), value, std::move(unit), Known::assumed, why, std::move(key)};
}

/// Of no specific device, whose class lies between two ends.
inline Figure usual(Figure figure, double low, double high) {
  figure.low = low;
  figure.high = high;
  return figure;
}

/// The C++ that puts a part into a unit.
inline std::string cpp_of(const std::string& settings, const std::string& kind, const std::string& name) {
  return "apply_part(" + settings + ", part_of_kind(\"" + kind + "\", \"" + name + "\"))";
}

std::vector<Part> front_ends();
std::vector<Part> drivers();
std::vector<Part> converters();
std::vector<Part> clocked_receivers();
std::vector<Part> photodiodes();
std::vector<Part> modulators();
std::vector<Part> lasers();
std::vector<Part> boosters();
std::vector<Part> phase_locks();
std::vector<Part> serialisers();
std::vector<Part> clock_recoveries();
std::vector<Part> switches();
std::vector<Part> modules();
std::vector<Part> published_fibres();
std::vector<Part> samplers();
std::vector<Part> fibre_couplers();
std::vector<Part> splitters();
std::vector<Part> waveguides();

}  // namespace optinc::parts
