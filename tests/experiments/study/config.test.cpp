#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "experiments/study/study_config.hpp"
#include "experiments/study/study_keys.hpp"
#include "experiments/study/study_names.hpp"
#include "physics/core/check.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/configs.hpp"
#include "tests/support/refusal.hpp"

using namespace optinc;

namespace {

/// A configuration in which no field has its default, but for three: measure.once cannot go with model "mesh",
/// nor link.signed_levels and link.drive_depth with incoherent averages.
StudyConfig unlike_default() {
  StudyConfig c;
  c.study = "odd \"name\"\\ \xC3\xA9";
  c.model = "mesh";
  c.figures = {"eye", "pareto"};
  c.run = {9007199254740992u, 3, 0.1};
  c.runner = {31, 0.25, "fidelity"};
  c.measure = {{"mesh_error", "fidelity"}, {"corrected_quadrature"}, 17, Arithmetic::float32, {}};
  c.yield = {"insertion_loss", "at-most", -1.0 / 3.0};
  c.task = {3, 5, Rounding::floor, CascadeLevel::first};
  c.network = {
      "some/network.h5", {0.1 / 0.7, 1.0 / 3.0, Carries::lookahead}, "some/other.h5", "some/start.h5", {30, 6}};
  c.training = {TrainingScheme::projected,
                3,
                0.7 / 3.0,
                {},
                7,
                33,
                0.1 + 0.2,
                0,
                7777,
                1.0 / 3.0,
                0.01,
                true,
                1.1,
                0.3,
                0.7,
                2.0 / 3.0,
                0.1 / 3.0,
                1.0 / 7.0,
                4.0 / 3.0,
                0.8 / 7.0,
                0.3 / 7.0,
                0.5 / 7.0,
                0.2 / 3.0};
  c.chip = {"custom", 0.1 / 3.0, -0.25, 1e-7, 0.123456789012345678, 5e-324, 24, 1.0, true};
  c.fabrication.process = FabricationProcess::wafer;
  c.fabrication.preset = "custom";
  ProcessModel& shared = c.fabrication.shared;
  shared.width = {1e-9 / 3, 2e-9 / 3, 4e-9 / 3, 5e-9 / 3, 1e-10 / 3};
  shared.height = {1e-9 / 7, 2e-9 / 7, 4e-9 / 7, 5e-9 / 7, 1e-10 / 7};
  shared.kernel = Kernel::gaussian;
  shared.correlation_length_m = 1e-2 / 3;
  shared.index_per_width_per_m = 1e7 / 3;
  shared.index_per_height_per_m = 1e7 / 7;
  shared.eta_per_width_rad_per_m = -1e7 / 3;
  shared.eta_per_gap_rad_per_m = -1e7 / 7;
  shared.eta_per_height_rad_per_m = 1e7 / 9;
  shared.gap_per_width = -1.0 / 3;
  shared.heater_power_spread = 0.1 / 3;
  c.fabrication.wafer = {0.15, 2e-3, 11e-3, 12e-3};
  c.calibration = {CalibrationPolicy::twin, 1e-4, KnownAngles::die_mean, 7, 0.01, 8, 9, 1e-3 / 3.0};
  c.crosstalk = {0.03, 0.9, 40e-6};
  c.environment = {0.5, 1e-12};
  c.parts.set = "custom";
  UnitHardware& u = c.hardware;
  u.laser = {0.01, -151.0, 2e5, 1540e-9, 0.2, 0.7, 0.06};
  u.modulator = {3.9, 3.5, 0.041, 41e9, false, 2e-13, 1e-13 / 3};
  u.receiver.lo_power_w = 1.2e-3;
  u.receiver.cmrr_db = 31.0;
  u.receiver.offset_a = 1e-6 / 3;
  u.receiver.overload_a = 1e-3 / 3;
  u.receiver.photodiode.responsivity_a_per_w = 0.97;
  u.receiver.photodiode.dark_current_a = 0.0;
  u.receiver.front_end.noise = InputReferredNoise{17e-12};
  u.receiver.front_end.bandwidth_hz = 33e9;
  u.receiver.front_end.supply_power_w = 48e-3;
  u.converter = {8, 1.9, 5.5, 1e-13 / 3, 2e-9};
  u.heater = HeaterSettings("lu-2015-suspended-heater");
  u.heater.p_pi_w = 0.625e-3;
  u.splitter.stage_excess_loss_db = 0.3;
  u.coupler.loss_db = 1.25;
  u.fibre.length_m = 11.0;
  u.fibre.connectors = 3;
  u.fibre.multiplexer_loss_db = 0.75;
  u.routing.loss_db_per_cm = 1.75;
  u.routing.length_m = 6e-3;
  u.routing.delay_line_pitch_m = 4e-6;
  u.layout.mzi_length_m = 220e-6;
  u.layout.mzi_width_m = 60e-6;
  u.layout.coupler_length_m = 15e-6;
  u.layout.modulator_area_m2 = 0.4e-6;
  u.layout.receiver_area_m2 = 0.2e-6;
  u.die = {0.2, 0.31};
  u.link = {1.1e-3,
            1.1e-4,
            0.11,
            2.1e-6,
            0.04,
            Oscillators::direct,
            0.7,
            0.03,
            0.5,
            0.011,
            0.021,
            0.07,
            0.031,
            false,
            Skew::delay_lines,
            Averaging::incoherent,
            1.0,
            2,
            17,
            1,
            2,
            19};
  u.neuron = {1.1e-3, 1.9e10, 5};
  u.owner = {OwnerPlace::unit, 1.3e-4, 1.4e-4, 3.5, 0.45, 2.1e10, 7};
  static_cast<NoiseSwitches&>(c.noise) = {false, false, false, false, false, true, false};
  u.timing = {Sampling::settled,           51e9,        5,           0.1e-12 / 3,
              Sampler::integrate_and_dump, 0.2e-12 / 3, 0.3e-12 / 3, 1e-13 / 3};
  c.hardware.laser.device = "li-2021-laser";  // whose values the file's keys override, all of them
  c.hardware.laser.booster = "glhc-booster";
  c.hardware.modulator.device = "he-2019-modulator";
  c.hardware.modulator.driver = "breyne-2020-driver";
  c.hardware.receiver.device = "zhang-2025-receiver";
  c.hardware.receiver.photodiodes = "priel-2026-photodiode";
  c.hardware.converter.device = "ramkaj-2018-converter";
  c.hardware.splitter.device = "typical-y-branch";
  c.hardware.coupler.device = "wan-2025-edge-coupler";
  c.hardware.routing.device = "vlasov-2004-strip";
  c.hardware.timing.clocked_receiver = "finfet-30g-wireline-receiver";
  c.noise.set = "custom";
  c.stand_in = {0.1 / 0.3};
  c.tolerance = {"chip.rho_ab", -0.1 / 3.0, 0.2 / 3.0, 9};
  c.mesh = {17, "orthogonal", true, "none", "some/crosstalk.csv", "real", "reck", 0.1 / 7.0};
  c.comb = {9, 1e11 / 3, 0.1 / 3};
  c.drift = {7,    3.5,  61.0, 0.125, 0.25,  1e-3, 0.3,   77.0,
             0.07, 11.0, 0.2,  7e-12, 222.0, 0.07, 333.0, {2e-6, -1e-3, 3e6}};
  c.budget = {1e-4, 3e-3, 1e-13, 7e-15, 3e-13};
  c.gradient = {"some/where", 129, 255, 2, 0.2, 0.0, 512};
  c.learner = {"cnn", "cifar-10", "some/folder", 17,       2,       false,    "chip",   "light", 77,
               7,     64,         "adamw",       0.01 / 3, 0.1 / 3, 1e-3 / 3, "cosine", 9,       1.0 / 3,
               256,   true,       true,          true,     30,      1e-3 / 7, -1.0 / 3, 2.0 / 3};
  return c;
}

}  // namespace

