#pragma once

#include <array>

namespace optinc {

/// Series of sin(r) = r + r^3 S(r^2) and cos(r) = 1 - r^2/2 + r^4 C(r^2) on |r| <= pi/4, minimax (coefficients
/// of the Cephes library, S. Moshier), and pi/2 in three parts, the first two with trailing zeros so that their
/// products with small integers are exact (Cody and Waite). For every processor that computes them.
template <class Real>
struct TrigSeries;
/// In float.
template <>
struct TrigSeries<float> {
  static constexpr std::array<float, 3> sine = {-1.6666654611e-1f, 8.3321608736e-3f, -1.9515295891e-4f};
  static constexpr std::array<float, 3> cosine = {4.166664568298827e-2f, -1.388731625493765e-3f,
                                                  2.443315711809948e-5f};
  static constexpr std::array<float, 3> half_pi = {1.5703125f, 4.837512969970703125e-4f, 7.54978995489188e-8f};
};
/// In double.
template <>
struct TrigSeries<double> {
  static constexpr std::array<double, 6> sine = {-1.66666666666666307295e-1, 8.33333333332211858878e-3,
                                                 -1.98412698295895385996e-4, 2.75573136213857245213e-6,
                                                 -2.50507477628578072866e-8, 1.58962301576546568060e-10};
  static constexpr std::array<double, 6> cosine = {4.16666666666665929218e-2, -1.38888888888730564116e-3,
                                                   2.48015872888517045348e-5, -2.75573141792967388112e-7,
                                                   2.08757008419747316778e-9, -1.13585365213876817300e-11};
  static constexpr std::array<double, 3> half_pi = {1.57079625129699707031, 7.54978941586159635335e-8,
                                                    5.39030285815811905290e-15};
};

}  // namespace optinc
