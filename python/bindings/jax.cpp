#include <array>
#include <map>
#include <mutex>
#include <span>

#include <xla/ffi/api/ffi.h>

#include "physics/core/check.hpp"
#include "physics/mesh/mesh_tangent.hpp"

#include "python/bindings/bindings.hpp"
#include "python/bindings/mesh.hpp"
#include "python/bindings/settled_mesh.hpp"

/// \file jax.cpp What XLA, the compiler of JAX, calls in the middle of its own computation (optinc.jax): fields
/// through a mesh, their tangents and their cotangents. No Python runs; arguments and results are XLA's memory.

namespace ffi = xla::ffi;

namespace optinc::bindings {
namespace {

/// Wirings that were used, of which many calls have the same.
std::shared_ptr<const MeshWiring> known_wiring(const std::string& topology, int ports) {
  static std::mutex mutex;
  static std::map<std::pair<std::string, int>, std::shared_ptr<const MeshWiring>> known;
  const std::lock_guard lock(mutex);
  const std::pair key(topology, ports);
  if (known.size() >= 64 && !known.contains(key)) known.clear();
  auto& wiring = known[key];
  if (!wiring) wiring = std::make_shared<const MeshWiring>(topology, ports);
  return wiring;
}

/// Phases, then errors, in the order of PHASES and ERRORS in optinc._numbers.
template <class Phases, class Errors>
std::array<Vector*, 9> numbers_of(Phases& p, Errors& e) {
  return {&p.theta,
          &p.phi,
          &p.output_phase,
          &e.alpha,
          &e.beta,
          &e.theta_arm_loss_db,
          &e.phi_arm_loss_db,
          &e.theta_other_loss_db,
          &e.phi_other_loss_db};
}

/// What a call is about: a wiring, which numbers of a mesh are given apart, and the axes of fields behind those
/// of the batch.
struct Call {
  std::string_view topology;
  ffi::Span<const std::int64_t> given;  ///< places in numbers_of()
  std::int64_t axes;
};

/// An array of XLA, whose first axes count a batch: of length 1 where all of the batch share what is there.
class Lent {
 public:
  Lent(ffi::AnyBuffer of, std::size_t own) : of_(of), own_(own) {
    for (std::size_t axis = own; axis < of.dimensions().size(); ++axis)
      size_ *= static_cast<std::size_t>(of.dimensions()[axis]);
  }
  std::size_t size() const { return size_; }  ///< elements of one part
  std::span<const std::int64_t> batch() const { return {of_.dimensions().begin(), own_}; }

  /// The part that belongs to an element of a batch, counted in C order.
  template <class T>
  T* part(std::span<const std::int64_t> batch, std::int64_t element) const {
    std::int64_t part = 0, stride = 1;
    for (std::size_t axis = own_; axis-- > 0; element /= batch[axis]) {
      const std::int64_t length = of_.dimensions()[axis];
      part += element % batch[axis] % length * stride;
      stride *= length;
    }
    return static_cast<T*>(of_.untyped_data()) + static_cast<std::size_t>(part) * size_;
  }

 private:
  ffi::AnyBuffer of_;
  std::size_t own_, size_ = 1;
};

/// Arguments and results of a call.
struct Lending {
  Call call;
  std::size_t own = 0;  ///< axes of the batch
  std::vector<Lent> arguments, results;

  Lending(const Call& of, const ffi::RemainingArgs& given, const ffi::RemainingRets& made) : call(of) {
    own = given.get<ffi::AnyBuffer>(0)->dimensions().size() - static_cast<std::size_t>(call.axes);
    for (std::size_t i = 0; i < given.size(); ++i)
      arguments.emplace_back(given.get<ffi::AnyBuffer>(i).value(), own);
    for (std::size_t i = 0; i < made.size(); ++i)
      results.emplace_back(*made.get<ffi::AnyBuffer>(i).value(), own);
  }
  std::span<const std::int64_t> batch() const { return results[0].batch(); }
  std::int64_t elements() const {
    std::int64_t count = 1;
    for (const std::int64_t n : batch()) count *= n;
    return count;
  }
};

/// A mesh of the batch: wiring, and all that is set on it.
template <class Real>
struct Given {
  std::shared_ptr<const MeshWiring> wiring;
  bool fabricated = false;
  MeshProgram program;
  MeshErrors errors;

