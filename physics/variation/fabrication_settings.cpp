#include "physics/variation/fabrication_settings.hpp"

#include <algorithm>

#include "physics/core/check.hpp"

namespace optinc {

ProcessModel shared_process(std::string_view preset) { return with_white_part(process_preset(preset), {}); }

DiePlan placed_on_die(std::span<const MeshTopology> meshes, const FloorPlanSettings& layout,
                      const WaferMap& wafer) {
  validate_wafer_map(wafer);
  DieSettings die{.width_m = wafer.die_length_m};  // place_meshes calls the extent along x the die's width
  for (const MeshTopology& mesh : meshes)
    die.width_m = std::max(die.width_m, mesh.columns() * layout.mzi_length_m + arm_length_m(layout));
  DiePlan plan = place_meshes(meshes, layout, die);
  constexpr double rounding = 1 + 1e-9;
  const auto fits = [&](const char* side, double has_m, double takes_m, const char* mzi) {
    validate_field(
        takes_m <= has_m * rounding, side,
        "{} (the meshes of a chip take {:.4g} m). Set it to {:.4g} or more, or make layout.{} smaller.", has_m,
        takes_m, takes_m, mzi);
  };
  fits("die_length_m", wafer.die_length_m, plan.length_m, "mzi_length_m");
  fits("die_width_m", wafer.die_width_m, plan.width_m, "mzi_width_m");
  return plan;
}

ProcessModel with_white_part(ProcessModel shared, const ErrorModel& white) {
  shared.sigma_eta_white_rad = white.sigma_eta_rad;
  shared.rho_white = white.rho_ab;
  shared.mzi_loss_db = white.mzi_loss_db;
  shared.arm_loss_spread_db = white.arm_loss_spread_db;
  return shared;
}

std::vector<FabricatedMesh> fabricate_die(const SharedVariation& variation, const ErrorModel& white,
                                          std::uint64_t seed, std::uint32_t chip) {
  validate(variation.die != nullptr,
           "a chip without a die (devices that share something have places). Give the die of its meshes.");
  validate_errors(white);
  return fabricate_die(*variation.die, with_white_part(variation.shared, white), seed, chip);
}

}  // namespace optinc
