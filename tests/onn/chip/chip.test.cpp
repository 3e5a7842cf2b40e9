#include "onn/chip/chip.hpp"

#include <numeric>

#include <omp.h>

#include "onn/link/transmission.hpp"
#include "onn/task/words.hpp"
#include "physics/core/check.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/hardware.hpp"
#include "tests/support/networks.hpp"
#include "tests/support/refusal.hpp"

using namespace optinc;

namespace {

constexpr Task task{4, 4};
const UnitHardware ideal;  // whose noise is off unless a test switches it on

Codes every_word(const Task& t) {
  std::vector<std::uint64_t> words(t.words());
  std::iota(words.begin(), words.end(), std::uint64_t{0});
  return codes_of_words(t, words);
}

ChipState programmed(const ChipDesign& design, const ErrorModel& model, Programming programming,
                     std::uint32_t chip = 0) {
  return programmed_chip(design, fabricate(design, model, 1, chip), model, programming);
}

double mean_in_phase(const ChipState& state) {
  double sum = 0.0;
  for (const auto& layer : state.layers) sum += layer.matrix_error_in_phase;
  return sum / static_cast<double>(state.layers.size());
}

}  // namespace

TEST_CASE("golden: with every non-ideality off the light path is the float64 network to 1e-10") {
  // tall, square and wide layers, signed sigma, ports not a power of two; fails when any factor of the chain
  // (fan-out, passive scale, full scale, splitter T) is dropped from the gain
  for (const Network& network : {random_network(task, {16, 32, 8}), random_network(task, {12, 12, 24}),
                                 random_full_svd(task, {12, 12, 24}, {1, 2, 4})}) {
    const ChipDesign design = design_chip(network);
    const Codes codes = every_word(task);
    const Eigen::MatrixXd expected = forward(network, word_table(task).averages);
    for (const auto programming : {Programming::uncorrected, Programming::corrected}) {
      const ChipState chip = programmed(design, error_preset("ideal"), programming);
      const Eigen::MatrixXd y = transmit({design, chip, ideal}, codes, {});
      CHECK((y - expected).cwiseAbs().maxCoeff() < 1e-10);
      CHECK(chip.clipped == 0);
    }
  }
}

TEST_CASE("uniform loss is undone by the calibrated gain exactly") {
  const Network network = random_network(task, {16, 16});
  const ChipDesign design = design_chip(network);
  ErrorModel model;
  model.mzi_loss_db = 0.33;
  const ChipState chip = programmed(design, model, Programming::uncorrected);
  CHECK(chip.layers[1].nominal_factor < 0.6);  // 17 columns of 0.33 dB
  const Eigen::MatrixXd y = transmit({design, chip, ideal}, every_word(task), {});
  CHECK((y - forward(network, word_table(task).averages)).cwiseAbs().maxCoeff() < 1e-10);
}

TEST_CASE("a spread of arm losses leaves the calibrated gain of a deep layer unbiased") {
  // doped-heaters cuts N(0.165, 0.13) dB at 0 dB; the gain must use the mean of what is left, or 65 columns are
  // 4 % off
  const ChipDesign design = design_chip(random_network(task, {64, 64}));
  ErrorModel model = error_preset("doped-heaters");
  model.sigma_eta_rad = model.sigma_cal_rad = model.sigma_phase_rad = 0.0;
  double gain = 0.0;
  for (std::uint32_t chip = 0; chip < 4; ++chip) {
    const LayerState layer = programmed(design, model, Programming::uncorrected, chip).layers[1];
    const Eigen::MatrixXd w = design.layers[1].weight;
    gain += (layer.transfer.real() / layer.nominal_factor).cwiseProduct(w).sum() / w.squaredNorm() / 4;
  }
  CHECK(gain == Approx(1.0).margin(0.012));
}

TEST_CASE("a layer's compiled transfer is what light does MZI by MZI") {
  const ChipDesign design = design_chip(random_network(task, {16, 8}));
  const ChipState chip = programmed(design, error_preset("doped-heaters"), Programming::corrected, 3);
  Stream stream(9, Purpose::test);
  for (std::size_t l = 0; l < design.layers.size(); ++l) {
    Matrix fields(design.layers[l].inputs, 70);
    for (auto& e : fields.reshaped()) e = Complex(stream.normal(), stream.normal());
    const Matrix direct = propagate_layer(design.layers[l], chip.layers[l], FieldBatch(fields)).complex();
    CHECK((direct - chip.layers[l].transfer * fields).cwiseAbs().maxCoeff() < 1e-12);
  }
}

