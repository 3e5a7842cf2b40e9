#include "onn/training/detail/unit_noise.hpp"

#include <functional>
#include <numeric>

#include "onn/link/transmission.hpp"
#include "onn/task/words.hpp"
#include "onn/training/detail/epoch_loop.hpp"
#include "onn/training/detail/gradients.hpp"
#include "onn/training/trainer.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/refusal.hpp"

using namespace optinc;
using namespace optinc::training;

namespace {

const Task small = {2, 2};  // 49 words
const std::vector<int> hidden = {8, 16, 8};

/// Layers of random matrices and gains, most words of which reach the ceilings of some neuron.
std::vector<Layer> random_layers() {
  const Network shape = make_network(small, hidden);
  std::vector<Layer> layers = initial_layers(shape, 4);
  Stream stream(4, Purpose::test);
  for (Layer& layer : layers) {
    for (std::size_t b = 0; b < layer.blocks.size(); ++b) {
      for (float& s : layer.blocks[b].s) s *= static_cast<float>(0.7 + 0.6 * stream.uniform());
      rebuild_weight(layer, b);
    }
    for (float& b : layer.bias) b += static_cast<float>(0.2 * stream.normal());
  }
  layers[1].blocks[0].s[2] *= -2;  // the gain of its layer
  rebuild_weight(layers[1], 0);
  limit_outputs(layers, all_words(small), 0.5);
  return layers;
}

struct Source {
  const char* name;
  NoiseSwitches noise;
  double signal_w = 1e-4;
  double lo_w = 1e-3;
  double limiter_spread = 0.0, limiter_knee = 0.0;
  void (*also)(UnitHardware&) = nullptr;
};

/// Words that mix by half an eye.
void clock(UnitHardware& u) { u.timing.sampling = Sampling::clocked, u.timing.symbol_rate_bd = 60e9; }

void own_neurons(UnitHardware& u) { clock(u), u.neuron = {2e-4, 15e9, 1}; }

void jitter(UnitHardware& u) { clock(u), u.timing.jitter_s = 1.5e-12; }

/// Oscillators off phase: each for good, each by a dither, and those of a layer together by their linewidth.
void turn(UnitHardware& u) {
  u.link.sigma_oscillator_rad = 0.3, u.link.oscillators = Oscillators::direct;
  u.link.oscillator_loop_hz = 1.0, u.link.oscillator_dither_rad = 0.3, u.laser.linewidth_hz = 3e8;
}

void follow_sine(UnitHardware& u) { u.modulator.linearised = false; }

/// A unit with several times the noise of the default link, of these sources.
TrainingUnit noisy_unit(const Source& source) {
  TrainingUnit unit;
  unit.chip.mzi_loss_db = 0.3;
  unit.hardware.link.sigma_lock_rad = 0.15;
  unit.hardware.link.signal_full_scale_w = source.signal_w;
  unit.hardware.link.sigma_limiter = source.limiter_spread;
  unit.hardware.link.limiter_knee = source.limiter_knee;
  unit.hardware.receiver.lo_power_w = source.lo_w;
  unit.hardware.receiver.cmrr_db = 3;
  unit.hardware.laser.rin_db_per_hz = -125;
  unit.hardware.converter.bits = 5, unit.hardware.converter.effective_bits = 4;
  unit.noise = source.noise;
  if (source.also != nullptr) source.also(unit.hardware);
  return unit;
}

/// Mean and variance of every output over draws.
struct Spread {
  Eigen::ArrayXXd sum, squares;
  int draws = 0;

  void add(const Eigen::MatrixXd& y) {
    if (draws++ == 0) sum = squares = Eigen::ArrayXXd::Zero(y.rows(), y.cols());
    sum += y.array();
    squares += y.array().square();
  }
  Eigen::ArrayXXd mean() const { return sum / draws; }
  Eigen::ArrayXXd variance() const { return squares / draws - mean().square(); }
};

}  // namespace