TEST_CASE("an empty file gives the defaults and the defaults are valid") {
  const StudyConfig c = parse("");
  CHECK(c == StudyConfig{});
  CHECK(c.chip.preset == "design-target");
  CHECK(c.chip.sigma_eta_rad == error_preset("design-target").sigma_eta_rad);
  CHECK(c.task.bits() == 8);
  CHECK(c.training.learning_rate == TrainingSettings{}.learning_rate);
}

TEST_CASE("a configuration written out reads back to the same bits") {
  const StudyConfig odd = unlike_default();
  const auto values = config_entries(odd), defaults = config_entries({});
  for (std::size_t i = 0; i < values.size(); ++i) {
    INFO(values[i].name());
    CHECK((values[i].name() == "measure.once" || values[i].name() == "link.signed_levels" ||
           values[i].name() == "link.drive_depth" || values[i].name() == "mesh.measured" ||
           values[i].name() == "chip.measured" || values[i].name() == "time.sampling" ||
           values[i].name() == "task.reduction" || values[i].name() == "training.full_svd_layers" ||
           values[i].value != defaults[i].value));  // or the round trip below would not see the field
  }
  for (const bool comments : {false, true}) {
    CHECK(parse(to_toml(odd, comments)) == odd);
    CHECK(parse(to_toml({}, comments)) == StudyConfig{});
    CHECK(to_toml(parse(to_toml(odd, comments))) == to_toml(odd));
  }
  CHECK(parse(to_toml(parse("", {"task.reduction=majority"}))).task.reduction == Reduction::majority);
  StudyConfig once;
  once.measure.once = {"gradient", "eye"};
  once.hardware.link.signed_levels = true;
  once.hardware.timing.sampling = Sampling::clocked;
  once.training.full_svd_layers = {3, 1};
  CHECK(parse(to_toml(once)) == once);
  CHECK(parse(to_toml(odd)).task.digits == 5);
  CHECK(parse(to_toml(odd)).chip.arm_loss_spread_db == 5e-324);
}