TEST_CASE("light is not created: no layer's transfer has a singular value above one") {
  const ChipDesign design = design_chip(random_network(task, {16, 32, 8}));
  for (const auto* preset : {"ideal", "design-target", "good-lab", "doped-heaters"}) {
    const ChipState chip = programmed(design, error_preset(preset), Programming::corrected);
    for (const auto& layer : chip.layers) CHECK(layer.transfer.jacobiSvd().singularValues()[0] <= 1.0 + 1e-12);
  }
}

TEST_CASE("same seed, same chip and same light on one and two threads") {
  const ChipDesign design = design_chip(random_network(task, {16, 16}));
  const ErrorModel model = error_preset("good-lab");
  const ChipState chip = programmed(design, model, Programming::corrected, 5);
  CHECK(chip.layers[1].transfer == programmed(design, model, Programming::corrected, 5).layers[1].transfer);
  CHECK(chip.layers[1].transfer != programmed(design, model, Programming::corrected, 6).layers[1].transfer);
  const Codes codes = every_word(task).topRows(3000);
  const int threads = omp_get_max_threads();
  omp_set_num_threads(1);
  const Eigen::MatrixXd one = transmit({design, chip, ideal, NoiseSwitches::all()}, codes, {1, 5, 0});
  omp_set_num_threads(2);
  const Eigen::MatrixXd two = transmit({design, chip, ideal, NoiseSwitches::all()}, codes, {1, 5, 0});
  omp_set_num_threads(threads);
  CHECK(one == two);
}

// A link whose converters, neurons, servers and locks all draw: each block of words has streams of its own.
TEST_CASE("words sent in parts have the noise of all at once") {
  const ChipDesign design = design_chip(random_network(task, {16, 16}));
  const ChipState chip = programmed(design, error_preset("good-lab"), Programming::corrected, 5);
  const LitUnit unit = {design, chip, UnitHardware{}, NoiseSwitches::all()};
  const Codes codes = every_word(task).topRows(3000);
  const Eigen::MatrixXd all = transmit(unit, codes, {.seed = 1, .chip = 5, .instant = 2});
  const auto part = [&](Eigen::Index first, Eigen::Index words) {
    return transmit(unit, codes.middleRows(first, words),
                    {.seed = 1, .chip = 5, .instant = 2, .first_word = static_cast<std::uint64_t>(first)});
  };
  CHECK(part(0, 512) == all.leftCols(512));
  CHECK(part(512, 1536) == all.middleCols(512, 1536));
  CHECK(part(2048, 952) == all.rightCols(952));
  CHECK(transmit(unit, codes.topRows(512), {.seed = 1, .chip = 5, .instant = 2, .first_word = 512}) !=
        all.leftCols(512));
  CHECK_THAT(refusal([&] { part(100, 512); }), ContainsSubstring("from number 100 on"));
  CHECK_THAT(refusal([&] { transmit(unit, codes, {.seed = 1, .first_word = std::uint64_t{1} << 34}); }),
             ContainsSubstring("numbers below 17179869184"));
}

TEST_CASE("servers see the same light through receivers of their own") {
  const ChipDesign design = design_chip(random_network(task, {16, 16}));
  const ChipState chip = programmed(design, error_preset("ideal"), Programming::uncorrected);
  const Codes codes = every_word(task).topRows(1000);
  UnitHardware hardware;
  const Eigen::MatrixXd quiet0 = transmit({design, chip, hardware}, codes, {1, 0, 0});
  const Eigen::MatrixXd quiet1 = transmit({design, chip, hardware}, codes, {1, 0, 3});
  CHECK(quiet0 == quiet1);
  NoiseSwitches tia;
  tia.tia = true;
  CHECK(transmit({design, chip, hardware, tia}, codes, {1, 0, 0}) !=
        transmit({design, chip, hardware, tia}, codes, {1, 0, 3}));
  CHECK_THAT(refusal([&] {
               transmit({design, chip, hardware}, codes, {1, 0, 4});
             }),
             ContainsSubstring("server 4 of 4"));
  CHECK_THAT(refusal([&] {
               transmit({design, chip, hardware}, codes.leftCols(3), {});
             }),
             ContainsSubstring("3 servers"));
}

