#include "python/bindings/settled_mesh.hpp"

#include <algorithm>
#include <span>

#include "physics/core/check.hpp"
#include "physics/core/parallel.hpp"

#include "python/bindings/bindings.hpp"

namespace optinc::bindings {

template <class Real>
Fields<Real> fields_of(const MeshEngine<Real>& engine, const ArrayLike& given, const char* name) {
  auto fields = array_of<std::complex<Real>>(given, name);
  const auto ports = static_cast<std::size_t>(engine.topology().ports);
  validate(fields.ndim() >= 1 && fields.shape(fields.ndim() - 1) == ports,
           "{} has shape {} (the mesh has {} ports: the last axis). Give (.., {}).", name,
           shape_text(shape_of(fields)), ports, ports);
  return fields;
}

namespace {

/// Words times the square of the ports that pass before Ctrl-C is heard again: less than a second of one core.
constexpr std::size_t most_unheard = std::size_t{1} << 29;

/// Words that are turned at a time: what they read and write stays in the first cache.
constexpr std::size_t tile = 16;

}  // namespace

template <class Real>
FieldBatchOf<Real> planes_of(const std::complex<Real>* from, std::size_t ports, std::size_t words) {
  FieldBatchOf<Real> planes;
  planes.re.resize(static_cast<Eigen::Index>(ports), static_cast<Eigen::Index>(words));
  planes.im.resize(planes.re.rows(), planes.re.cols());
  Real *re = planes.re.data(), *im = planes.im.data();
  for (std::size_t first = 0; first < words; first += tile)
    for (std::size_t p = 0; p < ports; ++p)
      for (std::size_t w = first; w < std::min(first + tile, words); ++w) {
        re[p * words + w] = from[w * ports + p].real();
        im[p * words + w] = from[w * ports + p].imag();
      }
  return planes;
}

namespace {

template <class Real>
FieldBatchOf<Real> planes_of(const Fields<Real>& fields) {
  const std::size_t ports = fields.shape(fields.ndim() - 1);
  return bindings::planes_of(fields.data(), ports, fields.size() / ports);
}

}  // namespace

template <class Real>
void from_planes(const FieldBatchOf<Real>& planes, std::complex<Real>* to) {
  const auto ports = static_cast<std::size_t>(planes.ports()), words = static_cast<std::size_t>(planes.words());
  const Real *re = planes.re.data(), *im = planes.im.data();
  for (std::size_t first = 0; first < words; first += tile)
    for (std::size_t p = 0; p < ports; ++p)
      for (std::size_t w = first; w < std::min(first + tile, words); ++w)
        to[w * ports + p] = {re[p * words + w], im[p * words + w]};
}

template <class Real>
void send(const MeshEngine<Real>& engine, const std::complex<Real>* x, std::size_t words, int threads,
          std::complex<Real>* y) {
  const auto ports = static_cast<std::size_t>(engine.topology().ports);
  if (words == 0) return;
  if (choose_mesh_path(engine.topology().ports, static_cast<Eigen::Index>(words)) != MeshPath::direct) {
    FieldBatchOf<Real> planes = planes_of<Real>(x, ports, words);
    engine.propagate(planes, threads);
    return from_planes(planes, y);
  }
  constexpr std::size_t part = 64;  // words that stay in the first caches from one layout to the other and back
  const std::size_t parts = (words + part - 1) / part;
  const auto at_once = static_cast<std::size_t>(threads > 0 ? threads : omp_get_max_threads());
  const std::size_t shares = std::min(parts, at_once);
  parallel_for(shares, threads, [&](std::size_t share) {
    FieldBlocks<Real> blocks;
    const std::size_t last = std::min(words, part * (parts * (share + 1) / shares));
    for (std::size_t first = part * (parts * share / shares); first < last; first += part) {
      const std::size_t count = std::min(part, last - first);
      if (count != blocks.words) blocks = FieldBlocks<Real>(ports, count);
      pack(x + first * ports, blocks);
      engine.propagate(blocks, 1);
      unpack(blocks, y + first * ports);
    }
  });
}

namespace {

/// The array that was given for results of this shape, or a new one for None. Throws Error for another.
template <class T>
Array<T> array_for(const nb::object& out, const std::vector<std::size_t>& shape) {
  if (out.is_none()) return new_array<T>(shape);
  Array<T> array;
  validate(
      nb::try_cast(out, array, false) && std::ranges::equal(shape, std::span(array.shape_ptr(), array.ndim())),
      "out is not an array of complex{} {} in C order that may be written (results go there). Leave it out, "
      "or give numpy.empty({}, \"complex{}\").",
      8 * sizeof(T), shape_text(shape), shape_text(shape), 8 * sizeof(T));
  return array;
}

}  // namespace

template <class Real>
nb::object propagated(const MeshEngine<Real>& engine, const ArrayLike& given, const nb::object& out) {
  const auto x = fields_of(engine, given, "x");
  auto y = array_for<std::complex<Real>>(out, shape_of(x));
  const auto ports = static_cast<std::size_t>(engine.topology().ports);
  const std::size_t words = x.size() / ports, parts = 1 + x.size() * ports / most_unheard;
  in_parts(parts, 1, [&](std::size_t part, std::size_t) {
    const std::size_t first = words * part / parts, last = words * (part + 1) / parts;
    send(engine, x.data() + first * ports, last - first, 0, y.data() + first * ports);
  });
  return out.is_none() ? nb::cast(y) : out;
}
template Fields<float> fields_of(const MeshEngine<float>&, const ArrayLike&, const char*);
template Fields<double> fields_of(const MeshEngine<double>&, const ArrayLike&, const char*);
template void send(const MeshEngine<float>&, const std::complex<float>*, std::size_t, int,
                   std::complex<float>*);
template void send(const MeshEngine<double>&, const std::complex<double>*, std::size_t, int,
                   std::complex<double>*);
template FieldBatchOf<float> planes_of(const std::complex<float>*, std::size_t, std::size_t);
template FieldBatchOf<double> planes_of(const std::complex<double>*, std::size_t, std::size_t);
template void from_planes(const FieldBatchOf<float>&, std::complex<float>*);
template void from_planes(const FieldBatchOf<double>&, std::complex<double>*);
template nb::object propagated(const MeshEngine<float>&, const ArrayLike&, const nb::object&);
template nb::object propagated(const MeshEngine<double>&, const ArrayLike&, const nb::object&);

namespace {

nb::object call(const SettledMesh& mesh, const ArrayLike& x, const nb::object& out) {
  return std::visit([&](const auto& engine) { return propagated(engine, x, out); }, *mesh.engine);
}

template <class Real>
FieldGradient backward_of(const std::shared_ptr<const SettledMesh::Engine>& kept,
                          const MeshEngine<Real>& engine, const ArrayLike& given_x, const ArrayLike& given_y,
                          const ArrayLike& given_gradient) {
  const auto x = fields_of(engine, given_x, "x"), y = fields_of(engine, given_y, "y"),
             g = fields_of(engine, given_gradient, "gradient");
  for (const auto* other : {&y, &g})
    validate(shape_of(*other) == shape_of(x), "{} has shape {} and x {} (one shape). Give those of one call.",
             other == &y ? "y" : "gradient", shape_text(shape_of(*other)), shape_text(shape_of(x)));
  auto gradient_x = new_array<std::complex<Real>>(shape_of(x));
  if (x.size() == 0) return {no_gradient(engine.topology()), nb::cast(gradient_x)};
  auto compute = [kept, &engine, inputs = planes_of<Real>(x), outputs = planes_of<Real>(y),
                  at_inputs = planes_of<Real>(g)]() mutable {
    MeshGradient found = engine.backward(inputs, outputs, at_inputs, 0).parameters.template cast<double>();
    return std::pair(std::move(found), std::move(at_inputs));
  };
  const auto ports = static_cast<std::size_t>(engine.topology().ports);
  auto [parameters, at_inputs] = working(x.size() * ports > most_unheard, std::move(compute));
  from_planes(at_inputs, gradient_x.data());
  return {std::move(parameters), nb::cast(gradient_x)};
}

FieldGradient backward(const SettledMesh& mesh, const ArrayLike& x, const ArrayLike& y,
                       const ArrayLike& gradient) {
  return std::visit([&](const auto& engine) { return backward_of(mesh.engine, engine, x, y, gradient); },
                    *mesh.engine);
}

/// An array of derivatives.
void derivatives(nb::class_<FieldGradient>& c, const char* name, Vector MeshGradient::*member,
                 const char* meaning) {
  c.def_prop_ro(
      name,
      [member](nb::handle_t<FieldGradient> self) {
        return view_of(nb::cast<FieldGradient&>(self).parameters.*member, self);
      },
      meaning);
}

}  // namespace

void bind_settled_mesh(nb::module_& m) {
  nb::class_<FieldGradient> gradient(m, "FieldGradient",
                                     "Derivatives of a real loss L with respect to all that makes a mesh, and "
                                     "to the fields that were sent.\n\n"
                                     "Made by SettledMesh.backward(). The derivative with respect to a field a "
                                     "is dL/dRe(a) + i dL/dIm(a), as in\n"
                                     "PyTorch; all others are float64.");
  gradient.def_ro("x", &FieldGradient::x, "At the inputs, complex (.., ports), like the fields.");
  derivatives(gradient, "theta", &MeshGradient::theta, "Internal phases and their offsets [1/rad], (MZIs,).");
  derivatives(gradient, "phi", &MeshGradient::phi, "External phases and their offsets [1/rad], (MZIs,).");
  derivatives(gradient, "output_phase", &MeshGradient::output_phase,
              "Output phases and their offsets [1/rad], (ports,).");
  derivatives(gradient, "alpha", &MeshGradient::alpha, "First splitters' angle errors [1/rad], (MZIs,).");
  derivatives(gradient, "beta", &MeshGradient::beta, "Second splitters' angle errors [1/rad], (MZIs,).");
  derivatives(gradient, "theta_arm_loss_db", &MeshGradient::theta_arm_loss_db,
              "Losses of the arms with the heaters of theta [1/dB], (MZIs,).");
  derivatives(gradient, "phi_arm_loss_db", &MeshGradient::phi_arm_loss_db,
              "Losses of the arms with the heaters of phi [1/dB], (MZIs,).");
  derivatives(gradient, "theta_other_loss_db", &MeshGradient::theta_other_loss_db,
              "Losses of the arms without heater in the stages of theta [1/dB], (MZIs,).");
  derivatives(gradient, "phi_other_loss_db", &MeshGradient::phi_other_loss_db,
              "Losses of the arms without heater in the stages of phi [1/dB], (MZIs,).");
  gradient.def_prop_ro(
      "idle_arm_loss_db", [](const FieldGradient& g) { return g.parameters.idle_arm_loss_db; },
      "Loss of all dummy arms together [1/dB].");

  nb::class_<SettledMesh>(
      m, "SettledMesh",
      "A mesh with all phases and errors as they were, for many fields and for derivatives.\n\n"
      "Made by settled() of Mesh and MeshChip; later changes of these do not reach it.")
      .def("__call__", &call, nb::arg("x"), nb::arg("out") = nb::none(), nb::sig(fields_signature),
           "Output fields for input fields x [sqrt(W)], both (.., ports), in the precision it was settled "
           "in.\n\n"
           "out: an array to write them to, as of numpy's functions. Raises ValueError for another last axis "
           "and "
           "another out, TypeError\n"
           "for no numbers.")
      .def("backward", &backward, nb::arg("x"), nb::arg("y"), nb::arg("gradient"),
           "Reverse mode: from the derivatives of a loss at the outputs to those of everything before.\n\n"
           "x: fields that were sent; y: the fields that they became; gradient: dL/dRe(y) + i dL/dIm(y); all\n"
           "(.., ports). No field inside the mesh is stored: MZIs are inverted on the way back where that is\n"
           "accurate. Sums run in an order that does not depend on the threads. Raises ValueError for shapes "
           "that\n"
           "differ.");
}

}  // namespace optinc::bindings
