#pragma once

#include <array>
#include <cstdint>
#include <span>

namespace optinc {

/// What random numbers are drawn for, and what a stream's coordinates count: "chip; trial; part", where one
/// that is not named is 0. Each purpose has streams of its own, so that switching one noise source on or off,
/// or drawing more of it, leaves every other number as it was. Values and coordinates are part of the result
/// files' reproducibility: append, never renumber. `mesh`: number of a mesh on its chip, the attenuators of a
/// block after its mesh.
enum class Purpose : std::uint32_t {
  splitter_error = 1,        ///< chip; mesh
  calibration_residual = 2,  ///< chip; mesh
  arm_loss = 3,              ///< chip; mesh
  phase_noise = 4,           ///< chip; mesh; instant
  receiver_noise = 5,    ///< chip; 128 block of words + (0: all neurons, 1 + server: its receivers); instant
  lock_error = 6,        ///< chip; block of words; instant
  words = 7,             ///< study's trial; instant
  haar = 8,              ///< study's trial
  network_init = 9,      ///< block of the network
  network_shuffle = 10,  ///< pass of an epoch that chooses its words, from 1, else 0; epoch
  learner_init = 11,
  learner_shuffle = 12,       ///< -; epoch
  test = 13,                  ///< for tests alone
  sweep = 14,                 ///< swept key
  bootstrap = 15,             ///< cell of the summary
  path_imbalance = 30,        ///< chip; mesh
  recalibration = 31,         ///< chip; mesh; number of the calibration
  ambient = 32,               ///< chip
  laser_drift = 33,           ///< chip
  splitter_estimate = 34,     ///< chip; mesh; number of the calibration
  wafer_variation = 40,       ///< wafer
  die_variation = 41,         ///< chip
  process_field = 42,         ///< chip; mesh
  arm_roughness = 43,         ///< chip; mesh
  heater_spread = 44,         ///< chip; mesh
  static_phase = 45,          ///< chip; mesh
  receiver_offset = 46,       ///< chip; layer; 128 channel + (0: neurons, 1 + server: its receivers)
  third_splitter_error = 50,  ///< chip; mesh
  common_phase = 51,          ///< chip; mesh
  combiner_weight = 52,       ///< chip; digit lane
  converter_noise = 53,       ///< as receiver_noise, of servers alone
  average_noise = 54,         ///< chip; 128 block of words; instant
  limiter_spread = 55,        ///< chip; layer; wavelength channel
  oscillator_phase = 56,      ///< chip; layer; 128 channel + (0: neurons, 1 + server: its receivers)
  oscillator_dither = 57,     ///< chip; as oscillator_phase, all layers; instant
  oscillator_walk = 58,       ///< chip; block of words; instant
  modulator_skew = 59,        ///< chip; server, or servers + layer; wavelength channel
  design_words = 60,
  evaluation_words = 61,
  checked_words = 62,   ///< block of words
  training_noise = 63,  ///< step, or 2^24 + step on chips; block of the network
  chip_training = 64,   ///< step; 1024 share of the batch + layer
  stand_in = 65,        ///< chip; block of the network
  cascade_words = 66,   ///< study's trial
  readout_draw = 67,    ///< chip; block of words; use of the table
  injected_error = 68,  ///< -; step
  untrained_network = 69,
  training_words = 70,  ///< -; epoch after which they are drawn
  routing_hash = 80,    ///< source; target
  server_placement = 81,
  control_backoff = 82,  ///< flow; refusal of it
  job_arrivals = 83,     ///< -; job
  in_situ_reading = 90,  ///< chip; word; pass of light
  in_situ_input = 91,    ///< chip; word; pass of light
  twin_settings = 92,    ///< -; setting
  twin_directions = 93,  ///< width of the block
  in_situ_phase = 94,    ///< chip; word
  fit_start = 95,        ///< -
  loss_estimate = 96,    ///< chip; number of the mesh; number of the calibration
  rounding = 97,         ///< instant
  part = 98,             ///< draw; key that names a part
  light_drift = 99,      ///< chip
  in_situ_gain = 100,    ///< chip
};

/// Counter-based random numbers (Philox4x32-10; Salmon et al. 2011, through Random123): a pure function of
/// (seed, purpose, chip, trial, part, position), so trial i is the same whatever ran before it, on any thread.
/// The 64-bit key is itself a Philox image of (seed, purpose): nearby seeds give unrelated streams. Purpose
/// says what the three coordinates count; each has 32 bits, as has the position in blocks of four words.
class Stream {
 public:
  /// The stream of one purpose, chip, trial and part.
  Stream(std::uint64_t seed, Purpose purpose, std::uint32_t chip = 0, std::uint32_t trial = 0,
         std::uint32_t part = 0);

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
  /// Fills `out` with uniform random bits, the same as repeated bits().
  void words(std::span<std::uint32_t> out);
  /// Philox key of (seed, purpose). Words 4b .. 4b + 3 of a stream are the image of the counter (b, part,
  /// trial, chip): what a GPU needs to draw the same numbers.
  const std::array<std::uint32_t, 2>& key() const { return key_; }

 private:
  template <class Real>
  void fill(std::span<Real> out);
  void draw(double& out);
  void draw(float& out);
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
