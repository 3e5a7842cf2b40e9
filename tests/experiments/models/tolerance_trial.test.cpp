#include "experiments/models/tolerance_trial.hpp"

#include <cmath>
#include <limits>

#include "experiments/models/chip_trial.hpp"
#include "experiments/models/operated_chip.hpp"
#include "experiments/models/tolerance_level.hpp"
#include "experiments/models/trial_model.hpp"
#include "experiments/run/study_inputs.hpp"
#include "experiments/run/trials/run_trials.hpp"
#include "onn/network/weight_noise.hpp"
#include "onn/task/words.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/configs.hpp"
#include "tests/support/refusal.hpp"

using namespace optinc;

namespace {

StudyConfig chain_study(const std::string& more) {
  return parse(
      "model = 'tolerance'\n[parts]\nset = 'idealised'\n[run]\nseed = 5\n[task]\nrounding = "
      "'half-up'\n[network]\nsource = "
      "'carry-chain'\n" +
      more);
}

double tolerance_of(const StudyConfig& config, std::size_t trial) {
  const TrialModel model = make_model(config, make_study_inputs(config, true));
  return run_trial(model, config, {0, trial}).record[model.find("tolerance")->offset];
}

}  // namespace

// mutation: the bisection keeps the failing end, or goes on past whole numbers
TEST_CASE("the harshest level that holds lies just before the first that does not") {
  const auto up_to = [](double limit) { return [limit](double x) { return x <= limit; }; };
  CHECK(LevelSearch{1.0, 2.0, 30}.harshest(up_to(1.37)) == Approx(1.37).epsilon(1e-8));
  CHECK(LevelSearch{-1.0, 1.0, 30}.harshest(up_to(-0.25)) == Approx(-0.25).epsilon(1e-7));
  CHECK(LevelSearch{1.0, 2.0, 30}.harshest(up_to(3.0)) == 2.0);
  CHECK(LevelSearch{1.0, 2.0, 30}.harshest(up_to(0.5)) == 0.0);
  // a converter gets worse as it loses bits
  const auto from = [](double least) { return [least](double x) { return x >= least; }; };
  for (const double bits : {3.0, 4.0, 7.0, 11.0, 15.0, 16.0}) {
    INFO(bits);
    CHECK(LevelSearch{16.0, 3.0, 20, true}.harshest(from(bits)) == bits);
  }
  CHECK(LevelSearch{16.0, 3.0, 20, true}.harshest(from(17.0)) == std::numeric_limits<double>::infinity());
  int asked = 0;
  LevelSearch{0.01, 10.0, 6}.harshest([&](double x) { return ++asked > 0 && x < 1; });
  CHECK(asked == 8);  // both ends and the halvings
}

// mutation: the level is not set, or another chip is asked than the one that trials of model chip make
TEST_CASE("a chip's tolerance is where the same chip of model chip begins to err") {
  const StudyConfig config = chain_study(
      "[measure]\nwords = 0\nvariants = ['corrected_quadrature']\n[chip]\npreset = 'good-lab'\n"
      "[tolerance]\nkey = 'chip.sigma_cal_rad'\ngentle = 1e-3\nharsh = 1.0\nsteps = 12\n");
  const Network network = carry_chain(config.task);
  const ChipDesign design = design_chip(network);
  const Codes codes = codes_of_words(config.task, evaluation_words(config.task));
  for (const std::uint32_t trial : {0u, 2u}) {
    const double level = tolerance_of(config, trial);
    const auto right = [&](double sigma) {
      StudyConfig at = config;
      at.chip.sigma_cal_rad = sigma;
      const LitChip lit =
          chip_in_operation(design, at, calibrated_chip(design, at, trial), trial, Programming::corrected);
      return share_right(config.task,
                         decide_digits(transmit({*lit.design, lit.state, at.hardware}, codes, {5, trial, 0})),
                         codes);
    };
    INFO("trial " << trial << ", level " << level);
    CHECK(level > 1e-2);
    CHECK(right(level) == 1.0);
    CHECK(right(level * std::pow(1000.0, 1.01 / 4096)) < 1.0);  // the next level that was tried
  }
}