TEST_CASE("MC: amplifier noise at the server has the variance of its current, nothing more") {
  // One linear layer (no hidden neuron): y = W a + b + n, with n the TIA's rms current i_n sqrt(B) referred to
  // the output: one unit of y is the current 2 R sqrt(P_LO) sqrt(N P_launch)/3 x fan x 1/passive_scale /
  // sqrt(N). R = 60,000 samples per digit: 5 sigma of a sample variance is 5 sqrt(2/R) = 2.9 %.
  const Network network = random_network(task, {});
  const ChipDesign design = design_chip(network);
  const ChipState chip = programmed(design, error_preset("ideal"), Programming::uncorrected);
  UnitHardware hardware = without_losses();
  hardware.link.launch_power_w = 1e-6;
  NoiseSwitches tia;
  tia.tia = true;
  const Codes codes = Codes::Zero(60'000, 4);
  const Eigen::MatrixXd y = transmit({design, chip, hardware, tia}, codes, {7, 0, 0});
  const double scale = network.layers[0].sigma[0].cwiseAbs().maxCoeff() / 0.99;
  const double unit_a = 2 * 0.9 * std::sqrt(1e-3) * std::sqrt(4 * 1e-6) / 3 / scale / 2;
  const double expected = 16.9e-12 * std::sqrt(noise_bandwidth_hz(FrontEnd{})) / unit_a;
  for (Eigen::Index m = 0; m < 4; ++m) {
    const Eigen::ArrayXd n = y.row(m).array() - network.layers[0].bias[m];
    CHECK(std::sqrt(n.square().mean()) == Approx(expected).epsilon(0.015));
    CHECK(std::abs(n.mean()) < 5 * expected / std::sqrt(60'000.0));
  }
}

TEST_CASE(
    "MC: shot and laser noise at the server are those of one receiver, the laser's common to all digits") {
  // The same linear layer. Shot noise: rms sqrt(2 q (R P_LO + 2 I_d) B), the signal being dark. Laser noise
  // without leak: y - b scales by 1 + delta, delta of rms sqrt(RIN B), the same for every digit of a word. R =
  // 60,000: 5 sigma of an rms is 5/sqrt(2R) = 1.4 %.
  const Network network = random_network(task, {});
  const ChipDesign design = design_chip(network);
  const ChipState chip = programmed(design, error_preset("ideal"), Programming::uncorrected);
  UnitHardware hardware = without_losses();
  hardware.link.launch_power_w = 1e-6;
  const double scale = network.layers[0].sigma[0].cwiseAbs().maxCoeff() / 0.99;
  const double unit_a = 2 * 0.9 * std::sqrt(1e-3) * std::sqrt(4 * 1e-6) / 3 / scale / 2;
  NoiseSwitches shot;
  shot.shot = true;
  const Eigen::MatrixXd dark = transmit({design, chip, hardware, shot}, Codes::Zero(60'000, 4), {7, 0, 0});
  const double expected =
      std::sqrt(2 * 1.602176634e-19 * (0.9 * 1e-3 + 2 * 30e-9) * noise_bandwidth_hz(FrontEnd{})) / unit_a;
  for (Eigen::Index m = 0; m < 4; ++m)
    CHECK(std::sqrt((dark.row(m).array() - network.layers[0].bias[m]).square().mean()) ==
          Approx(expected).epsilon(0.015));

  NoiseSwitches rin;
  rin.rin = true;
  hardware.receiver.cmrr_db = 300;
  const Eigen::MatrixXd y =
      transmit({design, chip, hardware, rin}, Codes::Constant(60'000, 4, 0b11'10'01'11u), {7, 0, 0});
  const Eigen::VectorXd mean = network.layers[0].weight() * Eigen::Vector4d(3, 2, 1, 3);
  Eigen::ArrayXXd delta(4, 60'000);
  for (Eigen::Index m = 0; m < 4; ++m)
    delta.row(m) = (y.row(m).array() - network.layers[0].bias[m]) / mean[m] - 1.0;
  for (Eigen::Index m = 0; m < 4; ++m)
    CHECK(std::sqrt(delta.row(m).square().mean()) ==
          Approx(std::sqrt(1e-15 * noise_bandwidth_hz(FrontEnd{}))).epsilon(0.015));
  CHECK((delta.row(0) - delta.row(3)).abs().maxCoeff() < 1e-9);
}

TEST_CASE(
    "MC: phase-lock errors cost the visibility exp(-s^2/2), which the gain puts back, and leave a spread") {
  // std(Re A) = sqrt((1 + e^{-2s^2})/2 - e^{-s^2}) / sqrt(N) for equal digits, relative.
  // One draw a block of 512 words: R = 4,000 blocks; 5 sigma of a standard deviation 5/sqrt(2R) = 5.6 %.
  const Network network = random_network({4, 1}, {});
  const ChipDesign design = design_chip(network);
  const ChipState chip = programmed(design, error_preset("ideal"), Programming::uncorrected);
  UnitHardware hardware;
  hardware.link.sigma_lock_rad = 0.3;
  NoiseSwitches lock;
  lock.lock = true;
  constexpr int blocks = 4000;
  const Codes codes = Codes::Constant(512 * blocks, 4, 3u);
  const Eigen::MatrixXd y = transmit({design, chip, hardware, lock}, codes, {3, 0, 0});
  Eigen::ArrayXd a(blocks);
  for (int i = 0; i < blocks; ++i)
    a[i] = (y(0, 512 * i) - network.layers[0].bias[0]) / (3 * network.layers[0].weight()(0, 0));
  const double spread = std::sqrt((1 + std::exp(-2 * 0.09)) / 2 - std::exp(-0.09)) / 2 / std::exp(-0.045);
  CHECK(a.mean() == Approx(1.0).margin(5 * spread / std::sqrt(blocks)));
  CHECK(std::sqrt((a - a.mean()).square().mean()) == Approx(spread).epsilon(0.056));
}

TEST_CASE("locks keep their phases for their coherence time, where words come in succession") {
  const Network network = random_network({4, 1}, {});
  const ChipDesign design = design_chip(network);
  const ChipState chip = programmed(design, error_preset("ideal"), Programming::uncorrected);
  UnitHardware hardware;
  hardware.timing = {.sampling = Sampling::clocked, .symbol_rate_bd = 40e9};
  NoiseSwitches lock;
  lock.lock = true;
  constexpr int blocks = 30;
  // Blocks in which every 512th word is another than the one before
  const auto changes = [&] {
    const Eigen::MatrixXd y =
        transmit({design, chip, hardware, lock}, Codes::Constant(512 * blocks, 4, 3u), {3, 0, 0});
    std::vector<int> at;
    for (int i = 1; i < blocks; ++i)
      if (std::abs(y(0, 512 * i + 100) - y(0, 512 * (i - 1) + 100)) > 1e-6) at.push_back(i);
    return at;
  };
  CHECK(changes().size() == blocks - 1);
  hardware.link.lock_coherence_s = 10e-9;  // 400 symbols: within a block
  CHECK(changes().size() == blocks - 1);
  hardware.link.lock_coherence_s = 10 * 512 / 40e9;
  CHECK(changes() == std::vector{10, 20});
  hardware.link.lock_coherence_s = 2.5 * 512 / 40e9;
  CHECK(changes() == std::vector{3, 5, 8, 10, 13, 15, 18, 20, 23, 25, 28});
  hardware.timing.sampling = Sampling::settled;
  CHECK(changes().size() == blocks - 1);
}

TEST_CASE("correction takes splitter errors out of the quadrature that receivers see") {
  const ChipDesign design = design_chip(random_network(task, {32, 32}));
  ErrorModel model;
  model.sigma_eta_rad = 0.01;
  for (std::uint32_t chip = 0; chip < 3; ++chip) {
    const double uncorrected = mean_in_phase(programmed(design, model, Programming::uncorrected, chip));
    const double corrected = mean_in_phase(programmed(design, model, Programming::corrected, chip));
    CHECK(corrected < 0.5 * uncorrected);
  }
}

TEST_CASE("impossible error models and links are refused by name, value and range") {
  const ChipDesign design = design_chip(random_network(task, {}));
  ErrorModel model;
  model.sigma_eta_rad = -0.1;
  CHECK_THAT(refusal([&] { fabricate(design, model, 1, 0); }), ContainsSubstring("sigma_eta_rad = -0.1"));
  model = {};
  model.rho_ab = 1.5;
  CHECK_THAT(refusal([&] { fabricate(design, model, 1, 0); }), ContainsSubstring("rho_ab = 1.5"));
  CHECK_THAT(refusal([&] { error_preset("desgin-target"); }), ContainsSubstring("\"design-target\""));
  UnitHardware hardware;
  hardware.receiver.lo_power_w = 0;
  CHECK_THAT(refusal([&] { validate_hardware(hardware); }), ContainsSubstring("lo_power_w = 0"));
}

// V/V_max = sqrt(phi / 2 pi) is a multiple of 2^-bits. Fails when a mesh or its attenuators are left on the
// grid of phases
TEST_CASE("a DAC of voltages puts every phase of a chip on the grid of its heater's voltage") {
  const ChipDesign design = design_chip(random_network({4, 2}, {8}));
  ErrorModel model = error_preset("ideal");
  model.dac_bits = 7;
  model.dac_voltage = true;
  const ChipErrors errors = fabricate(design, model, 1, 0);
  const ChipProgram voltages = program(design, errors, model.dac_bits, Programming::corrected, dac_mode(model));
  double farthest = 0, from_phases = 0;
  for (const auto& layer : voltages.layers)
    for (const BlockProgram& block : layer)
      for (const MeshProgram* mesh : {&block.mesh, &block.attenuators})
        for (const Vector* phases : {&mesh->theta, &mesh->phi, &mesh->output_phase})
          for (const double phase : *phases) {
            const double steps = 128 * std::sqrt(phase / (2 * constants::pi)),
                         turns = 128 * phase / (2 * constants::pi);
            farthest = std::max(farthest, std::abs(steps - std::round(steps)));
            from_phases = std::max(from_phases, std::abs(turns - std::round(turns)));
          }
  CHECK(farthest < 1e-9);
  CHECK(from_phases > 0.1);
}
