#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "experiments/base/terminal.hpp"
#include "experiments/base/text_table.hpp"
#include "experiments/cli/commands.hpp"
#include "experiments/files/chips/twin_file.hpp"
#include "experiments/files/hdf5/atomic_file.hpp"
#include "experiments/study/table_reader.hpp"
#include "physics/core/check.hpp"
#include "physics/mesh/twin/fit_twin.hpp"
#include "physics/mesh/twin/plan_twin.hpp"
#include "physics/mesh/twin/twin_settings_rows.hpp"

namespace optinc {
namespace {

/// Settings of the fit from KEY=VALUE.
TwinSettings settings_of(const std::vector<std::string>& texts) {
  TwinSettings settings;
  std::vector<std::string_view> known;
  visit_rows(settings, [&](const Row& row, const auto&) { known.push_back(row.key); });
  for (const std::string& text : texts) {
    const Assignment given = parse_assignment(text, "--set");
    const TableReader reader{given.table, given.source, "twin"};
    reader.only(known);
    visit_rows(settings, [&](const Row& row, auto& member) { reader.take(row, member); });
  }
  return settings;
}

std::string keys_text() {
  std::string text;
  const TwinSettings usual;
  visit_rows(usual, [&](const Row& row, const auto& member) {
    const std::string unit = row.unit == "1" ? "" : fmt::format(" [{}]", row.unit);
    text += hanging_text(fmt::format("  {}", row.key),
                         fmt::format("{}{}; default: {}", row.meaning, unit, toml_text(to_field_value(member))),
                         22);
  });
  return text;
}

std::string_view unit_of(TwinKind kind) {
  const std::string_view name = name_of(kind);
  return name.ends_with("scale")                                                               ? "1"
         : name.ends_with("gain") || kind == TwinKind::mzi_loss || name.ends_with("imbalance") ? "dB"
                                                                                               : "rad";
}

std::string table_of(const std::vector<TwinKindReport>& kinds) {
  std::vector<std::vector<std::string>> rows;
  for (const TwinKindReport& r : kinds)
    rows.push_back({std::string(name_of(r.kind)), fmt::format("{}", r.fitted), fmt::format("{}", r.told),
                    fmt::format("{:.1f}", r.unseen),
                    r.told > 0 ? fmt::format("{:.2g} {}", r.standard_error, unit_of(r.kind)) : "-"});
  const TextColumn columns[] = {
      {"parameter", Align::left}, {"fitted"}, {"determined"}, {"unseen directions"}, {"standard error"}};
  return text_table(columns, rows, 1);
}

nlohmann::ordered_json json_of(const std::vector<TwinKindReport>& kinds) {
  nlohmann::ordered_json json = nlohmann::json::array();
  for (const TwinKindReport& r : kinds) {
    json.push_back(
        {{"kind", name_of(r.kind)}, {"fitted", r.fitted}, {"determined", r.told}, {"unseen", r.unseen}});
    if (r.told > 0) json.back()["standard_error"] = r.standard_error;
  }
  return json;
}

std::string error_text(const TwinError& error, bool fields) {
  if (error.readings == 0) return "none";
  const std::string sigma = std::isnan(error.sigma) ? "" : fmt::format(", {:.3f} of the noise", error.sigma);
  return fmt::format("{} readings, {:.3g} {} rms{}", error.readings, error.rms, fields ? "sqrt(W)" : "W",
                     sigma);
}

nlohmann::ordered_json json_of(const TwinError& error) {
  nlohmann::ordered_json json = {{"readings", error.readings}};
  if (error.readings > 0) json["rms"] = error.rms;
  if (!std::isnan(error.sigma)) json["rms_over_noise"] = error.sigma;
  return json;
}

int plan(const TwinArguments& a, std::string_view typed) {
  validate(a.data.empty(), "{} with --plan (a plan is made before anything is measured). Leave one out.",
           a.data);
  validate(a.plan_ports >= 2 && a.plan_ports <= 128, "--plan {} (2..128 ports). Plan a part of the mesh.",
           a.plan_ports);
  validate(a.topology == "clements" || a.topology == "reck",
           "--topology {} (known: clements, reck). Choose one of these.", a.topology);
  const MeshTopology topology =
      a.topology == "reck" ? reck_topology(a.plan_ports) : clements_topology(a.plan_ports);
  TwinPlanSettings wanted;
  wanted.splitter_error_rad = a.splitter_error_rad;
  wanted.seed = a.seed;
  const TwinPlan made = plan_twin(topology, Matrix::Identity(topology.ports, topology.ports),
                                  settings_of(a.settings), wanted, nominal_twin(topology));
  if (!a.out.output.empty()) write_twin_settings(a.out.output, topology, made.settings, typed, a.out.force);
  if (a.json) {
    print_text(json_text({{"settings", made.settings.size()},
                          {"parameters", made.parameters},
                          {"unseen", made.unseen},
                          {"kinds", json_of(made.kinds)}}));
    return 0;
  }
  print_text(
      fmt::format("{} settings, {} powers each; {} parameters, {} directions that change no reading\n\n{}",
                  made.settings.size(), topology.ports * topology.ports, made.parameters, made.unseen,
                  table_of(made.kinds)));
  return 0;
}

int fit(const TwinArguments& a, std::string_view typed) {
  require_not_input(a.out.output, {a.data});
  const TwinMeasurement measured = read_twin_measurement(a.data, a.drive_of_pi);
  const TwinFit found =
      fit_twin(measured.data, settings_of(a.settings), nominal_twin(measured.data.topology, a.arm_loss_db));
  if (!a.out.output.empty()) write_twin(a.out.output, measured, found, typed, a.out.force);
  if (a.json) {
    print_text(json_text({{"parameters", found.parameters},
                          {"unseen", found.unseen},
                          {"converged", found.converged},
                          {"outliers", found.outliers},
                          {"fitted", json_of(found.fitted)},
                          {"held_out", json_of(found.held_out)},
                          {"kinds", json_of(found.kinds)}}));
    return 0;
  }
  const bool fields = !measured.data.fields.empty();
  print_text(
      fmt::format("{} parameters, {} directions that change no reading{}\n\n{}\nfitted:   {}; {:.2f} % "
                  "outliers\nheld out: {}\n",
                  found.parameters, found.unseen, found.converged ? "" : "; the fit did not converge",
                  table_of(found.kinds), error_text(found.fitted, fields), 100 * found.outliers,
                  error_text(found.held_out, fields)));
  return 0;
}

}  // namespace

int twin_command(const TwinArguments& a, std::string_view typed) {
  if (a.keys) {
    print_text(keys_text());
    return 0;
  }
  validate(a.plan_ports != 0 || !a.data.empty(),
           "no measurement (an HDF5 file of phases and readings). Name one, or plan one with --plan PORTS.");
  if (!a.out.output.empty()) {
    if (a.plan_ports == 0) require_twin_extension(a.out.output);
    require_writable_output(a.out.output, a.out.force);
  }
  return a.plan_ports != 0 ? plan(a, typed) : fit(a, typed);
}

}  // namespace optinc