  /// From arrays: optinc._numbers.bits_of() a mesh unless all of it is given, then the numbers that are given.
  Given(const Call& call, int ports, std::span<const Lent> mesh, std::span<const std::int64_t> batch,
        std::int64_t element)
      : wiring(known_wiring(std::string(call.topology), ports)) {
    const int mzis = wiring->topology.mzi_count();
    program = {Vector::Zero(mzis), Vector::Zero(mzis), Vector::Zero(ports)};
    errors = no_errors(wiring->topology);
    const auto numbers = numbers_of(program, errors);
    if (mesh.size() > call.given.size()) {
      const auto* bits = reinterpret_cast<const double*>(mesh[0].part<const std::int32_t>(batch, element));
      fabricated = *bits++ != 0;
      errors.idle_arm_loss_db = *bits++;
      const auto take = [&bits](Vector& values) {
        std::copy_n(bits, values.size(), values.data());
        bits += values.size();
      };
      for (Vector* const values : numbers) take(*values);
      for (Vector* const values : {&errors.theta_offset, &errors.phi_offset, &errors.output_offset})
        take(*values);
    }
    const std::span<const Lent> apart = mesh.last(call.given.size());
    for (std::size_t i = 0; i < apart.size(); ++i) set(*numbers[call.given[i]], apart[i], batch, element);
  }

  /// Copies numbers in XLA's precision.
  static void set(Vector& values, const Lent& from, std::span<const std::int64_t> batch, std::int64_t element) {
    std::copy_n(from.part<const Real>(batch, element), values.size(), values.data());
  }

