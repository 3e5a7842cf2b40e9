#pragma once

#include <cmath>
#include <numbers>

namespace optinc {

/// Physical constants, SI. The first four are exact by the 2019 definition of the SI units.
namespace constants {
inline constexpr double speed_of_light_m_per_s = 299792458.0;   ///< c
inline constexpr double planck_j_s = 6.62607015e-34;            ///< h
inline constexpr double elementary_charge_c = 1.602176634e-19;  ///< e
inline constexpr double boltzmann_j_per_k = 1.380649e-23;       ///< k_B
inline constexpr double pi = std::numbers::pi;                  ///< half a turn, rad
}  // namespace constants

/// Power ratio (<= 1) of a loss in dB; loss >= 0 attenuates: 10^(-dB/10).
inline double power_ratio_of_loss_db(double loss_db) { return std::pow(10.0, -loss_db / 10.0); }

/// Field-amplitude ratio (<= 1) of a loss in dB: 10^(-dB/20).
inline double field_ratio_of_loss_db(double loss_db) { return std::pow(10.0, -loss_db / 20.0); }

/// Loss in dB of a power ratio: -10 log10(ratio).
inline double loss_db_of_power_ratio(double ratio) { return -10.0 * std::log10(ratio); }

/// Watts of a power in dBm: 1 mW x 10^(dBm/10).
inline double watts_of_dbm(double dbm) { return 1e-3 * std::pow(10.0, dbm / 10.0); }

/// dBm of a power in watts.
inline double dbm_of_watts(double watts) { return 10.0 * std::log10(watts / 1e-3); }

}  // namespace optinc