TEST_CASE("the field tables hold every member of every struct") {
  const StudyConfig c = unlike_default();
  const auto check = [&](std::string_view section, const std::vector<FieldValue>& members) {
    INFO(section);
    std::vector<FieldValue> fields;
    for (const FieldEntry& entry : config_entries(c))
      if (entry.section == section) fields.push_back(entry.value);
    CHECK(fields == members);
  };
  const auto values = [](const auto&... members) {
    return std::vector<FieldValue>{to_field_value(members)...};
  };
  // a structured binding names all members or does not compile: a new one cannot be forgotten here
  const auto& [study, model, figures, run, runner, measure, yield, task, network, training, chip, measured_chip,
               fabrication, calibration, crosstalk, environment, parts, hardware, noise, stand_in, tolerance,
               mesh, comb, drift, budget, gradient, learner, sweeps] = c;
  check("", values(study, model, figures));
  CHECK(sweeps.empty());
  const auto& [seed, threads, time_limit] = run;
  check("run", values(seed, threads, time_limit));
  const auto& [trials, precision, precision_metric] = runner;
  check("runner", values(trials, precision, precision_metric));
  const auto& [metrics, variants, words, arithmetic, once] = measure;
  check("measure", values(metrics, variants, words, std::string(name_of(arithmetic)), once));
  const auto& [metric, sense, limit] = yield;
  check("yield", values(metric, sense, limit));
  const auto& [servers, digits, rounding, level, reduction, outputs, adder] = task;
  CHECK(outputs == Outputs::answer);  // no keys: network.source says it
  CHECK(adder == Adder::light);
  check("task", values(servers, 2 * digits, std::string(name_of(rounding)), std::string(name_of(level)),
                       std::string(name_of(reduction))));
  const auto& [source, chain, above, start, hidden] = network;
  const auto& [step_width, step_level, carries] = chain;
  check("network", values(source, above, start, step_width, step_level, std::string(name_of(carries)), hidden));
  const auto& [relative_error] = stand_in;
  check("stand_in", values(relative_error));
  const auto& [key, gentle, harsh, steps] = tolerance;
  check("tolerance", values(key, gentle, harsh, steps));
  const auto& [ports, target, nearest, measured, measured_crosstalk, kind, topology, common] = mesh;
  check("mesh", values(ports, target, nearest, measured, measured_crosstalk, kind, topology, common));
  const auto& [channels, spacing, wrong] = comb;
  check("comb", values(channels, spacing, wrong));
  const auto& [scheme, project_every, squared, full_svd, epochs, batch, rate, warmup, drawn_words, zone,
               matrix_noise, on_chips, noise_met, noise_growth, ceiling, variance, hard, easy, hard_power,
               hard_memory, window, window_growth, stop_margin] = training;
  check("training",
        values(std::string(name_of(scheme)), project_every, squared, full_svd, epochs, batch, rate, warmup,
               zone, matrix_noise, on_chips, noise_met, noise_growth, ceiling, variance, drawn_words, hard,
               easy, hard_power, hard_memory, window, window_growth, stop_margin));
  const auto& [preset, eta, rho, cal, loss, spread, dac, phase, voltage] = chip;
  const auto& [chip_measured] = measured_chip;
  check("chip", values(preset, eta, rho, cal, loss, spread, dac, phase, voltage, chip_measured));
  const auto& [process, of_process, shared, wafer] = fabrication;
  const auto& [widths, heights, kernel, length, of_roughness, of_light, index_width, index_height, eta_width,
               eta_gap, eta_height, gap_width, white, white_rho, mean_loss, loss_spread, heater_power,
               heater_resistance] = shared;
  const auto& [wide_bow, wide_tilt, wide_die, wide_field, wide_roughness] = widths;
  const auto& [high_bow, high_tilt, high_die, high_field, high_roughness] = heights;
  const auto& [radius, exclusion, die_length, die_width] = wafer;
  // no keys: the white part is [chip]'s, the wavelength the laser's
  CHECK(std::array{white, white_rho, mean_loss, loss_spread} == std::array{0.0, 0.0, 0.0, 0.0});
  CHECK(std::array{of_roughness, of_light, heater_resistance} == std::array{100e-6, 1550e-9, 0.02});
  check("fabrication",
        values(std::string(name_of(process)), of_process, wide_bow, wide_tilt, wide_die, wide_field,
               wide_roughness, high_bow, high_tilt, high_die, high_field, high_roughness,
               std::string(name_of(kernel)), length, index_width, index_height, eta_width, eta_gap, eta_height,
               gap_width, heater_power, radius, exclusion, die_length, die_width));
  const auto& [policy, estimate, splitters, in_situ, losses, twin, diagonal_epochs, diagonal_rate] =
      calibration;
  check("calibration", values(std::string(name_of(policy)), estimate, std::string(name_of(splitters)), in_situ,
                              losses, twin, diagonal_epochs, diagonal_rate));
  const auto& [x0, known, d0] = crosstalk;
  check("crosstalk", values(x0, known, d0));
  const auto& [temperature, wavelength] = environment;
  check("environment", values(temperature, wavelength));
  check("parts", values(parts.set));
  const auto& [laser, modulator, receiver, converter, heater, splitter, coupler, fibre, routing, layout, die,
               link, neuron, owner, timing] = hardware;
  const auto& [power, rin, linewidth, colour, wall_plug, booster_w, booster_share, laser_device, booster] =
      laser;
  check("laser", values(std::string(laser_device), std::string(booster), power, rin, linewidth, colour,
                        wall_plug, booster_w, booster_share));
  const auto& [v_pi, modulator_loss, leak, modulator_bandwidth, linearised, driver_j, capacitance,
               modulator_device, driver] = modulator;
  check("modulator", values(std::string(modulator_device), std::string(driver), v_pi, modulator_loss, leak,
                            modulator_bandwidth, linearised, driver_j, capacitance));
  const auto& [lo, cmrr, photodiode, front_end, offset_a, overload_a, front_end_device, photodiodes] = receiver;
  check("receiver",
        values(std::string(front_end_device), std::string(photodiodes), lo, photodiode.responsivity_a_per_w,
               photodiode.dark_current_a, std::get<InputReferredNoise>(front_end.noise).a_per_rthz,
               front_end.bandwidth_hz, cmrr, offset_a, overload_a, front_end.supply_power_w));
  const auto& [bits, digits_range, effective_bits, step_j, converter_delay, converter_device] = converter;
  check("converter",
        values(std::string(converter_device), bits, digits_range, effective_bits, step_j, converter_delay));
  check("heater", values(heater.device, heater.p_pi_w));
  check("splitter", values(std::string(splitter.device), splitter.stage_excess_loss_db));
  check("coupler", values(std::string(coupler.device), coupler.loss_db));
  check("fibre", values(fibre.length_m, fibre.connectors, fibre.multiplexer_loss_db));
  check("waveguide", values(std::string(routing.device), routing.loss_db_per_cm, routing.length_m,
                            routing.delay_line_pitch_m));
  check("layout", values(layout.mzi_length_m, layout.mzi_width_m, layout.coupler_length_m,
                         layout.modulator_area_m2, layout.receiver_area_m2));
  const auto& [resistance, capacity] = die;
  check("die", values(resistance, capacity));
  const auto& [launch, full_scale, lock, coherence, oscillator, oscillators, loop_hz, dither, ways, combiner,
               ceiling_spread, knee, mismatch, is_signed, skew, averaging, depth, destinations, checks, cut,
               late, late_words] = link;
  check("link",
        values(launch, full_scale, lock, coherence, oscillator, std::string(name_of(oscillators)), loop_hz,
               dither, ways, combiner, ceiling_spread, knee, mismatch, is_signed, std::string(name_of(skew)),
               std::string(name_of(averaging)), depth, destinations, checks, cut, late, late_words));
  const auto& [neuron_lo, neuron_hz, neuron_taps] = neuron;
  check("neuron", values(neuron_lo, neuron_hz, neuron_taps));
  const auto& [owner_place, owner_launch, owner_lo, owner_bits, owner_depth, owner_hz, owner_taps] = owner;
  check("owner", values(std::string(name_of(owner_place)), owner_launch, owner_lo, owner_bits, owner_depth,
                        owner_hz, owner_taps));
  const auto& [sampling, symbol_rate, taps, jitter_s, sampler, lane_skew_s, layer_skew_s, clocked_j,
               clocked_device] = timing;
  check("time", values(std::string(clocked_device), std::string(name_of(sampling)), symbol_rate, taps, jitter_s,
                       std::string(name_of(sampler)), lane_skew_s, layer_skew_s, clocked_j));
  const auto& [shot, amplifier, intensity, phase_lock, converters, last_only, jitter, scale] =
      static_cast<const NoiseSwitches&>(noise);
  CHECK(scale == 1);  // no key: words are sent with more noise by searches alone
  check("noise", values(noise.set, shot, amplifier, intensity, phase_lock, converters, jitter, last_only));
  const auto& [instants, interval, recalibrate, failed_share, warm_up, ramp, sine, sine_period, ou, ou_time,
               controlled, laser_drift, laser_time, light_db, light_time, sensitivity] = drift;
  const auto& [imbalance, heater_slope, splitter_slope] = sensitivity;
  check("drift", values(instants, interval, recalibrate, failed_share, warm_up, ramp, sine, sine_period, ou,
                        ou_time, controlled, laser_drift, laser_time, light_db, light_time, imbalance,
                        heater_slope, splitter_slope));
  const auto& [control, lock_w, serialiser, dac_step, hub] = budget;
  check("budget", values(control, lock_w, serialiser, dac_step, hub));
  const auto& [data, width, images, passes, step, momentum, block] = gradient;
  check("gradient", values(data, width, images, passes, step, momentum, block));
  const auto& [learnt, data_set, place, model_width, levels, carry_digit, aggregator, engine, steps_of,
               evaluations, examples, rule, rate_of, momentum_of, decay, schedule, warm_up_of, largest,
               scale_block, feedback, guard, own, equalise, error_rate, offset, factor] = learner;
  check("learner",
        values(learnt, data_set, place, model_width, levels, carry_digit, aggregator, engine, steps_of,
               evaluations, examples, rule, rate_of, momentum_of, decay, schedule, warm_up_of, largest,
               scale_block, feedback, guard, own, equalise, error_rate, offset, factor));
}

