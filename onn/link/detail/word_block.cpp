#include "onn/link/detail/word_block.hpp"

#include <algorithm>
#include <cmath>

#include "physics/devices/power_divider.hpp"
#include "physics/random/stream.hpp"

namespace optinc {

Fabricated fabricated_electronics(const LitUnit& unit, const TransmissionSeed& seed) {
  const auto& [design, chip, hardware, noise] = unit;
  return {draw_combiners(design.task, hardware, seed.seed, seed.chip),
          fabricated_ceilings(design, hardware.link, seed),
          oscillator_phases(design, hardware.link, seed),
          {stage_channel(hardware), analogue_stage(hardware)}};
}

Eigen::Index received_layers(const ChipDesign& design) {
  return std::ranges::count_if(design.layers, [](const LayerDesign& l) { return l.received(); });
}

Codes in_succession(const Codes& codes, Eigen::Index first, Eigen::Index words, const Neighbours& around,
                    Eigen::Index samples) {
  Codes sent((around.earlier + words + around.later) * samples, codes.cols());
  const Eigen::Index rounds = codes.rows() > 0 ? around.earlier / codes.rows() + 1 : 0;
  for (Eigen::Index w = 0; w < sent.rows(); ++w)
    sent.row(w) = codes.row((first + w / samples - around.earlier + rounds * codes.rows()) % codes.rows());
  return sent;
}

Eigen::MatrixXd transmit_block(const LitUnit& unit, const Fabricated& fabricated,
                               const std::vector<LayerPath>& paths, const Eigen::Ref<const Codes>& codes,
                               const TransmissionSeed& seed, std::uint32_t block, NoisyReceivers receivers,
                               const Onlooker* onlooker) {
  const ChipDesign& design = unit.design;
  const UnitHardware& hardware = unit.hardware;
  const NoiseSwitches& noise = unit.noise;
  std::vector<double> lock_phase(static_cast<std::size_t>(design.task.servers), 0.0);
  const bool coherent = hardware.link.averaging == Averaging::coherent;
  if (coherent && noise.lock) {
    const double lock_rms = lock_rms_rad(hardware);
    Stream stream(seed.seed, Purpose::lock_error, seed.chip, block, seed.instant);
    for (double& phase : lock_phase) phase = lock_rms * stream.normal();
  }
  // one stream for the chip's neurons, which all servers share, and one for each server's own receiver
  const std::uint32_t first = block * streams_per_block;
  Stream neurons(seed.seed, Purpose::receiver_noise, seed.chip, first, seed.instant);
  Stream server(seed.seed, Purpose::receiver_noise, seed.chip, first + 1 + seed.server, seed.instant);
  Stream looks(seed.seed, Purpose::receiver_noise, seed.chip, first + streams_per_block - 1, seed.instant);

  Stream averages(seed.seed, Purpose::average_noise, seed.chip, first, seed.instant);
  const FieldBatch lanes =
      coherent ? unit_p(design.task, hardware, fabricated.combiners, codes, lock_phase)
               : incoherent_unit_p(design.task, hardware, noise.last_only ? NoiseSwitches{} : noise,
                                   fabricated.combiners, codes, averages);
  std::vector<FieldBatch> behind(design.layers.size());
  Eigen::MatrixXd answer(design.task.output_digits(), codes.rows());
  Eigen::Index digit = 0;
  for (std::size_t l = 0; l < design.layers.size(); ++l) {
    const LayerDesign& layer = design.layers[l];
    const int source = layer.lanes[0].source;
    const FieldBatch& whole = source < 0 ? lanes : behind[static_cast<std::size_t>(source)];
    const bool last = layer.ending == LayerEnd::servers;
    const bool noisy = last ? receivers == NoisyReceivers::all : !noise.last_only;
    const NoiseSwitches acting = noisy ? noise : NoiseSwitches{};
    const FieldBatch made =
        paths[l].inputs_unchanged ? FieldBatch() : gathered(layer, paths[l], lanes, behind, hardware);
    FieldBatch out = apply_transfer(paths[l].transfer, paths[l].inputs_unchanged ? whole : made,
                                    !layer.received() || acting.shot || !fabricated.oscillator_rad.empty());
    if (!layer.received()) {
      behind[l] = std::move(out);
      continue;
    }
    const Eigen::VectorXd* phase = fabricated.oscillator_rad.empty() ? nullptr : &fabricated.oscillator_rad[l];
    const auto received = [&](const StageInTime& stage, Stream& stream) {
      FieldBatch::Plane values = detect(out, hardware, phase, stage, acting, stream);
      values = (paths[l].gain * values).colwise() + paths[l].bias;
      return values;
    };
    const auto passed_on = [&](FieldBatch::Plane values) {
      if (last) return values;
      if (fabricated.ceilings.empty())
        values = values.cwiseMax(0.0).cwiseMin(layer.ceiling);
      else
        limit(values, fabricated.ceilings[l], hardware.link.limiter_knee);
      return values;
    };
    if (onlooker != nullptr)
      for (std::size_t i = 0; i < onlooker->instants.size(); ++i) {
        const FieldBatch::Plane seen = received(onlooker->instants[i], looks);
        onlooker->see(l, i, seen, passed_on(seen));
      }
    FieldBatch::Plane values = received(fabricated.stage, last ? server : neurons);
    const bool looked_at = onlooker != nullptr && onlooker->instants.empty();
    const FieldBatch::Plane raw = looked_at ? values : FieldBatch::Plane();
    values = passed_on(std::move(values));
    if (looked_at) onlooker->see(l, 0, raw, values);
    if (!last) {
      FieldBatch::Plane& drives = behind[l].re = std::move(values);
      const double full_scale = std::sqrt(hardware.link.signal_full_scale_w);
      drives = full_scale / layer.largest_output * (drives.array() + layer.offset);
      if (paths[l].undimmed) drives = drives.cwiseMax(-full_scale).cwiseMin(full_scale);
      continue;
    }
    answer.middleRows(digit, values.rows()) = values;
    digit += values.rows();
  }
  return answer;
}

}  // namespace optinc
