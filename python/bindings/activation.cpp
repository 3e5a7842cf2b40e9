#include "physics/devices/activation.hpp"

#include <fmt/format.h>
#include <nanobind/nanobind.h>

#include "physics/core/check.hpp"

#include "python/bindings/arrays.hpp"
#include "python/bindings/bindings.hpp"
#include "python/bindings/settings.hpp"

namespace optinc {

template <>
inline constexpr EnumNames enum_names<SaturableAbsorber::Form> = {"form of absorption",
                                                                  {"exponential", "linear"}};

namespace bindings {
namespace {

template <class A>
Array<Complex> forward(const A& activation, const ArrayLike& z) {
  validate_activation(activation);
  const auto in = array_of<Complex>(z, "z");
  auto out = new_array<Complex>(shape_of(in));
  for (std::size_t i = 0; i < in.size(); ++i) out.data()[i] = activation.forward(in.data()[i]);
  return out;
}

template <class A>
nb::tuple derivatives(const A& activation, const ArrayLike& z) {
  validate_activation(activation);
  const auto in = array_of<Complex>(z, "z");
  auto dz = new_array<Complex>(shape_of(in)), dz_conj = new_array<Complex>(shape_of(in));
  for (std::size_t i = 0; i < in.size(); ++i) {
    const Wirtinger d = activation.derivatives(in.data()[i]);
    dz.data()[i] = d.dz;
    dz_conj.data()[i] = d.dz_conj;
  }
  return nb::make_tuple(dz, dz_conj);
}

/// The class of an activation; its parameters follow.
template <class A>
nb::class_<A> bound(nb::module_& m, const char* name, const char* text) {
  return settings<A>(m, name, text)
      .def(nb::init<>())
      .def("__call__", &forward<A>, nb::arg("z"),
           "Fields out, complex128, of fields z of any shape [sqrt(W)]. Raises ValueError for impossible "
           "parameters.",
           nb::sig("def __call__(self, z: numpy.typing.ArrayLike) -> numpy.typing.NDArray[numpy.complex128]"))
      .def("derivatives", &derivatives<A>, nb::arg("z"),
           "(df/dz, df/dz*) at fields z of any shape [sqrt(W)], complex128: df = f_z dz + f_z* conj(dz).\n\n"
           "Raises ValueError for impossible parameters.",
           nb::sig("def derivatives(self, z: numpy.typing.ArrayLike) -> "
                   "tuple[numpy.typing.NDArray[numpy.complex128], numpy.typing.NDArray[numpy.complex128]]"));
}

}  // namespace

void bind_activation(nb::module_& m) {
  bound<ElectroOptic>(
      m, "ElectroOptic",
      "Electro-optic activation: a tap of the light drives a modulator in the path of the rest, "
      "f = (i/2) sqrt(1 - tap) (1 + e^(-i psi)) z,\n"
      "psi = gain_rad_per_w |z|^2 + bias_rad (Williamson et al., IEEE J. Sel. Top. Quantum "
      "Electron. 26, 7700412, 2020).")
      .def_rw("tap", &ElectroOptic::tap, "Share of the power that is detected, 0 to below 1.")
      .def_rw("gain_rad_per_w", &ElectroOptic::gain_rad_per_w, "Phase of the modulator per power of the field.")
      .def_rw("bias_rad", &ElectroOptic::bias_rad, "Phase without light; pi blocks weak light.");
  auto absorber = bound<SaturableAbsorber>(
      m, "SaturableAbsorber",
      "Saturable absorber, f = z sqrt(T): T = exp(-absorption/(1 + P/P_sat)), or 1 - absorption/(1 + P/P_sat) "
      "where linear.");
  named(absorber, "form", &SaturableAbsorber::form, "\"exponential\" (long) or \"linear\" (thin).");
  absorber.def_rw("absorption", &SaturableAbsorber::absorption, "Absorption of weak light; below 1 if linear.")
      .def_rw("saturation_power_w", &SaturableAbsorber::saturation_power_w, "P_sat [W].");
  bound<RingActivation>(m, "RingActivation",
                        "A ring whose resonance moves with the power in its bus, f = t z, "
                        "t = (t_0 - i x)/(1 - i x), x = 2 (detuning + shift P)/FWHM.")
      .def_rw("detuning_hz", &RingActivation::detuning_hz, "Laser above the cold resonance [Hz].")
      .def_rw("fwhm_hz", &RingActivation::fwhm_hz, "Line width [Hz].")
      .def_rw("shift_hz_per_w", &RingActivation::shift_hz_per_w, "Fall of the resonance per power [Hz/W].")
      .def_rw("least_transmission", &RingActivation::least_transmission, "Share of the power in resonance.")
      .def_rw("over_coupled", &RingActivation::over_coupled, "Whether the phase goes round in resonance.");
  bound<LeakyRelu>(m, "LeakyRelu", "Leaky rectifier of the amplitude x = Re z: x above 0, slope x below.")
      .def_rw("slope", &LeakyRelu::slope, "0 to 1.");
  bound<Softplus>(m, "Softplus", "Smooth rectifier of the amplitude x = Re z: ln(1 + e^(beta x))/beta.")
      .def_rw("beta_per_sqrt_w", &Softplus::beta_per_sqrt_w, "beta [1/sqrt(W)].");
}

}  // namespace bindings
}  // namespace optinc