TEST_CASE("values from a file land in their members") {
  const StudyConfig c = parse(
      "study = 'mine'\n[task]\nservers = 8\nbits = 4\nrounding = 'floor'\n[network]\nhidden = [16, 32]\n"
      "[training]\nlearning_rate = 1\n[measure]\nonce = ['eye']\n[receiver]\nbandwidth_hz = 1e9\n"
      "[noise]\nrin = false\n");
  CHECK(c.study == "mine");
  CHECK(c.task.servers == 8);
  CHECK(c.task.digits == 2);
  CHECK(c.task.rounding == Rounding::floor);
  CHECK(c.network.hidden == std::vector<int>{16, 32});
  CHECK(c.training.learning_rate == 1.0);  // an integer is a number too
  CHECK(c.measure.once == std::vector<std::string>{"eye"});
  CHECK_FALSE(c.noise.rin);
  CHECK(c.noise.tia);
  CHECK(c.hardware.receiver.front_end.bandwidth_hz == 1e9);
}

// Fails when a key of the process does not rename it, or the command line leaves the file's process in place
TEST_CASE("a process preset fills its keys, single keys go over it, and it is a key like others") {
  const ProcessModel die = shared_process("openebl-2024");
  const std::string file = "[fabrication]\npreset = 'openebl-2024'\nprocess = 'wafer'\ndie_width_m = 0.06\n";
  const FabricationSettings named = parse(file).fabrication;
  CHECK(named.preset == "openebl-2024");
  CHECK(named.process == FabricationProcess::wafer);
  CHECK(named.shared.width.roughness_m == die.width.roughness_m);
  const FabricationSettings own =
      parse("[fabrication]\nwidth_die_m = 5e-10\npreset = 'openebl-2024'").fabrication;
  CHECK(own.preset == "custom");
  CHECK(own.shared.correlation_length_m == die.correlation_length_m);
  CHECK(own.shared.width.die_m == 5e-10);
  CHECK(parse("[fabrication]\nwidth_die_m = 5e-10").fabrication.preset == "custom");
  CHECK(parse("").fabrication.preset == "default");
  const StudyConfig printed = parse(to_toml(parse(file)), {"fabrication.preset=default"});
  CHECK(printed.fabrication.shared.width.field_m == default_process().width.field_m);
  CHECK(printed.fabrication.process == FabricationProcess::wafer);
  CHECK(with_values(parse(""), {{"fabrication.preset", std::string("openebl-2024")}})
            .fabrication.shared.width.field_m == die.width.field_m);
  CHECK(parse(to_toml(parse("[fabrication]\nwidth_die_m = 5e-10"))).fabrication.preset == "custom");
  check_message(complaint("[fabrication]\npreset = 'openebl'"), {"fabrication.preset", "openebl-2024"});
}

