#include <utility>
#include <variant>

#include <fmt/format.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include "physics/core/check.hpp"
#include "physics/mesh/program.hpp"

#include "python/bindings/arrays.hpp"
#include "python/bindings/bindings.hpp"
#include "python/bindings/mesh.hpp"

namespace optinc::bindings {
namespace {

ErrorModel custom(double sigma_eta_rad, double rho_ab, double sigma_cal_rad, double mzi_loss_db,
                  double arm_loss_spread_db, int dac_bits, double sigma_phase_rad, bool dac_voltage) {
  ErrorModel model{"custom",           sigma_eta_rad, rho_ab,          sigma_cal_rad, mzi_loss_db,
                   arm_loss_spread_db, dac_bits,      sigma_phase_rad, dac_voltage};
  validate_errors(model);
  return model;
}

/// What models and errors are made of, for copies and files.
using ModelState = std::tuple<std::string, double, double, double, double, double, int, double, bool>;
constexpr Vector MeshErrors::*error_arrays[] = {
    &MeshErrors::alpha,
    &MeshErrors::beta,
    &MeshErrors::theta_offset,
    &MeshErrors::phi_offset,
    &MeshErrors::theta_arm_loss_db,
    &MeshErrors::phi_arm_loss_db,
    &MeshErrors::theta_other_loss_db,
    &MeshErrors::phi_other_loss_db,
    &MeshErrors::output_offset,
};
using ErrorsState = std::pair<std::vector<Array<double>>, double>;
using FabricatedState = std::tuple<MeshErrors, Array<double>, Array<double>>;

/// A field that can be set; a model with a value of its own is called custom.
template <class T>
void field(nb::class_<ErrorModel>& c, const char* name, T ErrorModel::*member, const char* meaning) {
  c.def_prop_rw(
      name, [member](const ErrorModel& m) { return m.*member; },
      [member](ErrorModel& m, T value) {
        ErrorModel changed = m;
        changed.*member = value;
        changed.preset = "custom";
        validate_errors(changed);
        m = changed;
      },
      meaning);
}

/// A writable array of a mesh's errors.
void values(nb::class_<MeshErrors>& c, const char* name, Vector MeshErrors::*member, const char* meaning) {
  c.def_prop_rw(
      name,
      [member](nb::handle_t<MeshErrors> self) { return view_of(nb::cast<MeshErrors&>(self).*member, self); },
      [member, name](MeshErrors& e, const ArrayLike& given) { assign(e.*member, given, name); }, meaning);
}

}  // namespace

ErrorModel model_of(const ModelOrPreset& given) {
  if (const auto* name = std::get_if<std::string>(&given)) return error_preset(*name);
  return std::get<ErrorModel>(given);
}

void validate_losses(const MeshErrors& errors) {
  for (const auto& [name, losses] : {std::pair("theta_arm_loss_db", &errors.theta_arm_loss_db),
                                     std::pair("phi_arm_loss_db", &errors.phi_arm_loss_db),
                                     std::pair("theta_other_loss_db", &errors.theta_other_loss_db),
                                     std::pair("phi_other_loss_db", &errors.phi_other_loss_db)}) {
    bool negative = false;  // no early exit, so that compilers vectorise it: every call of a chip comes here
    for (const double loss_db : *losses) negative |= loss_db < 0;
    if (!negative) continue;
    for (Eigen::Index k = 0; k < losses->size(); ++k)
      validate(!((*losses)[k] < 0),
               "{} of MZI {} is {} dB (0 or more: arms do not amplify). Set a value in this range.", name, k,
               (*losses)[k]);
  }
  validate(!(errors.idle_arm_loss_db < 0),
           "idle_arm_loss_db is {} dB (0 or more: arms do not amplify). Set a value in this range.",
           errors.idle_arm_loss_db);
}

void bind_errors(nb::module_& m) {
  nb::class_<ErrorModel> model(
      m, "ErrorModel",
      "Statistics of fabrication, calibration and drive electronics. error_preset() has named ones.\n\n"
      "Setting a value renames the model \"custom\". Impossible values raise ValueError.");
  model
      .def(
          "__init__",
          [](ErrorModel* self, double a, double b, double c, double d, double e, int f, double g, bool h) {
            new (self) ErrorModel(custom(a, b, c, d, e, f, g, h));
          },
          nb::kw_only(), nb::arg("sigma_eta_rad") = 0.0, nb::arg("rho_ab") = 0.0,
          nb::arg("sigma_cal_rad") = 0.0, nb::arg("mzi_loss_db") = 0.0, nb::arg("arm_loss_spread_db") = 0.0,
          nb::arg("dac_bits") = 0, nb::arg("sigma_phase_rad") = 0.0, nb::arg("dac_voltage") = false,
          "A model without any error but those given.")
      .def_ro("preset", &ErrorModel::preset, "Name of the preset the values came from, or \"custom\".")
      .def("__getstate__",
           [](const ErrorModel& e) {
             return ModelState(e.preset, e.sigma_eta_rad, e.rho_ab, e.sigma_cal_rad, e.mzi_loss_db,
                               e.arm_loss_spread_db, e.dac_bits, e.sigma_phase_rad, e.dac_voltage);
           })
      .def("__setstate__",
           [](ErrorModel& self, const ModelState& state) {
             new (&self) ErrorModel(std::make_from_tuple<ErrorModel>(state));
           })
      .def("__repr__", [](const ErrorModel& e) {
        return fmt::format(
            "ErrorModel({}: sigma_eta_rad={}, rho_ab={}, sigma_cal_rad={}, mzi_loss_db={}, "
            "arm_loss_spread_db={}, "
            "dac_bits={}, sigma_phase_rad={}, dac_voltage={})",
            e.preset, e.sigma_eta_rad, e.rho_ab, e.sigma_cal_rad, e.mzi_loss_db, e.arm_loss_spread_db,
            e.dac_bits, e.sigma_phase_rad, e.dac_voltage ? "True" : "False");
      });
  field(model, "sigma_eta_rad", &ErrorModel::sigma_eta_rad, "rms error of every splitter angle [rad].");
  field(model, "rho_ab", &ErrorModel::rho_ab, "Correlation of the two splitter errors inside one MZI, -1..1.");
  field(model, "sigma_cal_rad", &ErrorModel::sigma_cal_rad,
        "rms phase offset that calibration leaves on every phase shifter [rad].");
  field(model, "mzi_loss_db", &ErrorModel::mzi_loss_db, "Mean insertion loss of one MZI [dB].");
  field(model, "arm_loss_spread_db", &ErrorModel::arm_loss_spread_db,
        "rms spread of the loss of every arm about its mean [dB].");
  field(model, "dac_bits", &ErrorModel::dac_bits,
        "Resolution of the phase DAC over 2 pi [bit]; 0: no quantisation.");
  field(model, "sigma_phase_rad", &ErrorModel::sigma_phase_rad,
        "rms phase noise of every shifter [rad], drawn at fabrication and then constant.");
  field(model, "dac_voltage", &ErrorModel::dac_voltage, "Whether the DAC divides heater voltages, not phases.");

  m.def("error_preset", &error_preset, nb::arg("name"),
        "The error model of that name, one of error_preset_names(). Raises ValueError, naming the nearest, for "
        "an unknown one.");
  m.def(
      "error_preset_names",
      [] {
        const auto names = error_preset_names();
        return std::vector<std::string>(names.begin(), names.end());
      },
      "Names of the presets, from no errors at all to an ordinary foundry run.");

  nb::class_<MeshErrors> errors(
      m, "MeshErrors",
      "Fabrication and calibration errors of one mesh.\n\n"
      "Arrays are views: writing into one changes the chip. Measured values go in by errors.alpha[:] = .. or\n"
      "errors.alpha = ... MZIs are counted in column order, top to bottom in a column. Losses are 0 or more.");
  values(errors, "alpha", &MeshErrors::alpha, "Angle error of the first splitter [rad], float64 (MZIs,).");
  values(errors, "beta", &MeshErrors::beta, "Angle error of the second splitter [rad], float64 (MZIs,).");
  values(errors, "theta_offset", &MeshErrors::theta_offset,
         "Offset of the internal phase [rad], float64 (MZIs,).");
  values(errors, "phi_offset", &MeshErrors::phi_offset, "Offset of the external phase [rad], float64 (MZIs,).");
  values(errors, "theta_arm_loss_db", &MeshErrors::theta_arm_loss_db,
         "Loss of the arm with the heater of theta [dB], float64 (MZIs,).");
  values(errors, "phi_arm_loss_db", &MeshErrors::phi_arm_loss_db,
         "Loss of the arm with the heater of phi [dB], float64 (MZIs,).");
  values(errors, "theta_other_loss_db", &MeshErrors::theta_other_loss_db,
         "Loss of the arm without heater, in the stage of theta [dB], float64 (MZIs,).");
  values(errors, "phi_other_loss_db", &MeshErrors::phi_other_loss_db,
         "Loss of the arm without heater, in the stage of phi [dB], float64 (MZIs,).");
  values(errors, "output_offset", &MeshErrors::output_offset,
         "Offset of the output phases [rad], float64 (ports,).");
  // each class has a state of its own: types say no more than that it is a tuple
  constexpr const char *getstate = "def __getstate__(self) -> tuple[object, ...]",
                       *setstate = "def __setstate__(self, state: tuple[object, ...], /) -> None";
  errors.def(
      "__getstate__",
      [](const MeshErrors& e) {
        ErrorsState state{{}, e.idle_arm_loss_db};
        for (const auto member : error_arrays) state.first.push_back(array_of_vector(e.*member));
        return state;
      },
      nb::sig(getstate));
  errors.def(
      "__setstate__",
      [](MeshErrors& self, const ErrorsState& state) {
        auto* const made = new (&self) MeshErrors;
        made->idle_arm_loss_db = state.second;
        for (std::size_t i = 0; i < std::size(error_arrays); ++i) {
          (made->*error_arrays[i]).resize(static_cast<Eigen::Index>(state.first.at(i).size()));
          assign(made->*error_arrays[i], nb::cast(state.first[i]), "errors");
        }
      },
      nb::sig(setstate));
  nb::class_<FabricatedErrors, MeshErrors> fabricated(
      m, "FabricatedErrors",
      "Errors of a fabricated mesh: MeshErrors of which calibration does not know all.\n\n"
      "Of theta_offset and phi_offset, it leaves theta_residual and phi_residual; Mesh.corrected() allows for "
      "the rest.");
  fabricated.def_prop_ro(
      "theta_residual", [](const FabricatedErrors& e) { return array_of_vector(e.theta_residual); },
      nb::rv_policy::reference,
      "What calibration left of theta_offset [rad], float64 (MZIs,), a copy: sigma_cal_rad rms.");
  fabricated.def_prop_ro(
      "phi_residual", [](const FabricatedErrors& e) { return array_of_vector(e.phi_residual); },
      nb::rv_policy::reference, "What calibration left of phi_offset [rad], float64 (MZIs,), a copy.");
  fabricated.def(
      "__getstate__",
      [](const FabricatedErrors& e) {
        return FabricatedState(e, array_of_vector(e.theta_residual), array_of_vector(e.phi_residual));
      },
      nb::sig(getstate));
  fabricated.def(
      "__setstate__",
      [](FabricatedErrors& self, const FabricatedState& state) {
        const auto& [of_mesh, theta, phi] = state;
        const auto vector = [](const Array<double>& values) {
          return Vector(Eigen::Map<const Vector>(values.data(), static_cast<Eigen::Index>(values.size())));
        };
        new (&self) FabricatedErrors{of_mesh, vector(theta), vector(phi)};
      },
      nb::sig(setstate));
  errors.def_rw("idle_arm_loss_db", &MeshErrors::idle_arm_loss_db,
                "Loss of a dummy arm [dB]: a waveguide that passes a column without an MZI has two.");
}

}  // namespace optinc::bindings
