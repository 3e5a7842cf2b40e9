#include <fmt/format.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "python/bindings/arrays.hpp"
#include "python/bindings/bindings.hpp"
#include "python/bindings/floor_plans.hpp"
#include "python/bindings/settings.hpp"
#include "python/bindings/wiring.hpp"

namespace optinc::bindings {
namespace {

/// x and y of every site, in an array of `shape` and an axis of two behind it.
Array<double> array_of_sites(const Sites& sites, std::vector<std::size_t> shape) {
  shape.push_back(2);
  auto array = new_array<double>(shape);
  for (Eigen::Index k = 0; k < sites.count(); ++k) {
    array.data()[2 * k] = sites.x_m[k];
    array.data()[2 * k + 1] = sites.y_m[k];
  }
  return array;
}
Array<double> array_of_sites(const Sites& sites) {
  return array_of_sites(sites, {static_cast<std::size_t>(sites.count())});
}

void sites(nb::class_<PlacedMesh>& c, const char* name, Sites MeshFloorPlan::*member, const char* meaning) {
  c.def_prop_ro(
      name, [member](const PlacedMesh& m) { return array_of_sites(m.plan.*member); }, nb::rv_policy::reference,
      meaning);
}

/// Of every port in every column.
void arms(nb::class_<PlacedMesh>& c, const char* name, Sites MeshFloorPlan::*member, const char* meaning) {
  c.def_prop_ro(
      name,
      [member](const PlacedMesh& m) {
        return array_of_sites(m.plan.*member, {static_cast<std::size_t>(m.topology.columns()),
                                               static_cast<std::size_t>(m.topology.ports)});
      },
      nb::rv_policy::reference, meaning);
}

std::string described(const PlacedMesh& m) {
  return fmt::format("<MeshFloorPlan: {}, {} MZIs, {:.3f} x {:.3f} mm>", m.name, m.topology.mzi_count(),
                     1e3 * m.plan.length_m, 1e3 * m.plan.width_m);
}

}  // namespace

void bind_layout(nb::module_& m) {
  settings<FloorPlanSettings>(
      m, "FloorPlanSettings",
      "Dimensions of one MZI's box, along x: phi arms, coupler, theta arms, coupler.\n\n"
      "An arm is mzi_length_m / 2 - coupler_length_m long, and ports are mzi_width_m / 2 apart. Impossible "
      "values\n"
      "raise ValueError where the settings are used.")
      .def(nb::init<>())
      .def_rw("mzi_length_m", &FloorPlanSettings::mzi_length_m, "Length of the box, along x [m].")
      .def_rw("mzi_width_m", &FloorPlanSettings::mzi_width_m, "Width of the box, two ports [m].")
      .def_rw("coupler_length_m", &FloorPlanSettings::coupler_length_m, "Length of a coupler [m].")
      .def_rw("heater_length_m", &FloorPlanSettings::heater_length_m,
              "Length of a heater, in the middle of its arm [m].");

  nb::class_<PlacedMesh> mesh(
      m, "MeshFloorPlan",
      "Where the devices of one mesh lie, by their centres. Made by floor_plan() of meshes.\n\n"
      "Light runs along x, and port 0 has the smallest y. MZIs in the order of the mesh. Arrays are copies.");
  mesh.def_ro("name", &PlacedMesh::name, "\"mesh\", or its name in a unit: \"layer0/block0/mesh\".")
      .def_ro("settings", &PlacedMesh::settings, nb::rv_policy::copy, "The dimensions of its MZIs, a copy.");
  wiring(mesh, [](const PlacedMesh& p) -> const MeshTopology& { return p.topology; });
  sites(mesh, "alpha_m", &MeshFloorPlan::alpha, "First splitters (x, y) [m], float64 (MZIs, 2).");
  sites(mesh, "beta_m", &MeshFloorPlan::beta, "Second splitters (x, y) [m], float64 (MZIs, 2).");
  sites(mesh, "theta_m", &MeshFloorPlan::theta, "Heaters of theta (x, y) [m], float64 (MZIs, 2).");
  sites(mesh, "phi_m", &MeshFloorPlan::phi, "Heaters of phi (x, y) [m], float64 (MZIs, 2).");
  sites(mesh, "output_m", &MeshFloorPlan::output,
        "Heaters of the output phases (x, y) [m], float64 (ports, 2).");
  mesh.def_prop_ro(
      "heaters_m", [](const PlacedMesh& p) { return array_of_sites(heater_sites(p.plan)); },
      nb::rv_policy::reference,
      "All heaters (x, y) [m], float64 (2 MZIs + ports, 2): those of theta, of phi, of the output phases.");
  arms(mesh, "theta_arms_m", &MeshFloorPlan::theta_arms,
       "Waveguides in the stage of theta, of every port in every column (x, y) [m], float64 (columns, ports, "
       "2).");
  arms(
      mesh, "phi_arms_m", &MeshFloorPlan::phi_arms,
      "Waveguides in the stage of phi, of every port in every column (x, y) [m], float64 (columns, ports, 2).");
  mesh.def_prop_ro(
          "corner_m", [](const PlacedMesh& p) { return std::pair(p.plan.x_m, p.plan.y_m); },
          "Corner of its bounding box with the smallest x and y [m].")
      .def_prop_ro(
          "arm_length_m", [](const PlacedMesh& p) { return p.plan.arm_length_m; }, "Length of every arm [m].")
      .def_prop_ro(
          "length_m", [](const PlacedMesh& p) { return p.plan.length_m; },
          "Length of its bounding box, along x [m].")
      .def_prop_ro(
          "width_m", [](const PlacedMesh& p) { return p.plan.width_m; },
          "Width of its bounding box, along y [m].")
      .def_prop_ro(
          "area_m2", [](const PlacedMesh& p) { return p.plan.area_m2(); }, "Area of its bounding box [m^2].")
      .def("__repr__", [](const PlacedMesh& placed) { return described(placed); });

  nb::class_<PlacedUnit>(m, "UnitFloorPlan",
                         "Where the meshes of a unit lie on one die. Made by Unit.floor_plan().")
      .def_ro("meshes", &PlacedUnit::meshes, nb::rv_policy::copy,
              "MeshFloorPlan of every mesh, by layer and block; a block's attenuators follow its mesh.")
      .def_ro("settings", &PlacedUnit::settings, nb::rv_policy::copy, "The dimensions of all MZIs, a copy.")
      .def_ro("length_m", &PlacedUnit::length_m, "Length of the box around all meshes, along x [m].")
      .def_ro("width_m", &PlacedUnit::width_m, "Width of the box around all meshes, along y [m].")
      .def_prop_ro(
          "area_m2", [](const PlacedUnit& p) { return p.length_m * p.width_m; },
          "Area of the box around all meshes, gaps included [m^2].")
      .def("__repr__", [](const PlacedUnit& p) {
        return fmt::format("<UnitFloorPlan: {} meshes, {:.2f} x {:.2f} mm>", p.meshes.size(), 1e3 * p.length_m,
                           1e3 * p.width_m);
      });
}

}  // namespace optinc::bindings
