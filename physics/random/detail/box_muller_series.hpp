#pragma once

#include <array>

namespace optinc {

/// Series of the Box-Muller transform, lowest power first, for every processor that computes it. Minimax fits
/// (Remez) in relative error, the leading coefficients held at their rounded exact values.
template <class Real>
struct BoxMullerSeries;

/// In double.
template <>
struct BoxMullerSeries<double> {
  /// -4 artanh(t)/t in t^2, 5e-17
  static constexpr std::array<double, 10> logarithm = {-4.0,
                                                       -1.333333333333554,
                                                       -0.799999999920995,
                                                       -0.5714285811601209,
                                                       -0.4444438580761546,
                                                       -0.3636562820594451,
                                                       -0.3072858991931433,
                                                       -0.2717263996149377,
                                                       -0.19805581576290532,
                                                       -0.35479647116826507};
  /// sin(pi x/2)/x and cos(pi x/2) in x^2, 4e-17 and 2e-17
  static constexpr std::array<double, 7> sine = {
      1.5707963267948966,     -0.6459640975062287,     0.07969262624531974,  -0.004681754119981853,
      0.00016044105519813585, -3.5983028931051894e-06, 5.588445545771934e-08};
  static constexpr std::array<double, 8> cosine = {1.0,
                                                   -1.2337005501361697,
                                                   0.2536695079010468,
                                                   -0.02086348076331257,
                                                   0.0009192602741910799,
                                                   -2.5202036788358347e-05,
                                                   4.710609671233738e-07,
                                                   -6.321202272318249e-09};
};

/// In float.
template <>
struct BoxMullerSeries<float> {
  /// -2 log1p(f)/f in f, 3e-8
  static constexpr std::array<float, 9> logarithm = {-2.0f,        0.999990404f, -0.667264283f,
                                                     0.487364471f, -0.52738744f, -0.361926913f,
                                                     -2.41747713f, -3.27923536f, -2.82912135f};
  /// sin(pi x/2)/x and cos(pi x/2) in x^2, 3e-8 and 4e-8
  static constexpr std::array<float, 4> sine = {1.57079637f, -0.645966649f, 0.079712525f, -0.00468596956f};
  static constexpr std::array<float, 4> cosine = {1.0f, -1.23369765f, 0.253602386f, -0.0204145294f};
};

}  // namespace optinc