// 1500 draws of every word, of both: the variance of one normal output scatters by sqrt(2/1500) = 3.7 % of
// itself. Intensity is common to a word, a lock error to all words of a draw, so that they do not average out:
// 5 sigma of the ratio of two such sums are 0.26 where nothing else draws
TEST_CASE("MC: training meets the noise of transmission, source by source") {
  std::vector<Layer> layers = random_layers();
  const ChipDesign design = design_chip(finished(make_network(small, hidden), layers));
  std::vector<std::uint64_t> every(small.words());
  std::iota(every.begin(), every.end(), std::uint64_t{0});
  // each sum is shared out in one way, but for who has more: transmission's even split and training's random
  // one are the same
  const std::vector<std::uint64_t> one_way = {0, 1, 5, 6, 7, 8, 12, 13, 35, 36, 40, 41, 42, 43, 47, 48};
  for (const Source& source : {
           Source{"amplifiers", {.tia = true}},
           Source{"shot noise, strong oscillator", {.shot = true}},
           Source{"shot noise, signals stronger than the oscillator", {.shot = true}, 4e-4, 1e-4},
           Source{"intensity", {.rin = true}},
           Source{"locks", {.lock = true}},
           Source{"servers alone", {.shot = true, .tia = true, .last_only = true}},
           Source{"converters", {.converter = true}},
           Source{"unequal limiters", {}, 1e-4, 1e-3, 0.1},
           Source{"soft and unequal limiters", {}, 1e-4, 1e-3, 0.1, 0.15},
           Source{"modulators that follow their sine", {.tia = true}, 1e-4, 1e-3, 0, 0, follow_sine},
           Source{"interference", {}, 1e-4, 1e-3, 0, 0, clock},
           Source{"amplifiers behind equalisers", {.tia = true}, 1e-4, 1e-3, 0, 0, clock},
           Source{"all receivers, neurons of their own",
                  {.shot = true, .tia = true, .rin = true},
                  1e-4,
                  1e-3,
                  0,
                  0,
                  own_neurons},
           Source{"jitter", {.jitter = true}, 1e-4, 1e-3, 0, 0, jitter},
           Source{"jitter of servers alone", {.last_only = true, .jitter = true}, 1e-4, 1e-3, 0, 0, jitter},
           Source{"oscillators", {}, 1e-4, 1e-3, 0, 0, turn},
           Source{"oscillators, dithered and of some linewidth", {.lock = true}, 1e-4, 1e-3, 0, 0, turn},
           Source{"all", NoiseSwitches::all(), 1e-4, 1e-3, 0.05, 0.1},
           Source{"all, clocked", NoiseSwitches::all(), 1e-4, 1e-3, 0.05, 0.1, jitter},
       }) {
    INFO(source.name);
    const TrainingUnit unit = noisy_unit(source);
    const ChipErrors errors = fabricate(design, unit.chip, 1, 0);
    const ChipState chip = programmed_chip(design, errors, unit.chip, Programming::uncorrected);
    const UnitNoise noise(design, unit.chip, unit.hardware, unit.noise);
    follow(layers, unit.hardware.modulator);
    const std::vector<std::uint64_t>& words = unit.noise.lock ? one_way : every;
    Spread sent, met;
    for (std::uint32_t draw = 0; draw < 1500; ++draw) {
      sent.add(transmit({design, chip, unit.hardware, unit.noise}, codes_of_words(small, words),
                        {.seed = 3, .chip = draw, .instant = draw}));
      const StepNoise step{&noise, 1.0f, 3, draw};
      Stream inputs = step.stream(0, -1);
      met.add(forward(layers, noise.inputs(words, 1.0, 3, 0, inputs), step).x.back().cast<double>());
    }
    CHECK(met.variance().sum() == Approx(sent.variance().sum()).epsilon(0.26).margin(1e-9));
    CHECK((sent.mean() - met.mean()).abs().maxCoeff() <
          1e-5 + 5 * std::sqrt(sent.variance().maxCoeff() * 2 / 1500));
  }
}

// Mutations: without the gradient through the gain (largest sigmas), without the mask of ceilings (biases),
// noise that does not grow with gain or full scale; the slope of soft limiters, or of a modulator's sine, in
// front of it a limiter's; light that goes back by the taps of the way there, not by their mirror image.
// Central differences of a loss of some 1e2 in float32, 1e-3 wide: rounding and words that cross a kink leave 2
// % of the largest slope of a layer
TEST_CASE("gradients of the loss under noise are its slopes") {
  std::vector<Layer> layers = random_layers();
  const double knee = GENERATE(0.0, 0.1), unequal = GENERATE(0.0, 0.15);
  const bool in_succession = GENERATE(false, true), sine = (unequal > 0) != in_succession;
  CAPTURE(knee, unequal, in_succession, sine);
  TrainingUnit unit = noisy_unit({"all but converters, which step",
                                  {.shot = true, .tia = true, .rin = true, .lock = true, .jitter = true},
                                  1e-4,
                                  1e-3,
                                  unequal,
                                  knee,
                                  in_succession ? +[](UnitHardware& u) { jitter(u), turn(u); } : nullptr});
  unit.hardware.modulator.linearised = !sine;
  follow(layers, unit.hardware.modulator);
  const UnitNoise noise(design_chip(finished(make_network(small, hidden), layers)), unit.chip, unit.hardware,
                        unit.noise);
  std::vector<std::uint64_t> words(small.words());
  std::iota(words.begin(), words.end(), std::uint64_t{0});
  const MatrixF targets = word_table(small).targets.cast<float>();
  const float scale = in_succession ? 1.0f : 2.0f;  // words that are mixed twice as much are not all there
  const StepNoise step{&noise, scale, 3, 0};
  Stream inputs = step.stream(0, -1);
  const MatrixF x0 = noise.inputs(words, static_cast<double>(scale), 3, 0, inputs);
  const auto gradients = [&] {
    std::vector<Gradients> g = room_for_gradients(layers);
    accumulate(layers, x0, targets, 0.05f, step, 0, g[0]);
    for (std::size_t k = 1; k < g.size(); ++k)
      for (std::size_t l = 0; l < layers.size(); ++l)
        g[k].weight[l].setZero(), g[k].bias[l].setZero(layers[l].outputs);
    return g;
  };
  const std::vector<Gradients> at = gradients();
  const auto by_gain = gain_gradients(layers, at, 1.0f);
  const auto slope = [&](float& parameter, const std::function<void()>& rebuild) {
    const float h = 5e-4f, was = parameter;
    double loss[2];
    for (const int side : {0, 1}) {
      parameter = was + (side == 0 ? -h : h);
      rebuild();
      loss[side] = gradients()[0].loss;
    }
    parameter = was;
    rebuild();
    return (loss[1] - loss[0]) / (2.0 * static_cast<double>(h));
  };
  for (std::size_t l = 0; l < layers.size(); ++l) {
    INFO("layer " << l);
    double largest = 0.0, worst = 0.0;
    const auto compare = [&](double is, double should) {
      largest = std::max(largest, std::abs(should));
      worst = std::max(worst, std::abs(is - should));
    };
    for (std::size_t b = 0; b < layers[l].blocks.size(); ++b) {
      Block& block = layers[l].blocks[b];
      const VectorF ds = sigma_gradient(block_gradient(layers, at, l, b), block.u, by_gain[l], b);
      for (Eigen::Index i = 0; i < ds.size(); ++i)
        compare(static_cast<double>(ds[i]), slope(block.s[i], [&] { rebuild_weight(layers[l], b); }));
    }
    CHECK(worst < 0.02 * largest);
    const VectorF db = bias_gradient(at, l);
    largest = worst = 0.0;
    for (Eigen::Index i = 0; i < db.size(); ++i)
      compare(static_cast<double>(db[i]), slope(layers[l].bias[i], [] {}));
    CHECK(worst < 0.02 * largest);
  }
}

