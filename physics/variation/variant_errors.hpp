#pragma once

#include "physics/mesh/blocks.hpp"
#include "physics/variation/chip_errors.hpp"

namespace optinc {

/// One mesh's frozen errors, of any kind of MZI: those of draw_mesh_errors(), the same draws whatever the kind,
/// and with n standard normals of streams of their own
///
///     gamma         = rho_ab alpha + sqrt(1 - rho_ab^2) sigma_eta n   (0 without a third splitter)
///     common_offset = sigma_common_rad n
///
/// so that the three splitters, in the order light meets them (gamma, alpha, beta), are a chain with
/// correlation rho_ab between neighbours. The fixed quarter wave of balanced blocks has no error of its own: to
/// first order one of rms s acts as a common offset of rms s / sqrt(2). Throws Error unless sigma_common_rad is
/// finite and
/// >= 0.
MeshVariantErrors draw_variant_errors(const MeshTopology& topology, MziKind kind, const ErrorModel& model,
                                      double sigma_common_rad, const MeshAddress& address);

/// What a calibration takes the splitters of a mesh for: their errors, each measured with an error of its own
/// ~ N(0, sigma_estimate_rad). 0 gives the errors themselves, bit for bit; gamma stays 0 without a third
/// splitter. Every calibration `number` of a mesh draws estimates of its own. Throws Error unless
/// sigma_estimate_rad is finite and >= 0.
KnownSplitters estimate_splitters(const MeshVariantErrors& errors, MziKind kind, double sigma_estimate_rad,
                                  const MeshAddress& address, std::uint32_t number = 0);

}  // namespace optinc
