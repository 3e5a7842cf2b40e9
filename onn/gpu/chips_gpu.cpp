#include "onn/gpu/chips_gpu.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "onn/gpu/detail/chip_kernels.hpp"
#include "onn/gpu/detail/table_memory.hpp"
#include "onn/link/detail/receiver_variance.hpp"
#include "onn/link/detail/word_block.hpp"
#include "onn/link/power_path.hpp"
#include "onn/task/words.hpp"
#include "physics/core/check.hpp"
#include "physics/gpu/chip_draws.hpp"
#include "physics/gpu/mesh_gpu.hpp"
#include "physics/random/stream.hpp"

namespace optinc {
namespace {

/// For matrices and tables of a batch of chips, and for what lies between layers of those that words are sent
/// through at a time. Smaller batches, which a cache would hold, were slower: launches take the time.
constexpr std::size_t memory_bytes = std::size_t{2} << 30;
constexpr int words_at_once = 4096;
// noise is drawn by blocks of words, from the start of a part
static_assert(words_at_once % block_words == 0 && table_part_words % words_at_once == 0);

/// A chip without errors, settled: what all chips have in common.
ChipState nominal_chip(const ChipDesign& design, const ErrorModel& model) {
  ChipState chip;
  for (const LayerDesign& layer : design.layers) {
    LayerState& state = chip.layers.emplace_back();
    state.nominal_factor = nominal_layer_factor(layer, model);
    state.transfer = (state.nominal_factor * layer.weight).cast<Complex>();
  }
  return chip;
}

/// One block of a layer.
struct Block {
  std::size_t mesh = 0;  ///< in State::meshes, one for each topology
  const BlockDesign* design = nullptr;
  std::uint32_t number = 0;        ///< of its mesh on the chip; its attenuators have the next
  gpu::DeviceArray<double> asked;  ///< transmission of every attenuator, signed
  gpu::BlockPlace place;
};

/// One layer in one of the two precisions.
template <class Real>
struct LayerIn {
  gpu::DeviceArray<Real> bias, matrices, inputs, outputs, normals;
  gpu::DeviceArray<gpu::Lane> lanes;
  gpu::Receivers<Real> receivers;
  bool quadrature_in = false, quadrature_out = false, unchanged = false;
  int rows = 0, columns = 0;
};

}  // namespace

struct ChipsGpu::State {
  ChipDesign design;
  ErrorModel model;
  Programming programming;
  UnitHardware hardware;
  NoiseSwitches noise;
  ResponseTable like;  ///< without words
  int draws = 0;       ///< of the neurons' noise
  std::vector<MeshGpu<double>> meshes;
  std::vector<GpuFields<double>> unit_vectors;  ///< of each
  std::vector<std::vector<Block>> blocks;
  std::vector<LayerIn<double>> in_double;
  std::vector<LayerIn<float>> in_float;
  gpu::DeviceArray<double> lanes_double;  ///< unit P's, (words, digits)
  gpu::DeviceArray<float> lanes_float;
  mutable gpu::MatrixProducts products;
  // what a batch of chips needs
  std::uint32_t chips_at_once = 1, passing_at_once = 1;
  gpu::TableMemory tables;
  gpu::DeviceArray<gpu::Number<double>> passed;
  gpu::DeviceArray<double> digits;
  gpu::DeviceArray<std::uint32_t> codes, expected, answers;
  gpu::DeviceArray<unsigned long long> wrong;

  State(const ChipDesign& given, const ErrorModel& errors, Programming how, const UnitHardware& devices,
        const NoiseSwitches& acting)
      : design(given), model(errors), programming(how), hardware(devices), noise(acting) {}

