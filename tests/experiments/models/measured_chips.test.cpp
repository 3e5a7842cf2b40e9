// chip.measured: a whole chip that was measured, in every model that makes chips.

#include "experiments/models/measured_chips.hpp"

#include <fmt/format.h>

#include "experiments/cli/chip_files.hpp"
#include "experiments/files/chips/chip_file.hpp"
#include "experiments/files/hdf5/atomic_file.hpp"
#include "experiments/files/hdf5/network_file.hpp"
#include "experiments/files/hdf5/provenance.hpp"
#include "experiments/models/operated_chip.hpp"
#include "experiments/run/replay.hpp"
#include "experiments/run/run_study.hpp"
#include "experiments/run/study_inputs.hpp"
#include "experiments/run/trials/run_trials.hpp"
#include "experiments/study/study_warnings.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/configs.hpp"
#include "tests/support/image_files.hpp"
#include "tests/support/kept_inputs.hpp"
#include "tests/support/networks.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/results.hpp"
#include "tests/support/run_options.hpp"
#include "tests/support/scratch.hpp"

using namespace optinc;
namespace fs = std::filesystem;

namespace {

constexpr std::uint32_t number = 2;  // of the trial that the measured chip is

/// Layers 2 -> 8 -> 1 -> 2: tall, wide and one-port blocks.
Network example() {
  Network network = random_network(Task{2, 2, {}}, {8, 1});
  network.layers.back().bias.setConstant(1.5);  // outputs about the middle of the digits
  return network;
}

fs::path network_file(const Scratch& scratch, const Network& network = example()) {
  AtomicFile out(scratch / "network.h5", true);
  sign_file(out.file(), "A network", "test");
  save_network(out.file().group("network"), network);
  out.commit();
  return scratch / "network.h5";
}

/// A study of that network; its chips are those of `chip`, keys of [chip].
StudyConfig study(const Scratch& scratch, const std::string& model, const std::string& chip,
                  const std::vector<std::string>& settings = {}) {
  return parse(fmt::format("model = '{}'\n[run]\nseed = 7\n[runner]\ntrials = 4\n[task]\nservers = 2\nbits = "
                           "4\n[network]\nsource = '{}'\n[measure]\nwords = 40\nonce = []\n[chip]\n{}",
                           model, (scratch / "network.h5").string(), chip),
               settings);
}

/// The chip of trial `number` as optinc fabricate draws it, without phase noise.
fs::path chip_file(const Scratch& scratch, ErrorModel model) {
  model.sigma_phase_rad = 0.0;
  fabricate_to_file(scratch / "network.h5", scratch / "unit.h5", model,
                    {.seed = 7, .chip = number, .force = true});
  return scratch / "unit.h5";
}

std::string measured(const Scratch& scratch, const std::string& more = "dac_bits = 12\n") {
  return fmt::format("preset = 'ideal'\nmeasured = '{}'\n{}", (scratch / "unit.h5").string(), more);
}

std::vector<std::uint64_t> bits_of_trial(const StudyConfig& config) {
  const StudyInputs inputs = make_study_inputs(config, true);
  return as_bits(run_trial(make_model(config, inputs), config, {0, number}).record);
}

}  // namespace

// Fails when a model draws a chip of its own in place of the measured one, when the correction does not know
// its splitters, or when receivers do not make up for its mean loss.
TEST_CASE("a fabricated chip that is measured gives the bits of its study") {
  const Scratch scratch;
  network_file(scratch);
  chip_file(scratch, error_preset("doped-heaters"));
  const std::string drawn = "preset = 'doped-heaters'\nsigma_phase_rad = 0.0\n";
  const std::vector<std::pair<std::string, std::vector<std::string>>> models = {
      {"chip", {}},
      {"chip", {"environment.wavelength_m=1e-9", "crosstalk.x0=0.05"}},
      {"chip", {"calibration.policy=in-situ", "calibration.in_situ_steps=3"}},
      {"chip", {"calibration.diagonal_epochs=2"}},
      {"waveform", {"time.sampling=clocked"}},
      {"drift", {"drift.instants=3", "measure.variants=[\"drifting\"]"}},
      {"comb", {"comb.channels=3"}},
      {"learning",
       {"learner.aggregator=chip", "learner.data=" + (scratch / "images").string(), "learner.width=4",
        "learner.steps=2", "learner.evaluations=1", "learner.batch=2", "learner.engine=light"}}};
  put_images(scratch / "images", 8, 4);
  for (const auto& [model, settings] : models) {
    INFO(model << " " << fmt::format("{}", fmt::join(settings, " ")));
    CHECK(bits_of_trial(study(scratch, model, measured(scratch), settings)) ==
          bits_of_trial(study(scratch, model, drawn, settings)));
  }
  // as a laboratory writes it: errors alone
  const ChipErrors errors = read_chip(scratch / "unit.h5").errors;
  {
    File bare = File::create(scratch / "bare.h5");
    save_chip_errors(bare.group("chip"), errors);
    bare.close();
  }
  CHECK(bits_of_trial(
            study(scratch, "chip", measured(scratch), {"chip.measured=" + (scratch / "bare.h5").string()})) ==
        bits_of_trial(study(scratch, "chip", drawn)));
  CHECK(bits_of_trial(study(scratch, "chip", measured(scratch))) !=
        bits_of_trial(study(scratch, "chip", "preset = 'ideal'\ndac_bits = 12\n")));
}

