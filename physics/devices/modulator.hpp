#pragma once

namespace optinc {

/// Field of an amplitude-encoded PAM4 digit, sqrt(W): linear in the digit, E = (d/3) sqrt(P_3), with P_3 the
/// power of digit 3 in W. Fields so encoded may be averaged coherently; an intensity-encoded digit
/// (E = sqrt(d/3 P_3), Ethernet's) must not be (physics.md section 7).
inline constexpr double pam4_full_scale_digit = 3.0;
double pam4_field_sqrt_w(double digit, double full_scale_power_w);

}  // namespace optinc
