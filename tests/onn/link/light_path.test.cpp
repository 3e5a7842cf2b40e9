#include "onn/link/detail/light_path.hpp"

#include "onn/link/transmission.hpp"
#include "physics/devices/front_end.hpp"
#include "physics/devices/receiver.hpp"

#include "tests/onn/link/reference_contract.hpp"
#include "tests/support/catch.hpp"

using namespace optinc;

// Oscillators from 10 nW to 10 mW, and meshes that turn little or much of the light. Noise is computed from its
// law at the most light in quadrature, without ReceiverVariance. Fails when all or none of the light is left
// out, for a limit ten times as high, and when the light is that of one input or of a weaker modulator.
TEST_CASE("float32 leaves light in quadrature out where no receiver's noise shows it, float64 never") {
  const OneThread alone;
  const Network& network = subjects()[0].network;
  int out = 0, in = 0;
  double worst = 0.0;
  for (const double sigma_rad : {0.002, 0.02, 0.3})
    for (const double lo_w : {1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2}) {
      CAPTURE(sigma_rad, lo_w);
      Unit u;
      u.model.sigma_eta_rad = sigma_rad;
      u.hardware.receiver.lo_power_w = lo_w;
      const Built b = built(network, u);
      const NoiseSwitches noise = {.shot = true, .tia = true};
      const LitUnit unit = {b.design, b.state, u.hardware, noise};
      const auto narrow = layer_paths<float>(unit);
      const auto wide = layer_paths<double>(unit);
      CHECK(narrow[0].quadrature_counts);  // phases of the servers' light turn it
      for (std::size_t l = 0; l < wide.size(); ++l) CHECK(wide[l].quadrature_counts);
      for (std::size_t l = 1; l < wide.size(); ++l) {
        double raised = 0.0;
        for (const auto& row : wide[l].transfer.im.rowwise()) {
          const double field = row.lpNorm<1>() * std::sqrt(u.hardware.link.signal_full_scale_w);
          const auto rms = [&](double power_w) {
            return std::hypot(shot_noise_a(u.hardware.receiver, power_w),
                              input_noise_a(u.hardware.receiver.front_end));
          };
          raised = std::max(raised, rms(field * field) / rms(0.0) - 1);
        }
        CAPTURE(l, raised);
        if (std::abs(raised - 1e-3) > 1e-5) CHECK(narrow[l].quadrature_counts == (raised > 1e-3));
        (narrow[l].quadrature_counts ? in : out) += 1;
      }
      UnitHardware leaky = u.hardware;  // drives' own light is turned
      leaky.modulator.leak = 1e-3;
      for (const auto& path : layer_paths<float>({b.design, b.state, leaky, noise}))
        CHECK(path.quadrature_counts);
      UnitHardware sine = u.hardware;  // drives are as real, and as large at most
      sine.modulator.linearised = false;
      const auto curved = layer_paths<float>({b.design, b.state, sine, noise});
      for (std::size_t l = 0; l < wide.size(); ++l)
        CHECK(curved[l].quadrature_counts == narrow[l].quadrature_counts);
      const Codes codes = random_codes(network.task, 400);
      const auto sent = [&](const NoiseSwitches& on, Arithmetic arithmetic) {
        return transmit({b.design, b.state, u.hardware, on, arithmetic}, codes, {.seed = 1, .chip = u.chip});
      };
      const Eigen::MatrixXd noisy = sent(noise, Arithmetic::float64);
      const double rms =
          (noisy - sent({}, Arithmetic::float64)).norm() / std::sqrt(static_cast<double>(noisy.size()));
      const double apart = (sent(noise, Arithmetic::float32) - noisy).cwiseAbs().maxCoeff() / rms;
      worst = std::max(worst, apart);
    }
  CHECK(worst < 1e-3);  // a noise of 5 rms, and a thousandth of it, would be 5e-3
  CHECK(out >= 10);
  CHECK(in >= 10);
}
