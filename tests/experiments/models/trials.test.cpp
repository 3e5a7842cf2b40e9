#include <bit>
#include <cmath>

#include "experiments/models/chip_trial.hpp"
#include "experiments/models/mesh_trial.hpp"
#include "experiments/models/trial_model.hpp"
#include "experiments/run/trials/run_trials.hpp"
#include "onn/task/words.hpp"
#include "physics/mesh/engine/mesh_engine.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/configs.hpp"
#include "tests/support/meshes.hpp"
#include "tests/support/networks.hpp"

using namespace optinc;
using optinc::testing::frobenius_error;

namespace {

Networks only(const Network& network) { return {{"", network, {}}}; }

const Task task{2, 2, Rounding::half_even};

StudyConfig chip_study(const std::string& more = {}) {
  return parse(
      "[run]\nseed = 5\n[task]\nservers = 2\nbits = 4\n[network]\nhidden = [4, 8]\n[measure]\nwords = 50\n" +
      more);
}

std::vector<double> record_of(const TrialModel& model, const StudyConfig& config, std::size_t trial) {
  return run_trial(model, config, {0, trial}).record;
}

/// The cells of a metric in a record; those of one variant where the metric has more axes.
std::vector<double> cells(const TrialModel& model, const std::vector<double>& record, std::string_view metric,
                          std::size_t variant) {
  const Quantity& q = *model.find(metric);
  const std::size_t each = q.size() / q.shape[0];
  const auto from = record.begin() + static_cast<std::ptrdiff_t>(q.offset + variant * each);
  return {from, from + static_cast<std::ptrdiff_t>(each)};
}

}  // namespace

TEST_CASE("a chip's record is what fabrication, programming and transmission give") {
  const StudyConfig config = chip_study("[chip]\npreset = 'doped-heaters'\n");
  const Network network = random_network(task, {4, 8});
  const TrialModel model = chip_model(config, only(network));
  const ChipDesign design = design_chip(network);
  for (const std::uint32_t trial : {0u, 3u}) {
    const auto record = record_of(model, config, trial);
    const ChipErrors errors = fabricate(design, config.chip, 5, trial);
    Stream stream(5, Purpose::words, trial);  // words of the trial: uniform among the task's
    std::vector<std::uint64_t> words;
    for (int w = 0; w < 50; ++w) words.push_back(stream.below(static_cast<std::uint32_t>(task.words())));
    CHECK(drawn_words(config, trial) == words);
    const Codes codes = codes_of_words(task, words);
    const Eigen::MatrixXd ideal = forward(network, digit_averages(task, codes));
    std::size_t v = 0;
    for (const std::string variant : {"uncorrected", "corrected_quadrature", "noisy"}) {
      INFO(variant << " of trial " << trial);
      const auto one = [&](std::string_view metric) { return cells(model, record, metric, v)[0]; };
      const ChipState state =
          programmed_chip(design, errors, config.chip,
                          variant == "uncorrected" ? Programming::uncorrected : Programming::corrected);
      const NoiseSwitches noise = variant == "noisy" ? NoiseSwitches::all() : NoiseSwitches{};
      const Eigen::MatrixXd y = transmit({design, state, config.hardware, noise}, codes, {5, trial, 0});
      const auto answers = exact_answers(task, codes), decoded = decide_digits(y);
      std::vector<double> count(31, 0.0);  // codes of 4 bits differ by -15 .. 15
      double right = 0, sum = 0, squares = 0, margin = 1, distance = 0;
      for (Eigen::Index w = 0; w < 50; ++w) {
        const auto error = static_cast<double>(decoded[w]) - static_cast<double>(answers[w]);
        ++count[static_cast<std::size_t>(error + 15)];
        right += error == 0;
        sum += error;
        squares += error * error;
        const std::int64_t answer = answers[w];
        for (Eigen::Index d = 0; d < 2; ++d) {  // the most significant digit first
          const auto digit = static_cast<double>(d == 0 ? answer / 4 : answer % 4);
          margin = std::min(margin, 0.5 - std::abs(y(d, w) - digit));
          distance += std::pow(y(d, w) - ideal(d, w), 2);
        }
      }
      CHECK(one("word_accuracy") == Approx(right / 50).epsilon(1e-14));
      CHECK(one("code_bias") == Approx(sum / 50).margin(1e-13));
      CHECK(one("code_error_rms") == Approx(std::sqrt(squares / 50)).epsilon(1e-13));
      CHECK(one("margin") == Approx(margin).epsilon(1e-13));
      CHECK(one("output_error") == Approx(std::sqrt(distance / 100)).epsilon(1e-9));
      CHECK(cells(model, record, "code_error_count", v) == count);
      CHECK(one("clipped") == state.clipped);
      for (std::size_t l = 0; l < 3; ++l) {
        const LayerState& layer = state.layers[l];
        const Eigen::MatrixXd w = network.layers[l].weight();
        const Matrix found = layer.transfer / layer.nominal_factor;
        CHECK(cells(model, record, "matrix_error", v)[l] ==
              Approx((found - w).norm() / w.norm()).epsilon(1e-9));
        CHECK(cells(model, record, "matrix_error_in_phase", v)[l] ==
              Approx((found.real() - w).norm() / w.norm()).epsilon(1e-9));
      }
      // every word at once, of trial 0 alone
      if (trial == 0) {
        const Codes all = codes_of_words(task, evaluation_words(task));
        const auto all_answers = exact_answers(task, all),
                   all_decoded =
                       decide_digits(transmit({design, state, config.hardware, noise}, all, {5, trial, 0}));
        double all_right = 0;
        for (Eigen::Index w = 0; w < all_answers.size(); ++w) all_right += all_answers[w] == all_decoded[w];
        CHECK(one("word_accuracy_all_words") ==
              Approx(all_right / static_cast<double>(all_answers.size())).epsilon(1e-14));
      } else {
        CHECK(std::isnan(one("word_accuracy_all_words")));
      }
      ++v;
    }
    CHECK(cells(model, record, "output_error", 0) != cells(model, record, "output_error", 1));
    CHECK(cells(model, record, "output_error", 1) != cells(model, record, "output_error", 2));
  }
  CHECK(record_of(model, config, 1) != record_of(model, config, 2));
}