  MeshEngine<Real> settled(bool for_backward) const {
    MeshEngine<Real> engine = wiring->engine<Real>();
    if (!fabricated) {
      engine.settle(in_precision<Real>(program), for_backward);
    } else {
      validate_losses(errors);
      engine.settle(in_precision<Real>(program), in_precision<Real>(errors), for_backward);
    }
    return engine;
  }
};

/// Whether the whole batch shares a mesh.
bool is_one(std::span<const Lent> mesh) {
  return std::ranges::all_of(
      mesh, [](const Lent& a) { return std::ranges::all_of(a.batch(), [](auto n) { return n == 1; }); });
}

/// x -> y.
template <class Real>
void forward(const Lending& lent, int ports) {
  using Field = std::complex<Real>;
  const Lent &x = lent.arguments[0], &y = lent.results[0];
  const std::span mesh = std::span(lent.arguments).subspan(1);
  const bool one = is_one(mesh);
  const std::int64_t calls = one ? std::min<std::int64_t>(1, lent.elements()) : lent.elements();
  const std::size_t words = x.size() / static_cast<std::size_t>(ports) * (one ? lent.elements() : 1);
  for (std::int64_t i = 0; i < calls; ++i)
    send(Given<Real>(lent.call, ports, mesh, lent.batch(), i).settled(false),
         x.part<const Field>(lent.batch(), i), words, threads(), y.part<Field>(lent.batch(), i));
}

/// x, y, dx, mesh, changes of the numbers given -> dy, in double precision.
template <class Real>
void push(const Lending& lent, int ports) {
  using Field = std::complex<Real>;
  using Words = Eigen::Map<const Eigen::Matrix<Field, Eigen::Dynamic, Eigen::Dynamic>>;
  const std::span more = std::span(lent.arguments).subspan(3);
  const std::span mesh = more.first(more.size() - lent.call.given.size());
  const std::span changes = more.last(lent.call.given.size());
  const auto words = static_cast<Eigen::Index>(lent.results[0].size()) / ports;
  for (std::int64_t i = 0; i < lent.elements(); ++i) {
    const Given<Real> given(lent.call, ports, mesh, lent.batch(), i);
    MeshGradient change = no_gradient(given.wiring->topology);
    const auto numbers = numbers_of(change, change);
    for (std::size_t k = 0; k < changes.size(); ++k)
      Given<Real>::set(*numbers[lent.call.given[k]], changes[k], lent.batch(), i);
    const auto fields = [&](const Lent& of) {
      return Matrix(Words(of.part<const Field>(lent.batch(), i), ports, words).template cast<Complex>());
    };
    validate_losses(given.errors);
    const Matrix dy = mesh_tangent(given.wiring->topology, given.program, given.errors,
                                   fields(lent.arguments[0]), change, fields(lent.arguments[2]));
    std::ranges::transform(std::span(dy.data(), static_cast<std::size_t>(dy.size())),
                           lent.results[0].part<Field>(lent.batch(), i),
                           [](Complex field) { return static_cast<Field>(field); });
  }
}

/// x, y, cotangent of y, mesh -> cotangents of x and of the numbers given. JAX's cotangent of a field is the
/// conjugate of the engine's dL/dRe + i dL/dIm.
template <class Real>
void pull(const Lending& lent, int ports) {
  using Field = std::complex<Real>;
  const std::span mesh = std::span(lent.arguments).subspan(3);
  const std::size_t words = lent.results[0].size() / static_cast<std::size_t>(ports);
  if (lent.elements() == 0) return;
  const auto settled = [&](std::int64_t i) {
    return Given<Real>(lent.call, ports, mesh, lent.batch(), i).settled(true);
  };
  const bool one = is_one(mesh);
  MeshEngine<Real> engine = settled(0);
  for (std::int64_t i = 0; i < lent.elements(); ++i) {
    if (i > 0 && !one) engine = settled(i);
    const auto planes = [&](std::size_t argument) {
      return planes_of(lent.arguments[argument].part<const Field>(lent.batch(), i),
                       static_cast<std::size_t>(ports), words);
    };
    FieldBatchOf<Real> gradient = planes(2);
    gradient.im = -gradient.im;
    MeshGradient found =
        engine.backward(planes(0), planes(1), gradient, threads()).parameters.template cast<double>();
    gradient.im = -gradient.im;
    from_planes(gradient, lent.results[0].part<Field>(lent.batch(), i));
    const auto numbers = numbers_of(found, found);
    for (std::size_t k = 0; k < lent.call.given.size(); ++k) {
      const Vector& of = *numbers[lent.call.given[k]];
      std::ranges::transform(of, lent.results[1 + k].part<Real>(lent.batch(), i),
                             [](double value) { return static_cast<Real>(value); });
    }
  }
}

template <void (*wide)(const Lending&, int), void (*narrow)(const Lending&, int)>
ffi::Error called(ffi::RemainingArgs given, ffi::RemainingRets made, std::string_view topology,
                  ffi::Span<const std::int64_t> numbers, std::int64_t axes) {
  try {
    const Lending lent({topology, numbers, axes}, given, made);
    const ffi::AnyBuffer x = given.get<ffi::AnyBuffer>(0).value();
    const auto ports = static_cast<int>(x.dimensions().back());
    (x.element_type() == ffi::C128 ? wide : narrow)(lent, ports);
    return ffi::Error::Success();
  } catch (const std::exception& failure) {
    return ffi::Error::InvalidArgument(failure.what());
  }
}

auto binding() {
  return ffi::Ffi::Bind()
      .RemainingArgs()
      .RemainingRets()
      .Attr<std::string_view>("topology")
      .Attr<ffi::Span<const std::int64_t>>("given")
      .Attr<std::int64_t>("axes");
}

XLA_FFI_DEFINE_HANDLER(call_forward, (called<forward<double>, forward<float>>), binding());
XLA_FFI_DEFINE_HANDLER(call_push, (called<push<double>, push<float>>), binding());
XLA_FFI_DEFINE_HANDLER(call_pull, (called<pull<double>, pull<float>>), binding());

}  // namespace

void bind_jax(nb::module_& m) {
  m.def(
      "xla_calls",
      [] {
        nb::dict calls;
        calls["forward"] = nb::capsule(reinterpret_cast<void*>(call_forward));
        calls["push"] = nb::capsule(reinterpret_cast<void*>(call_push));
        calls["pull"] = nb::capsule(reinterpret_cast<void*>(call_pull));
        return calls;
      },
      nb::sig("def xla_calls() -> dict[str, object]"), "What optinc.jax registers with XLA, by name.");
}

}  // namespace optinc::bindings
