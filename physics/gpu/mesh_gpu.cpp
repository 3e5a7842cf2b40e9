#include "physics/gpu/mesh_gpu.hpp"

#include <algorithm>
#include <bit>
#include <limits>

#include "physics/core/check.hpp"
#include "physics/core/units.hpp"
#include "physics/gpu/check_cuda.hpp"
#include "physics/gpu/chip_draws.hpp"
#include "physics/gpu/detail/host_wiring.hpp"
#include "physics/gpu/device_array.hpp"
#include "physics/mesh/engine/scaled_mesh.hpp"

namespace optinc {

namespace gpu {

void check(cudaError_t result, const char* what) {
  validate(result == cudaSuccess, "the GPU refused {} ({}). Send fewer words at a time, or use the processor.",
           what, cudaGetErrorString(result));
}

}  // namespace gpu

namespace {

constexpr std::size_t memory_bytes = std::size_t{512} << 20;  ///< that one call may take for what lies between
constexpr Eigen::Index words_at_once = 1 << 18;               ///< of one launch, whose grid has bounds

/// Throws Error where one is not finite, or too large for an angle to be accurate.
template <class Real>
void require_finite(const char* name, const VectorOf<Real>& values) {
  validate(values.allFinite(), "{} holds NaN or infinity (finite numbers only). Set finite numbers.", name);
  const Real largest = values.size() == 0 ? 0 : values.cwiseAbs().maxCoeff(),
             most = largest_phase_rad<Real> / 2;
  validate(largest <= most, "{} holds {} (at most {} in this precision). Take whole turns off.", name, largest,
           most);
}

template <class Real>
void require_finite(const MeshProgramOf<Real>& p) {
  require_finite("theta", p.theta);
  require_finite("phi", p.phi);
  require_finite("output_phase", p.output_phase);
}

template <class Real>
Real idle_factor(Real arm_loss_db) {
  return static_cast<Real>(field_ratio_of_loss_db(2.0 * static_cast<double>(arm_loss_db)));
}

/// Rows and screens of some meshes.
template <class Real>
struct RowMemory {
  gpu::DeviceArray<gpu::Row<Real>> upper, lower, upper_inverse, lower_inverse;
  gpu::DeviceArray<gpu::Number<Real>> screen;

  gpu::Rows<Real> of(const gpu::Wiring& w, int chips) {
    const std::size_t count = rows(w) * static_cast<std::size_t>(chips);
    return {upper.reserve(count), lower.reserve(count),
            screen.reserve(std::size_t(w.stride) * static_cast<std::size_t>(chips)), nullptr, nullptr};
  }
  /// Those of one mesh, and of its inverse where fields are in registers.
  gpu::Rows<Real> with_inverse(const gpu::Wiring& w) {
    gpu::Rows<Real> one = of(w, 1);
    if (w.ports_per_lane > 0) {
      one.upper_inverse = upper_inverse.reserve(rows(w));
      one.lower_inverse = lower_inverse.reserve(rows(w));
    }
    return one;
  }

 private:
  static std::size_t rows(const gpu::Wiring& w) {
    return std::size_t(w.columns) * static_cast<std::size_t>(w.slots);
  }
};

}  // namespace

std::string gpu_name() {
  int count = 0;
  cudaDeviceProp properties;
  if (cudaGetDeviceCount(&count) != cudaSuccess || count == 0 ||
      cudaGetDeviceProperties(&properties, 0) != cudaSuccess)
    return {};
  return properties.name;
}

template <class Real>
struct GpuFields<Real>::Memory {
  gpu::DeviceArray<gpu::Number<Real>> numbers;
};
template <class Real>
GpuFields<Real>::GpuFields() : memory_(std::make_unique<Memory>()) {}
template <class Real>
GpuFields<Real>::GpuFields(GpuFields&&) noexcept = default;
template <class Real>
GpuFields<Real>& GpuFields<Real>::operator=(GpuFields&&) noexcept = default;
template <class Real>
GpuFields<Real>::~GpuFields() = default;

/// What lies on the GPU.
template <class Real>
struct MeshGpu<Real>::State {
  using Number = gpu::Number<Real>;
  MeshTopology topology;
  gpu::Wiring wiring;
  int idle_count = 0;
  gpu::DeviceArray<std::int32_t> shift, place, upper, lower, pairs, column_begin, idle;
  bool settled = false;
  Real idle_factor_now = 1;
  gpu::DeviceArray<Real> parameters;  ///< theta, phi, output phase, and what settle() was given of errors
  gpu::Parameters<Real> pointers;
  RowMemory<Real> rows;
  // what a call needs, kept for the next one
  RowMemory<Real> chip_rows;
  gpu::DeviceArray<Real> planes, program, corrected, sums, total, screen_sums, found;
  gpu::DeviceArray<Number> scratch, in_front, outputs, unpacked, perfect, at_inputs;
  gpu::DeviceArray<int> check;
  gpu::DeviceArray<gpu::Overlap> overlaps;