TEST_CASE("a perfect chip repeats its network") {
  const StudyConfig config = chip_study("[chip]\npreset = 'ideal'\n[parts]\nset = 'idealised'\n");
  const Network network = random_network(task, {4, 8});
  const TrialModel model = chip_model(config, only(network));
  const auto record = record_of(model, config, 0);
  for (const std::size_t v : {0, 1}) {
    CHECK(cells(model, record, "output_error", v)[0] < 1e-9);
    for (const double error : cells(model, record, "matrix_error", v)) CHECK(error < 1e-12);
  }
  CHECK(cells(model, record, "output_error", 2)[0] > 1e-6);  // noise acts there
}

// mutation: answers of words in succession stay in the order in which these were sent, or words are judged in
// that of their enumeration
TEST_CASE("words in succession are sent in a random order and told in that of their enumeration") {
  const StudyConfig settled = chip_study("[chip]\npreset = 'ideal'\n[parts]\nset = 'idealised'\n");
  const StudyConfig slow =
      parse(to_toml(settled), {"time.sampling='clocked'", "time.symbol_rate_bd=0.4e9", "time.equaliser_taps=1",
                               "waveguide.loss_db_per_cm=0", "measure.words=0"});
  const ChipDesign design = design_chip(random_network(task, {4, 8}));
  const auto outputs = [&](const StudyConfig& config) {
    return all_word_outputs(design, config, chip_variant("uncorrected"));
  };
  CHECK((outputs(slow) - outputs(settled)).cwiseAbs().maxCoeff() < 1e-9);
  std::vector<std::uint64_t> judged = judged_words(slow);
  const std::vector<std::uint64_t> all = evaluation_words(task);
  CHECK(judged != all);
  CHECK(judged_words(settled) == all);
  std::sort(judged.begin(), judged.end());
  CHECK(judged == all);
  const TrialModel model = chip_model(slow, only(random_network(task, {4, 8})));
  CHECK(cells(model, record_of(model, slow, 0), "output_error", 0)[0] < 1e-9);
}

TEST_CASE("a record does not depend on what else is measured") {
  const Network network = random_network(task, {4, 8});
  const StudyConfig all = chip_study(), some = parse(to_toml(all), {"measure.metrics=['margin', 'clipped']",
                                                                    "measure.variants=['noisy']"});
  const TrialModel model = chip_model(all, only(network)), less = chip_model(some, only(network));
  CHECK(less.record_size == 3);  // and output_error, which an ablation would need
  const auto record = record_of(model, all, 1), part = record_of(less, some, 1);
  for (const auto* metric : {"margin", "clipped", "output_error"})
    CHECK(cells(less, part, metric, 0) == cells(model, record, metric, 2));
}

