#include "physics/variation/random_field.hpp"

#include <cmath>

#include "physics/core/check.hpp"
#include "physics/variation/detail/circulant_field.hpp"

namespace optinc {
namespace {

void factorise_cholesky(const Sites& sites, const std::function<double(double)>& rho, RandomField& field) {
  const Eigen::Index n = sites.count();
  Eigen::MatrixXd correlations(n, n);
  for (Eigen::Index j = 0; j < n; ++j)
    for (Eigen::Index i = j; i < n; ++i)
      correlations(i, j) = rho(std::hypot(sites.x_m[i] - sites.x_m[j], sites.y_m[i] - sites.y_m[j]));
  for (const double jitter : {0.0, 1e-12, 1e-10, 1e-8}) {
    field.cholesky = correlations;
    field.cholesky.diagonal().array() += jitter;
    Eigen::LLT<Eigen::Ref<Eigen::MatrixXd>> in_place(field.cholesky);
    if (in_place.info() != Eigen::Success) continue;
    field.cholesky.triangularView<Eigen::StrictlyUpper>().setZero();
    field.jitter = jitter;
    return;
  }
  throw Error(
      fmt::format("the correlation matrix of {} sites is not positive definite (Cholesky fails with 1e-8 "
                  "on the diagonal). Use a kernel that is a correlation in the plane, as gaussian or "
                  "exponential.",
                  n));
}

RandomField factorise(const Sites& sites, const std::function<double(double)>& rho, const GridChoice& grid,
                      const FieldSettings& settings) {
  validate(
      sites.x_m.size() == sites.y_m.size() && sites.x_m.allFinite() && sites.y_m.allFinite(),
      "sites with {} x and {} y positions (as many of each, all finite). Give both coordinates of every site.",
      sites.x_m.size(), sites.y_m.size());
  for (const auto& [name, value] : {std::pair{"grid_step_x_m", settings.grid_step_x_m},
                                    {"grid_step_y_m", settings.grid_step_y_m},
                                    {"clip_tolerance", settings.clip_tolerance}})
    validate_field(std::isfinite(value) && value >= 0.0, name,
                   "{} (finite and >= 0; a step of 0 is chosen). Give {} >= 0.", value, name);
  validate(std::abs(rho(0.0) - 1.0) < 1e-12, "correlation {} at distance 0 (it is 1 there). Normalise it.",
           rho(0.0));
  RandomField field;
  field.sites = sites.count();
  const bool cholesky = settings.method == FieldMethod::cholesky ||
                        (settings.method == FieldMethod::automatic && field.sites <= settings.cholesky_sites);
  if (field.sites == 0) return field;
  if (cholesky)
    factorise_cholesky(sites, rho, field);
  else
    factorise_circulant(sites, rho, grid, settings, field);
  return field;
}

void validate_length(const char* name, double length_m) {
  validate_field(
      std::isfinite(length_m) && length_m > 0.0, name,
      "{} (a correlation length is finite and > 0). Give it in metres; an uncorrelated spread is the "
      "white part of the process model.",
      length_m);
}

}  // namespace

double correlation(Kernel kernel, double length_m, double distance_m) {
  const double ratio = distance_m / length_m;
  return std::exp(kernel == Kernel::gaussian ? -ratio * ratio : -std::abs(ratio));
}

RandomField factorise_field(const Sites& sites, Kernel kernel, double length_m, const FieldSettings& settings) {
  validate_length("correlation_length_m", length_m);
  const bool smooth = kernel == Kernel::gaussian;
  // A smooth field is linear within l/32 (it loses 0.1 % of its variance there, which is put back). Half
  // periods: where the kernel has fallen so far that cutting it off leaves next to no negative eigenvalue.
  const GridChoice grid = {smooth ? length_m / 32 : 0.0, length_m / (smooth ? 32 : 64),
                           length_m * (smooth ? 5.0 : 5.5)};
  return factorise(
      sites, [=](double d) { return correlation(kernel, length_m, d); }, grid, settings);
}

RandomField factorise_field(const Sites& sites, const std::function<double(double)>& rho, double reach_m,
                            const FieldSettings& settings) {
  validate_length("reach_m", reach_m);
  return factorise(sites, rho, {0.0, reach_m / 64, 5 * reach_m}, settings);
}

Eigen::MatrixXd draw_field_pair(const RandomField& field, Stream& stream) {
  if (!field.amplitude.empty()) return draw_circulant_pair(field, stream);
  Eigen::MatrixXd normals(field.sites, 2);
  stream.normals(std::span(normals.data(), static_cast<std::size_t>(normals.size())));
  return field.cholesky.triangularView<Eigen::Lower>() * normals;
}

Vector draw_field(const RandomField& field, Stream& stream) {
  if (!field.amplitude.empty()) return draw_circulant_pair(field, stream).col(0);
  Vector normals(field.sites);
  stream.normals(std::span(normals.data(), static_cast<std::size_t>(normals.size())));
  return field.cholesky.triangularView<Eigen::Lower>() * normals;
}

}  // namespace optinc
