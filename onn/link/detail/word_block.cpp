#include "onn/link/detail/word_block.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "onn/link/oscillators.hpp"
#include "physics/devices/power_divider.hpp"
#include "physics/random/stream.hpp"

namespace optinc {

Fabricated fabricated_electronics(const LitUnit& unit, const TransmissionSeed& seed,
                                  std::span<const double> instants_s) {
  const auto& [design, chip, hardware, noise, arithmetic] = unit;
  StageInTime stage = {stage_channel(hardware), analogue_stage(hardware)};
  LateLight late = late_light(unit, seed, stage, instants_s);
  return {draw_combiners(design.task, hardware, seed.seed, seed.chip),
          fabricated_ceilings(design, hardware.link, seed),
          oscillator_phases(design, hardware.link, noise, seed),
          receiver_offsets_a(design, hardware.receiver, seed),
          noise.lock ? oscillator_walk_rad(design, hardware) : std::vector<double>(design.layers.size(), 0.0),
          std::move(stage),
          std::move(late)};
}

namespace {

/// Turns the light of a layer against its oscillators: by what the chip has drifted, and by a phase that the
/// linewidth draws for every word, the same at all receivers. `samples`: columns of a word; `parts`: planes of
/// the same words.
template <class Real>
void turn(FieldBatchOf<Real>& fields, double drift_rad, double walk_rad, Eigen::Index samples,
          Eigen::Index parts, Stream& stream) {
  using Row = Eigen::Array<Real, 1, Eigen::Dynamic>;
  Row angle = Row::Constant(fields.words() / parts, static_cast<Real>(drift_rad));
  if (walk_rad > 0)
    for (Eigen::Index first = 0; first < angle.size(); first += samples)
      angle.segment(first, samples) += static_cast<Real>(walk_rad * stream.normal());
  const Row cosine = angle.cos().replicate(1, parts), sine = angle.sin().replicate(1, parts);
  for (Eigen::Index p = 0; p < fields.re.rows(); ++p) {
    auto re = fields.re.row(p).array();
    auto im = fields.im.row(p).array();
    const Row turned = cosine * re - sine * im;
    im = sine * re + cosine * im;
    re = turned;
  }
}

/// The planes of late light that belong to a receiver's own instant, 0, or to a later one.
template <class Real>
FieldBatchOf<Real> at_instant(const FieldBatchOf<Real>& fields, const StageInTime& stage, std::size_t instant,
                              Eigen::Index words) {
  const Eigen::Index columns = stage.late_parts * words, first = static_cast<Eigen::Index>(instant) * columns;
  FieldBatchOf<Real> own;
  own.re = fields.re.middleCols(first, columns);
  if (fields.im.size() > 0) own.im = fields.im.middleCols(first, columns);
  return own;
}

}  // namespace

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

template <class Real>
Eigen::MatrixXd transmit_block(const LitUnit& unit, const Fabricated& fabricated,
                               const std::vector<LayerPath<Real>>& paths, const Eigen::Ref<const Codes>& codes,
                               const TransmissionSeed& seed, std::uint32_t block, NoisyReceivers receivers,
                               const Onlooker<Real>* onlooker) {
  using Fields = FieldBatchOf<Real>;
  using Plane = typename Fields::Plane;
  const ChipDesign& design = unit.design;
  const UnitHardware& hardware = unit.hardware;
  const NoiseSwitches& noise = unit.noise;
  std::vector<double> lock_phase(static_cast<std::size_t>(design.task.servers), 0.0);
  const bool coherent = hardware.link.averaging == Averaging::coherent;
  if (coherent && noise.lock) {
    const double lock_rms = lock_rms_rad(hardware);
    Stream stream(seed.seed, Purpose::lock_error, seed.chip, block, seed.instant);
    for (double& phase : lock_phase) phase = noise.scale * lock_rms * stream.normal();
  }
  // one stream for the chip's neurons, which all servers share, and one for each server's own receiver
  const std::uint32_t first = block * streams_per_block;
  Stream neurons(seed.seed, Purpose::receiver_noise, seed.chip, first, seed.instant);
  Stream server(seed.seed, Purpose::receiver_noise, seed.chip, first + 1 + seed.server, seed.instant);
  Stream looks(seed.seed, Purpose::receiver_noise, seed.chip, first + streams_per_block - 1, seed.instant);

  Stream walk(seed.seed, Purpose::oscillator_walk, seed.chip, block, seed.instant);
  Stream averages(seed.seed, Purpose::average_noise, seed.chip, first, seed.instant);
  const LateLight& late = fabricated.late;
  const Eigen::Index words = codes.rows(), parts = late.parts();
  const Fields lanes(
      !late.none() ? late_unit_p(design.task, hardware, fabricated.combiners, codes, lock_phase, late)
      : coherent   ? unit_p(design.task, hardware, fabricated.combiners, codes, lock_phase)
                   : incoherent_unit_p(design.task, hardware, noise.last_only ? NoiseSwitches{} : noise,
                                       fabricated.combiners, codes, averages));
  std::vector<Fields> behind(design.layers.size());
  Eigen::MatrixXd answer(design.task.output_digits(), codes.rows());
  Eigen::Index digit = 0;
  for (std::size_t l = 0; l < design.layers.size(); ++l) {
    const LayerDesign& layer = design.layers[l];
    const int source = layer.lanes[0].source;
    const Fields& whole = source < 0 ? lanes : behind[static_cast<std::size_t>(source)];
    const bool last = layer.ending == LayerEnd::servers;
    const bool noisy = last ? receivers == NoisyReceivers::all : !noise.last_only;
    const NoiseSwitches acting = noisy ? noise : NoiseSwitches{};
    const bool unchanged = paths[l].inputs_unchanged && late.none();
    Fields made = unchanged ? Fields() : gathered(layer, paths[l], lanes, behind, hardware);
    if (!late.none()) make_late(made, layer, paths[l], late);
    const double drift_rad = unit.chip.layers[l].oscillator_rad,
                 walk_rad = noise.scale * fabricated.oscillator_walk_rad[l];
    const bool turned = layer.received() && (drift_rad != 0 || walk_rad > 0);
    Fields out = apply_transfer(paths[l].transfer, unchanged ? whole : made,
                                !layer.received() || (acting.shot && paths[l].quadrature_counts) || turned ||
                                    !fabricated.oscillator_rad.empty());
    if (turned) turn(out, drift_rad, walk_rad, fabricated.stage.analogue ? samples_per_symbol : 1, parts, walk);
    if (!layer.received()) {
      behind[l] = std::move(out);
      continue;
    }
    const auto of_layer = [&](const std::vector<Eigen::VectorXd>& all) {
      return all.empty() ? nullptr : &all[l];
    };
    const OwnReceivers own = {of_layer(fabricated.oscillator_rad), of_layer(fabricated.offset_a)};
    const auto received = [&](const StageInTime& stage, std::size_t instant, Stream& stream) {
      Plane values = parts == 1
                         ? detect(out, hardware, own, stage, acting, stream)
                         : detect(at_instant(out, stage, instant, words), hardware, own, stage, acting, stream);
      for (Eigen::Index p = 0; p < values.rows(); ++p)
        values.row(p) = (static_cast<Real>(paths[l].gain) * values.row(p)).array() + paths[l].bias[p];
      return values;
    };
    const auto passed_on = [&](Plane values) {
      if (last) return values;
      if (fabricated.ceilings.empty())
        values = values.cwiseMax(Real(0)).cwiseMin(static_cast<Real>(layer.ceiling));
      else
        limit(values, VectorOf<Real>(fabricated.ceilings[l].template cast<Real>()),
              static_cast<Real>(hardware.link.limiter_knee));
      return values;
    };
    if (onlooker != nullptr)
      for (std::size_t i = 0; i < onlooker->instants.size(); ++i) {
        const Plane seen = received(onlooker->instants[i], i + 1, looks);
        onlooker->see(l, i, seen, passed_on(seen));
      }
    Plane values = received(fabricated.stage, 0, last ? server : neurons);
    const bool looked_at = onlooker != nullptr && onlooker->instants.empty();
    const Plane raw = looked_at ? values : Plane();
    values = passed_on(std::move(values));
    if (looked_at) onlooker->see(l, 0, raw, values);
    if (!last) {
      Plane& drives = behind[l].re = std::move(values);
      const auto full_scale = static_cast<Real>(std::sqrt(hardware.link.signal_full_scale_w));
      const Real most = paths[l].undimmed ? full_scale : std::numeric_limits<Real>::infinity();
      drives = (full_scale / static_cast<Real>(layer.largest_output) *
                (drives.array() + static_cast<Real>(layer.offset)))
                   .max(-most)
                   .min(most);
      if (parts > 1) drives = drives.replicate(1, parts).eval();
      continue;
    }
    answer.middleRows(digit, values.rows()) = values.template cast<double>();
    digit += values.rows();
  }
  return answer;
}

#define OPTINC_INSTANTIATE(Real)                                                                              \
  template Eigen::MatrixXd transmit_block(                                                                    \
      const LitUnit&, const Fabricated&, const std::vector<LayerPath<Real>>&, const Eigen::Ref<const Codes>&, \
      const TransmissionSeed&, std::uint32_t, NoisyReceivers, const Onlooker<Real>*);
OPTINC_INSTANTIATE(double)
OPTINC_INSTANTIATE(float)
#undef OPTINC_INSTANTIATE

}  // namespace optinc