TEST_CASE("a chip preset fills its section and keys go over it in any order") {
  const ErrorModel doped = error_preset("doped-heaters");
  CHECK(parse("[chip]\npreset = 'doped-heaters'").chip.mzi_loss_db == doped.mzi_loss_db);
  CHECK(parse("[chip]\npreset = 'doped-heaters'").chip.preset == "doped-heaters");
  for (const auto* text :
       {"[chip]\ndac_bits = 9\npreset = 'doped-heaters'", "[chip]\npreset = 'doped-heaters'\ndac_bits = 9"}) {
    const ErrorModel chip = parse(text).chip;
    CHECK(chip.dac_bits == 9);
    CHECK(chip.sigma_eta_rad == doped.sigma_eta_rad);
    CHECK(chip.preset == "custom");
  }
  CHECK(parse("[chip]\npreset = 'doped-heaters'\ndac_bits = 12").chip.preset ==
        "doped-heaters");  // its own value
  check_message(complaint("[chip]\npreset = 'custom'\ndac_bits = 9"),
                {"custom", "sigma_eta_rad", "design-target"});
}

TEST_CASE("overrides go over the file") {
  const std::string file = "[run]\nseed = 3\n[chip]\npreset = 'doped-heaters'\nrho_ab = 0.1\n";
  CHECK(parse(file, {"run.seed=7"}).run.seed == 7);
  CHECK(parse(file, {"run.seed=7", "run.seed=8"}).run.seed == 8);
  CHECK(parse(file, {"network.hidden=[4, 8]"}).network.hidden == std::vector<int>{4, 8});
  CHECK(parse(file, {"task.rounding=half-up"}).task.rounding == Rounding::half_up);
  CHECK(parse(file, {"task.rounding=\"half-up\""}).task.rounding == Rounding::half_up);
  CHECK(parse(file, {"gradient.data=/some/where"}).gradient.data == "/some/where");
  CHECK(parse(file, {"study=night"}).study == "night");
  CHECK(parse(file, {"receiver.bandwidth_hz = 1e9"}).hardware.receiver.front_end.bandwidth_hz == 1e9);
  CHECK(parse(file, {"chip.rho_ab=0.2"}).chip.rho_ab == 0.2);
  CHECK(parse(file, {"chip.rho_ab=0.2"}).chip.sigma_eta_rad == error_preset("doped-heaters").sigma_eta_rad);

  // a preset on the command line replaces the file's chip, also one that was printed in full
  const StudyConfig printed = parse(to_toml(parse(file)), {"chip.dac_bits=9", "chip.preset=good-lab"});
  CHECK(printed.chip.rho_ab == error_preset("good-lab").rho_ab);
  CHECK(printed.chip.dac_bits == 9);
}