  void require_settled() const {
    validate(settled, "the mesh was not settled (it has no phases yet). Call settle() first.");
  }
  void require_own(const GpuFields<Real>& fields) const {
    validate(
        fields.words() == 0 ||
            (fields.ports_ == wiring.ports && fields.ports_per_lane_ == wiring.ports_per_lane),
        "fields that were uploaded for a mesh of {} ports meet one of {} (each keeps them in its own way). "
        "Upload them for this one.",
        fields.ports_, wiring.ports);
  }
  bool backward(const GpuFields<Real>& inputs, GpuFields<Real>& gradient, bool keep,
                std::vector<Real>& derivatives);
  Number* scratch_of(int words, int chips) {
    if (wiring.ports_per_lane > 0) return nullptr;
    return scratch.reserve(std::size_t(gpu::groups<Real>(wiring, words)) * 32 *
                           static_cast<std::size_t>(wiring.ports) * static_cast<std::size_t>(chips));
  }
};

/// Forward and back; `derivatives`: those of the MZIs (8, MZIs), the sum over idle ports, those of the
/// screen. `keep` the fields in front of columns, or invert; false where inverting was inexact: `gradient` is
/// as it was then.
template <class Real>
bool MeshGpu<Real>::State::backward(const GpuFields<Real>& inputs, GpuFields<Real>& gradient, bool keep,
                                    std::vector<Real>& derivatives) {
  const gpu::Wiring& w = wiring;
  const auto columns = static_cast<std::size_t>(w.columns), stride = static_cast<std::size_t>(w.stride);
  const std::size_t count = columns * static_cast<std::size_t>(w.slots) * 8;
  const std::size_t of_mzis = 8 * static_cast<std::size_t>(w.mzis) + 1;
  const auto zero = [](auto* values, std::size_t n) {
    gpu::check(cudaMemsetAsync(values, 0, n * sizeof(*values)), "zeros");
    return values;
  };
  Real* const sum = zero(total.reserve(count + 1), count);
  Real* const all = found.reserve(of_mzis + stride);
  Real* const screen_sum = zero(all + of_mzis, stride);
  gpu::Return<Real> back_to;
  back_to.check = zero(check.reserve(2), 2);
  // so many words at once that the fields in front of columns, and the sums of every part, stay within bounds
  const std::size_t word_bytes =
      (keep ? columns * stride * 2 * sizeof(Real) : 0) +
      count * static_cast<std::size_t>(gpu::parts<Real>(w, 1024)) * sizeof(Real) / 1024 + 1;
  const Eigen::Index at_once = std::clamp<Eigen::Index>(
      static_cast<Eigen::Index>(memory_bytes / word_bytes / 1024 * 1024), 1024, words_at_once);
  const gpu::Rows<Real> now = rows.with_inverse(w);
  gpu::Number<Real>* const written = at_inputs.reserve(static_cast<std::size_t>(inputs.words()) * stride);
  for (Eigen::Index first = 0; first < inputs.words(); first += at_once) {
    const int words = static_cast<int>(std::min(at_once, inputs.words() - first));
    const std::size_t padded = (static_cast<std::size_t>(words) + 31) / 32 * 32,
                      offset = stride * static_cast<std::size_t>(first);
    gpu::Passage<Real> passage;
    passage.inputs = inputs.memory_->numbers.data() + offset;
    passage.outputs = outputs.reserve(padded * stride);
    passage.in_front = keep ? in_front.reserve(columns * padded * stride + 1) : nullptr;
    passage.words = words;
    Number* const fields = scratch_of(words, 1);
    gpu::propagate(w, now, passage, fields);
    const int parts = gpu::parts<Real>(w, words);
    back_to.gradient = gradient.memory_->numbers.data() + offset;
    back_to.input_gradient = written + offset;
    back_to.sums = sums.reserve(count * static_cast<std::size_t>(parts));
    back_to.screen_sums = screen_sums.reserve(stride * static_cast<std::size_t>(parts));
    gpu::walk_back(w, now, passage, back_to, fields);
    gpu::add_parts(back_to.sums, parts, count, sum);
    gpu::add_parts(back_to.screen_sums, parts, stride, screen_sum);
  }
  int bits[2];
  check.get(bits, 2);
  const float largest = std::bit_cast<float>(bits[0]), error = std::bit_cast<float>(bits[1]);
  if (!keep && !(error <= 2000 * std::numeric_limits<Real>::epsilon() * (largest > 0 ? largest : 1)))
    return false;
  gpu::differentiate(w, pointers, idle.data(), idle_count, sum, all);
  derivatives.resize(of_mzis + stride);
  found.get(derivatives.data(), derivatives.size());
  std::swap(gradient.memory_->numbers, at_inputs);
  return true;
}

template <class Real>
MeshGpu<Real>::MeshGpu(const MeshTopology& topology) {
  validate(!gpu_name().empty(), "no GPU was found (MeshGpu computes on one). Use MeshEngine.");
  validate_topology(topology);
  state_ = std::make_unique<State>();
  State& s = *state_;
  s.topology = topology;
  const gpu::HostWiring w = gpu::wire(topology, gpu::most_per_lane<Real>);
  s.wiring = w.shape;
  s.wiring.shift = s.shift.set(w.shift);
  s.wiring.place = s.place.set(w.place);
  s.wiring.pairs = s.pairs.set(w.pairs);
  s.wiring.column_begin = s.column_begin.set(w.column_begin);
  s.wiring.upper = s.upper.set(w.upper);
  s.wiring.lower = s.lower.set(w.lower);
  s.idle.set(w.idle);
  s.idle_count = static_cast<int>(w.idle.size());
}
template <class Real>
MeshGpu<Real>::MeshGpu(MeshGpu&&) noexcept = default;
template <class Real>
MeshGpu<Real>& MeshGpu<Real>::operator=(MeshGpu&&) noexcept = default;
template <class Real>
MeshGpu<Real>::~MeshGpu() = default;

template <class Real>
void MeshGpu<Real>::settle(const MeshProgramOf<Real>& p, const MeshErrorsOf<Real>& e) {
  State& s = *state_;
  s.settled = false;
  validate_program(s.topology, p);
  validate_errors(s.topology, e);
  require_finite(p);
  std::vector<Real> all;
  std::vector<std::size_t> starts;
  const auto add = [&](const char* name, const VectorOf<Real>& values) {
    require_finite(name, values);
    starts.push_back(all.size());
    all.insert(all.end(), values.begin(), values.end());
  };
  add("theta", p.theta);
  add("phi", p.phi);
  add("output_phase", p.output_phase);
  add("alpha", e.alpha);
  add("beta", e.beta);
  add("theta_offset", e.theta_offset);
  add("phi_offset", e.phi_offset);
  add("theta_arm_loss_db", e.theta_arm_loss_db);
  add("phi_arm_loss_db", e.phi_arm_loss_db);
  add("theta_other_loss_db", e.theta_other_loss_db);
  add("phi_other_loss_db", e.phi_other_loss_db);
  add("output_offset", e.output_offset);
  validate(std::isfinite(e.idle_arm_loss_db),
           "idle_arm_loss_db is {} (a finite loss in dB). Set a value in this range.", e.idle_arm_loss_db);
  const Real* const at = s.parameters.set(all);
  const auto from = [&](std::size_t i) { return at + starts[i]; };
  s.pointers = {from(0), from(1), from(2), from(3),  from(4),  from(5), from(6),
                from(7), from(8), from(9), from(10), from(11), 0};
  s.idle_factor_now = idle_factor(e.idle_arm_loss_db);
  const gpu::Rows<Real> rows = s.rows.with_inverse(s.wiring);
  gpu::fill_idle(s.wiring, s.idle_factor_now, 1, rows);
  gpu::settle(s.wiring, s.pointers, rows);
  s.settled = true;
}

template <class Real>
GpuFields<Real> MeshGpu<Real>::upload(const FieldBatchOf<Real>& fields) const {
  State& s = *state_;
  validate(fields.ports() == s.wiring.ports && fields.im.rows() == fields.re.rows() &&
               fields.im.cols() == fields.re.cols() && fields.words() < (1 << 24),
           "fields ({}, {}) with imaginary parts ({}, {}) meet a mesh of {} ports (ports agree, at most 2^24 "
           "words). Send one field per port.",
           fields.re.rows(), fields.re.cols(), fields.im.rows(), fields.im.cols(), s.wiring.ports);
  GpuFields<Real> uploaded;
  uploaded.words_ = fields.words();
  uploaded.ports_ = s.wiring.ports;
  uploaded.ports_per_lane_ = s.wiring.ports_per_lane;
  const auto count = static_cast<std::size_t>(fields.re.size());
  if (count == 0) return uploaded;
  Real* const planes = s.planes.reserve(2 * count);
  gpu::check(cudaMemcpy(planes, fields.re.data(), count * sizeof(Real), cudaMemcpyHostToDevice),
             "a copy to it");
  gpu::check(cudaMemcpy(planes + count, fields.im.data(), count * sizeof(Real), cudaMemcpyHostToDevice),
             "a copy to it");
  auto& numbers = uploaded.memory_->numbers;
  numbers.reserve(static_cast<std::size_t>(fields.words() * s.wiring.stride));
  gpu::pack(s.wiring, planes, planes + count, static_cast<int>(fields.words()), numbers.data());
  return uploaded;
}

template <class Real>
FieldBatchOf<Real> MeshGpu<Real>::download(const GpuFields<Real>& fields) const {
  State& s = *state_;
  s.require_own(fields);
  FieldBatchOf<Real> host(s.wiring.ports, fields.words());
  const auto count = static_cast<std::size_t>(host.re.size());
  if (count == 0) return host;
  Real* const planes = s.planes.reserve(2 * count);
  gpu::unpack(s.wiring, fields.memory_->numbers.data(), static_cast<int>(fields.words()), planes,
              planes + count);
  s.planes.get(host.re.data(), count);
  s.planes.get(host.im.data(), count, count);
  return host;
}

template <class Real>
void MeshGpu<Real>::propagate(GpuFields<Real>& fields) const {
  State& s = *state_;
  s.require_settled();
  s.require_own(fields);
  const gpu::Rows<Real> rows = s.rows.of(s.wiring, 1);
  for (Eigen::Index first = 0; first < fields.words(); first += words_at_once) {
    gpu::Number<Real>* const x = fields.memory_->numbers.data() + first * s.wiring.stride;
    gpu::Passage<Real> passage;
    passage.inputs = x;
    passage.outputs = x;
    passage.words = static_cast<int>(std::min(words_at_once, fields.words() - first));
    gpu::propagate(s.wiring, rows, passage, s.scratch_of(passage.words, 1));
  }
}

template <class Real>
void MeshGpu<Real>::propagate(FieldBatchOf<Real>& fields) const {
  GpuFields<Real> there = upload(fields);
  propagate(there);
  fields = download(there);
}

template <class Real>
MeshGradientOf<Real> MeshGpu<Real>::backward(const GpuFields<Real>& inputs, GpuFields<Real>& gradient) const {
  State& s = *state_;
  s.require_settled();
  s.require_own(inputs);
  s.require_own(gradient);
  validate(inputs.words() == gradient.words(),
           "inputs of {} words meet a gradient of {} (they must agree). Give those of one pass.",
           inputs.words(), gradient.words());
  std::vector<Real> derivatives;
  if (s.wiring.ports_per_lane == 0 || !s.backward(inputs, gradient, false, derivatives))
    s.backward(inputs, gradient, true, derivatives);
  MeshGradientOf<Real> g;
  const Eigen::Index mzis = s.wiring.mzis;
  const Real* at = derivatives.data();
  for (auto* v : {&g.theta, &g.phi, &g.alpha, &g.beta, &g.theta_arm_loss_db, &g.phi_arm_loss_db,
                  &g.theta_other_loss_db, &g.phi_other_loss_db}) {
    *v = Eigen::Map<const VectorOf<Real>>(at, mzis);
    at += mzis;
  }
  g.idle_arm_loss_db = static_cast<Real>(-std::log(10.0) / 20 * 2) * s.idle_factor_now * *at;
  g.output_phase = Eigen::Map<const VectorOf<Real>>(at + 1, s.wiring.ports);
  return g;
}

template <class Real>
MeshGradientOf<Real> MeshGpu<Real>::backward(const FieldBatchOf<Real>& inputs,
                                             FieldBatchOf<Real>& gradient) const {
  GpuFields<Real> there = upload(gradient);
  const MeshGradientOf<Real> g = backward(upload(inputs), there);
  gradient = download(there);
  return g;
}

/// Calls see(number of the first chip, chips) after every batch of chips, whose outputs or overlaps are then in
/// `outputs` or `overlaps`.
template <class Real>
template <class See>
void MeshGpu<Real>::through_chips(const MeshProgramOf<Real>& program, const ErrorModel& model,
                                  const MeshAddress& first, std::uint32_t chips, const GpuFields<Real>& fields,
                                  std::optional<Clipping> corrected, bool compare, See see) const {
  State& s = *state_;
  validate_program(s.topology, program);
  require_finite(program);
  const gpu::Wiring& w = s.wiring;
  validate(fields.words() <= words_at_once, "{} words through chips on a GPU (at most {}). Send them in parts.",
           fields.words(), words_at_once);
  const int words = static_cast<int>(fields.words());
  if (words == 0 || chips == 0) return;
  std::vector<Real> phases;
  const MeshProgramOf<Real> set = on_dac(program, model);
  for (const MeshProgramOf<Real>* p : {&program, &set})
    for (const VectorOf<Real>* v : {&p->theta, &p->phi, &p->output_phase})
      phases.insert(phases.end(), v->begin(), v->end());
  const Real* const all = s.program.set(phases);
  const auto parameters_at = [&](const Real* theta) {
    gpu::Parameters<Real> p = {};
    p.theta = theta;
    p.phi = theta + w.mzis;
    p.output_phase = theta + 2 * w.mzis;
    return p;
  };
  const auto phase_count = static_cast<std::size_t>(2 * w.mzis + w.ports);
  const gpu::Parameters<Real> asked = parameters_at(all);
  gpu::Parameters<Real> on_chips = parameters_at(all + phase_count);
  const gpu::Correction correction = gpu::correction_of(model, corrected == Clipping::quadrature);
  const gpu::Draws draws = gpu::draws_of(model, first);
  const auto size = static_cast<std::size_t>(words) * static_cast<std::size_t>(w.stride);
  const auto groups = static_cast<std::size_t>(gpu::groups<Real>(w, words));
  gpu::Passage<Real> passage;
  passage.inputs = fields.memory_->numbers.data();
  passage.words = words;
  if (compare) {  // first what a perfect mesh makes of them
    const gpu::Rows<Real> rows = s.chip_rows.of(w, 1);
    gpu::fill_idle(w, Real(1), 1, rows);
    gpu::settle(w, asked, rows);
    passage.outputs = s.perfect.reserve(size);
    gpu::propagate(w, rows, passage, s.scratch_of(words, 1));
    passage.others = passage.outputs;
    passage.outputs = nullptr;
  }
  const bool in_memory = gpu::needs_rows<Real>(w, words);
  const std::size_t chip_bytes =
      (in_memory ? std::size_t(w.columns) * static_cast<std::size_t>(w.slots) * 2 * sizeof(gpu::Row<Real>)
                 : 0) +
      (compare ? groups * sizeof(gpu::Overlap) : size * sizeof(gpu::Number<Real>)) +
      (w.ports_per_lane > 0 ? 0 : groups * 32 * static_cast<std::size_t>(w.ports) * sizeof(gpu::Number<Real>)) +
      (corrected ? phase_count * sizeof(Real) : 0);
  const auto at_once = static_cast<std::uint32_t>(
      std::clamp<std::size_t>(memory_bytes / chip_bytes, 1, std::min<std::uint32_t>(chips, 1 << 16)));
  const Real idle = idle_factor(static_cast<Real>(mean_arm_loss_db(model)));
  gpu::Rows<Real> rows;
  if (in_memory) {
    rows = s.chip_rows.of(w, static_cast<int>(at_once));
    gpu::fill_idle(w, idle, static_cast<int>(at_once), rows);
  }
  if (compare)
    passage.overlaps = s.overlaps.reserve(groups * at_once);
  else
    passage.outputs = s.outputs.reserve(size * at_once);
  gpu::Number<Real>* const scratch = s.scratch_of(words, static_cast<int>(at_once));
  if (corrected) {
    on_chips = parameters_at(s.corrected.reserve(phase_count * at_once));
    on_chips.per_chip = phase_count;
  }
  for (std::uint32_t done = 0; done < chips; done += at_once) {
    const int now = static_cast<int>(std::min(at_once, chips - done));
    if (corrected) gpu::correct_chips(w, asked, draws, correction, first.chip + done, now, s.corrected.data());
    gpu::propagate_chips(w, on_chips, draws, idle, first.chip + done, now, rows, passage, scratch);
    see(done, static_cast<std::uint32_t>(now));
  }
}

template <class Real>
std::vector<ChipDeviation> MeshGpu<Real>::chip_deviations(const MeshProgramOf<Real>& program,
                                                          const ErrorModel& model, const MeshAddress& first,
                                                          std::uint32_t chips,
                                                          const FieldBatchOf<Real>& fields) const {
  State& s = *state_;
  const double power = validate_chips(model, first, chips, fields);
  const GpuFields<Real> there = upload(fields);
  const auto groups = static_cast<std::size_t>(gpu::groups<Real>(s.wiring, static_cast<int>(fields.words())));
  std::vector<ChipDeviation> found(chips);
  std::vector<gpu::Overlap> batch;
  through_chips(program, model, first, chips, there, std::nullopt, true,
                [&](std::uint32_t from, std::uint32_t count) {
                  batch.resize(groups * count);
                  s.overlaps.get(batch.data(), batch.size());
                  for (std::size_t i = 0; i < batch.size(); ++i) {
                    ChipDeviation& chip = found[from + i / groups];
                    chip.change += Complex(batch[i].re, batch[i].im) / power;
                    chip.error += batch[i].error / power;
                  }
                });
  return found;
}

template <class Real>
void MeshGpu<Real>::chip_fields(
    const MeshProgramOf<Real>& program, const ErrorModel& model, const MeshAddress& first, std::uint32_t chips,
    const GpuFields<Real>& fields, std::optional<Clipping> corrected,
    const std::function<void(std::uint32_t, std::uint32_t, const std::complex<Real>*)>& use) const {
  State& s = *state_;
  s.require_own(fields);
  validate_errors(model);
  validate_chip_numbers(first.chip, chips);
  const auto each = static_cast<std::size_t>(fields.words());
  through_chips(program, model, first, chips, fields, corrected, false,
                [&](std::uint32_t from, std::uint32_t count) {
                  const std::size_t words = each * count;
                  auto* const there = s.unpacked.reserve(words * static_cast<std::size_t>(s.wiring.ports));
                  gpu::unpack(s.wiring, s.outputs.data(), words, there);
                  use(from, count, reinterpret_cast<const std::complex<Real>*>(there));
                });
}

template <class Real>
std::vector<FieldBatchOf<Real>> MeshGpu<Real>::chip_fields(const MeshProgramOf<Real>& program,
                                                           const ErrorModel& model, const MeshAddress& first,
                                                           std::uint32_t chips,
                                                           const FieldBatchOf<Real>& fields,
                                                           std::optional<Clipping> corrected) const {
  State& s = *state_;
  validate_chips(model, first, chips, fields);
  std::vector<FieldBatchOf<Real>> found(chips, FieldBatchOf<Real>(fields.ports(), fields.words()));
  using Fields = Eigen::Matrix<std::complex<Real>, Eigen::Dynamic, Eigen::Dynamic>;
  Fields host(fields.ports(), fields.words());
  const auto size = static_cast<std::size_t>(host.size());
  chip_fields(program, model, first, chips, upload(fields), corrected,
              [&](std::uint32_t from, std::uint32_t count, const std::complex<Real>*) {
                for (std::uint32_t i = 0; i < count; ++i) {
                  s.unpacked.get(reinterpret_cast<gpu::Number<Real>*>(host.data()), size, i * size);
                  found[from + i].re = host.real();
                  found[from + i].im = host.imag();
                }
              });
  return found;
}

template <class Real>
void MeshGpu<Real>::wait() const {
  gpu::wait();
}

template class GpuFields<float>;
template class GpuFields<double>;
template class MeshGpu<float>;
template class MeshGpu<double>;

}  // namespace optinc
