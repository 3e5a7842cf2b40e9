#include "onn/margin/margin.hpp"

#include <cmath>
#include <cstdio>
#include <tuple>

#include "onn/budget/budget.hpp"
#include "onn/budget/operating_power.hpp"
#include "onn/link/average.hpp"
#include "onn/link/transmission.hpp"
#include "onn/network/carry_chain.hpp"
#include "onn/network/digit_sums.hpp"
#include "physics/random/stream.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/networks.hpp"
#include "tests/support/refusal.hpp"

using namespace optinc;

namespace {

/// Devices of averages.toml.
UnitHardware devices(double rate_bd = 40e9) {
  UnitHardware u;
  u.link.signed_levels = true;
  u.converter.bits = 8;
  u.converter.step_j = 40e-15;
  u.laser.rin_db_per_hz = -150;
  u.receiver.front_end.bandwidth_hz = 24e9;
  u.timing.sampling = Sampling::clocked;
  u.timing.symbol_rate_bd = rate_bd;
  u.link.launch_power_w = 2e-4;
  u.link.drive_depth = 0.5;
  u.receiver.lo_power_w = 6e-4;
  u.converter.effective_bits = 5.0;
  return u;
}

/// A unit without meshes, or a carry chain, on a perfect chip.
struct Averaging4 {
  ChipDesign design;
  ChipState chip;
  UnitHardware hardware;
  NoiseSwitches noise = NoiseSwitches::all();

  Averaging4(const Network& network, UnitHardware of) : design(design_chip(network)), hardware(std::move(of)) {
    const ErrorModel model = error_preset("ideal");
    chip = programmed_chip(design, fabricate(design, model, 1, 0), model, Programming::uncorrected);
  }

  LitUnit lit() const { return {design, chip, hardware, noise}; }
  Codes codes(Eigen::Index words, std::uint32_t seed = 3) const {
    Stream stream(seed, Purpose::test);
    Codes drawn(words, design.task.servers);
    for (auto& code : drawn.reshaped())
      code = static_cast<std::uint32_t>(stream.uniform() * static_cast<double>(design.task.codes()));
    return drawn;
  }
};

UnitHardware owned(UnitHardware u) {
  u.link.destinations = 1;
  u.owner = {OwnerPlace::server, 3e-4, 4e-4, 3.2, 0.55, 2.2e10, 5};
  return u;
}

UnitHardware with_bits(UnitHardware u, double bits) {
  u.converter.effective_bits = bits;
  return u;
}

UnitHardware of_chain(UnitHardware u) {
  u.link.launch_power_w = 1e-3, u.link.signal_full_scale_w = 2e-4, u.receiver.lo_power_w = 1e-3;
  u.link.drive_depth = 1.0, u.converter.effective_bits = 3.4;
  u.neuron = {1.2e-3, 2.6e10, 5};
  return u;
}

UnitHardware with_jitter(UnitHardware u) {
  u.timing.jitter_s = 0.5e-12;
  u.timing.equaliser_taps = 5;
  return u;
}

std::vector<std::pair<std::string, Averaging4>> units() {
  const Task task = {.servers = 4, .digits = 4, .rounding = Rounding::half_up};
  return {{"sums, owners", Averaging4(digit_sums(task), owned(devices()))},
          {"sums, star", Averaging4(digit_sums(task), devices())},
          {"sums, jitter", Averaging4(digit_sums(task), with_jitter(devices()))},
          {"ring", Averaging4(word_hops(task, Adder::ring), with_bits(devices(), 2.9))},
          {"hub", Averaging4(word_hops(task, Adder::hub), with_bits(devices(), 2.9))},
          {"carry chain", Averaging4(carry_chain(task), of_chain(devices()))}};
}

/// A network whose neurons share what drives them: their noise is dependent, layer after layer. Half of their
/// layers are limited where they say much. Its outputs are beyond the range of converters, which stay out.
std::pair<std::string, Averaging4> rectifiers() {
  UnitHardware u = of_chain(devices());
  u.link.launch_power_w = 2e-4, u.link.signal_full_scale_w = 5e-5, u.receiver.lo_power_w = 3e-4;
  Network network = random_network({.servers = 4, .digits = 4}, {16, 32, 16});
  network.layers[1].ceiling = 0.7;
  Averaging4 unit(network, u);
  unit.noise.converter = false;
  return {"rectifiers", std::move(unit)};
}

/// Fourth-order difference quotient of f in the logarithm of x.
template <class F>
double log_quotient(F f, double x) {
  const double d = 2e-3;
  return (f(x * (1 - 2 * d)) - 8 * f(x * (1 - d)) + 8 * f(x * (1 + d)) - f(x * (1 + 2 * d))) / (12 * d);
}

}  // namespace

