#pragma once

namespace optinc {

/// Closed form that several families share: rms error E of a corrected rectangular mesh of `ports` for
/// Haar-orthogonal targets, splitter errors sigma_rad (derived here, docs/guide/theory.md), about 0.800 N^(3/4)
/// sigma^(3/2).
double corrected_orthogonal_error(double ports, double sigma_rad);

}  // namespace optinc