TEST_CASE("a perfect mesh is its target") {
  for (const auto* target : {"unitary", "orthogonal"}) {
    const StudyConfig config = parse("model = 'mesh'\n[chip]\npreset = 'ideal'\n[mesh]\nports = 9\n",
                                     {std::string("mesh.target=") + target});
    const TrialModel model = mesh_model(config);
    for (const std::size_t trial : {0, 1}) {
      const auto record = record_of(model, config, trial);
      for (const std::size_t v : {0, 1, 2}) {
        CHECK(cells(model, record, "mesh_error", v)[0] <= 1e-12);
        CHECK(cells(model, record, "mesh_error_in_phase", v)[0] <= 1e-12);
        CHECK(std::abs(cells(model, record, "fidelity", v)[0] - 1) <= 1e-12);
        CHECK(std::abs(cells(model, record, "insertion_loss", v)[0]) <= 1e-11);  // dB: 4.3 of a nat
        CHECK(cells(model, record, "mesh_clipped", v)[0] == 0);
      }
    }
    const Matrix u = draw_mesh_trial(config, 0).target, other = draw_mesh_trial(config, 1).target;
    CHECK(optinc::testing::unitarity_defect(u) < 1e-13);
    CHECK(frobenius_error(u, other) > 0.1);
    CHECK((u.imag().norm() == 0) == (std::string(target) == "orthogonal"));
  }
}

TEST_CASE("a mesh that only loses light keeps its fidelity") {
  // 9 columns of MZIs with 0.4 dB each; arm losses without spread are those of the mean
  const StudyConfig config =
      parse("model = 'mesh'\n[chip]\npreset = 'ideal'\nmzi_loss_db = 0.4\n[mesh]\nports = 9\n");
  const TrialModel model = mesh_model(config);
  const auto record = record_of(model, config, 2);
  CHECK(cells(model, record, "insertion_loss", 0)[0] == Approx(9 * 0.4).epsilon(1e-12));
  CHECK(std::abs(cells(model, record, "fidelity", 0)[0] - 1) <= 1e-12);
  CHECK(cells(model, record, "mesh_error", 0)[0] <= 1e-12);
}

TEST_CASE("a mesh's record is that of its transfer matrix") {
  const StudyConfig config =
      parse("model = 'mesh'\n[chip]\npreset = 'doped-heaters'\nsigma_eta_rad = 0.1\n[mesh]\nports = 8\n");
  const TrialModel model = mesh_model(config);
  const auto record = record_of(model, config, 4);
  const MeshTrial trial = draw_mesh_trial(config, 4);
  std::size_t v = 0;
  for (const auto* variant : {"uncorrected", "corrected_quadrature", "corrected"}) {
    INFO(variant);
    const CorrectedProgram set = programmed_mesh(trial, variant, config.chip);
    const Matrix t = transfer_matrix(trial.topology, set.program, trial.errors.mzis);
    const Matrix& u = trial.target;
    Complex overlap = 0;
    double power = 0, distance = 0, in_phase = 0;
    for (Eigen::Index i = 0; i < 8; ++i)
      for (Eigen::Index j = 0; j < 8; ++j) {
        overlap += std::conj(u(i, j)) * t(i, j);
        power += std::norm(t(i, j));
        const Complex error = t(i, j) / trial.nominal_factor - u(i, j);
        distance += std::norm(error);
        in_phase += error.real() * error.real();
      }
    const auto one = [&](std::string_view metric) { return cells(model, record, metric, v)[0]; };
    CHECK(one("mesh_error") == Approx(std::sqrt(distance / 8)).epsilon(1e-12));
    CHECK(one("mesh_error_in_phase") == Approx(std::sqrt(in_phase / 8)).epsilon(1e-12));
    CHECK(one("fidelity") == Approx(std::norm(overlap) / (8 * power)).epsilon(1e-12));
    CHECK(one("insertion_loss") == Approx(-10 * std::log10(power / 8)).epsilon(1e-12));
    CHECK(one("mesh_clipped") == set.clipped);
    ++v;
  }
  CHECK(cells(model, record, "mesh_error", 1)[0] < cells(model, record, "mesh_error", 0)[0]);
  CHECK(cells(model, record, "mesh_clipped", 1)[0] > 0);
  CHECK(cells(model, record, "mesh_clipped", 0)[0] == 0);
}
