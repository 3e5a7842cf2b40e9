#include <algorithm>
#include <cmath>
#include <iterator>

#include <fmt/format.h>

#include "experiments/files/chips/chip_file.hpp"
#include "experiments/models/built_in_models.hpp"
#include "experiments/models/chip_memory.hpp"
#include "experiments/models/chip_study.hpp"
#include "experiments/models/chip_trial.hpp"
#include "experiments/models/operated_chip.hpp"
#include "experiments/models/recorder.hpp"
#include "experiments/models/trial_model.hpp"
#include "onn/chip/environment.hpp"
#include "onn/link/oscillators.hpp"
#include "onn/task/words.hpp"
#include "physics/core/check.hpp"
#include "physics/core/parallel.hpp"
#include "physics/devices/laser.hpp"

// Wavelengths of a comb through one chip at once. Devices are linear: channels do not mix, and each is the chip
// as light of its wavelength meets it, with words, receivers and noise of its own.

namespace optinc {
namespace {

constexpr double farthest_m = 1e-7;  // from the wavelength of calibration, as environment.wavelength_m

/// One wavelength of a comb.
struct Channel {
  double offset_hz = 0.0;    ///< from the middle channel
  std::uint32_t number = 0;  ///< of its random draws: 0 in the middle, then outwards, the higher frequency
                             ///< first, so that channels keep their draws in a wider comb
  Environment change;        ///< since calibration, as this light sees it
};

std::vector<Channel> channels_of(const StudyConfig& config) {
  std::vector<Channel> channels;
  const int middle = config.comb.channels / 2;
  for (int k = -middle; k <= middle; ++k) {
    Channel channel{k * config.comb.spacing_hz, static_cast<std::uint32_t>(k > 0 ? 2 * k - 1 : -2 * k),
                    config.environment};
    channel.change.wavelength_m += wavelength_change_m(
        config.hardware.laser.wavelength_m + config.environment.wavelength_m, channel.offset_hz);
    channels.push_back(channel);
  }
  return channels;
}

/// A chip that was calibrated at the wavelength of the middle channel.
struct CombChip {
  OperatedChip at_calibration;
  ChipImbalance imbalance;
};

CombChip comb_chip(const ChipDesign& design, const StudyConfig& config, std::uint32_t trial,
                   const CalibratedChip& chip, Programming programming) {
  StudyConfig at_calibration = config;
  at_calibration.environment = {};
  return {operate_chip(design, at_calibration, chip, trial, programming),
          draw_imbalance(design, config.drift.sensitivity, config.run.seed, trial)};
}

/// Outputs for words on a channel, through the same heaters with the same phase noise as on all others.
Eigen::MatrixXd sent_on(const Channel& channel, const ChipDesign& design, const StudyConfig& config,
                        std::uint32_t trial, const CombChip& chip, const NoiseSwitches& noise,
                        const Codes& codes) {
  const OperatedChip& at = chip.at_calibration;
  const ChipErrors errors = errors_in(channel.change, at.errors, at.heaters, chip.imbalance,
                                      config.drift.sensitivity, config.hardware);
  ChipState state = settle_chip(*at.design, at.program,
                                with_phase_noise(errors, config.chip, config.run.seed, trial), config.chip);
  // every channel's oscillators were set at its own wavelength, when the chip was calibrated
  turn_oscillators(state, design, config.hardware, settled_lag_rad_per_m(config.environment, config.hardware));
  return transmit(
      {design, state, config.hardware, noise, config.measure.arithmetic}, codes,
      {.seed = config.run.seed, .chip = trial, .instant = channel.number, .channel = channel.number});
}

/// Neighbouring channels about the middle one, itself included, whose share of words wrong is at most `limit`;
/// 0 where it exceeds the limit in the middle.
int right_about_the_middle(std::span<const double> wrong, double limit) {
  const auto right = [&](double share) { return share <= limit; };
  const auto middle = wrong.begin() + static_cast<std::ptrdiff_t>(wrong.size() / 2);
  if (!right(*middle)) return 0;
  const auto above = std::find_if_not(middle, wrong.end(), right);
  const auto from_middle = std::make_reverse_iterator(middle);
  const auto below = std::find_if_not(from_middle, wrong.rend(), right);
  return static_cast<int>((above - middle) + (below - from_middle));
}

void run_comb(const ChipStudy& study, const StudyConfig& config, std::uint32_t trial, std::span<double> cells) {
  const ChipDesign& design = study.designs[network_number(study.networks, config)];
  const Recorder record(study.layout, cells);
  const std::vector<Channel> channels = channels_of(config);
  const CalibratedChip chip = calibrated_chip(design, config, trial, 0, study.foundry);
  for (std::size_t v = 0; v < study.variants.size(); ++v) {
    const ChipVariant variant = chip_variant(study.variants[v]);
    const CombChip lit = comb_chip(design, config, trial, chip, variant.programming);
    std::vector<double> accuracy(channels.size()), wrong(channels.size()), rms(channels.size());
    parallel_for(channels.size(), config.run.threads, [&](std::size_t k) {
      const Codes codes = codes_of_words(design.task, drawn_words(config, trial, channels[k].number));
      const Eigen::MatrixXd outputs =
          sent_on(channels[k], design, config, trial, lit, noise_in(variant, config), codes);
      const Eigen::VectorXd error =
          decide(design.task, outputs).cast<double>() - exact_answers(design.task, codes).cast<double>();
      accuracy[k] = (error.array() == 0.0).cast<double>().mean();
      wrong[k] = (error.array() != 0.0).cast<double>().mean();
      rms[k] = std::sqrt(error.array().square().mean());
    });
    const auto put = [&](std::string_view metric, const std::vector<double>& values) {
      const auto where = record.cells(metric, v);  // of the point with most channels, middle on middle
      if (!where.empty()) std::ranges::copy(values, where.subspan((where.size() - values.size()) / 2).begin());
    };
    put("channel_accuracy", accuracy);
    put("channel_error_rms", rms);
    record.put("channels_right", v, right_about_the_middle(wrong, config.comb.wrong_limit));
  }
}

void validate_comb(const StudyConfig& config) {
  const CombSettings& comb = config.comb;
  for (const Channel& channel : channels_of(config))
    validate_field(
        std::abs(channel.change.wavelength_m) <= farthest_m, "spacing_hz",
        "{} with {} channels and environment.wavelength_m = {} (a channel is {:.3g} nm off the wavelength of "
        "calibration, at most 100). Set a smaller spacing, or fewer channels.",
        comb.spacing_hz, comb.channels, config.environment.wavelength_m, 1e9 * channel.change.wavelength_m);
}

/// As many channels as the point with most has. Where points have spacings of their own, channels are numbered.
std::vector<ModelAxis> comb_axes(const StudyConfig& config, std::size_t) {
  StudyConfig widest = config;
  bool spaced = false;
  for (const SweepAxis& axis : config.sweeps)
    for (const SweptKey& key : axis.keys) {
      spaced = spaced || key.key == "comb.spacing_hz";
      if (key.key != "comb.channels") continue;
      widest.comb.channels = 0;  // every point has a value of the sweep
      for (const FieldValue& value : key.values)
        widest.comb.channels = std::max(widest.comb.channels, static_cast<int>(std::get<std::int64_t>(value)));
    }
  std::vector<double> offsets;
  std::vector<std::int64_t> numbers;
  for (const Channel& channel : channels_of(widest)) {
    offsets.push_back(channel.offset_hz);
    numbers.push_back(static_cast<std::int64_t>(numbers.size()) - widest.comb.channels / 2);
  }
  if (spaced) return {{"channel", "1", "number of the channel from the middle one", std::move(numbers)}};
  return {{"channel", "Hz", "frequency of the channel relative to the middle one", std::move(offsets)}};
}

void write_comb_trial(const Group& root, const StudyConfig& config, const StudyInputs& inputs,
                      std::uint32_t trial) {
  const ChipDesign design = design_chip(inputs.networks[network_number(inputs.networks, config)].network);
  const CalibratedChip chip = calibrated_chip(design, config, trial, 0, Foundry(inputs.chips));
  save_chip(root.group("chip"), with_phase_noise(chip.errors, config.chip, config.run.seed, trial),
            config.chip);
  const std::vector<Channel> channels = channels_of(config);
  for (const std::string& name : measured_variants(config)) {
    const ChipVariant variant = chip_variant(name);
    const CombChip lit = comb_chip(design, config, trial, chip, variant.programming);
    for (std::size_t k = 0; k < channels.size(); ++k) {
      const auto words = drawn_words(config, trial, channels[k].number);
      const Codes codes = codes_of_words(config.task, words);
      write_words(root.group(name).group(fmt::format("channel{}", k)).group("words"), config.task, words, codes,
                  sent_on(channels[k], design, config, trial, lit, noise_in(variant, config), codes));
    }
  }
}

}  // namespace

TrialModel comb_model(const StudyConfig& config, const Networks& networks, const Foundry& foundry) {
  return model_of_chips(config, networks, foundry, run_comb);
}

StudyModel comb_study_model() {
  return {.name = "comb",
          .simulates = "one OptINC chip at the wavelengths of a comb",
          .trial = "chip",
          .list = "chips",
          .metrics = {{"channel_accuracy",
                       "1",
                       "Fraction of the channel's drawn words decoded exactly",
                       "share of words right",
                       Better::higher,
                       MetricKind::share,
                       "words wrong",
                       {"variant", "channel"}},
                      {"channel_error_rms",
                       "LSB",
                       "RMS code error over the channel's drawn words",
                       "rms code error",
                       Better::lower,
                       MetricKind::number,
                       {},
                       {"variant", "channel"}},
                      {"channels_right", "1",
                       "Number of adjacent channels around and including the middle one that decode at "
                       "most a share comb.wrong_limit of their drawn words wrong",
                       "channels right", Better::higher}},
          .variants = {{"uncorrected"}, {"corrected_quadrature"}, {"noisy"}},
          .error_metric = "channel_error_rms",
          .reads = chip_keys({"!calibration.diagonal_epochs", "!calibration.diagonal_rate", "comb"}),
          .validate = validate_comb,
          .validated = "comb",
          .networks = own_network,
          .axes = comb_axes,
          .make =
              [](const StudyConfig& config, const StudyInputs& inputs, const std::filesystem::path&) {
                return comb_model(config, inputs.networks, Foundry(inputs.chips));
              },
          .memory_bytes = chip_memory_bytes,
          .write_trial = write_comb_trial};
}

}  // namespace optinc