// Against difference quotients. Fails when a formula drops a derivative, or light, bits, bandwidth or rate
// reach a level by a way that the estimate does not follow
TEST_CASE("derivatives of words wrong and of energy are those of difference quotients") {
  double worst = 0.0;
  int compared = 0;
  for (const auto& [name, unit] : units()) {
    const Margin margin(unit.lit(), unit.codes(300), {});
    const OperatingPower power(unit.design, error_preset("ideal"), unit.hardware, {});
    OperatingValues<double> at = operating_values(unit.hardware);
    at.drive_depth *= 0.97;  // where a drive's swing has a derivative
    const OperatingTangent wrong = margin.log_wrong(as_variables(at)),
                           energy = power.energy_per_bit_j(as_variables(at));
    CHECK(wrong.value == Approx(margin.log_wrong(at)).epsilon(1e-12));
    for (std::size_t k = 0; k < operating_variables; ++k) {
      CAPTURE(name, operating_keys[k]);
      const double x = *at.all()[k];
      const auto with = [&](auto of) {
        return [&, of](double value) {
          OperatingValues<double> other = at;
          *other.all()[k] = value;
          return of(other);
        };
      };
      const double wrong_quotient = log_quotient(with([&](const auto&v) { return margin.log_wrong(v); }), x),
                   energy_quotient =
                       log_quotient(with([&](const auto&v) { return power.energy_per_bit_j(v); }), x);
      for (const auto& [slope, quotient, scale] :
           {std::tuple(wrong.slope[k] * x, wrong_quotient, 0.1),
            std::tuple(energy.slope[k] * x / energy.value, energy_quotient / energy.value, 1e-3)}) {
        const double off = std::abs(slope - quotient) / std::max(std::abs(quotient), scale);
        CAPTURE(slope, quotient);
        CHECK(off <= 1e-5);
        worst = std::max(worst, off);
        compared += quotient != 0;
      }
    }
  }
  std::printf("derivatives: worst difference %.2g of %d\n", worst, compared);
}

// Fails when a watt of budget() is left out or counted at other settings
TEST_CASE("the power at any settings is that of budget()") {
  for (const auto& [name, unit] : units()) {
    CAPTURE(name);
    const OperatingPower power(unit.design, error_preset("ideal"), unit.hardware, {});
    OperatingValues<double> at = operating_values(unit.hardware);
    double factor = 0.7;
    for (double* value : at.all()) *value *= factor += 0.03;
    const ChipBudget whole = budget(unit.design, error_preset("ideal"), with_values(unit.hardware, at));
    CHECK(power.watts(at) ==
          Approx(whole.static_power_w.total() + whole.symbol_power_w.total()).epsilon(1e-12));
    CHECK(power.light_w(at) * hop_plan(unit.design.task).links == Approx(whole.laser_optical_w).epsilon(1e-12));
    CHECK(power.energy_per_bit_j(at) * whole.bits_per_word * at.symbol_rate_bd == Approx(power.watts(at)));
  }
}

// Fails when what neurons pass on, or how it spreads over the next layer, loses a derivative
TEST_CASE("derivatives of a network's variances are those of difference quotients") {
  const Averaging4 unit = rectifiers().second;
  const Codes codes = unit.codes(40);
  const auto log_variance = [&](const auto& values) {
    const auto levels = received_levels(unit.lit(), values, codes, {});
    auto sum = levels.answers.variance(0, 0);
    for (std::size_t i = 1; i < levels.answers.variance.numbers.size(); ++i)
      sum += levels.answers.variance.numbers[i];
    using std::log;
    return log(sum);
  };
  OperatingValues<double> at = operating_values(unit.hardware);
  at.drive_depth *= 0.97;
  const OperatingTangent found = log_variance(as_variables(at));
  for (std::size_t k = 0; k < operating_variables; ++k) {
    CAPTURE(operating_keys[k], found.slope[k]);
    const double x = *at.all()[k];
    const double quotient = log_quotient(
        [&](double value) {
          OperatingValues<double> other = at;
          *other.all()[k] = value;
          return log_variance(other);
        },
        x);
    CHECK(std::abs(found.slope[k] * x - quotient) <= 1e-5 * std::max(std::abs(quotient), 0.1));
  }
}

