#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace optinc {

/// A job: data-parallel training on some nodes of a cluster.
struct TrainingJob {
  double arrives_s = 0.0;
  double duration_s = 0.0;  ///< on an ideal network; what a real one adds comes on top
  std::vector<int> nodes;   ///< distinct; placed by whoever starts the job
  int size = 1;             ///< nodes that it asks for
  std::string workload = "vgg19", collective = "ring";
  std::uint32_t number = 0;  ///< tells the jobs of a cluster apart, and keys what is drawn for it
};

/// Nodes for a job: the lowest free ones, of which a share `scattered` (rounded, drawn) is exchanged for free
/// ones drawn anywhere; 0 is packed, 1 random. Throws Error where too few are free.
std::vector<int> place_job(const std::vector<bool>& taken, int size, double scattered, std::uint64_t seed,
                           std::uint32_t number);

/// Jobs as a CSV table: columns arrival_s (ascending), nodes (1 or more) and duration_s (above 0), a row a job.
/// Throws Error "file:line: .." for anything else.
std::vector<TrainingJob> read_jobs(const std::filesystem::path& path, int nodes);

/// Jobs drawn at random, as many as arrive in horizon_s. Arrivals are Poisson at the rate that loads the
/// cluster to `load`; sizes are 2^k, k = 0 .. log2(nodes), with probabilities proportional to q^k, q fitted to
/// a mean of 3.72; durations are lognormal, fitted to a median of 206 s and a mean of 6,652 s. These three are
/// what Hu et al. 2021 (SC '21, "Characterization and Prediction of Deep Learning Workloads in Large-Scale GPU
/// Datacenters") report of SenseTime's Helios, from memory; the trace itself is not here. No day and night.
/// Throws Error for more than 1e6 jobs.
std::vector<TrainingJob> helios_like_jobs(int nodes, double load, double horizon_s, std::uint64_t seed);

}  // namespace optinc
