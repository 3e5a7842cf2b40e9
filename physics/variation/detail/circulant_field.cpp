#include "physics/variation/detail/circulant_field.hpp"

#include <algorithm>
#include <cmath>

#include <unsupported/Eigen/FFT>

#include "physics/core/check.hpp"

namespace optinc {
namespace {

using Grid = std::vector<Complex>;  // row-major

/// Nodes of the grid along one axis.
struct Axis {
  double first_m = 0, step_m = 1;
  Eigen::Index nodes = 1, padded = 2;

  double extent_m() const { return step_m * static_cast<double>(nodes - 1); }
  double period_m() const { return step_m * static_cast<double>(padded); }
};

/// Smallest even 2^a 3^b 5^c >= n: lengths that the transform handles fast.
Eigen::Index fast_length(double n) {
  for (auto m = static_cast<Eigen::Index>(std::ceil(n / 2)) * 2;; m += 2) {
    Eigen::Index rest = m;
    for (const Eigen::Index factor : {2, 3, 5})
      while (rest % factor == 0) rest /= factor;
    if (rest == 1) return m;
  }
}

/// Step of the lattice that all coordinates lie on to 1 nm; 0 where there is none, or only one coordinate.
double lattice_step(const Vector& coordinates) {
  constexpr double same_m = 1e-9;
  std::vector<double> sorted(coordinates.begin(), coordinates.end());
  std::sort(sorted.begin(), sorted.end());
  double step = 0.0;
  for (std::size_t i = 1; i < sorted.size(); ++i) {
    const double gap = sorted[i] - sorted[i - 1];
    if (gap > same_m && (step == 0.0 || gap < step)) step = gap;
  }
  if (step == 0.0) return 0.0;
  step = (sorted.back() - sorted.front()) / std::nearbyint((sorted.back() - sorted.front()) / step);
  for (const double x : sorted) {
    const double steps = (x - sorted.front()) / step;
    if (std::abs(steps - std::nearbyint(steps)) * step > same_m) return 0.0;
  }
  return step;
}

Axis lay_axis(const Vector& coordinates, double asked_step_m, const GridChoice& choice) {
  Axis axis;
  axis.first_m = coordinates.minCoeff();
  const double extent = coordinates.maxCoeff() - axis.first_m;
  if (extent == 0.0) {  // sites on one line: an embedding in one dimension
    axis.padded = 1;
    return axis;
  }
  const double lattice = lattice_step(coordinates);
  axis.step_m = asked_step_m > 0 ? asked_step_m
                : lattice == 0.0 ? choice.free_step_m
                                 : std::max(lattice, choice.least_step_m);
  // a coordinate on the last node needs no node behind it, one beyond does
  axis.nodes = static_cast<Eigen::Index>(std::ceil(extent / axis.step_m - 1e-6)) + 1;
  axis.padded = fast_length(2 * std::max({axis.nodes - 1.0, choice.half_period_m / axis.step_m, 1.0}));
  return axis;
}

/// Transforms every row of a grid of rows of n.
void transform_rows(Grid& grid, Eigen::Index n) {
  if (n == 1) return;  // the transform of one number is itself; the library does not take it
  Eigen::FFT<double> fft;
  Grid row(static_cast<std::size_t>(n));
  for (auto begin = grid.begin(); begin != grid.end(); begin += n) {
    std::copy_n(begin, n, row.begin());
    fft.fwd(&*begin, row.data(), static_cast<int>(n));
  }
}

/// The first `kept` columns of a (rows, columns) grid as a (kept, rows) grid, in tiles that stay in the cache.
Grid transposed(const Grid& grid, Eigen::Index rows, Eigen::Index columns, Eigen::Index kept) {
  Grid out(static_cast<std::size_t>(rows * kept));
  constexpr Eigen::Index tile = 16;
  for (Eigen::Index r0 = 0; r0 < rows; r0 += tile)
    for (Eigen::Index c0 = 0; c0 < kept; c0 += tile)
      for (Eigen::Index r = r0; r < std::min(r0 + tile, rows); ++r)
        for (Eigen::Index c = c0; c < std::min(c0 + tile, kept); ++c)
          out[static_cast<std::size_t>(c * rows + r)] = grid[static_cast<std::size_t>(r * columns + c)];
  return out;
}

/// Eigenvalues of the block-circulant correlation matrix, shape (y, x) because a transform leaves it
/// transposed.
Grid spectrum(const Axis& x, const Axis& y, const std::function<double(double)>& rho) {
  const auto wrapped = [](Eigen::Index i, const Axis& axis) {
    return axis.step_m * static_cast<double>(std::min(i, axis.padded - i));
  };
  Grid grid(static_cast<std::size_t>(x.padded * y.padded));
  for (Eigen::Index i = 0; i < x.padded; ++i)
    for (Eigen::Index j = 0; j < y.padded; ++j)
      grid[static_cast<std::size_t>(i * y.padded + j)] = rho(std::hypot(wrapped(i, x), wrapped(j, y)));
  transform_rows(grid, y.padded);
  Grid other = transposed(grid, x.padded, y.padded, y.padded);
  transform_rows(other, x.padded);
  return other;
}

RandomField::Interpolation interpolate(double x_m, double y_m, const Axis& x, const Axis& y,
                                       const std::function<double(double)>& rho) {
  const auto split = [](double position_m, const Axis& axis, double& fraction) {
    const double steps = (position_m - axis.first_m) / axis.step_m;
    const auto node =
        std::clamp<Eigen::Index>(static_cast<Eigen::Index>(std::floor(steps + 1e-6)), 0, axis.nodes - 1);
    fraction = std::max(0.0, steps - static_cast<double>(node));
    if (fraction < 1e-6) fraction = 0.0;
    return node;
  };
  double fx = 0, fy = 0;
  RandomField::Interpolation at;
  const Eigen::Index ix = split(x_m, x, fx), iy = split(y_m, y, fy);
  at.node = ix * y.nodes + iy;
  const double weight[4] = {(1 - fx) * (1 - fy), (1 - fx) * fy, fx * (1 - fy), fx * fy};
  // variance of the weighted sum: corners differ by one step along x, along y, or both
  double variance = 0.0;
  for (int a = 0; a < 4; ++a)
    for (int b = 0; b < 4; ++b)
      variance += weight[a] * weight[b] *
                  rho(std::hypot((a / 2 != b / 2) ? x.step_m : 0.0, (a % 2 != b % 2) ? y.step_m : 0.0));
  for (int a = 0; a < 4; ++a) at.weight[a] = weight[a] / std::sqrt(variance);
  return at;
}

void validate_grid(const Axis& x, const Axis& y, const FieldSettings& settings) {
  const double points = static_cast<double>(x.padded) * static_cast<double>(y.padded);
  validate(points <= static_cast<double>(settings.max_grid_points),
           "a random field needs a grid of {} x {} nodes (padded; at most {} allowed). Raise max_grid_points, "
           "give a "
           "coarser grid_step, a shorter correlation length, or a kernel that is positive definite.",
           x.padded, y.padded, settings.max_grid_points);
}

}  // namespace

void factorise_circulant(const Sites& sites, const std::function<double(double)>& rho, const GridChoice& choice,
                         const FieldSettings& settings, RandomField& field) {
  Axis x = lay_axis(sites.x_m, settings.grid_step_x_m, choice);
  Axis y = lay_axis(sites.y_m, settings.grid_step_y_m, choice);
  Grid eigenvalues;
  for (;;) {
    validate_grid(x, y, settings);
    eigenvalues = spectrum(x, y, rho);
    double negative = 0.0;
    for (const Complex& value : eigenvalues) negative += std::max(0.0, -value.real());
    field.clipped_share = negative / static_cast<double>(eigenvalues.size());
    if (field.clipped_share <= settings.clip_tolerance || eigenvalues.size() == 1) break;
    Axis& shorter = y.padded == 1 || (x.padded > 1 && x.period_m() < y.period_m()) ? x : y;
    shorter.padded = fast_length(1.5 * static_cast<double>(shorter.padded));
  }
  field.nx = x.nodes;
  field.ny = y.nodes;
  field.step_x_m = x.step_m;
  field.step_y_m = y.step_m;
  field.padded_nx = x.padded;
  field.padded_ny = y.padded;
  const auto nodes = static_cast<double>(eigenvalues.size());
  field.amplitude.resize(eigenvalues.size());
  for (Eigen::Index j = 0; j < y.padded; ++j)
    for (Eigen::Index i = 0; i < x.padded; ++i)
      field.amplitude[static_cast<std::size_t>(i * y.padded + j)] =
          std::sqrt(std::max(0.0, eigenvalues[static_cast<std::size_t>(j * x.padded + i)].real()) / nodes);
  for (Eigen::Index s = 0; s < sites.count(); ++s)
    field.interpolation.push_back(interpolate(sites.x_m[s], sites.y_m[s], x, y, rho));
}

Eigen::MatrixXd draw_circulant_pair(const RandomField& field, Stream& stream) {
  Grid grid(field.amplitude.size());
  // a complex number is two doubles: real parts are the even normals
  stream.normals(std::span(reinterpret_cast<double*>(grid.data()), 2 * grid.size()));
  for (std::size_t i = 0; i < grid.size(); ++i) grid[i] *= field.amplitude[i];
  transform_rows(grid, field.padded_ny);
  Grid columns = transposed(grid, field.padded_nx, field.padded_ny, field.ny);
  transform_rows(columns, field.padded_nx);
  const auto node = [&](Eigen::Index ix, Eigen::Index iy) {
    return columns[static_cast<std::size_t>(iy * field.padded_nx + ix)];
  };
  Eigen::MatrixXd pair(field.sites, 2);
  for (Eigen::Index s = 0; s < field.sites; ++s) {
    const RandomField::Interpolation& at = field.interpolation[static_cast<std::size_t>(s)];
    const Eigen::Index ix = at.node / field.ny, iy = at.node % field.ny;
    Complex value = 0.0;
    for (int corner = 0; corner < 4; ++corner)
      if (at.weight[corner] != 0.0) value += at.weight[corner] * node(ix + corner / 2, iy + corner % 2);
    pair(s, 0) = value.real();
    pair(s, 1) = value.imag();
  }
  return pair;
}

}  // namespace optinc
