#include "onn/link/waveforms.hpp"

#include <numeric>

#include "onn/network/carry_chain.hpp"

#include "tests/onn/link/reference_contract.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/networks.hpp"
#include "tests/support/refusal.hpp"

using namespace optinc;

namespace {

constexpr std::size_t middle = waveform_instants / 2;

/// Everything wrong, at a symbol rate that interferes.
Unit in_time(Sampling sampling) {
  Unit u = all_wrong();
  u.hardware.routing.loss_db_per_cm = 0;  // delay lines are as long as symbols
  u.hardware.timing = {sampling, sampling == Sampling::clocked ? 50e9 : 20e9};
  u.hardware.receiver.front_end.bandwidth_hz = 24e9;
  return u;
}

double rms(const Eigen::MatrixXd& x) { return std::sqrt(x.squaredNorm() / static_cast<double>(x.size())); }

}  // namespace

// Fails when the layer looked at is another, its samples are those of other words, instants are a place off, or
// its full scale is not the digit 3; with skew, when the light of an instant is that of the one before
TEST_CASE("waveforms: at their samples servers have what transmit() brings them") {
  const Network network = random_network({4, 2}, {8, 4});
  Unit u = in_time(Sampling::clocked);
  u.hardware.timing.lane_skew_s = GENERATE(0.0, 1e-12);
  u.hardware.timing.layer_skew_s = 0.5 * u.hardware.timing.lane_skew_s;
  const Built b = built(network, u);
  const Codes codes = random_codes(network.task, 600);  // more than a block
  const TransmissionSeed seed = {.seed = 1, .chip = u.chip, .server = u.server};
  const NoiseSwitches noise = {.shot = true, .tia = true, .rin = true, .lock = true};
  const auto waves = layer_waveforms({b.design, b.state, u.hardware}, codes, seed);
  const auto noisy = layer_waveforms({b.design, b.state, u.hardware, noise}, codes, seed);
  REQUIRE(waves.size() == b.design.layers.size());
  const Eigen::MatrixXd clocked = transmit({b.design, b.state, u.hardware}, codes, seed);
  u.hardware.timing.sampling = Sampling::settled;
  const Eigen::MatrixXd settled = transmit({b.design, b.state, u.hardware}, codes, seed);
  CHECK(waves.back().deviation[middle] == Approx(rms(clocked - settled) / 3).epsilon(1e-9));
  CHECK(waves.back().settled_deviation == 0.0);
  CHECK(waves.back().deviation[middle] < waves.back().deviation[0] / 2);
  // noise of settled words is that of transmit(), draw by draw
  const Eigen::MatrixXd with_noise = transmit({b.design, b.state, u.hardware, noise}, codes, seed);
  CHECK(noisy.back().settled_deviation == Approx(rms(with_noise - settled) / 3).epsilon(1e-9));
  CHECK(noisy.back().deviation[middle] > waves.back().deviation[middle]);
}

TEST_CASE("waveforms: unclocked ones change from sample to sample, and the best is where servers read") {
  const Network network = random_network({4, 2}, {8});
  Unit u = in_time(Sampling::unclocked);
  const Built b = built(network, u);
  const Codes codes = random_codes(network.task, 60);
  const TransmissionSeed seed = {.seed = 1, .chip = u.chip, .server = u.server};
  const auto waves = layer_waveforms({b.design, b.state, u.hardware}, codes, seed);
  const Eigen::MatrixXd read = transmit({b.design, b.state, u.hardware}, codes, seed);
  u.hardware.timing.sampling = Sampling::settled;
  const Eigen::MatrixXd settled = transmit({b.design, b.state, u.hardware}, codes, seed);
  // each digit is read at its own best sample, all are looked at together: no better, and nearly as good
  CHECK(waves.back().least_deviation() >= rms(read - settled) / 3 * (1 - 1e-9));
  CHECK(waves.back().least_deviation() < 2 * rms(read - settled) / 3);
}

// An ideal carry chain, slowly: its servers see the digits 0 to 3 and nothing between. Fails when a level is
// counted in another bin, or what goes on has not passed the rectifiers
TEST_CASE("waveforms: the eye of slow digits has four levels") {
  const Task task{4, 2, Rounding::half_up};
  Unit u;
  u.hardware.timing = {Sampling::clocked, 0.4e9, 1};
  const Built b = built(carry_chain(task), u);
  const Codes codes = random_codes(task, 200);
  const auto waves = layer_waveforms({b.design, b.state, u.hardware}, codes, {});
  Eigen::Index received = 0;
  for (std::size_t l = 0; l < waves.size(); ++l) {
    const LayerDesign& layer = b.design.layers[l];
    CHECK((waves[l].deviation.size() > 0) == layer.received());
    if (layer.received()) CHECK(waves[l].deviation[middle] < 1e-9);
    if (layer.ending != LayerEnd::servers) continue;
    const auto seen = waves[l].eye.row(static_cast<Eigen::Index>(middle));
    received += static_cast<Eigen::Index>(seen.sum());
    for (Eigen::Index k = 0; k < seen.size(); ++k) {
      const double level = EyeLevels::middle(static_cast<int>(k));
      if (seen[k] > 0) CHECK(std::abs(3 * level - std::round(3 * level)) <= 3 * EyeLevels::width);
    }
  }
  CHECK(received == 200 * task.output_digits());
}

TEST_CASE("waveforms: settled words have none") {
  const Unit u;
  const Built b = built(random_network({4, 2}, {8}), u);
  check_message(refusal([&] {
                  layer_waveforms({b.design, b.state, u.hardware}, Codes::Zero(1, 4), {});
                }),
                {"time.sampling = settled"});
}
