#include "onn/link/detail/late_light.hpp"

#include <array>
#include <cmath>

namespace optinc {
namespace {

/// Samples of unclocked light that is late, between which levels are interpolated.
LateLight::Modulator interpolated(double late_samples) {
  const double whole = std::floor(late_samples), rest = late_samples - whole;
  return {{{1 - rest, rest}, -static_cast<int>(whole)}};
}

/// By how much the light of each modulator is late, s: [server][digit lane], then [layer][output]. Normal, of
/// rms time.lane_skew_s, plus what all modulators of a server or layer have in common, of rms
/// time.layer_skew_s. Constant for a channel of a chip; empty where no words follow each other or none is late.
std::vector<std::vector<double>> modulator_lateness_s(const ChipDesign& design, const UnitHardware& hardware,
                                                      const TransmissionSeed& seed) {
  const TimingSettings& timing = hardware.timing;
  std::vector<std::vector<double>> late_s;
  if (timing.sampling == Sampling::settled || (timing.lane_skew_s == 0 && timing.layer_skew_s == 0))
    return late_s;
  const auto draw = [&](int modulators) {
    Stream stream(seed.seed, Purpose::modulator_skew, seed.chip, static_cast<std::uint32_t>(late_s.size()),
                  seed.channel);
    const double common_s = timing.layer_skew_s * stream.normal();
    auto& own = late_s.emplace_back();
    for (int m = 0; m < modulators; ++m) own.push_back(common_s + timing.lane_skew_s * stream.normal());
  };
  for (int n = 0; n < design.task.combined(); ++n) draw(design.task.input_digits());
  for (const LayerDesign& layer : design.layers) draw(layer.outputs);
  return late_s;
}

}  // namespace

LateLight late_light(const LitUnit& unit, const TransmissionSeed& seed, StageInTime& stage,
                     std::span<const double> instants_s) {
  const UnitHardware& hardware = unit.hardware;
  LateLight late;
  const auto late_s = modulator_lateness_s(unit.design, hardware, seed);
  if (late_s.empty()) return late;
  const bool jitters = stage.clocked && unit.noise.jitter && hardware.timing.jitter_s > 0;
  const std::array<Lowpass, 2> filters = stage_lowpasses(hardware);
  const double rate_bd = hardware.timing.symbol_rate_bd;
  std::vector<ClockedChannel>
      then;  // at each instant; a modulator's lateness shifts it further, by less than a symbol
  if (stage.clocked)
    for (const double instant_s : instants_s)
      then.push_back(sampled_later(*stage.clocked, filters[0], filters[1], rate_bd, instant_s));
  const auto sampled = [&](double later_s) {
    if (!stage.clocked) return interpolated(later_s / stage.analogue->step_s);
    LateLight::Modulator parts;
    for (const ClockedChannel& on_time : then) {
      const ClockedChannel channel = sampled_later(on_time, filters[0], filters[1], rate_bd, -later_s);
      parts.push_back({channel.response, channel.response_before});
      if (!jitters) continue;
      parts.push_back({channel.slope, channel.response_before});
      parts.push_back({channel.curvature, channel.response_before});
    }
    return parts;
  };
  const auto servers = static_cast<std::size_t>(unit.design.task.combined());
  for (std::size_t g = 0; g < late_s.size(); ++g) {
    auto& group = g < servers ? late.servers.emplace_back() : late.layers.emplace_back();
    if (g >= servers && unit.design.layers[g - servers].ending != LayerEnd::receivers)
      continue;  // no modulators
    for (const double later_s : late_s[g]) group.push_back(sampled(later_s));
  }
  stage.late_parts = jitters ? 3 : 1;
  return late;
}

FieldBatch late_unit_p(const Task& task, const UnitHardware& hardware, const CombinerWeights& weights,
                       const Eigen::Ref<const Codes>& codes, std::span<const double> phase_rad,
                       const LateLight& late) {
  const Eigen::Index words = codes.rows();
  FieldBatch lanes(task.input_digits(), late.parts() * words);
  for (std::size_t n = 0; n < late.servers.size(); ++n) {
    CombinerWeights own;
    for (const auto& lane : weights) own.push_back({lane[n]});
    const FieldBatch sent =
        unit_p(task, hardware, own, codes.col(static_cast<Eigen::Index>(n)), phase_rad.subspan(n, 1));
    for (Eigen::Index m = 0; m < lanes.ports(); ++m)
      for (Eigen::Index p = 0; p < late.parts(); ++p) {
        const auto& [taps, before] = late.servers[n][static_cast<std::size_t>(m)][static_cast<std::size_t>(p)];
        lanes.re.row(m).segment(p * words, words) += along_words(sent.re.row(m).eval(), taps, before);
        lanes.im.row(m).segment(p * words, words) += along_words(sent.im.row(m).eval(), taps, before);
      }
  }
  return lanes;
}

template <class Real>
void make_late(FieldBatchOf<Real>& fields, const LayerDesign& layer, const LayerPath<Real>& path,
               const LateLight& late) {
  const Eigen::Index words = fields.words() / late.parts();
  for (Eigen::Index i = 0; i < layer.inputs; ++i) {
    const LaneDesign& lane = layer.lanes[static_cast<std::size_t>(i)];
    if (!path.lane_driven[static_cast<std::size_t>(i)]) continue;
    const auto& parts = late.layers[static_cast<std::size_t>(lane.source)][static_cast<std::size_t>(lane.row)];
    for (std::size_t p = 0; p < parts.size(); ++p)
      for (auto* plane : {&fields.re, &fields.im}) {
        auto samples = plane->row(i).segment(static_cast<Eigen::Index>(p) * words, words);
        samples = along_words(samples.eval(), parts[p].taps, parts[p].before);
      }
  }
}

template void make_late(FieldBatchOf<double>&, const LayerDesign&, const LayerPath<double>&, const LateLight&);
template void make_late(FieldBatchOf<float>&, const LayerDesign&, const LayerPath<float>&, const LateLight&);

}  // namespace optinc