// mutations: likely_keys names one key where several contain the word; a section is not renamed; the section
// that is explained hides the keys of others
// mutation: the matrix of a file is taken for one that a trial ignores, like any key of [mesh]
// mutations: the table of moved keys is not asked; a key is looked for by its section alone
// Fails without a limit (the parser's stack ends), and where dots are counted in strings or lost behind them
TEST_CASE("every key is explained") {
  const auto keys = all_keys();
  CHECK(keys.size() == config_entries({}).size() + sweep_entries().size());
  CHECK(std::set<std::string>(keys.begin(), keys.end()).size() == keys.size());
  for (const auto& key : keys) {
    const std::string text = explain(key);
    const bool table = key == "sweep.values" || key == "sweep.range" || key == "sweep.shapes";
    for (const auto* part : {"meaning: ", "unit: ", table ? "example: " : "default: ", "allowed: ", "source: "})
      CHECK(text.find(part) != std::string::npos);
  }
  for (const std::string_view variant : variant_names()) CHECK(!variant_meaning(variant).empty());
  CHECK(explain("noisy").find("noise that the study switches on") != std::string::npos);
  const std::string text = explain("chip.sigma_eta_rad");
  for (const auto* part : {"splitter angle", "rad", "0.005", "0..100", "Mikkelsen"})
    CHECK(text.find(part) != std::string::npos);
  CHECK_THROWS_WITH(explain("sigma_eta_rad"), Catch::Matchers::Contains("mean chip.sigma_eta_rad?"));
  CHECK_THROWS_WITH(explain("chip.sigma_eta"), Catch::Matchers::Contains("mean chip.sigma_eta_rad?"));
  CHECK_THROWS_WITH(explain("receiver.bandwith_hz"), Catch::Matchers::Contains("mean receiver.bandwidth_hz?"));
}