// Against words that are sent. Fails when a source of noise is counted twice or not, interference is left out,
// or an answer that is right by chance counts as wrong
TEST_CASE("estimated words wrong are those counted, within five standard errors") {
  for (auto& [name, unit] : units()) {
    if (name == "carry chain") continue;  // below
    const Codes codes = unit.codes(60'000, 5);
    const CodeVector exact = exact_answers(unit.design.task, codes);
    std::vector<double> shares;  // of parts: servers' phases are common to 512 words
    for (std::uint32_t instant = 0; instant < 6; ++instant) {
      const CodeVector found = average_codes(unit.lit(), codes, {.instant = instant});
      shares.push_back(
          (found.array() != exact_answers(unit.design.task, codes, instant).array()).cast<double>().mean());
    }
    const Eigen::Map<const Eigen::VectorXd> all(shares.data(), static_cast<Eigen::Index>(shares.size()));
    const double counted = all.mean(), wrong = std::max(1.0, counted * 6 * 60'000);
    const double error =
        std::max((all.array() - counted).matrix().norm() / std::sqrt(30.0), counted / std::sqrt(wrong));
    const double estimated =
        std::exp(Margin(unit.lit(), codes.topRows(4'000), {}).log_wrong(operating_values(unit.hardware)));
    CAPTURE(name, counted, error, estimated);
    CHECK(counted > 3e-5);
    CHECK(counted < 0.03);
    CHECK(std::abs(estimated - counted) < 5 * error + 0.02 * estimated);
  }
}

// A ring whose words phases make wrong, not noise: a server's phase turns more than a third of its light away
// in one of 1,300 draws. Fails when phases are taken for Gaussian: 1e-9 of what is counted
TEST_CASE("MC: words that phases make wrong are estimated, within five standard errors") {
  UnitHardware u = with_bits(devices(), 5.0);
  u.link.sigma_lock_rad = 0.3, u.link.launch_power_w = 2e-3, u.receiver.lo_power_w = 2e-3;
  const Averaging4 unit(word_hops({.servers = 4, .digits = 1, .rounding = Rounding::half_up}, Adder::ring), u);
  const Codes codes = unit.codes(32, 5);  // of one phase a hop
  const CodeVector exact = exact_answers(unit.design.task, codes);
  constexpr int draws = 4'000;
  double sum = 0.0, squares = 0.0;
  for (std::uint32_t instant = 0; instant < draws; ++instant) {
    const CodeVector found = average_codes(unit.lit(), codes, {.instant = instant});
    const double share = (found.array() != exact.array()).cast<double>().mean();
    sum += share, squares += share * share;
  }
  const double counted = sum / draws, error = std::sqrt(squares / draws - counted * counted) / std::sqrt(draws);
  const double estimated = std::exp(Margin(unit.lit(), codes, {}).log_wrong(operating_values(unit.hardware)));
  CAPTURE(counted, error, estimated);
  CHECK(counted > 6 * error);
  CHECK(std::abs(estimated - counted) < 5 * error + 0.25 * estimated);
}

// Moments of every stage's levels: fails when noise, interference or gain of a stage is another than
// transmit()'s, or what a limiter passes on has other moments. (Noise of neurons that share a receiver, taken
// for independent, passes here: weights are random, and it averages out.)
TEST_CASE("means and variances of outputs are those of words that are sent") {
  std::vector<std::pair<std::string, Averaging4>> all = units();
  all.push_back(rectifiers());
  for (const auto& [name, unit] : all) {
    if (unit.design.task.adder != Adder::light) continue;
    const Codes codes = unit.codes(64);
    const ReceivedLevels<double> levels =
        received_levels(unit.lit(), operating_values(unit.hardware), codes, {});
    constexpr int draws = 400;
    Eigen::ArrayXXd sum = Eigen::ArrayXXd::Zero(4, 64), squares = sum;
    for (std::uint32_t instant = 0; instant < draws; ++instant) {
      const Eigen::ArrayXXd y = transmit(unit.lit(), codes, {.instant = instant}).array();
      sum += y, squares += y.square();
    }
    const Eigen::ArrayXXd mean = sum / draws,
                          variance = (squares / draws - mean.square()) * draws / (draws - 1);
    const double step2 = unit.noise.converter ? std::pow(adc_step(unit.hardware.converter), 2) / 12 : 0.0;
    double worst = 0.0, ratio = 0.0;
    for (Eigen::Index m = 0; m < 4; ++m)
      for (Eigen::Index w = 0; w < 64; ++w) {
        const double expected = levels.answers.variance(m, w) + step2;
        worst = std::max(worst, std::abs(mean(m, w) - levels.answers.mean(m, w)) / std::sqrt(expected / draws));
        ratio += variance(m, w) / expected / (4 * 64);
      }
    CAPTURE(name, worst, ratio);
    CHECK(worst < 5);
    CHECK(ratio == Approx(1).margin(name == "carry chain" ? 0.05 : 0.025));
  }
}

TEST_CASE("what the estimate does not follow is refused") {
  const auto refused = [](auto change) {
    Averaging4 unit(digit_sums({.servers = 4}), devices());
    change(unit.hardware);
    return refusal([&] { Margin(unit.lit(), unit.codes(8), {}).log_wrong(operating_values(unit.hardware)); });
  };
  check_message(refused([](UnitHardware& u) { u.link.check_block = 16; }), {"link.check_block = 16"});
  check_message(refused([](UnitHardware& u) { u.timing.sampling = Sampling::unclocked; }), {"time.sampling"});
  check_message(refused([](UnitHardware& u) { u.timing.lane_skew_s = 1e-12; }), {"time.lane_skew_s = 1e-12"});
  check_message(refused([](UnitHardware& u) { u.modulator.linearised = false; }), {"modulator.linearised"});
  check_message(refused([](UnitHardware& u) { u.link.late_servers = 1; }), {"link.late_servers = 1"});
  const Averaging4 analogue(analogue_sum({.servers = 4, .digits = 3}), devices());
  check_message(refusal([&] { Margin(analogue.lit(), Codes::Zero(8, 4), {}); }),
                {"analogue", "code_error_rms"});
}
