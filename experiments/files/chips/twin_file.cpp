#include "experiments/files/chips/twin_file.hpp"

#include <cmath>
#include <iterator>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "experiments/files/chips/chip_file.hpp"
#include "experiments/files/chips/mesh_errors_file.hpp"
#include "experiments/files/chips/text_frame.hpp"
#include "experiments/files/hdf5/atomic_file.hpp"
#include "experiments/files/hdf5/provenance.hpp"
#include "experiments/files/hdf5/stored_values.hpp"
#include "experiments/files/readers/mesh_rows.hpp"
#include "experiments/files/readers/text.hpp"
#include "physics/core/check.hpp"
#include "physics/core/units.hpp"

namespace optinc {
namespace {

constexpr std::size_t most_readings = std::size_t{1} << 30;

std::vector<double> values_of(const Vector& v) { return {v.begin(), v.end()}; }

/// Three lengths of a dataset: settings, words, ports; those behind `fixed` are as they must be.
std::vector<std::size_t> shape_of(const Group& group, std::string_view name, std::size_t axes,
                                  std::string_view expected) {
  const std::vector<std::size_t> shape = group.shape(name);
  std::size_t count = 1;
  for (const std::size_t n : shape) {
    validate(n >= 1 && n <= most_readings / count,
             "{}: shape ({}) (at most {} numbers, none of length 0). Split it.", group.where(name),
             fmt::join(shape, ", "), most_readings);
    count *= n;
  }
  validate(shape.size() == axes, "{}: shape ({}) (expected {}). Write this shape.", group.where(name),
           fmt::join(shape, ", "), expected);
  return shape;
}

MeshTopology topology_of(const Group& root, std::size_t ports) {
  const std::string name = root.attributes().has("topology") ? root.attributes().text("topology") : "clements";
  validate(name == "clements" || name == "reck",
           "{}: attribute topology is \"{}\" (known: clements, reck). Write one of these.", root.where(),
           shown(name));
  constexpr std::size_t most = 1024;  // the normal equations of a larger mesh fit into no memory
  validate(ports <= most, "{}: {} ports (a twin has at most {}). Measure a part of the mesh.", root.where(),
           ports, most);
  return name == "reck" ? reck_topology(static_cast<int>(ports)) : clements_topology(static_cast<int>(ports));
}

/// Nominal phases, rad, of a table (settings, n).
std::vector<Vector> phases_of(const Group& root, std::string_view name, std::size_t settings, std::size_t n,
                              TwinMeasurement& measured, double drive_of_pi) {
  std::vector<double> values = finite_values(root, name, {settings, n});
  const Attributes attributes = root.attributes(name);
  const auto drive = value_of_name<TwinDrive>(attributes.has("units") ? attributes.text("units") : "rad");
  if (drive != TwinDrive::phase) {
    validate(std::isfinite(drive_of_pi) && drive_of_pi > 0,
             "{}: settings in {} without the nominal value for a phase of pi. Add --drive-of-pi {}.",
             root.where(name), name_of(drive), drive == TwinDrive::power ? "0.02" : "5");
    measured.drive_of_pi = drive_of_pi;
  }
  measured.drive = drive;
  for (double& x : values)
    if (drive != TwinDrive::phase)
      x = constants::pi * (drive == TwinDrive::power ? x / drive_of_pi : x * x / (drive_of_pi * drive_of_pi));
  std::vector<Vector> rows;
  for (std::size_t s = 0; s < settings; ++s)
    rows.push_back(Eigen::Map<const Vector>(values.data() + s * n, static_cast<Eigen::Index>(n)));
  return rows;
}

/// Fields (ports, words) from numbers (words, ports, 2).
Matrix fields_of(const double* values, std::size_t words, std::size_t ports) {
  Matrix fields(ports, words);
  for (Eigen::Index i = 0; i < fields.size(); ++i) fields.data()[i] = {values[2 * i], values[2 * i + 1]};
  return fields;
}

void read_readings(const Group& root, TwinData& data, std::size_t settings, std::size_t words,
                   std::size_t ports) {
  if (!root.exists("power")) {
    const std::vector<double> values = finite_values(root, "field", {settings, words, ports, 2});
    for (std::size_t s = 0; s < settings; ++s)
      data.fields.push_back(fields_of(values.data() + 2 * s * words * ports, words, ports));
    return;
  }
  const std::vector<double> values = root.read<double>("power", {settings, words, ports});
  for (const double power : values)
    validate(!std::isinf(power), "{}: a power is infinite (NaN says that nothing was read). Write NaN.",
             root.where("power"));
  for (std::size_t s = 0; s < settings; ++s)
    data.powers_w.emplace_back(Eigen::Map<const Eigen::MatrixXd>(
        values.data() + s * words * ports, static_cast<Eigen::Index>(ports), static_cast<Eigen::Index>(words)));
}

/// The measured mesh of a fit; heaters where powers were set.
MeshMeasurement mesh_of(const TwinMeasurement& measured, const TwinFit& fit) {
  MeshMeasurement mesh{fit.twin.errors, {}, {}};
  if (measured.drive == TwinDrive::power) {
    mesh.theta_p_pi_w = measured.drive_of_pi * fit.twin.theta_scale.cwiseInverse();
    mesh.phi_p_pi_w = measured.drive_of_pi * fit.twin.phi_scale.cwiseInverse();
  }
  return mesh;
}

std::string twin_csv(const TwinMeasurement& measured, const TwinFit& fit, std::string_view command) {
  const MeshMeasurement mesh = mesh_of(measured, fit);
  const MeshErrors& e = mesh.errors;
  std::vector<std::pair<std::string_view, const Vector*>> columns = {
      {"alpha_rad", &e.alpha},
      {"beta_rad", &e.beta},
      {"theta_offset_rad", &e.theta_offset},
      {"phi_offset_rad", &e.phi_offset},
      {"theta_arm_loss_db", &e.theta_arm_loss_db},
      {"phi_arm_loss_db", &e.phi_arm_loss_db},
      {"theta_other_loss_db", &e.theta_other_loss_db},
      {"phi_other_loss_db", &e.phi_other_loss_db}};
  if (mesh.theta_p_pi_w.size() > 0) {
    columns.emplace_back("theta_pi_power_w", &mesh.theta_p_pi_w);
    columns.emplace_back("phi_pi_power_w", &mesh.phi_p_pi_w);
  }
  std::string text = text_header('#', "OptINC: digital twin of a mesh", command, {});
  const auto out = std::back_inserter(text);
  fmt::format_to(out, "column,upper");
  for (const auto& [name, values] : columns) fmt::format_to(out, ",{}", name);
  const MeshTopology& t = measured.data.topology;
  Eigen::Index k = 0;
  for (int c = 0; c < t.columns(); ++c)
    for (const PortPair& at : t.column(c)) {
      fmt::format_to(out, "\n{},{}", c, at.upper);
      for (const auto& [name, values] : columns) fmt::format_to(out, ",{}", (*values)[k]);
      ++k;
    }
  return text + "\n" + text_footer('#');
}

void save_error(const Group& group, const TwinError& error) {
  group.attributes().set("readings", error.readings);
  group.attributes().set("rms", error.rms);
  group.attributes().set("rms_over_noise", error.sigma);
}

/// A twin's numbers beside those of save_mesh_errors(); what readings do not determine is NaN.
void save_twin(const Group& group, MeshTwin twin) {
  const auto known = [](Vector& v) {
    v = v.unaryExpr([](double x) { return std::isinf(x) ? std::numeric_limits<double>::quiet_NaN() : x; });
  };
  MeshErrors& e = twin.errors;
  for (Vector* v : {&e.alpha, &e.beta, &e.theta_offset, &e.phi_offset, &e.theta_arm_loss_db, &e.phi_arm_loss_db,
                    &e.theta_other_loss_db, &e.phi_other_loss_db, &e.output_offset, &twin.theta_scale,
                    &twin.phi_scale, &twin.input_gain_db, &twin.output_gain_db})
    known(*v);
  save_mesh_errors(group, e);
  group.dataset("input_gain", {"port"}, values_of(twin.input_gain_db), "dB", "power that an input port passes");
  group.dataset("output_gain", {"port"}, values_of(twin.output_gain_db), "dB",
                "power that an output port passes");
  if (e.alpha.size() == 0) return;
  group.dataset("theta_scale", {"mzi"}, values_of(twin.theta_scale), "1",
                "phase of the internal heater over the nominal phase");
  group.dataset("phi_scale", {"mzi"}, values_of(twin.phi_scale), "1",
                "phase of the external heater over the nominal phase");
}

void save_summary(const Group& group, const TwinFit& fit) {
  group.attributes().set("parameters", std::int64_t{fit.parameters});
  group.attributes().set("unseen_directions", std::int64_t{fit.unseen});
  group.attributes().set("outliers", fit.outliers);
  group.attributes().set("converged", std::int64_t{fit.converged});
  save_error(group.group("fitted"), fit.fitted);
  save_error(group.group("held_out"), fit.held_out);
  std::vector<std::string> names;
  std::vector<std::int64_t> fitted, told;
  std::vector<double> unseen, errors;
  for (const TwinKindReport& report : fit.kinds) {
    names.emplace_back(name_of(report.kind));
    fitted.push_back(report.fitted);
    told.push_back(report.told);
    unseen.push_back(report.unseen);
    errors.push_back(report.standard_error);
  }
  group.dimension("kind", names, "1", "kind of parameters");
  group.dataset("parameters_of_kind", {"kind"}, fitted, "1", "parameters that were fitted");
  group.dataset("determined", {"kind"}, told, "1", "parameters that readings determine one by one");
  group.dataset("unseen", {"kind"}, unseen, "1", "share in directions that change no reading, in directions");
  group.dataset("standard_error_rms", {"kind"}, errors, "1",
                "rms standard error of the determined ones, in rad, 1 or dB as the kind has it");
}

}  // namespace

TwinMeasurement read_twin_measurement(const std::filesystem::path& path, double drive_of_pi) {
  const File file = File::open(path);
  refuse_newer_schema(file);
  const Group root = file.root();
  validate(
      root.exists("power") != root.exists("field"),
      "{}: {} datasets power and field (one of them holds the readings). Write one, (setting, word, port).",
      root.where(), root.exists("power") ? "both" : "neither of the");
  const bool powers = root.exists("power");
  const std::vector<std::size_t> shape = powers ? shape_of(root, "power", 3, "setting, word, port")
                                                : shape_of(root, "field", 4, "setting, word, port, 2");
  const std::size_t settings = shape[0], words = shape[1], ports = shape[2];
  TwinMeasurement measured;
  TwinData& data = measured.data;
  data.topology = topology_of(root, ports);
  const std::size_t mzis = data.topology.mzis.size();
  const std::vector<Vector> theta = phases_of(root, "theta", settings, mzis, measured, drive_of_pi),
                            phi = phases_of(root, "phi", settings, mzis, measured, drive_of_pi);
  std::vector<double> screen(settings * ports, 0.0);
  if (root.exists("output_phase")) screen = finite_values(root, "output_phase", {settings, ports});
  for (std::size_t s = 0; s < settings; ++s)
    data.settings.push_back(
        {theta[s], phi[s], Eigen::Map<const Vector>(screen.data() + s * ports, data.topology.ports)});
  if (root.exists("input")) {
    data.inputs = fields_of(finite_values(root, "input", {words, ports, 2}).data(), words, ports);
  } else {
    validate(
        words == ports,
        "{}: {} words for {} ports without a dataset input (without one, 1 W enters one port after the other). "
        "Write input, (word, port, 2).",
        root.where(), words, ports);
    data.inputs = Matrix::Identity(data.topology.ports, data.topology.ports);
  }
  read_readings(root, data, settings, words, ports);
  return measured;
}

void write_twin_settings(const std::filesystem::path& path, const MeshTopology& topology,
                         std::span<const MeshProgram> settings, std::string_view command, bool force) {
  AtomicFile out(path, force);
  sign_file(out.file(), "OptINC: settings to be measured for a digital twin", command);
  const Group root = out.file().root();
  root.attributes().set("topology", topology == reck_topology(topology.ports) ? "reck" : "clements");
  root.attributes().set("ports", std::int64_t{topology.ports});
  root.counting_dimension("setting", settings.size(), "setting of all phases");
  root.counting_dimension("mzi", topology.mzis.size(), "MZI in column order, top to bottom in a column");
  std::vector<double> theta, phi;
  for (const MeshProgram& setting : settings) {
    theta.insert(theta.end(), setting.theta.begin(), setting.theta.end());
    phi.insert(phi.end(), setting.phi.begin(), setting.phi.end());
  }
  root.dataset("theta", {"setting", "mzi"}, theta, "rad", "internal phase");
  root.dataset("phi", {"setting", "mzi"}, phi, "rad", "external phase");
  out.commit();
}

void require_twin_extension(const std::filesystem::path& path) {
  validate(extension_of(path) == ".h5" || extension_of(path) == ".csv",
           "{}: extension \"{}\" is unknown for a twin (known: .h5, .csv). Write one of these.", path.string(),
           shown(extension_of(path)));
}

void write_twin(const std::filesystem::path& path, const TwinMeasurement& measured, const TwinFit& fit,
                std::string_view command, bool force) {
  require_twin_extension(path);
  if (extension_of(path) == ".csv") return write_text_file(path, twin_csv(measured, fit, command), force);
  AtomicFile out(path, force);
  sign_file(out.file(), "OptINC: digital twin of a mesh", command);
  const Group root = out.file().root();
  save_measurement(root.group("measured"), mesh_of(measured, fit));
  save_twin(root.group("twin"), fit.twin);
  save_twin(root.group("standard_error"), fit.standard_error);
  save_summary(root.group("fit"), fit);
  out.commit();
}

}  // namespace optinc
