#include "onn/training/detail/unit_noise.hpp"

#include <algorithm>
#include <cmath>

#include "onn/link/detail/electronics.hpp"
#include "onn/link/detail/levels.hpp"
#include "onn/link/detail/receiver_variance.hpp"
#include "onn/link/oscillators.hpp"
#include "onn/link/power_path.hpp"
#include "onn/link/transmission.hpp"
#include "onn/link/unit_p.hpp"
#include "physics/core/check.hpp"

namespace optinc::training {
namespace {

/// The digits of all servers whose sums are those of the word, each split of a sum possible.
Codes drawn_codes(const Task& task, std::uint64_t word, Stream& stream) {
  Codes codes = Codes::Zero(1, task.servers);
  for (int left : word_sums(task, word))
    for (int n = 0; n < task.servers; ++n) {
      const int behind = 3 * (task.servers - 1 - n), least = std::max(0, left - behind);
      const int digit =
          least + static_cast<int>(stream.below(static_cast<std::uint32_t>(std::min(3, left) - least + 1)));
      codes(0, n) = 4 * codes(0, n) + static_cast<std::uint32_t>(digit);
      left -= digit;
    }
  return codes;
}

}  // namespace

UnitNoise::UnitNoise(const ChipDesign& design, const ErrorModel& chip, const UnitHardware& hardware,
                     const NoiseSwitches& switches)
    : task_(design.task),
      hardware_(hardware),
      switches_(switches),
      lock_rms_rad_(switches.lock ? lock_rms_rad(hardware) : 0.0),
      input_light_(input_shift - static_cast<float>(dark_digit(hardware.link))) {
  validate(switches.scale == 1, "noise of scale {} in training (training.noise scales it). Set the scale to 1.",
           switches.scale);
  const double visibility = std::exp(-lock_rms_rad_ * lock_rms_rad_ / 2);
  lane_unit_ = visibility * lane_field_per_unit_sqrt_w(design.task, hardware);
  std::vector<double> nominal;
  for (const LayerDesign& layer : design.layers) nominal.push_back(nominal_layer_factor(layer, chip));
  const std::vector<double> received = fields_per_unit(design, hardware, nominal, visibility).received;

  arrival_ = {.oscillator_rad = hardware.link.sigma_oscillator_rad,
              .dither_rad = switches.lock ? hardware.link.oscillator_dither_rad : 0.0};
  const std::vector<double> walk_rad = oscillator_walk_rad(design, hardware);
  for (std::size_t l = 0; l < design.layers.size(); ++l) {
    const UnitHardware of_layer = layer_hardware(design.layers[l], hardware);
    const ReceiverSettings& receiver = of_layer.receiver;
    const bool silent = switches.last_only && design.layers[l].ending != LayerEnd::servers;
    arrival_.layers.push_back({stage_channel(of_layer), switches.lock ? walk_rad[l] : 0.0,
                               switches.jitter && !silent ? hardware.timing.jitter_s : 0.0});
    if (silent) {
      layers_.push_back({});
      continue;
    }
    const ReceiverVariance variance = receiver_variance(receiver, switches);
    const double per_field = homodyne_current_per_field(receiver), equalised = stage_noise_gain(of_layer);
    const double rin = switches.rin ? relative_intensity_noise(receiver, hardware.laser) : 0.0;
    const double leak_a = rin > 0 ? lo_intensity_noise_a(receiver, hardware.laser) / rin : 0.0;
    const double gain = attenuator_headroom * design.layers[l].passive_scale;
    const double largest_in = l == 0 ? 1.0 : design.layers[l - 1].largest_output;
    const double per_value_a = per_field * received[l] * gain * largest_in;  // of a layer with L = g = 1
    layers_.push_back({static_cast<float>(equalised * std::sqrt(variance.dark_a2) / per_value_a),
                       static_cast<float>(equalised * std::sqrt(variance.per_watt_a2) / per_field),
                       static_cast<float>(equalised * rin), static_cast<float>(leak_a / per_value_a)});
  }
}

MatrixF UnitNoise::inputs(std::span<const std::uint64_t> words, double scale, std::uint64_t seed,
                          std::uint32_t chip, Stream& stream) const {
  const bool coherent = hardware_.link.averaging == Averaging::coherent;
  const CombinerWeights weights = draw_combiners(task_, hardware_, seed, chip);
  std::vector<double> phases(static_cast<std::size_t>(task_.servers));
  MatrixF values(task_.input_digits(), static_cast<Eigen::Index>(words.size()));
  for (std::size_t w = 0; w < words.size(); ++w) {
    const Codes codes = drawn_codes(task_, words[w], stream);
    if (lock_rms_rad_ > 0)
      for (double& phase : phases) phase = scale * lock_rms_rad_ * stream.normal();
    const FieldBatch light =
        coherent ? unit_p(task_, hardware_, weights, codes, phases)
                 : incoherent_unit_p(task_, hardware_, switches_.last_only ? NoiseSwitches{} : switches_,
                                     weights, codes, stream);
    values.col(static_cast<Eigen::Index>(w)) =
        (light.re.col(0).array() / lane_unit_ - static_cast<double>(input_light_)).matrix().cast<float>();
  }
  return values;
}

std::vector<VectorF> UnitNoise::ceilings(const std::vector<Layer>& layers, float scale, Stream stream) const {
  std::vector<VectorF> drawn;
  if (!has_real_limiters(hardware_.link)) return drawn;
  const float spread = scale * static_cast<float>(hardware_.link.sigma_limiter);
  for (std::size_t l = 0; l + 1 < layers.size(); ++l) {
    VectorF& own = drawn.emplace_back(layers[l].outputs);
    stream.normals(std::span(own.data(), static_cast<std::size_t>(own.size())));
    own = layers[l].ceiling * (1.0f + spread * own.array());
  }
  return drawn;
}

void UnitNoise::convert(MatrixF& digits, Stream& stream) const {
  if (!switches_.converter) return;
  Eigen::MatrixXd read(digits.rows(), digits.cols());
  stream.normals(std::span(read.data(), static_cast<std::size_t>(read.size())));
  read = adc_noise(hardware_.converter) * read + digits.cast<double>();
  quantise_digits(hardware_.converter, read);
  digits = read.cast<float>();
}

void add_noise(const LayerNoise& noise, const NoiseStrength& strength, const MatrixF& light, Stream& stream,
               MatrixF& values, NoiseSlopes& slopes) {
  const auto [scale, largest_in, gain] = strength;
  const Eigen::Index receivers = light.rows(), words = light.cols();
  const float rin = scale * noise.rin, leak = noise.common_mode * largest_in * gain;
  const float dark = scale * noise.dark * largest_in * gain, dark2 = dark * dark;
  const float shot2 = scale * scale * noise.shot * noise.shot;
  MatrixF drawn(receivers + 1, words);  // a word's stand together: the seed's, then the receivers'
  stream.normals(std::span(drawn.data(), static_cast<std::size_t>(drawn.size())));
  slopes.light.resize(receivers, words);
  slopes.gain.resize(receivers, words);
  for (Eigen::Index w = 0; w < words; ++w) {
    const float e = rin * drawn(0, w);
    for (Eigen::Index p = 0; p < receivers; ++p) {
      const float v = light(p, w), n = drawn(p + 1, w), left = p % 2 == 0 ? leak : -leak;
      const float rms = std::sqrt(dark2 + shot2 * v * v), per_rms = rms > 0 ? n / rms : 0.0f;
      values(p, w) += rms * n + e * (v + left);
      slopes.light(p, w) = e + shot2 * v * per_rms;
      slopes.gain(p, w) = (dark2 * per_rms + e * left) / gain;
    }
  }
}

}  // namespace optinc::training
