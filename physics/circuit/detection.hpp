#pragma once

#include <map>
#include <span>
#include <string>

#include "physics/circuit/models.hpp"
#include "physics/core/field.hpp"
#include "physics/devices/direct_detection.hpp"

namespace optinc {

/// Settings of direct receivers by name, as models have them: responsivity_a_per_w, dark_current_a,
/// noise_a_per_rthz, bandwidth_hz, rin_db_per_hz, optical_bandwidth_hz.
std::span<const ModelSetting> direct_receiver_settings();

/// A receiver with these settings and default values for the others. Throws Error, naming the nearest, for a
/// setting it does not have, and for impossible values.
DirectReceiver direct_receiver(const std::map<std::string, double>& settings);

/// Readings of direct receivers at the ports of a circuit, (ports, wavelengths) each.
struct PortReadings {
  Eigen::MatrixXd power_w;         ///< of the light that was sent in
  Eigen::MatrixXd photocurrent_a;  ///< mean: R (P + S B_o) + I_d
  Eigen::MatrixXd snr;             ///< electrical, (R P)^2 over the variance of all noise
};

/// Readings where light of `power_w` enters port `from` and each port leads to such a receiver, from S
/// (ports^2, wavelengths) and the emission S of the ports (ports, wavelengths) W/Hz, or one without elements:
/// none. The emission is taken for flat over the receiver's optical filter; light.ase_density_w_per_hz is
/// ignored. Throws Error for an impossible power, port or receiver, and for S and emission of other shapes, not
/// finite or, the emission, below 0.
PortReadings direct_readings(const Matrix& scattering, const Eigen::MatrixXd& emitted_w_per_hz,
                             Eigen::Index from, double power_w, DirectReceiver receiver);

/// Power on the diagonals of correlations, (ports^2, wavelengths) -> (ports, wavelengths), W/Hz
/// (Circuit::emission).
Eigen::MatrixXd emitted_power(const Matrix& correlations);

}  // namespace optinc
