#include "experiments/files/readers/mesh_errors_table.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "experiments/files/readers/mesh_rows.hpp"
#include "physics/core/check.hpp"

namespace optinc {
namespace {

constexpr std::array<std::string_view, 13> known_columns = {"column",
                                                            "upper",
                                                            "alpha_rad",
                                                            "beta_rad",
                                                            "theta_offset_rad",
                                                            "phi_offset_rad",
                                                            "theta_arm_loss_db",
                                                            "phi_arm_loss_db",
                                                            "theta_other_loss_db",
                                                            "phi_other_loss_db",
                                                            "theta_pi_power_w",
                                                            "phi_pi_power_w",
                                                            "mzi_loss_db"};
constexpr std::size_t first_error = 2;  // before it, which MZI

/// The MZI of every row.
std::vector<std::size_t> mzis_of_rows(const NamedColumns& table, const MeshTopology& topology) {
  constexpr std::string_view says = "it says which MZI a row is about";
  const std::size_t rows = table.rows(), mzis = topology.mzis.size();
  std::vector<std::size_t> mzi_of_row(rows);
  if (table.lines.empty() && table.find("column") == nullptr && table.find("upper") == nullptr) {
    validate(rows == mzis, "{}: {} rows for {} MZIs (one each, in the order of the mesh). Save as many.",
             table.file, rows, mzis);
    std::iota(mzi_of_row.begin(), mzi_of_row.end(), std::size_t{0});
    return mzi_of_row;
  }
  std::map<std::pair<std::int64_t, std::int64_t>, std::size_t> mzi_at;
  for (int column = 0; column < topology.columns(); ++column)
    for (const PortPair& mzi : topology.column(column))
      mzi_at.emplace(std::pair(column, mzi.upper), mzi_at.size());
  const auto columns = table.indices("column", says, most_mzis),
             uppers = table.indices("upper", says, most_mzis);
  std::vector<std::optional<std::size_t>> row_of_mzi(mzis);
  for (std::size_t row = 0; row < rows; ++row) {
    const auto found = mzi_at.find({columns[row], uppers[row]});
    if (found == mzi_at.end())
      throw Error(fmt::format(
          "{}: no MZI in column {} with upper port {} (the mesh has {} ports and {} columns, counted from 0). "
          "Correct the row, or set mesh.ports and mesh.topology.",
          table.where(row), columns[row], uppers[row], topology.ports, topology.columns()));
    std::optional<std::size_t>& first = row_of_mzi[found->second];
    if (first)
      throw Error(fmt::format("{}: the MZI of {} again (one row each). Remove one.", table.where(row),
                              table.place(*first)));
    first = row;
    mzi_of_row[row] = found->second;
  }
  for (const auto& [place, mzi] : mzi_at)
    validate(row_of_mzi[mzi].has_value(),
             "{}: {} rows for {} MZIs, none for column {}, upper port {} (one row each). Add it.", table.file,
             rows, mzis, place.first, place.second);
  return mzi_of_row;
}

}  // namespace

MeshMeasurement measured_of_table(const NamedColumns& table, const MeshTopology& topology) {
  table.require_names(known_columns);
  const std::vector<std::size_t> mzi_of_row = mzis_of_rows(table, topology);
  const auto has_errors = [&](std::string_view name) { return table.find(name) != nullptr; };
  validate(std::ranges::any_of(std::span(known_columns).subspan(first_error), has_errors),
           "{}: no measured error of any MZI (columns such as alpha_rad hold them). Add one.", table.file);
  MeshMeasurement measured{no_errors(topology), {}, {}};
  MeshErrors& errors = measured.errors;
  Vector mzi_loss_db;
  const std::array<Vector*, known_columns.size() - first_error> members = {&errors.alpha,
                                                                           &errors.beta,
                                                                           &errors.theta_offset,
                                                                           &errors.phi_offset,
                                                                           &errors.theta_arm_loss_db,
                                                                           &errors.phi_arm_loss_db,
                                                                           &errors.theta_other_loss_db,
                                                                           &errors.phi_other_loss_db,
                                                                           &measured.theta_p_pi_w,
                                                                           &measured.phi_p_pi_w,
                                                                           &mzi_loss_db};
  for (std::size_t e = 0; e < members.size(); ++e) {
    const std::string_view name = known_columns[first_error + e];
    const std::vector<double>* const values = table.find(name);
    if (values == nullptr) continue;
    members[e]->resize(topology.mzi_count());
    for (std::size_t row = 0; row < values->size(); ++row) {
      const double value = (*values)[row];
      if (value < 0.0 && name.ends_with("_db"))
        throw Error(fmt::format("{}: {} = {} (light is not amplified). Correct the cell.", table.where(row),
                                name, value));
      if (value <= 0.0 && name.ends_with("_w"))
        throw Error(fmt::format("{}: {} = {} (a heater takes power for its phase). Correct the cell.",
                                table.where(row), name, value));
      (*members[e])[static_cast<Eigen::Index>(mzi_of_row[row])] = value;
    }
  }
  if (mzi_loss_db.size() > 0)  // light meets an arm of theta's stage and one of phi's
    for (const auto& [name, loss_db] : {std::pair("theta_arm_loss_db", &errors.theta_arm_loss_db),
                                        std::pair("phi_arm_loss_db", &errors.phi_arm_loss_db),
                                        std::pair("theta_other_loss_db", &errors.theta_other_loss_db),
                                        std::pair("phi_other_loss_db", &errors.phi_other_loss_db)}) {
      validate(!has_errors(name),
               "{}: mzi_loss_db and {} (mzi_loss_db is the loss through all arms alike). Leave one out.",
               table.file, name);
      *loss_db = mzi_loss_db / 2;
    }
  errors.idle_arm_loss_db = (errors.theta_arm_loss_db + errors.phi_arm_loss_db + errors.theta_other_loss_db +
                             errors.phi_other_loss_db)
                                .mean() /
                            4;
  return measured;
}

}  // namespace optinc
