#include "onn/training/diagonal_calibration.hpp"

#include "onn/chip/calibration.hpp"
#include "onn/link/transmission.hpp"
#include "onn/network/carry_chain.hpp"
#include "onn/task/words.hpp"
#include "onn/training/trainer.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/refusal.hpp"

using namespace optinc;

namespace {

const Task small = {4, 2};  // 169 words

Network trained() {
  TrainingSettings s;
  s.epochs = 600;
  s.batch = 16;
  s.warmup_epochs = 1;
  return train(small, std::vector<int>{32, 32, 32, 32}, s, {2, 1}).network;
}

TrainingSettings again(int epochs) {
  TrainingSettings s;
  s.epochs = epochs;
  s.batch = 16;
  s.learning_rate = 3e-3;
  s.warmup_epochs = 0;
  return s;
}

/// Chips with splitters that nobody corrects: matrices that are wrong by much.
ErrorModel wrong_splitters() {
  ErrorModel model;
  model.sigma_eta_rad = 0.04;
  model.mzi_loss_db = 0.2;
  return model;
}

struct Words {
  double right, margin;
};

Words words_of(const ChipDesign& design, const ChipErrors& errors, const ErrorModel& model) {
  const Codes codes = codes_of_words(small, evaluation_words(small));
  const Eigen::MatrixXd outputs =
      transmit({design, programmed_chip(design, errors, model, Programming::uncorrected), UnitHardware{}},
               codes, {1, 0, 0});
  const DecodingScore s = score(outputs, digits_of(exact_answers(small, codes), small.output_digits()));
  return {s.word_accuracy, s.margin};
}

}  // namespace

// Fails where the meshes are not the measured ones, their mean loss is left in, the first bias keeps the shift
// of the inputs, or the new attenuations do not reach the chip
TEST_CASE("MC: chips whose diagonals are trained again on their own meshes get more words right") {
  const ChipDesign design = design_chip(trained());
  const ErrorModel model = wrong_splitters();
  double before = 0, after = 0;
  constexpr int chips = 8;
  for (std::uint32_t chip = 0; chip < chips; ++chip) {
    const ChipErrors errors = fabricate(design, model, 5, chip);
    const ChipState measured = programmed_chip(design, errors, model, Programming::uncorrected);
    const ChipDesign own = with_trained_diagonals(design, measured, {model}, again(60), 5, 1);
    before += words_of(design, errors, model).right / chips;
    after += words_of(own, errors, model).right / chips;
    for (std::size_t l = 0; l < design.layers.size(); ++l)  // the meshes' phases are not touched
      CHECK(own.layers[l].blocks[0].mesh_program.theta == design.layers[l].blocks[0].mesh_program.theta);
  }
  // 8 x 169 words: 5 sigma of the difference of two shares near 0.85 are 0.07
  CHECK(before < 0.85);
  CHECK(after > before + 0.1);
}

// On chips without errors nothing is to be won: what is kept is at least as good, whatever the steps did.
// Fails where the last epoch is kept blindly (rate 0.3 wrecks the network)
TEST_CASE("training diagonals again leaves a perfect chip as right as it was") {
  const ChipDesign design = design_chip(trained());
  const ErrorModel perfect;
  const ChipErrors errors = fabricate(design, perfect, 5, 0);
  const ChipState measured = programmed_chip(design, errors, perfect, Programming::corrected);
  TrainingSettings wild = again(2);
  wild.learning_rate = 0.3;
  const ChipDesign own = with_trained_diagonals(design, measured, {perfect}, wild, 5, 1);
  const double right = words_of(design, errors, perfect).right;
  CHECK(right > 0.99);  // 168 of 169 where sums are rounded in another order
  CHECK(words_of(own, errors, perfect).right >= right);
}

// 8 chips, 20 draws of 169 words, a network trained without noise. Fails where diagonals are trained again
// without the noise of the unit, or their gains do not hear that larger ones bring more of it
TEST_CASE("MC: diagonals trained again with the unit's noise bear it better") {
  TrainingUnit unit{wrong_splitters()};
  unit.noise = {true, true, true, true};
  TrainingSettings s = again(300);
  s.warmup_epochs = 1;
  s.learning_rate = 8e-3;
  s.ceiling = 0.6;
  const ChipDesign design = design_chip(train(small, std::vector<int>{32, 32, 32}, s, {2, 1}).network);
  const Codes codes = codes_of_words(small, evaluation_words(small));
  const Eigen::MatrixXd wanted = digits_of(exact_answers(small, codes), small.output_digits());
  double deaf = 0, hearing = 0;
  for (std::uint32_t chip = 0; chip < 8; ++chip) {
    const ChipErrors errors = fabricate(design, unit.chip, 5, chip);
    const auto right = [&](double noise) {
      TrainingSettings own = again(60);
      own.noise = noise;
      own.noise_ramp = 0;
      const ChipDesign retrained = with_trained_diagonals(
          design, programmed_chip(design, errors, unit.chip, Programming::uncorrected), unit, own, 5, 1);
      const ChipState state = programmed_chip(retrained, errors, unit.chip, Programming::uncorrected);
      double sum = 0;
      for (std::uint32_t draw = 0; draw < 20; ++draw)
        sum +=
            score(transmit({retrained, state, unit.hardware, unit.noise}, codes, {.seed = 3, .instant = draw}),
                  wanted)
                .word_accuracy;
      return sum / 20;
    };
    deaf += right(0) / 8;
    hearing += right(1) / 8;
  }
  INFO(deaf << " " << hearing);
  // 0.52 and 0.61. 27,040 words: 5 sigma of the difference of two shares are 0.022
  CHECK(hearing > deaf + 0.07);
}

TEST_CASE("diagonals trained again have the same bits on any number of threads") {
  const ChipDesign design = design_chip(trained());
  const ErrorModel model = wrong_splitters();
  const ChipState measured =
      programmed_chip(design, fabricate(design, model, 5, 3), model, Programming::uncorrected);
  const ChipDesign one = with_trained_diagonals(design, measured, {model}, again(3), 5, 1),
                   two = with_trained_diagonals(design, measured, {model}, again(3), 5, 2);
  for (std::size_t l = 0; l < one.layers.size(); ++l) {
    CHECK(one.layers[l].bias == two.layers[l].bias);
    CHECK(one.layers[l].weight == two.layers[l].weight);
    CHECK(one.layers[l].largest_output == two.layers[l].largest_output);
    CHECK(one.layers[l].blocks[0].attenuation.cwiseAbs().maxCoeff() <= attenuator_headroom + 1e-7);
  }
}

TEST_CASE("diagonals of a network with skips and ceilings are refused") {
  const ChipDesign design = design_chip(carry_chain({4, 4, Rounding::half_up}, {}));
  const ErrorModel perfect;
  const ChipState state =
      programmed_chip(design, fabricate(design, perfect, 1, 0), perfect, Programming::corrected);
  check_message(refusal([&] { with_trained_diagonals(design, state, {perfect}, again(2), 1, 1); }),
                {"diagonal_epochs", "feed-forward"});
}
