#pragma once

#include <cstddef>

#include <nlohmann/json.hpp>

#include "experiments/fabrics/interconnect/simulate.hpp"

namespace optinc {

/// One iteration as a Chrome trace (Perfetto, chrome://tracing): a process per server, threads 0 "compute" and
/// 1 "network", complete events ("X") in microseconds with the bytes sent; circuits stand before the step that
/// waits for them, the job's share of its set-up before all. Above `most` events equal steps in a
/// row become one event that says how many, and above that too all servers one process; `aggregated` says
/// which. Communication starts where computing stops hiding it: overlap * backward before its end.
nlohmann::ordered_json iteration_trace(const IterationResult& result, std::size_t most = 100000);

}  // namespace optinc
