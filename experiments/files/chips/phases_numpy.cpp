#include <array>

#include "experiments/files/chips/mesh_rows.hpp"
#include "experiments/files/chips/named_columns.hpp"
#include "experiments/files/chips/numpy_file.hpp"
#include "experiments/files/chips/phases_file.hpp"
#include "physics/core/check.hpp"

namespace optinc {

std::vector<NamedMesh> read_phases_numpy(const std::filesystem::path& path) {
  constexpr std::array<std::string_view, 6> known = {"column",    "upper",   "lower",
                                                     "theta_rad", "phi_rad", "output_rad"};
  constexpr std::string_view of_mzis = "one number an MZI";
  const NamedColumns table = read_numpy(path);
  table.require_names(known);
  const std::vector<double>& output = table.column("output_rad", "one phase a port");
  validate(!output.empty() && output.size() <= static_cast<std::size_t>(most_ports),
           "{}: {} output phases (1..{}, one a port). Save as many as there are ports.", table.file,
           output.size(), most_ports);
  const auto column = table.indices("column", of_mzis, most_mzis),
             upper = table.indices("upper", of_mzis, most_ports - 1),
             lower = table.indices("lower", of_mzis, most_ports - 1);
  const std::vector<double>&theta = table.column("theta_rad", of_mzis), &phi = table.column("phi_rad", of_mzis);
  std::vector<MziRow> rows;
  const std::size_t count = table.rows("output_rad");
  for (std::size_t k = 0; k < count; ++k) rows.push_back({column[k], upper[k], lower[k], theta[k], phi[k]});
  return {mesh_of_rows("mesh", rows, output, [&](std::size_t k) { return table.where(k); })};
}

}  // namespace optinc