TEST_CASE("the identity of a run follows every setting but how to run") {
  const std::string id = run_id({});
  CHECK(id.size() == 16);
  CHECK(id.find_first_not_of("0123456789abcdef") == std::string::npos);
  // keys that bind others, or that the loop has set already, are looked at one by one below
  const std::vector<std::string> mesh = {"model=mesh", "runner.precision_metric=mesh_error"};
  const std::string mesh_id = run_id(parse("", mesh));
  const std::set<std::string> bound = {
      "model",         "measure.once",      "task.bits",          "network.hidden",   "chip.preset",
      "task.level",    "training.on_chips", "link.signed_levels", "link.drive_depth", "noise.set",
      "time.sampling", "mesh.measured",     "chip.measured",      "task.reduction",   "parts.set"};
  for (const FieldEntry& entry : config_entries(unlike_default())) {
    if (bound.contains(entry.name()) || entry.name().starts_with("link.oscillator_") ||
        entry.name() == "training.full_svd_layers")
      continue;
    INFO(entry.name());
    auto with_one_more = mesh;
    with_one_more.push_back(entry.name() + "=" + toml_text(entry.value));
    const bool same = run_id(parse("", with_one_more)) == mesh_id;
    CHECK(same == (entry.name() == "run.threads" || entry.name() == "run.time_limit_s"));
  }
  CHECK(mesh_id != id);
  CHECK(run_id(parse("model = 'mesh'", {"mesh.measured=errors.csv"})) != run_id(parse("model = 'mesh'")));
  CHECK(run_id(parse("", {"chip.measured=unit.h5"})) != id);
  CHECK(run_id(parse("", {"parts.set=idealised"})) != id);
  CHECK(run_id(parse("", {"link.signed_levels=true"})) != id);
  CHECK(run_id(parse("", {"link.drive_depth=0.5"})) != id);
  CHECK(run_id(parse("", {"training.full_svd_layers=[1]"})) != id);
  const std::string direct_id = run_id(parse("", {"link.oscillators=direct"}));
  CHECK(direct_id != id);
  const std::string locked_id = run_id(parse("", {"link.oscillators=direct", "link.oscillator_loop_hz=1"}));
  CHECK(locked_id != direct_id);
  CHECK(run_id(parse("", {"link.oscillators=direct", "link.oscillator_loop_hz=1",
                          "link.oscillator_dither_rad=0.1"})) != locked_id);
  CHECK(run_id(parse("", {"noise.set=full"})) != id);
  CHECK(run_id(parse("", {"time.sampling=clocked"})) != id);
  CHECK(run_id(parse("", {"task.reduction=majority"})) != id);
  for (const auto* key :
       {"model=mesh", "measure.once=['eye']", "task.bits=4", "network.hidden=[4]", "chip.preset=ideal"})
    CHECK(run_id(parse("", {key})) != id);
  CHECK(run_id(parse("", {"task.level=first", "network.hidden=[20]"})) !=
        run_id(parse("", {"network.hidden=[20]"})));
  CHECK(run_id(parse("", {"training.on_chips=true", "network.start=n.h5"})) !=
        run_id(parse("", {"network.start=n.h5"})));
  CHECK(run_id(parse("[[sweep]]\nvalues = {\"chip.rho_ab\" = [0.5]}")) != id);
  CHECK(run_id(parse(to_toml({}, true))) == id);
}

