#include "physics/variation/variant_errors.hpp"

#include <cmath>

#include "physics/core/check.hpp"
#include "physics/random/stream.hpp"

namespace optinc {
namespace {

void validate_rms(const char* name, double value) {
  validate_field(std::isfinite(value) && value >= 0.0, name,
                 "{} (an rms error is finite and >= 0). Give {} >= 0.", value, name);
}

/// sigma n, n standard normals; nothing is drawn where sigma is 0.
Vector normals(Stream& stream, double sigma, Eigen::Index count) {
  Vector values = Vector::Zero(count);
  if (sigma == 0.0) return values;
  stream.normals(std::span(values.data(), static_cast<std::size_t>(count)));
  return values * sigma;
}

}  // namespace

MeshVariantErrors draw_variant_errors(const MeshTopology& topology, MziKind kind, const ErrorModel& model,
                                      double sigma_common_rad, const MeshAddress& address) {
  validate_rms("sigma_common_rad", sigma_common_rad);
  MeshVariantErrors errors = no_variant_errors(topology);
  errors.mzis = draw_mesh_errors(topology, model, address);
  const Eigen::Index mzis = topology.mzi_count();
  if (has_third_splitter(kind)) {
    Stream third(address.seed, Purpose::third_splitter_error, address.chip, address.mesh);
    const double own = model.sigma_eta_rad * std::sqrt(1.0 - model.rho_ab * model.rho_ab);
    errors.gamma = model.rho_ab * errors.mzis.alpha + normals(third, own, mzis);
  }
  Stream common(address.seed, Purpose::common_phase, address.chip, address.mesh);
  errors.common_offset = normals(common, sigma_common_rad, mzis);
  return errors;
}

KnownSplitters estimate_splitters(const MeshVariantErrors& errors, MziKind kind, double sigma_estimate_rad,
                                  const MeshAddress& address, std::uint32_t number) {
  validate_rms("sigma_estimate_rad", sigma_estimate_rad);
  KnownSplitters known{errors.mzis.alpha, errors.mzis.beta, errors.gamma};
  if (sigma_estimate_rad == 0.0) return known;
  Stream stream(address.seed, Purpose::splitter_estimate, address.chip, address.mesh, number);
  const Eigen::Index mzis = known.alpha.size();
  known.alpha += normals(stream, sigma_estimate_rad, mzis);
  known.beta += normals(stream, sigma_estimate_rad, mzis);
  if (has_third_splitter(kind)) known.gamma += normals(stream, sigma_estimate_rad, mzis);
  return known;
}

}  // namespace optinc