// Fails when the correction knows what [chip] draws beside a measured chip, or all trials draw the same
TEST_CASE("errors of [chip] come on top of a measured chip, unknown to the correction") {
  const Scratch scratch;
  network_file(scratch);
  const ChipErrors was = read_chip(chip_file(scratch, error_preset("good-lab"))).errors;
  const StudyConfig config =
      study(scratch, "chip", measured(scratch, "sigma_eta_rad = 1e-3\nmzi_loss_db = 0.1\n"));
  const ChipDesign design = design_chip(example());
  const Foundry foundry(make_study_inputs(config, true).chips);
  const CalibratedChip chip = calibrated_chip(design, config, 1, 0, foundry);
  const ChipErrors on_top = fabricate(design, config.chip, 7, 1);
  const auto largest = [](const Vector& v) { return v.cwiseAbs().maxCoeff(); };
  const MeshErrors &now = chip.errors.layers[0][0].mesh, &known = chip.known.layers[0][0].mesh,
                   &then = was.layers[0][0].mesh, &drawn = on_top.layers[0][0].mesh;
  CHECK(known.alpha == then.alpha);
  CHECK(known.beta == then.beta);
  CHECK(largest(now.alpha - then.alpha - drawn.alpha) < 1e-15);
  CHECK(largest(now.phi_offset - then.phi_offset) == 0.0);
  CHECK(largest(now.phi_arm_loss_db - then.phi_arm_loss_db - drawn.phi_arm_loss_db) < 1e-15);
  CHECK(largest(drawn.alpha) > 1e-4);
  // receivers make up for half of 0.1 dB in an arm of the design, and for what the dummies of the measured chip
  // lose
  const auto made_up_for = [&](const StudyConfig& at, const CalibratedChip& of) {
    return mean_arm_loss_db(at.chip) + with_known_losses(design, of.losses).layers[1].measured_arm_loss_db;
  };
  CHECK(made_up_for(config, chip) == Approx(0.05 + then.idle_arm_loss_db));
  CHECK(calibrated_chip(design, config, 2, 0, foundry).errors.layers[0][0].mesh.alpha != now.alpha);
  // without measured dummies the mean of the arms is what receivers make up for
  ChipErrors arms = was;
  for (auto& layer : arms.layers)
    for (BlockErrors& block : layer)
      for (MeshErrors* mesh : {&block.mesh, &block.attenuators}) {
        mesh->idle_arm_loss_db = 0.0;
        for (Vector* loss : {&mesh->theta_arm_loss_db, &mesh->phi_arm_loss_db, &mesh->theta_other_loss_db,
                             &mesh->phi_other_loss_db})
          loss->setConstant(0.3);
      }
  File bare = File::create(scratch / "arms.h5");
  save_chip_errors(bare.group("chip"), arms);
  bare.close();
  StudyConfig lossy = config;
  lossy.measured_chip.measured = (scratch / "arms.h5").string();
  const Foundry other(make_study_inputs(lossy, true).chips);
  CHECK(made_up_for(lossy, calibrated_chip(design, lossy, 1, 0, other)) == Approx(0.35));
  StudyConfig oracle = config;
  oracle.calibration.policy = CalibrationPolicy::oracle;
  CHECK(calibrated_chip(design, oracle, 1, 0, foundry).known.layers[0][0].mesh.alpha == now.alpha);
  check_message(refusal([&] { calibrated_chip(design, config, 1); }), {"chip.measured", "Run the study again"});
}

// Two layers of blocks, every mesh with a loss of its own: fails when receivers make up for the mean of the
// chip, which leaves 10^(-2 columns 0.04 dB / 20) - 1 and its like in W, or when no attenuator dims the better
// blocks.
TEST_CASE("losses that were measured of every mesh leave no error of any matrix") {
  const Scratch scratch;
  network_file(scratch);
  ChipErrors errors = read_chip(chip_file(scratch, error_preset("ideal"))).errors;
  double loss_db = 0.1;
  for (auto& layer : errors.layers)
    for (BlockErrors& block : layer)
      for (MeshErrors* mesh : {&block.mesh, &block.attenuators}) {
        mesh->idle_arm_loss_db = loss_db;
        for (Vector* loss : {&mesh->theta_arm_loss_db, &mesh->phi_arm_loss_db, &mesh->theta_other_loss_db,
                             &mesh->phi_other_loss_db})
          loss->setConstant(loss_db);
        loss_db += 0.04;
      }
  File file = File::create(scratch / "losses.h5");
  save_chip_errors(file.group("chip"), errors);
  file.close();
  for (const char* policy : {"noisy", "in-situ"}) {
    const StudyConfig config = study(
        scratch, "chip", fmt::format("preset = 'ideal'\nmeasured = '{}'\n", (scratch / "losses.h5").string()),
        {fmt::format("calibration.policy={}", policy), "calibration.in_situ_steps=3"});
    const ChipDesign design = design_chip(example());
    const Foundry foundry(make_study_inputs(config, true).chips);
    const LitChip lit = chip_in_operation(design, config, calibrated_chip(design, config, 0, 0, foundry), 0,
                                          Programming::corrected);
    for (const LayerState& layer : lit.state.layers) CHECK(layer.matrix_error < 1e-12);
  }
}

