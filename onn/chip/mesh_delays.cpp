#include "onn/chip/mesh_delays.hpp"

#include "physics/devices/waveguide.hpp"
#include "physics/layout/floor_plan.hpp"

namespace optinc {
namespace {

/// Half the distance of the wavelengths whose matrices give a group delay: phases change by 1e-4 rad or less,
/// so that neither rounding nor curvature takes more than 1e-8 of what differs between paths.
constexpr double delay_step_m = 1e-12;

}  // namespace

PathDelays mesh_delays(const std::function<Matrix(const Environment&)>& transfer, const Environment& change,
                       const MeshTopology& topology, const UnitHardware& hardware) {
  const auto at = [&](double detuned_m) {
    return transfer({change.temperature_k, change.wavelength_m + detuned_m});
  };
  const double wavelength_m = hardware.laser.wavelength_m;
  Waveguide guide = hardware.routing;
  guide.length_m = floor_plan(topology, hardware.layout).length_m;
  // phases change with the wavelength as at that of the calibration (errors_in()), so their delays are those
  // there
  return path_delays(at(0.0), at(-delay_step_m), at(delay_step_m), wavelength_m, delay_step_m,
                     waveguide_delay_s(guide, wavelength_m + change.wavelength_m));
}

}  // namespace optinc
