#include "experiments/engine/config/model_keys.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "experiments/engine/config/study_names.hpp"
#include "physics/core/check.hpp"

namespace optinc {
namespace {

/// Models as a set.
enum : unsigned { chip = 1, tolerance = 2, cascade = 4, drift = 8, mesh = 16, learning = 32 };
constexpr unsigned networks = chip | tolerance | cascade | drift | learning, all = networks | mesh;

unsigned bit_of(std::string_view model) {
  const auto names = model_names();  // in the order of the bits
  return 1u << (std::find(names.begin(), names.end(), model) - names.begin());
}

/// A row without a key is its whole section; the row of a key goes before that of its section.
struct Readers {
  std::string_view section, key;
  unsigned models;
};

constexpr std::array<Readers, 52> readers = {{
    {"", "", all},
    {"run", "", all},
    {"runner", "", all},
    {"measure", "words", networks & ~learning},
    {"measure", "once", chip},
    {"measure", "", all},
    {"yield", "", all},
    {"task", "", networks},
    {"network", "above", cascade | learning},
    {"network", "", networks},
    {"training", "", networks},
    {"chip", "", all},
    {"calibration", "sigma_estimate_rad", all},
    {"calibration", "diagonal_epochs", chip | tolerance | cascade | learning},
    {"calibration", "diagonal_rate", chip | tolerance | cascade | learning},
    {"calibration", "", networks},
    {"crosstalk", "", networks},
    {"environment", "", networks},
    {"laser", "power_w", 0},
    {"laser", "wall_plug_efficiency", 0},
    {"laser", "", networks},
    {"modulator", "loss_db", 0},
    {"modulator", "drive_capacitance_f", 0},
    {"modulator", "v_pi_v", 0},
    {"modulator", "", networks},
    {"receiver", "supply_power_w", 0},
    {"receiver", "", networks},
    {"converter", "step_j", 0},
    {"converter", "delay_s", 0},
    {"converter", "", networks},
    {"heater", "", drift | learning},
    {"splitter", "", networks},
    {"coupler", "", networks},
    {"fibre", "", networks},
    {"waveguide", "delay_line_pitch_m", 0},
    {"waveguide", "", networks},
    {"layout", "modulator_area_m2", 0},
    {"layout", "receiver_area_m2", 0},
    {"layout", "", networks},
    {"die", "", drift | learning},
    {"link", "", networks},
    {"noise", "", networks},
    {"stand_in", "", chip | tolerance},
    {"tolerance", "", tolerance},
    {"mesh", "", mesh},
    {"drift", "imbalance_m", networks},  // how phases answer to [environment], too
    {"drift", "heater_per_k", networks},
    {"drift", "splitter_rad_per_m", networks},
    {"drift", "", drift | learning},
    {"budget", "", 0},
    {"gradient", "", chip},
    {"learner", "", learning},
}};

const Readers& readers_of(std::string_view section, std::string_view key) {
  const auto found = std::find_if(readers.begin(), readers.end(), [&](const Readers& r) {
    return r.section == section && (r.key == key || r.key.empty());
  });
  validate(found != readers.end(),
           "section [{}] has no readers (a row of model_keys.cpp says them). Add its row.", section);
  return *found;
}

}  // namespace

bool model_reads(std::string_view model, std::string_view section, std::string_view key) {
  return (readers_of(section, key).models & bit_of(model)) != 0;
}

std::string readers_text(std::string_view section, std::string_view key) {
  std::string text;
  for (const auto model : model_names())
    if (model_reads(model, section, key)) text += fmt::format("{}{}", text.empty() ? "" : ", ", model);
  return text.empty() ? "none (read by optinc budget and optinc compare-costs)" : text;
}

std::vector<StudyWarning> unread_keys(const StudyConfig& config) {
  const auto entries = config_entries(config), defaults = config_entries({});
  std::vector<StudyWarning> unread;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const FieldEntry& e = entries[i];
    if (e.value != defaults[i].value && !model_reads(config.model, e.section, e.info.key))
      unread.push_back({e.name(),
                        fmt::format("model {} does not read it (read by: {}): {} changes nothing", config.model,
                                    readers_text(e.section, e.info.key), toml_text(e.value)),
                        "model"});
  }
  return unread;
}

}  // namespace optinc
