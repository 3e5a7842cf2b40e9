#include "experiments/fabrics/interconnect/scenario.hpp"

#include <fmt/format.h>

#include "experiments/fabrics/interconnect/collectives.hpp"
#include "physics/core/check.hpp"

namespace optinc {

std::vector<FieldEntry> scenario_fields(const Scenario& scenario) {
  std::vector<FieldEntry> fields;
  visit_rows(scenario, [&](const Row& info, const auto& member, bool) {
    fields.push_back({"", info, to_field_value(member)});
  });
  return fields;
}

bool reads_key(const Scenario& scenario, std::string_view key) {
  bool reads = false;
  visit_rows(scenario, [&](const Row& info, const auto&, bool read) {
    if (info.key == key) reads = read;
  });
  return reads;
}

void set_field(Scenario& scenario, std::string_view key, const FieldValue& value, std::string_view where) {
  bool found = false;
  visit_rows(scenario, [&](const Row& info, auto& member, bool) {
    if (info.key != key) return;
    found = true;
    // strings that may be empty are no field of a study: check_row would refuse them
    if (!std::holds_alternative<std::string>(value) || !info.names.empty()) check_row(where, info, value);
    from_field_value(member, value);
  });
  validate(found, "{}: no key \"{}\" (of a scenario). See optinc interconnect --keys.", where, key);
}

double iteration_flop(const Scenario& s, const ModelCost& model) {
  return static_cast<double>(model.macs()) * s.flop_per_mac * static_cast<double>(s.batch) *
         (1.0 + s.backward_ratio);
}

double gradient_bytes(const Scenario& s, const ModelCost& model) {
  return static_cast<double>(model.parameters()) * static_cast<double>(s.bits) / 8.0;
}

std::int64_t levels_of(const Scenario& s) {
  if (s.levels > 0 && !s.circuit_switched()) return s.levels;
  std::int64_t levels = 1;
  for (std::int64_t ports = s.fan_in; ports < s.servers; ports *= s.fan_in) ++levels;
  return levels;
}

std::int64_t units_of(const Scenario& s) {
  if (s.circuit_switched()) return s.units > 0 ? s.units : s.servers / s.fan_in;
  std::int64_t below = s.servers, units = 0;
  for (std::int64_t level = 0; level < levels_of(s); ++level) {
    below = (below + s.fan_in - 1) / s.fan_in;
    units += below;
  }
  return units;
}

ModelCost model_of(const Scenario& s) {
  if (s.weights == 0) return workload_cost(s.workload, s.context);
  return {fmt::format("own model of {} weights", s.weights), "sample", {{"all", s.weights, s.weights}}};
}

Scenario in_force(Scenario s) {
  const ModelCost model = model_of(s);
  const int n = static_cast<int>(s.servers);
  if (s.compute_s < 0.0) s.compute_s = iteration_flop(s, model) / s.compute_rate_flop_per_s;
  s.workload = model.name;
  s.scale_bits = s.bits_of_scales();
  if (s.network == "fat-tree" && s.radix == 0) s.radix = fitting_radix(n);
  if (s.network == "optinc") s.levels = levels_of(s);
  s.units = s.network == "optinc" ? units_of(s) : 0;
  if (s.unit) s.chip_latency_s = s.unit->delay_s;
  if (s.chunks == 0 && reads_key(s, "chunks"))
    s.chunks = best_chunks(s.collective, n, gradient_bytes(s, model), s.port_bytes_per_s(), s.step_latency_s);
  if (s.network == "sip-ring" && s.wavelength_rate_bit_per_s == 0.0)
    s.wavelength_rate_bit_per_s = static_cast<double>(s.transceivers) * s.rate_bit_per_s / 64.0;
  if (s.reconfiguration_s < 0.0 && reads_key(s, "reconfiguration_s"))
    s.reconfiguration_s = s.network == "sip-ring" ? 25e-6 : 10e-3;
  return s;
}

}  // namespace optinc
