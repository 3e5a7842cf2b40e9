#pragma once

#include <cstdint>
#include <string>

#include "experiments/fabrics/cluster/protocol.hpp"
#include "experiments/fabrics/interconnect/workloads.hpp"

namespace optinc {

/// The exchange of a gradient over circuits that the control protocol sets, bucket after bucket, each node
/// going on as soon as it has what it needs. Keys and meanings stand in visit_rows (cluster_rows.hpp).
struct Testbed {
  std::string name, workload = "resnet50-cifar100-imagenet-stem", collective = "ring", schedule = "flow-based";
  std::int64_t nodes = 4, transceivers = 1, bits = 32, seed = 1, failed_transceivers = 0;
  double rate_bit_per_s = 100e9, bucket_bytes = ddp_bucket_bytes;
  double message_s = 1e-6, tuning_s = 0.1e-6, settling_s = 0.1e-6, fibre_m = 50.0, backoff_s = 2e-6,
         slot_s = 100e-6;
  bool hold = true;
};

/// The exchange, and what it is compared with.
struct TestbedResult {
  double bytes = 0.0;    ///< of a node's gradient
  double ideal_s = 0.0;  ///< on a switch that blocks nothing and needs no control: per step, the busiest port's
                         ///< bytes over the rate of its transceivers, and the light's way
  ProtocolRun run;
  double lost_s = 0.0;   ///< by the failures: the run's end less that of a run without them
  double limit_s = 0.0;  ///< largest tuning_s with which the exchange stays within 2 % of the ideal switch; NaN
                         ///< where it does with none

  /// Exchange over that of the ideal switch.
  double ratio() const { return run.end_s / ideal_s; }
};

/// Runs one exchange. Where transceivers fail, those of node 0 do, one after the other, at equal shares of the
/// undisturbed exchange. Throws Error where run_protocol does.
TestbedResult run_testbed(const Testbed& testbed);

}  // namespace optinc
