#pragma once

#include <cstdint>

#include "experiments/analysis/interconnect/scenario.hpp"

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

}  // namespace optinc
