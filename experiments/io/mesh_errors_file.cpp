#include "experiments/io/mesh_errors_file.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "experiments/io/mesh_rows.hpp"
#include "experiments/io/named_columns.hpp"
#include "physics/core/check.hpp"

namespace optinc {
namespace {

constexpr std::array<std::string_view, 10> known_columns = {"column",
                                                            "upper",
                                                            "alpha_rad",
                                                            "beta_rad",
                                                            "theta_offset_rad",
                                                            "phi_offset_rad",
                                                            "theta_arm_loss_db",
                                                            "phi_arm_loss_db",
                                                            "theta_other_loss_db",
                                                            "phi_other_loss_db"};
constexpr std::size_t first_error = 2;  // before it, which MZI
constexpr std::array<Vector MeshErrors::*, 8> members = {&MeshErrors::alpha,
                                                         &MeshErrors::beta,
                                                         &MeshErrors::theta_offset,
                                                         &MeshErrors::phi_offset,
                                                         &MeshErrors::theta_arm_loss_db,
                                                         &MeshErrors::phi_arm_loss_db,
                                                         &MeshErrors::theta_other_loss_db,
                                                         &MeshErrors::phi_other_loss_db};

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
          "Mend the row, or set mesh.ports and mesh.topology.",
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

MeshErrors read_mesh_errors(const std::filesystem::path& path, const MeshTopology& topology) {
  const NamedColumns table = read_columns(path);
  table.require_names(known_columns);
  const std::vector<std::size_t> mzi_of_row = mzis_of_rows(table, topology);
  const auto has_errors = [&](std::string_view name) { return table.find(name) != nullptr; };
  validate(std::ranges::any_of(std::span(known_columns).subspan(first_error), has_errors),
           "{}: no measured error of any MZI (columns such as alpha_rad hold them). Add one.", table.file);
  MeshErrors errors = no_errors(topology);
  for (std::size_t e = 0; e < members.size(); ++e) {
    const std::string_view name = known_columns[first_error + e];
    const std::vector<double>* const values = table.find(name);
    if (values == nullptr) continue;
    for (std::size_t row = 0; row < values->size(); ++row) {
      const double value = (*values)[row];
      if (value < 0.0 && name.ends_with("_db"))
        throw Error(
            fmt::format("{}: {} = {} (light is not amplified). Mend the cell.", table.where(row), name, value));
      (errors.*members[e])[static_cast<Eigen::Index>(mzi_of_row[row])] = value;
    }
  }
  errors.idle_arm_loss_db = (errors.theta_arm_loss_db + errors.phi_arm_loss_db + errors.theta_other_loss_db +
                             errors.phi_other_loss_db)
                                .mean() /
                            4;
  return errors;
}

}  // namespace optinc