// Fails when resume or replay read the file again, or a merge takes two chips for one
TEST_CASE("a study keeps the measured chip that it began with") {
  const Scratch scratch;
  network_file(scratch);
  chip_file(scratch, error_preset("good-lab"));
  const StudyConfig config = study(scratch, "chip", measured(scratch, "sigma_eta_rad = 1e-3\n"));
  const auto measured_beta = read_chip(scratch / "unit.h5").errors.layers[0][0].mesh.beta;
  check_kept_inputs(config, scratch, [&] { chip_file(scratch, error_preset("doped-heaters")); },
                    {"second.h5: other errors of chip.measured", "first.h5"});
  const StudyInputs kept = read_study_inputs(File::open(scratch / "whole.h5").root());
  REQUIRE(kept.chips.size() == 1);
  CHECK(kept.chips[0].errors.layers[0][0].mesh.beta == measured_beta);
  fs::remove(scratch / "unit.h5");
  CHECK(replay_trial(scratch / "whole.h5", 0, 2, to(scratch / "gone.h5")).differing == 0);
}

// Fails when a mesh of another size is taken, or the file is not looked at before trials begin
TEST_CASE("a measured chip of another network is refused, the mesh named") {
  const Scratch scratch;
  network_file(scratch, random_network(Task{2, 2, {}}, {8, 16}));
  chip_file(scratch, error_preset("good-lab"));
  network_file(scratch);
  const auto refused = [&](const std::string& model, const std::string& chip,
                           const std::vector<std::string>& settings = {}) {
    return refusal([&] { make_study_inputs(study(scratch, model, chip, settings), true); });
  };
  check_message(refused("chip", measured(scratch)),
                {"chip.measured = ", "unit.h5: layer1 has", "blocks where", "another network"});
  check_message(refused("chip", measured(scratch), {"network.source=train", "network.hidden=[8, 1]"}),
                {"unit.h5: layer1"});  // before it is trained
  network_file(scratch, random_network(Task{2, 2, {}}, {8, 4}));
  check_message(refused("chip", measured(scratch)),
                {"unit.h5: layer1/block0/mesh: 28 MZIs on 8 ports where 6 on 4 are expected"});
  fs::remove(scratch / "unit.h5");
  check_message(refused("chip", measured(scratch)), {"unit.h5", "no such file"});
  check_message(
      refused("chip", fmt::format("preset = 'ideal'\nmeasured = '{}'\n", (scratch / "network.h5").string())),
      {"network.h5: /chip", "missing"});
  const auto complains = [&](const std::vector<std::string>& more, const std::vector<std::string>& parts) {
    std::vector<std::string> settings = {"chip.measured=unit.h5"};
    settings.insert(settings.end(), more.begin(), more.end());
    check_message(complaint("", settings), parts);
  };
  complains({"model=mesh"}, {"chip.measured = unit.h5", "it would be ignored", "learning"});
  complains({"calibration.sigma_estimate_rad=1e-3"}, {"chip.measured", "what was measured is the estimate"});
  complains({"fabrication.process=wafer", "network.source=carry-chain", "task.rounding=half-up"},
            {"chip.measured", "independent"});
  complains({"training.on_chips=true", "network.start=shipped/32x5"}, {"chip.measured", "training.on_chips"});
}

// Fails when a preset of the command line takes the measured chip of the file away
TEST_CASE("a preset beside a measured chip is warned of, and leaves it in place") {
  const auto told = [](const std::string& text, const std::vector<std::string>& settings) {
    std::string all;
    for (const StudyWarning& warning : study_warnings(parse(text, settings))) all += warning.key + " ";
    return all;
  };
  const std::string text = "[chip]\nmeasured = 'unit.h5'\n";
  CHECK_THAT(told(text, {"chip.preset=good-lab"}), ContainsSubstring("chip.measured"));
  CHECK_THAT(told(text, {"chip.preset=ideal"}), !ContainsSubstring("chip.measured"));
  CHECK(parse(text, {"chip.preset=ideal"}).measured_chip.measured == "unit.h5");
}
