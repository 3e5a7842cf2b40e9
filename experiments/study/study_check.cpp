#include <algorithm>
#include <filesystem>

#include "experiments/study/model_keys.hpp"
#include "experiments/study/ruled_networks.hpp"
#include "experiments/study/study_config.hpp"
#include "experiments/study/study_model.hpp"
#include "experiments/study/study_rows.hpp"
#include "onn/chip/chip_design.hpp"
#include "onn/link/average.hpp"
#include "onn/network/full_svd.hpp"
#include "onn/task/words.hpp"
#include "physics/core/check.hpp"
#include "physics/core/names.hpp"
#include "physics/mesh/wiring.hpp"

namespace optinc {
namespace {

/// Metrics and variants must be those of the study's model.
void validate_names(const StudyConfig& config) {
  const StudyModel& model = model_of(config);
  const auto names_of = [](const auto& entries) {
    std::vector<std::string_view> names;
    for (const auto& entry : entries) names.push_back(entry.name);
    return names;
  };
  const auto check = [&](std::string_view key, const std::string& name,
                         const std::vector<std::string_view>& known) {
    validate(name == "none" || std::find(known.begin(), known.end(), name) != known.end(),
             "{} names {} (model {} has: {}). Name one of those.", key, name, config.model, join_names(known));
  };
  const auto known = names_of(model.metrics), ways = names_of(model.variants);
  for (const auto& name : config.measure.metrics) check("measure.metrics", name, known);
  for (const auto& name : config.measure.variants) check("measure.variants", name, ways);
  check("runner.precision_metric", config.runner.precision_metric, known);
  check("yield.metric", config.yield.metric, known);
  for (const std::string& name : {config.runner.precision_metric, config.yield.metric}) {
    const Metric* metric = model.find(name);
    validate(metric == nullptr || !metric->trial_0_only,
             "{} is measured on trial 0 alone (a yield or a precision needs every trial). Name {}.", name,
             model.metrics.front().name);
  }
  validate(config.runner.precision == 0 || config.runner.precision_metric != "none",
           "runner.precision = {} without runner.precision_metric (the metric whose mean is to be precise). "
           "Set it to a metric of model {}.",
           config.runner.precision, config.model);
  validate(config.measure.once.empty() || model_reads(config.model, "measure", "once"),
           "measure.once names {} (only model {} has a network to send it through). Leave it out.",
           config.measure.once.empty() ? "" : config.measure.once.front(), readers_text("measure", "once"));
}

}  // namespace

Network network_shape(const StudyConfig& config) {
  if (const RuledNetwork* rule = ruled_network(config.network.source)) return rule->make(config);
  return with_full_svd(network_outline(config.task, config.network.hidden), config.training.full_svd_layers);
}

namespace {

/// Chips from wafers: dies that lie on them, meshes that fit on a die, and nobody who would ignore it.
void validate_fabrication(const StudyConfig& config) {
  if (config.fabrication.process != FabricationProcess::wafer) return;
  validate_field(model_reads(config.model, "fabrication", "process"), "process",
                 "\"wafer\" in a study of model {} (it would be ignored). Set model = \"{}\", or process = "
                 "\"independent\".",
                 config.model, readers_text("fabrication", "process"));
  validate_field(!config.training.on_chips || config.network.source != "train" || !has_network(config.model),
                 "process",
                 "\"wafer\" with training.on_chips (training draws errors that are independent from device to "
                 "device). Set training.on_chips = false, or process = \"independent\".");
  dies_on_wafer(config.fabrication.wafer);
  // the meshes of a file are known once it is read
  if (has_network(config.model) &&
      (config.network.source == "train" || ruled_network(config.network.source) != nullptr))
    placed_on_die(meshes_of(network_shape(config)), config.hardware.layout, config.fabrication.wafer);
}

/// A chip that was measured, in a study that can have one.
void validate_measured_chip(const StudyConfig& config) {
  const std::string& source = config.measured_chip.measured;
  validate_field(model_reads(config.model, "chip", "measured"), "measured",
                 "{} in a study of model {} (it would be ignored). Choose a model that reads it: {}.", source,
                 config.model, readers_text("chip", "measured"));
  validate_field(config.calibration.sigma_estimate_rad == 0.0, "measured",
                 "{} with calibration.sigma_estimate_rad = {} (what was measured is the estimate; the other "
                 "keys of [chip] say how far it is off). Set calibration.sigma_estimate_rad = 0.",
                 source, config.calibration.sigma_estimate_rad);
  validate_field(config.fabrication.process == FabricationProcess::independent, "measured",
                 "{} with fabrication.process = \"wafer\" (measured errors include those of the wafer). Set "
                 "fabrication.process = \"independent\".",
                 source);
  validate_field(!config.training.on_chips || config.network.source != "train", "measured",
                 "{} with training.on_chips = true (chips that training meets are drawn). Train first, and set "
                 "network.source to the file.",
                 source);
}

}  // namespace

void validate_config(const StudyConfig& config) {
  const auto entries = config_entries(config);
  for (const FieldEntry& entry : entries) check_row(entry.name(), entry.info, entry.value);
  // what follows are conditions across keys, and values that are no keys
  validate_names(config);
  // a check's error about a field of a section: "known = 2 (..)" becomes "crosstalk.known = 2 (..)"
  const auto in_sections = [&](std::initializer_list<std::string_view> sections, auto check) {
    try {
      check();
    } catch (const Error& error) {
      for (const std::string_view section : sections)
        for (const FieldEntry& e : entries)
          if (e.section == section && e.info.key == error.field)
            throw Error(fmt::format("{}.{}", section, error.what()));
      throw Error(fmt::format("{}: {}", *sections.begin(), error.what()));
    }
  };
  const auto in_section = [&](std::string_view section, auto check) { in_sections({section}, check); };
  // sections that the model does not read are held to the same: what no device has is wrong in any study
  in_section("task", [&] {
    if (config.network.source == "train" && config.training.words_per_epoch == 0)
      validate_enumerable(config.task);
    else
      validate_task(config.task);
  });
  in_section("training", [&] {
    validate_training(config.training);
    validate(!config.training.on_chips || config.network.start != "random",
             "on_chips with network.start = \"random\" (training on chips starts from a network that is right "
             "without errors). Set network.start to the file of one.");
  });
  in_section("calibration", [&] {
    validate_field(
        config.calibration.diagonal_epochs == 0 || ruled_network(config.network.source) == nullptr,
        "diagonal_epochs",
        "{} with a network that no training made (only the diagonals of trained networks are retrained). Set "
        "calibration.diagonal_epochs = 0.",
        config.calibration.diagonal_epochs);
  });
  in_section("mesh", [&] {
    try {
      wiring_of(config.mesh.topology, config.mesh.ports);
    } catch (const Error& error) {
      validate_field(false, "topology", "\"{}\": {}", config.mesh.topology, error.what());
    }
    validate_field(config.mesh.target_is_drawn() || std::filesystem::path(config.mesh.target).has_extension(),
                   "target",
                   "\"{}\" is unknown (known: unitary, orthogonal, or a file of a matrix: .csv, .h5, .sNp such "
                   "as .s8p). Choose one.",
                   config.mesh.target);
    validate_field(!config.mesh.is_measured() || config.calibration.sigma_estimate_rad == 0.0, "measured",
                   "{} with calibration.sigma_estimate_rad = {} (what was measured is the estimate; [chip] "
                   "says how far it is off). Set calibration.sigma_estimate_rad = 0.",
                   config.mesh.measured, config.calibration.sigma_estimate_rad);
  });
  in_section("crosstalk", [&] { validate_crosstalk_settings(config.crosstalk); });
  in_section("receiver", [&] { validate_receiver(config.hardware.receiver); });
  in_section("converter", [&] { validate_adc(config.hardware.converter); });
  in_section("layout", [&] { validate_floor_plan(config.hardware.layout); });
  in_section("fabrication", [&] { validate_fabrication(config); });
  in_section("heater", [&] { validate_thermo_optic(config.hardware.heater); });
  in_section("splitter", [&] { validate_splitter_tree(config.hardware.splitter); });
  in_section("coupler",
             [&] { fibre_coupler_loss_db(config.hardware.coupler, config.hardware.laser.wavelength_m); });
  in_section("fibre", [&] { validate_fibre(config.hardware.fibre); });
  in_section("waveguide", [&] { validate_waveguide(config.hardware.routing); });
  in_sections({"link", "neuron", "owner", "time", "die", "layout", "waveguide"},
              [&] { validate_hardware(config.hardware); });
  if (!model_reads(config.model, "mesh", "target"))
    in_section("mesh", [&] {
      validate_field(config.mesh.target_is_drawn(), "target",
                     "\"{}\" in a study of model {} (it would be ignored). Choose a model that reads it: {}.",
                     config.mesh.target, config.model, readers_text("mesh", "target"));
      validate_field(!config.mesh.is_measured(), "measured",
                     "{} in a study of model {} (it would be ignored). Choose a model that reads it: {}.",
                     config.mesh.measured, config.model, readers_text("mesh", "measured"));
      validate_field(!config.mesh.has_measured_crosstalk(), "measured_crosstalk",
                     "{} in a study of model {} (it would be ignored). Choose a model that reads it: {}.",
                     config.mesh.measured_crosstalk, config.model, readers_text("mesh", "measured_crosstalk"));
    });
  in_section("link", [&] {
    validate_field(
        !has_owner(config.task, config.hardware) || model_reads(config.model, "owner", "oscillator_w"),
        "destinations",
        "{} with digit sums in a study of model {} (what their owner sends on is followed by models {}). Set "
        "it to 0.",
        config.hardware.link.destinations, config.model, readers_text("owner", "oscillator_w"));
    const LinkSettings& link = config.hardware.link;
    validate_field(
        link.cut_servers + link.late_servers <= config.task.servers,
        link.late_servers > 0 ? "late_servers" : "cut_servers",
        "{}, with {} of {} servers cut off or late (no server is both, or more than one). Choose fewer.",
        link.late_servers > 0 ? link.late_servers : link.cut_servers, link.cut_servers + link.late_servers,
        config.task.servers);
  });
  if (config.measured_chip.is_measured()) in_section("chip", [&] { validate_measured_chip(config); });
  if (const StudyModel& model = model_of(config); model.validate != nullptr)
    in_section(model.validated, [&] { model.validate(config); });
  StudyConfig approximated = config;
  approximated.training.full_svd_layers.clear();
  in_section(ruled_network(config.network.source) != nullptr ? "network" : "network.hidden",
             [&] { network_shape(approximated); });
  in_section("training", [&] { network_shape(config); });
}

}  // namespace optinc
