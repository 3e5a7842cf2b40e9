#include "experiments/files/chips/mesh_errors_file.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "experiments/files/chips/chip_file.hpp"
#include "experiments/files/chips/numpy_file.hpp"
#include "experiments/files/hdf5/provenance.hpp"
#include "experiments/files/hdf5/stored_values.hpp"
#include "experiments/files/readers/text.hpp"
#include "physics/core/check.hpp"

namespace optinc {
bool is_measured_mesh(const std::filesystem::path& path) {
  return extension_of(path) != ".h5" || File::open(path).root().exists("measured");
}

MeshMeasurement read_mesh_errors(const std::filesystem::path& path, const MeshTopology& topology) {
  if (extension_of(path) == ".h5") {
    const File file = File::open(path);
    refuse_newer_schema(file);
    validate(
        file.root().exists("measured"),
        "{}: no group measured (it holds the errors of a mesh; a whole chip has others). Give a file of optinc "
        "twin.",
        file.root().where());
    MeshMeasurement measured = load_measurement(file.root().open("measured"));
    require_fit(topology, measured.errors, path.string());
    return measured;
  }
  return measured_of_table(read_columns(path), topology);
}

void save_measurement(const Group& group, const MeshMeasurement& measured) {
  save_mesh_errors(group, measured.errors);
  const auto write = [&](std::string_view name, const Vector& p_pi_w, std::string_view meaning) {
    if (p_pi_w.size() > 0)
      group.dataset(name, {"mzi"}, std::vector<double>(p_pi_w.begin(), p_pi_w.end()), "W", meaning);
  };
  write("theta_pi_power", measured.theta_p_pi_w, "power for pi of the internal heater");
  write("phi_pi_power", measured.phi_p_pi_w, "power for pi of the external heater");
}

MeshMeasurement load_measurement(const Group& group) {
  MeshMeasurement measured{load_mesh_errors(group), {}, {}};
  const auto read = [&](std::string_view name, Vector& p_pi_w) {
    if (!group.exists(name)) return;
    const std::vector<double> values =
        finite_values(group, name, {static_cast<std::size_t>(measured.errors.alpha.size())});
    p_pi_w = Eigen::Map<const Vector>(values.data(), static_cast<Eigen::Index>(values.size()));
    validate((p_pi_w.array() > 0.0).all(), "{}: a power for pi of {} W (> 0). Set a value in this range.",
             group.where(name), p_pi_w.minCoeff());
  };
  read("theta_pi_power", measured.theta_p_pi_w);
  read("phi_pi_power", measured.phi_p_pi_w);
  return measured;
}

}  // namespace optinc
