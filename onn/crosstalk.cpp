#include "onn/crosstalk.hpp"

#include "physics/core/check_values.hpp"

namespace optinc {
namespace {

PhaseResponse response(const Sites& sites, const CrosstalkSettings& settings, double x0) {
  Crosstalk crosstalk;
  crosstalk.law = x0 > 0 ? CrosstalkLaw::exponential : CrosstalkLaw::none;
  crosstalk.x0 = x0;
  crosstalk.d0_m = settings.d0_m;
  crosstalk.cutoff_m = 8 * settings.d0_m;
  return phase_response(uniform_heaters(sites.x_m, sites.y_m), crosstalk);
}

}  // namespace

void validate_crosstalk_settings(const CrosstalkSettings& s) {
  validate(std::isfinite(s.x0) && s.x0 >= 0 && s.x0 < 1, "x0 = {} (0 to less than 1). Try 0.05.", s.x0);
  validate(std::isfinite(s.known) && s.known >= 0 && s.known * s.x0 < 1,
           "known = {} (0 or more, less than 1 / x0). Try 1.", s.known);
  validate_positive("d0_m", s.d0_m);
  validate_floor_plan(s.plan);
}

ChipCrosstalk chip_crosstalk(const ChipDesign& design, const CrosstalkSettings& settings) {
  validate_crosstalk_settings(settings);
  ChipCrosstalk found;
  for (const LayerDesign& layer : design.layers) {
    const Sites sites = heater_sites(floor_plan(layer.blocks.front().mesh, settings.plan));
    found.layers.push_back(
        {response(sites, settings, settings.x0), response(sites, settings, settings.known * settings.x0)});
  }
  return found;
}

void add_crosstalk(const ChipCrosstalk& crosstalk, const ChipProgram& program, ChipErrors& errors) {
  for (std::size_t l = 0; l < crosstalk.layers.size(); ++l)
    for (std::size_t b = 0; b < errors.layers[l].size(); ++b) {
      const auto& [real, known] = crosstalk.layers[l];
      const MeshProgram& phases = program.layers[l][b].mesh;
      const Eigen::Index mzis = phases.theta.size();
      Vector wanted(real.count());
      wanted << phases.theta, phases.phi, phases.output_phase;
      const Vector power_w = invert_crosstalk(known, wanted).power_w;
      const Vector error = static_phase_errors_rad(real, power_w, wanted);
      MeshErrors& mesh = errors.layers[l][b].mesh;
      mesh.theta_offset += error.head(mzis);
      mesh.phi_offset += error.segment(mzis, mzis);
      mesh.output_offset += error.tail(phases.output_phase.size());
    }
}

}  // namespace optinc