// mutation: the error is not relative to U's norm, or every trial draws the same
TEST_CASE("the stand-in gives every U a relative error of its own") {
  const Network network = carry_chain({4, 4, Rounding::half_up});
  double squares = 0.0, norms = 0.0;
  for (std::uint32_t chip = 0; chip < 200; ++chip) {
    const Network met = with_matrix_errors(network, 0.03, 0.0, 1, chip);
    for (std::size_t l = 0; l < network.layers.size(); ++l)
      for (std::size_t b = 0; b < network.layers[l].unitary.size(); ++b) {
        squares += (met.layers[l].unitary[b] - network.layers[l].unitary[b]).squaredNorm();
        norms += network.layers[l].unitary[b].squaredNorm();
      }
  }
  // the entries' number is about 200 x 190: the ratio of squares is exact to sqrt(2/38000) = 0.7 %, 5 sigma 4 %
  CHECK(std::sqrt(squares / norms) == Approx(0.03).epsilon(0.02));
  CHECK(with_matrix_errors(network, 0.03, 0.0, 1, 0).layers[1].unitary[0] !=
        with_matrix_errors(network, 0.03, 0.0, 1, 1).layers[1].unitary[0]);
  // averages all at what light leaves out are right, whatever the error of the first matrices
  const Network centred = with_matrix_errors(network, 0.1, 1.5, 1, 0);
  const SigmaULayer &first = centred.layers[0], &meant = network.layers[0];
  const Eigen::VectorXd dark = Eigen::VectorXd::Constant(first.inputs, 1.5);
  CHECK((first.weight() * dark + first.bias - meant.weight() * dark - meant.bias).norm() < 1e-13);
  CHECK((first.weight() - meant.weight()).norm() > 1e-3);
  CHECK(with_matrix_errors(network, 0.0, 0.0, 1, 0).layers[0].unitary[0] == network.layers[0].unitary[0]);

  const StudyConfig config = chain_study(
      "[measure]\nwords = 0\nvariants = ['stand-in']\n[tolerance]\nkey = 'stand_in.relative_error'\n"
      "gentle = 1e-3\nharsh = 0.9\nsteps = 10\n");
  const double level = tolerance_of(config, 1);
  CHECK(level > 1e-2);
  const Network met = with_matrix_errors(network, level, 0.0, 5, 1);
  const Codes codes = codes_of_words(config.task, evaluation_words(config.task));
  CHECK(share_right(config.task, decide_digits(forward(met, digit_averages(config.task, codes))), codes) ==
        1.0);
}

// mutation: validate_tolerance accepts what at_level cannot set
TEST_CASE("a tolerance of what is no number of a device is refused by its key") {
  const auto with = [](const std::string& key, const std::string& ends) {
    return complaint("model = 'tolerance'\n[tolerance]\nkey = '" + key + "'\n" + ends);
  };
  check_message(with("chip.preset", "gentle = 1.0\nharsh = 2.0\n"), {"tolerance.key", "is not a number"});
  check_message(with("chip.sigma", "gentle = 1.0\nharsh = 2.0\n"), {"unknown key chip.sigma"});
  check_message(with("mesh.ports", "gentle = 2.0\nharsh = 4.0\n"), {"mesh.ports", "cannot be swept"});
  check_message(with("chip.sigma_eta_rad", "gentle = 0.01\nharsh = 700.0\n"), {"chip.sigma_eta_rad = 7"});
  check_message(with("chip", "gentle = 1.0\nharsh = 1.0\n"), {"tolerance.gentle = 1"});
  check_message(with("chip", "gentle = -1.0\nharsh = 1.0\n"), {"tolerance.gentle = -1"});
  CHECK(with("chip.dac_bits", "gentle = 16\nharsh = 3\n").empty());
  const std::string clocked = "[time]\nsampling = 'clocked'\n[measure]\nwords = ";
  check_message(with("chip", "gentle = 0.1\nharsh = 9.0\n" + clocked + "0\n"), {"time.sampling = clocked"});
  CHECK(with("chip", "gentle = 0.1\nharsh = 9.0\n" + clocked + "100\n").empty());
}

// mutation: scaled_errors forgets a member
TEST_CASE("a factor on a chip's errors is one on each of them") {
  const ErrorModel doped = error_preset("doped-heaters");
  const ErrorModel half = scaled_errors(doped, 0.5);
  CHECK(half.sigma_eta_rad == doped.sigma_eta_rad / 2);
  CHECK(half.sigma_cal_rad == doped.sigma_cal_rad / 2);
  CHECK(half.mzi_loss_db == doped.mzi_loss_db / 2);
  CHECK(half.arm_loss_spread_db == doped.arm_loss_spread_db / 2);
  CHECK(half.sigma_phase_rad == doped.sigma_phase_rad / 2);
  CHECK(half.dac_bits == doped.dac_bits);
  CHECK(half.rho_ab == doped.rho_ab);
  check_message(refusal([&] { scaled_errors(doped, -1); }), {"errors times -1"});
}