// Fails where half-even refuses every network that rounds otherwise.
TEST_CASE("task.rounding is that of the network where nothing sets it") {
  CHECK(parse("").task.rounding == Rounding::half_even);
  CHECK(parse("network.source = 'carry-chain'").task.rounding == Rounding::half_up);
  Overrides with;
  with.rounding_of = [](const std::string& source) -> std::optional<Rounding> {
    if (source == "lost.h5") return std::nullopt;
    return source == "floor.h5" ? Rounding::floor : Rounding::half_up;
  };
  const auto rounding = [&](const std::string& text) {
    return parse_config(text, "s.toml", with).task.rounding;
  };
  CHECK(rounding("network.source = 'floor.h5'") == Rounding::floor);
  CHECK(rounding("network.source = 'floor.h5'\n[task]\nrounding = 'half-up'") == Rounding::half_up);
  CHECK(rounding("network.source = 'lost.h5'") == Rounding::half_even);
  CHECK(rounding("[[sweep]]\nvalues = {'network.source' = ['a.h5', 'carry-chain']}") == Rounding::half_up);
  check_message(
      refusal([&] { rounding("[[sweep]]\nvalues = {'network.source' = ['a.h5', 'floor.h5', 'train']}"); }),
      {"half-up for a.h5", "floor for floor.h5", "half-even for train", "task.rounding"});
}

// Fails where a list is written out for each of its elements: 200,000 of them would take an hour.
TEST_CASE("a set of noise fills its keys in every section, and is called custom once one differs") {
  const StudyConfig plain = parse("");
  CHECK(plain.noise.set == "receivers");
  const StudyConfig full = parse("[noise]\nset = \"full\"\n");
  CHECK(full.hardware.modulator.leak == Approx(std::pow(10.0, -28.0 / 20)));
  CHECK(full.hardware.link.level_mismatch == 0.03);
  CHECK(full.hardware.link.sigma_combiner == 0.01);
  CHECK(full.hardware.link.sigma_oscillator_rad == 0.05);
  CHECK(full.noise.rin);
  CHECK(full.noise.set == "full");
  CHECK(parse(to_toml(full)) == full);
  // single keys go over the set, whatever their order
  const StudyConfig one = parse("[link]\nsigma_combiner = 0.02\n[noise]\nset = \"full\"\n");
  CHECK(one.hardware.link.sigma_combiner == 0.02);
  CHECK(one.hardware.link.level_mismatch == 0.03);
  CHECK(one.noise.set == "custom");
  CHECK(parse(to_toml(one)) == one);
  CHECK(parse("[noise]\nlock = false\n").noise.set == "custom");
  // a set on the command line is not undone by the file
  CHECK(parse(to_toml(one), {"noise.set=receivers"}).noise.set == "receivers");
  CHECK(with_values(plain, {{"noise.set", std::string("full")}}) == full);
}
