#pragma once

#include <limits>
#include <string_view>

namespace optinc {

/// Coupling between a fibre and a chip, by a facet (edge) or a grating; one passage.
struct FibreCoupler {
  double loss_db = 1.5;                                                 ///< at `wavelength_m`
  double wavelength_m = 1550e-9;                                        ///< of least loss
  double one_db_bandwidth_m = std::numeric_limits<double>::infinity();  ///< full width where 1 dB is added
  std::string_view device = "typical-edge-coupler";  ///< part that the loss comes from, unless it was changed
};

/// Loss in dB at a wavelength: loss + (2 (lambda - lambda_0) / bandwidth)^2, a Gaussian pass band; flat where
/// the bandwidth is infinite. Throws Error for negative values.
double fibre_coupler_loss_db(const FibreCoupler& device, double wavelength_m);

/// Edge coupler, 1..2 dB per facet; below 1.52 dB in the O band (TE) in Adv. Photon. Nexus 4, 026004 (2025).
FibreCoupler typical_edge_coupler();

/// Grating coupler, 3..5 dB; 1-dB bandwidth taken as 35 nm, usual for one-dimensional gratings.
FibreCoupler typical_grating_coupler();

}  // namespace optinc