TEST_CASE("noise in training grows from 2 % to all of it, and needs a source and ceilings") {
  TrainingSettings s;
  s.epochs = 100;
  s.noise = 1.1;
  s.noise_ramp = 0.4;
  CHECK(noise_schedule(s, 0) == Approx(0.022));
  CHECK(noise_schedule(s, 20) == Approx(1.1 * 0.51));
  CHECK(noise_schedule(s, 40) == Approx(1.1));
  CHECK(noise_schedule(s, 99) == Approx(1.1));
  s.noise_ramp = 0;
  CHECK(noise_schedule(s, 0) == Approx(1.1));

  s.epochs = 2, s.warmup_epochs = 1, s.batch = 16;
  const TrainingUnit unit = noisy_unit({"", {.shot = true}});
  check_message(refusal([&] { train(small, hidden, s, {1, 1}, nullptr, unit); }), {"no ceiling"});
  s.ceiling = 0.6;
  check_message(refusal([&] { train(small, hidden, s, {1, 1}); }), {"every source of noise off"});
  const Network network = train(small, hidden, s, {1, 1}, nullptr, unit).network;
  CHECK(network.is_feed_forward());
  for (std::size_t l = 0; l + 1 < network.layers.size(); ++l) CHECK(std::isfinite(network.layers[l].ceiling));
  s.scheme = TrainingScheme::projected;
  check_message(refusal([&] { train(small, hidden, s, {1, 1}, nullptr, unit); }), {"projected"});
}

// 40 draws of 169 words under the unit's own noise. Fails where training meets none, or absolute noise that the
// network outgrows
TEST_CASE("MC: a network that met the unit's noise in training bears it better") {
  const Task task = {4, 2};
  const std::vector<int> wide = {32, 32, 32};
  TrainingSettings s;
  s.epochs = 300;
  s.batch = 16;
  s.warmup_epochs = 1;
  s.learning_rate = 8e-3;
  s.ceiling = 0.6;
  TrainingUnit unit;
  unit.chip.mzi_loss_db = 0.3;
  unit.noise = {true, true, true, true};
  const Network plain = train(task, wide, s, {2, 1}).network;
  s.noise = 1.1;
  const Network hardened = train(task, wide, s, {2, 1}, nullptr, unit).network;
  std::vector<std::uint64_t> words(task.words());
  std::iota(words.begin(), words.end(), std::uint64_t{0});
  const auto right = [&](const Network& network) {
    const ChipDesign design = design_chip(network);
    const ChipState chip =
        programmed_chip(design, fabricate(design, unit.chip, 1, 0), unit.chip, Programming::uncorrected);
    double sum = 0;
    for (std::uint32_t draw = 0; draw < 40; ++draw)
      sum += score(transmit({design, chip, unit.hardware, unit.noise}, codes_of_words(task, words),
                            {.seed = 3, .instant = draw}),
                   word_table(task).targets)
                 .word_accuracy;
    return sum / 40;
  };
  // 40 x 169 words: 5 sigma of the difference of two shares near 0.8 are 0.034
  CHECK(right(hardened) > right(plain) + 0.034);
}
