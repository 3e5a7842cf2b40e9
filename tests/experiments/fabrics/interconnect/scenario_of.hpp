#pragma once

#include <cstdint>

#include "experiments/fabrics/interconnect/scenario.hpp"

namespace optinc {

/// A scenario without latency of hosts and hops, and without the set-up of a job.
inline Scenario scenario(const char* network, const char* collective, std::int64_t servers) {
  Scenario s;
  s.name = "tested";
  s.network = network;
  s.collective = collective;
  s.servers = servers;
  s.step_latency_s = s.hop_latency_s = s.setup_s = 0.0;
  return s;
}

/// The same without scales, at chips of 8 bits from 4 servers and 50 GBd, which carry 400 Gb/s of each port.
inline Scenario costed(Scenario s) {
  s.bits = 8;
  s.scale_bits = 0;
  s.unit = UnitCost{};
  s.unit->servers = 4;
  s.unit->bits = 8;
  s.unit->static_power_w = 1000.0;
  s.unit->symbol_power_w = 40.0;
  s.unit->symbol_rate_bd = 50e9;
  s.unit->delay_s = 3e-9;
  return s;
}

}  // namespace optinc
