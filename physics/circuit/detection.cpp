#include "physics/circuit/detection.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "physics/core/check_values.hpp"
#include "physics/core/names.hpp"

namespace optinc {
namespace {

/// Ports of a circuit of matrices (ports^2, wavelengths).
Eigen::Index ports_of(const Matrix& matrices) {
  return static_cast<Eigen::Index>(std::lround(std::sqrt(static_cast<double>(matrices.rows()))));
}

using Place = double& (*)(DirectReceiver&);

constexpr std::array<Place, 6> places = {
    [](DirectReceiver& r) -> double& { return r.diode.responsivity_a_per_w; },
    [](DirectReceiver& r) -> double& { return r.diode.dark_current_a; },
    [](DirectReceiver& r) -> double& { return std::get<InputReferredNoise>(r.front_end.noise).a_per_rthz; },
    [](DirectReceiver& r) -> double& { return r.front_end.bandwidth_hz; },
    [](DirectReceiver& r) -> double& { return r.light.rin_db_per_hz; },
    [](DirectReceiver& r) -> double& { return r.light.optical_bandwidth_hz; },
};

}  // namespace

std::span<const ModelSetting> direct_receiver_settings() {
  static const std::vector<ModelSetting> settings = [] {
    std::vector<ModelSetting> made = {
        {"responsivity_a_per_w", 0, "responsivity of the photodiode [A/W]"},
        {"dark_current_a", 0, "dark current of the photodiode [A]"},
        {"noise_a_per_rthz", 0, "input-referred current noise of the front end [A/sqrt(Hz)]"},
        {"bandwidth_hz", 0, "3 dB bandwidth of the front end [Hz]"},
        {"rin_db_per_hz", 0, "relative intensity noise of the input light [dB/Hz]"},
        {"optical_bandwidth_hz", 0, "bandwidth of the optical filter in front of the photodiode [Hz]"},
    };
    DirectReceiver usual;
    for (std::size_t i = 0; i < made.size(); ++i) made[i].usual = places[i](usual);
    return made;
  }();
  return settings;
}

DirectReceiver direct_receiver(const std::map<std::string, double>& settings) {
  DirectReceiver receiver;
  const auto known = direct_receiver_settings();
  for (const auto& [name, value] : settings) {
    const auto found = std::ranges::find(known, name, &ModelSetting::name);
    if (found == known.end()) {
      std::vector<std::string_view> names;
      for (const ModelSetting& setting : known) names.push_back(setting.name);
      refuse_name("setting of a receiver", name, names);
    }
    places.at(static_cast<std::size_t>(found - known.begin()))(receiver) = value;
  }
  validate_direct_receiver(receiver);
  return receiver;
}

PortReadings direct_readings(const Matrix& scattering, const Eigen::MatrixXd& emitted_w_per_hz,
                             Eigen::Index from, double power_w, DirectReceiver receiver) {
  validate_not_negative("power_w", power_w);
  validate_direct_receiver(receiver);
  const Eigen::Index ports = ports_of(scattering), wavelengths = scattering.cols();
  validate(from >= 0 && from < ports, "port {} of a circuit of {} (0 or more, below that). Give one of these.",
           from, ports);
  validate(scattering.rows() == ports * ports && scattering.allFinite(),
           "scattering of {} rows, or with NaN or infinity (ports^2 rows of numbers). Check the circuit.",
           scattering.rows());
  if (emitted_w_per_hz.size() > 0) {
    constexpr double rounding = 1e-9;
    validate(emitted_w_per_hz.rows() == ports && emitted_w_per_hz.cols() == wavelengths &&
                 emitted_w_per_hz.allFinite() &&
                 emitted_w_per_hz.minCoeff() >= -rounding * emitted_w_per_hz.maxCoeff(),
             "emission of {} x {} (needs {} x {}: ports, wavelengths; finite and >= 0). Give that of the same "
             "circuit.",
             emitted_w_per_hz.rows(), emitted_w_per_hz.cols(), ports, wavelengths);
  }
  PortReadings read;
  read.power_w = power_w * scattering.middleRows(from * ports, ports).cwiseAbs2();
  read.photocurrent_a.resize(ports, wavelengths);
  read.snr.resize(ports, wavelengths);
  for (Eigen::Index w = 0; w < wavelengths; ++w)
    for (Eigen::Index p = 0; p < ports; ++p) {
      receiver.light.ase_density_w_per_hz =
          emitted_w_per_hz.size() > 0 ? std::max(0.0, emitted_w_per_hz(p, w)) : 0.0;
      read.photocurrent_a(p, w) = mean_direct_current_a(receiver, read.power_w(p, w));
      read.snr(p, w) = direct_snr(receiver, read.power_w(p, w));
    }
  return read;
}

Eigen::MatrixXd emitted_power(const Matrix& correlations) {
  const Eigen::Index ports = ports_of(correlations);
  Eigen::MatrixXd power(ports, correlations.cols());
  for (Eigen::Index p = 0; p < ports; ++p) power.row(p) = correlations.row(p * (ports + 1)).real();
  return power;
}

}  // namespace optinc