  template <class Real>
  void set_layers(const LitUnit& unit, bool noisy, std::vector<LayerIn<Real>>& layers);
  void set_blocks(const LitUnit& unit);
  void reserve_memory();
  void set_lanes();
  template <class Real>
  void place(std::size_t l, const Block& block, std::uint32_t from, std::uint32_t chips,
             const gpu::Number<double>* mesh, std::vector<LayerIn<Real>>& layers);
  void settle(std::uint64_t seed, std::uint32_t first, std::uint32_t chips);
  template <class Real>
  void send(std::vector<LayerIn<Real>>& layers, const Real* lanes, const gpu::NoiseOfWords& of_words, int words,
            std::uint32_t from_chip, int chips);
  void tabulate_part(std::uint64_t seed, std::uint32_t first, std::uint32_t word, std::uint32_t from,
                     int chips);
  void tabulate(std::uint64_t seed, std::uint32_t first, std::uint32_t chips);
  template <class Use>
  void for_batches(std::uint64_t seed, std::uint32_t first, std::uint32_t chips, Use use);
};

template <class Real>
void ChipsGpu::State::set_layers(const LitUnit& unit, bool noisy, std::vector<LayerIn<Real>>& layers) {
  const std::vector<LayerPath<Real>> paths = layer_paths<Real>(unit);  // of the nominal chip: no quadrature
  const double full_scale = std::sqrt(hardware.link.signal_full_scale_w);
  int drawn = 0;
  layers.resize(design.layers.size());
  for (std::size_t l = 0; l < layers.size(); ++l) {
    const LayerDesign& layer = design.layers[l];
    const LayerPath<Real>& path = paths[l];
    const ReceiverSettings receiver = layer_hardware(layer, hardware).receiver;
    const ReceiverVariance variance = receiver_variance(receiver, noise);
    const double intensity = noise.rin ? relative_intensity_noise(receiver, hardware.laser) : 0.0;
    LayerIn<Real>& to = layers[l];
    std::vector<gpu::Lane> lanes;
    for (std::size_t i = 0; i < layer.lanes.size(); ++i) {
      const LaneDesign& lane = layer.lanes[i];
      lanes.push_back({lane.source + 1, lane.row, path.lane_factor[i],
                       path.lane_driven[i] ? path.lane_full_scale[i] : 0.0});
      to.quadrature_in = to.quadrature_in || (lane.source >= 0 && !path.lane_driven[i]);
    }
    to.lanes.set(lanes);
    to.unchanged = path.inputs_unchanged;
    gpu::Receivers<Real>& r = to.receivers;
    r.outputs = layer.outputs;
    r.servers = layer.ending == LayerEnd::servers;
    r.noisy = noisy && layer.received() && !r.servers;
    to.quadrature_out = !layer.received() || (r.noisy && noise.shot);
    to.rows = r.rows = layer.outputs * (to.quadrature_out ? 2 : 1);
    to.columns = layer.inputs * (to.quadrature_in ? 2 : 1);
    r.current_per_field = static_cast<Real>(homodyne_current_per_field(receiver));
    r.gain = static_cast<Real>(path.gain);
    r.bias = to.bias.set(path.bias.data(), static_cast<std::size_t>(path.bias.size()));
    r.ceiling = static_cast<Real>(layer.ceiling);
    r.drive = static_cast<Real>(full_scale) / static_cast<Real>(layer.largest_output);
    r.offset = static_cast<Real>(layer.offset);
    r.most = path.undimmed ? static_cast<Real>(full_scale) : Real(0);
    r.dark_a2 = static_cast<Real>(variance.dark_a2);
    r.per_watt_a2 = static_cast<Real>(variance.per_watt_a2);
    r.intensity = static_cast<Real>(intensity);
    if (intensity > 0)
      r.oscillator_a = static_cast<Real>(lo_intensity_noise_a(receiver, hardware.laser) / intensity);
    r.drawn_before = drawn;
    if (r.noisy) drawn += r.drawn();
  }
}

void ChipsGpu::State::set_blocks(const LitUnit& unit) {
  const std::vector<LayerPath<double>> paths = layer_paths<double>(unit);
  std::vector<const MeshTopology*> topologies;
  std::uint32_t number = 0;
  for (std::size_t l = 0; l < design.layers.size(); ++l) {
    const LayerDesign& layer = design.layers[l];
    auto& of_layer = blocks.emplace_back();
    for (std::size_t b = 0; b < layer.blocks.size(); ++b, number += 2) {
      const BlockDesign& block = layer.blocks[b];
      Block& made = of_layer.emplace_back();
      const auto same = std::ranges::find_if(topologies, [&](const auto* t) { return *t == block.mesh; });
      made.mesh = static_cast<std::size_t>(same - topologies.begin());
      if (same == topologies.end()) {
        topologies.push_back(&block.mesh);
        meshes.emplace_back(block.mesh);
        unit_vectors.push_back(
            meshes.back().upload(FieldBatch(Matrix::Identity(block.mesh.ports, block.mesh.ports))));
      }
      made.design = &block;
      made.number = number;
      const Vector asked = block.dimming * block.attenuation;
      made.asked.set(asked.data(), static_cast<std::size_t>(asked.size()));
      const int n = block.mesh.ports, at = static_cast<int>(b) * n;
      const bool whole = layer.tall() || layer.wiring == Wiring::sum;  // every block reads all inputs
      made.place = {n,
                    static_cast<int>(block.attenuation.size()),
                    layer.tall() ? at : 0,
                    whole ? 0 : at,
                    layer.outputs,
                    layer.inputs,
                    layer.fan_field_factor() * paths[l].passed,
                    false,
                    false};
    }
  }
}

void ChipsGpu::State::set_lanes() {
  std::vector<std::uint64_t> numbers(design.task.words());
  std::iota(numbers.begin(), numbers.end(), std::uint64_t{0});
  const std::vector<double> in_phase(static_cast<std::size_t>(design.task.servers), 0.0);
  const FieldBatch lanes = unit_p(design.task, hardware, draw_combiners(design.task, hardware, 1, 0),
                                  codes_of_words(design.task, numbers), in_phase);
  const Eigen::MatrixXd words_together = lanes.re;
  lanes_double.set(words_together.data(), static_cast<std::size_t>(words_together.size()));
  if (draws == 0) return;
  const Eigen::MatrixXf rounded = words_together.cast<float>();
  lanes_float.set(rounded.data(), static_cast<std::size_t>(rounded.size()));
}

template <class Real>
void ChipsGpu::State::place(std::size_t l, const Block& block, std::uint32_t from, std::uint32_t chips,
                            const gpu::Number<double>* mesh, std::vector<LayerIn<Real>>& layers) {
  LayerIn<Real>& layer = layers[l];
  gpu::BlockPlace at = block.place;
  at.quadrature_in = layer.quadrature_in;
  at.quadrature_out = layer.quadrature_out;
  const auto size = static_cast<std::size_t>(layer.rows) * static_cast<std::size_t>(layer.columns);
  gpu::place_block(at, mesh, passed.data() + std::size_t(from) * static_cast<std::size_t>(at.rows),
                   static_cast<int>(chips), layer.matrices.data() + from * size);
}

/// Matrices of all layers of these chips.
void ChipsGpu::State::settle(std::uint64_t seed, std::uint32_t first, std::uint32_t chips) {
  const bool corrected = programming == Programming::corrected;
  const auto clipping = corrected ? std::optional(Clipping::quadrature) : std::nullopt;
  for (std::size_t l = 0; l < blocks.size(); ++l)
    for (const Block& block : blocks[l]) {
      gpu::Attenuators attenuators;
      attenuators.count = block.place.rows;
      attenuators.mzis = block.design->attenuators.mzi_count();
      attenuators.asked = block.asked.data();
      attenuators.draws = gpu::draws_of(model, {seed, first, block.number + 1});
      attenuators.correction = gpu::correction_of(model, true);
      attenuators.known = corrected;
      gpu::pass_attenuators(attenuators, first, static_cast<int>(chips),
                            passed.reserve(chips * static_cast<std::size_t>(attenuators.count)));
      meshes[block.mesh].chip_fields(block.design->mesh_program, model, {seed, first, block.number}, chips,
                                     unit_vectors[block.mesh], clipping,
                                     [&](std::uint32_t from, std::uint32_t count, const Complex* mesh) {
                                       const auto* fields = reinterpret_cast<const gpu::Number<double>*>(mesh);
                                       place(l, block, from, count, fields, in_double);
                                       if (draws > 0) place(l, block, from, count, fields, in_float);
                                     });
    }
}

/// Sends words, (words, digits) of unit P's lanes, through all layers of chips `from_chip`, .. of the batch:
/// `digits` of the answers.
template <class Real>
void ChipsGpu::State::send(std::vector<LayerIn<Real>>& layers, const Real* lanes,
                           const gpu::NoiseOfWords& of_words, int words, std::uint32_t from_chip, int chips) {
  gpu::Sources<Real> sources;
  sources.of[0] = {lanes, design.task.input_digits(), 0, 0};
  int digit = 0;
  for (std::size_t l = 0; l < layers.size(); ++l) {
    LayerIn<Real>& layer = layers[l];
    const LayerDesign& shape = design.layers[l];
    const gpu::Source<Real>* from = &sources.of[shape.lanes[0].source + 1];
    gpu::Source<Real> gathered;
    if (!layer.unchanged) {
      gathered = {layer.inputs.data(), layer.columns, 0, 1};
      gpu::gather(layer.lanes.data(), shape.inputs, layer.quadrature_in, sources, words, chips,
                  layer.inputs.data());
      from = &gathered;
    }
    Real* const out = layer.outputs.data();
    const auto size = static_cast<std::size_t>(layer.rows) * static_cast<std::size_t>(layer.columns);
    products.multiply(layer.matrices.data() + from_chip * size, layer.rows, layer.columns, from->values,
                      from->rows, from->per_chip > 0, words, chips, out);
    if (layer.receivers.noisy) gpu::draw_normals(layer.receivers, of_words, words, chips, layer.normals.data());
    if (shape.received()) gpu::receive(layer.receivers, words, chips, layer.normals.data(), out);
    sources.of[l + 1] = {out, layer.rows, shape.received() ? 0 : shape.outputs,
                         std::size_t(words) * static_cast<std::size_t>(layer.rows)};
    if (!layer.receivers.servers) continue;
    gpu::put_digits(out, layer.rows, shape.outputs, digit, design.task.output_digits(), words, chips,
                    digits.data());
    digit += shape.outputs;
  }
}

/// What words from number `word` on make of chips `from`, .. of the batch whose first is number `first`.
void ChipsGpu::State::tabulate_part(std::uint64_t seed, std::uint32_t first, std::uint32_t word,
                                    std::uint32_t from, int chips) {
  const gpu::Table table = gpu::of_chip(tables.table, from);
  const int words = static_cast<int>(std::min<std::uint32_t>(words_at_once, table.words - word));
  const std::size_t lanes_before = std::size_t{word} * static_cast<std::size_t>(design.task.input_digits());
  send(in_double, lanes_double.data() + lanes_before, {}, words, from, chips);
  gpu::set_outputs(table, digits.data(), word, words, chips);
  constexpr auto part = static_cast<std::uint32_t>(table_part_words);
  const auto key = Stream(seed, Purpose::receiver_noise).key();
  for (std::uint32_t d = 0; d < table.draws; ++d) {
    const gpu::NoiseOfWords of_words = {{{key[0], key[1]}, 0, word / part * table.draws + d},
                                        first + from,
                                        word % part,
                                        std::min(part, table.words - word / part * part),
                                        static_cast<std::uint32_t>(block_words),
                                        streams_per_block};
    send(in_float, lanes_float.data() + lanes_before, of_words, words, from, chips);
    gpu::set_before_readout(table, digits.data(), d, word, words, chips);
  }
}

/// Tables of these chips, at most chips_at_once.
void ChipsGpu::State::tabulate(std::uint64_t seed, std::uint32_t first, std::uint32_t chips) {
  settle(seed, first, chips);
  for (std::uint32_t from = 0; from < chips; from += passing_at_once)
    for (std::uint32_t word = 0; word < tables.table.words; word += words_at_once)
      tabulate_part(seed, first, word, from, static_cast<int>(std::min(passing_at_once, chips - from)));
  if (tables.table.noisy) gpu::find_reach(tables.table, static_cast<int>(chips));
}

/// Calls use(number of the first, from 0; chips) for batches whose tables are made.
template <class Use>
void ChipsGpu::State::for_batches(std::uint64_t seed, std::uint32_t first, std::uint32_t chips, Use use) {
  for (std::uint64_t from = 0; from < chips; from += chips_at_once) {
    const auto done = static_cast<std::uint32_t>(from), now = std::min(chips_at_once, chips - done);
    tabulate(seed, first + done, now);
    use(done, now);
  }
}

void ChipsGpu::State::reserve_memory() {
  const std::size_t words = design.task.words(), passing = std::min<std::size_t>(words, words_at_once),
                    digits_each = static_cast<std::size_t>(design.task.output_digits());
  const auto each_layer = [&](auto use) {
    for (auto& layer : in_double) use(layer);
    if (draws > 0)
      for (auto& layer : in_float) use(layer);
  };
  const auto matrix = [](const auto& layer) { return std::size_t(layer.rows) * std::size_t(layer.columns); };
  const auto gathered = [](const auto& layer) { return layer.unchanged ? 0 : std::size_t(layer.columns); };
  const auto drawn = [](const auto& layer) {
    return layer.receivers.noisy ? std::size_t(layer.receivers.drawn()) : 0;
  };
  std::size_t kept = words * ((1 + static_cast<std::size_t>(draws)) * digits_each + 3) * sizeof(float),
              between = passing * digits_each * sizeof(double), most_passed = 0;
  each_layer([&](const auto& layer) {
    kept += matrix(layer) * sizeof(*layer.matrices.data());
    between +=
        passing * (std::size_t(layer.rows) + gathered(layer) + drawn(layer)) * sizeof(*layer.outputs.data());
  });
  for (const auto& layer : blocks)
    for (const Block& block : layer)
      most_passed = std::max(most_passed, static_cast<std::size_t>(block.place.rows));
  chips_at_once = static_cast<std::uint32_t>(std::clamp<std::size_t>(memory_bytes / kept, 1, 4096));
  passing_at_once =
      static_cast<std::uint32_t>(std::clamp<std::size_t>(memory_bytes / between, 1, chips_at_once));
  tables.reserve(like, chips_at_once, static_cast<std::size_t>(draws));
  passed.reserve(chips_at_once * most_passed);
  digits.reserve(passing_at_once * passing * digits_each);
  each_layer([&](auto& layer) {
    layer.matrices.reserve(chips_at_once * matrix(layer));
    layer.outputs.reserve(passing_at_once * passing * std::size_t(layer.rows));
    layer.inputs.reserve(passing_at_once * passing * gathered(layer));
    layer.normals.reserve(passing_at_once * passing * drawn(layer));
  });
}

ChipsGpu::ChipsGpu(const ChipDesign& design, const ErrorModel& model, Programming programming,
                   const UnitHardware& hardware, const NoiseSwitches& noise) {
  validate(!gpu_name().empty(), "no GPU was found (ChipsGpu computes on one). Use tabulate_chip().");
  validate_hardware(hardware);
  validate_errors(model);
  validate_tabulation(design.task, hardware, noise);
  validate(design.task.outputs == Outputs::answer && design.task.adder == Adder::light,
           "a unit of digit sums (a GPU decides the four levels of PAM4 alone). Use tabulate_chip().");
  validate(hardware.link.averaging == Averaging::coherent,
           "link.averaging = {} (a GPU computes coherent averages alone). Use tabulate_chip().",
           name_of(hardware.link.averaging));
  validate(hardware.receiver.overload_a == 0.0,
           "receiver.overload_a = {} (a GPU computes amplifiers without a limit alone). Use tabulate_chip().",
           hardware.receiver.overload_a);
  validate(hardware.modulator.linearised,
           "modulator.linearised = false (a GPU computes linearised modulators alone). Use tabulate_chip().");
  validate(design.layers.size() < gpu::most_sources,
           "{} layers (a GPU computes chips of fewer than {}). Use tabulate_chip().", design.layers.size(),
           gpu::most_sources);
  state_ = std::make_unique<State>(design, model, programming, hardware, noise);
  State& s = *state_;
  const ChipState nominal = nominal_chip(s.design, s.model);
  const LitUnit unit = {s.design, nominal, s.hardware, s.noise};
  validate(!has_real_limiters(hardware.link),
           "limiters with errors or a knee (a GPU computes hard ones alone). Set link.sigma_limiter and "
           "link.limiter_knee to 0, or use tabulate_chip().");
  s.like.task = s.design.task;
  if (noise.converter) s.like.converter = s.hardware.converter;
  for (Eigen::Index m = 0; m < s.design.task.output_digits(); ++m)
    s.like.readout.push_back(readout_noise(unit, m));
  const bool neurons = s.design.server_layers().size() < s.design.layers.size();
  s.draws = noise.any_receiver_noise() && !noise.last_only && neurons ? table_draws(s.design.task) : 0;
  s.set_blocks(unit);
  s.set_lanes();
  s.set_layers(unit, false, s.in_double);
  if (s.draws > 0) s.set_layers(unit, true, s.in_float);

  s.reserve_memory();
}
ChipsGpu::ChipsGpu(ChipsGpu&&) noexcept = default;
ChipsGpu& ChipsGpu::operator=(ChipsGpu&&) noexcept = default;
ChipsGpu::~ChipsGpu() = default;

std::vector<TableGpu> ChipsGpu::tabulate(std::uint64_t seed, std::uint32_t first, std::uint32_t chips) const {
  State& s = *state_;
  validate_chip_numbers(first, chips);
  std::vector<TableGpu> found;
  const gpu::TableMemory& all = s.tables;
  const std::size_t words = all.words(), cells = all.cells(), draws = all.table.draws;
  s.for_batches(seed, first, chips, [&](std::uint32_t, std::uint32_t count) {
    for (std::uint32_t i = 0; i < count; ++i) {
      auto memory = std::make_unique<gpu::TableMemory>();
      gpu::TableMemory& own = *memory;
      own.reserve(s.like, 1, draws);
      own.decided.copy(all.decided, i * words, words);
      own.moving.copy(all.moving, i * words, words);
      own.reach.copy(all.reach, i * words, words);
      own.outputs.copy(all.outputs, i * cells, cells);
      if (draws > 0) own.before_readout.copy(all.before_readout, i * draws * cells, draws * cells);
      found.push_back(TableGpu(std::move(memory)));
    }
  });
  return found;
}

std::vector<std::uint64_t> ChipsGpu::wrong_words(const Codes& codes, const CodeVector& expected,
                                                 const TableSeed& seed, std::uint32_t chips) const {
  State& s = *state_;
  validate_chip_numbers(seed.chip, chips);
  validate_lookup(s.like, codes, seed);
  validate(codes.rows() == expected.size(), "{} words meet {} answers (one each). Give an answer a word.",
           codes.rows(), expected.size());
  std::vector<std::uint64_t> found(chips, 0);
  const auto words = static_cast<std::size_t>(codes.rows());
  if (words == 0) return found;
  s.codes.set(codes.data(), static_cast<std::size_t>(codes.size()));
  s.expected.set(expected.data(), words);
  // answers of so many chips at once as stay within bounds
  const auto at_once = static_cast<std::uint32_t>(
      std::clamp<std::size_t>(memory_bytes / sizeof(std::uint32_t) / words, 1, s.chips_at_once));
  s.answers.reserve(at_once * words);
  std::vector<unsigned long long> counted(s.chips_at_once);
  s.for_batches(seed.seed, seed.chip, chips, [&](std::uint32_t from, std::uint32_t count) {
    std::ranges::fill(counted, 0);
    unsigned long long* const wrong = s.wrong.set(counted.data(), count);
    for (std::uint32_t done = 0; done < count; done += at_once) {
      const std::uint32_t now = std::min(at_once, count - done);
      gpu::send_by_table(gpu::of_chip(s.tables.table, done), s.codes.data(), words, gpu::readout_key(seed),
                         seed.chip + from + done, static_cast<int>(now), s.answers.data());
      gpu::count_wrong(s.answers.data(), s.expected.data(), words, static_cast<int>(now), wrong + done);
    }
    s.wrong.get(counted.data(), count);
    std::copy_n(counted.begin(), count, found.begin() + from);
  });
  return found;
}

}  // namespace optinc
