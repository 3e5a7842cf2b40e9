#pragma once

#include <array>
#include <cstdint>
#include <span>

namespace optinc {

/// What random numbers are drawn for. Each purpose has streams of its own, so that switching one noise source
/// on or off, or drawing more of it, leaves every other number as it was. Values are part of the result files'
/// reproducibility: append, never renumber.
enum class Purpose : std::uint32_t {
  splitter_error = 1,
  calibration_residual = 2,
  arm_loss = 3,
  phase_noise = 4,
  receiver_noise = 5,
  lock_error = 6,
  words = 7,
  haar = 8,
  network_init = 9,
  network_shuffle = 10,
  learner_init = 11,
  learner_shuffle = 12,
  test = 13,
  sweep = 14,
  bootstrap = 15,
  path_imbalance = 30,
  recalibration = 31,
  ambient = 32,
  laser_drift = 33,
  splitter_estimate = 34,
  wafer_variation = 40,
  die_variation = 41,
  process_field = 42,
  arm_roughness = 43,
  heater_spread = 44,
  static_phase = 45,
  third_splitter_error = 50,
  common_phase = 51,
  combiner_weight = 52,
  design_words = 60,
  evaluation_words = 61,
  checked_words = 62,
  training_noise = 63,
  chip_training = 64,
  stand_in = 65,
  cascade_words = 66,
  readout_draw = 67,
  injected_error = 68,
  routing_hash = 80,
  server_placement = 81,
};

/// Counter-based random numbers (Philox4x32-10; Salmon et al. 2011, through Random123): a pure function of
/// (seed, purpose, chip, trial, position), so trial i is the same whatever ran before it, on any thread.
/// The 64-bit key is itself a Philox image of (seed, purpose): nearby seeds give unrelated streams.
class Stream {
 public:
  /// The stream of one purpose, chip and trial.
  Stream(std::uint64_t seed, Purpose purpose, std::uint32_t chip = 0, std::uint32_t trial = 0);

  /// 32 uniform random bits.
  std::uint32_t bits();
  /// Uniform in the open interval (0, 1), resolution 2^-32.
  double uniform();
  /// Standard normal by Box-Muller from two 32-bit uniforms (largest magnitude 6.76): box_muller of the next
  /// two words, cosine first; the sine is kept for the next call, whatever bits are drawn in between.
  double normal();
  /// Uniform integer in [0, n), n >= 1; bias below n / 2^32.
  std::uint32_t below(std::uint32_t n);
  /// Fills `out` with standard normals, the same values as repeated normal(), on every processor: about 1 ns
  /// each in a long fill with AVX-512.
  void normals(std::span<double> out);
  /// The same normals of the same positions, computed in float: within 1e-6 of those in double, in half the
  /// time. However a run of float normals is cut into calls, its values are the same.
  void normals(std::span<float> out);

 private:
  template <class Real>
  void fill(std::span<Real> out);
  void draw(double& out);
  void draw(float& out);
  void words(std::span<std::uint32_t> out);
  void skip_blocks(std::uint64_t count);

  std::array<std::uint32_t, 4> block_{};
  std::array<std::uint32_t, 2> key_{};
  std::array<std::uint32_t, 4> counter_{};
  unsigned used_ = 4;
  std::array<std::uint32_t, 2> pair_{};  // words of the last pair drawn by normal()
  double spare_normal_ = 0.0;
  bool has_spare_ = false;
};

}  // namespace optinc
