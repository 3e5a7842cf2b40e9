#pragma once

#include <span>
#include <string>
#include <vector>

#include "physics/core/field.hpp"
#include "physics/core/warning.hpp"
#include "physics/mesh/topology.hpp"

namespace optinc {

/// Positions of devices of one kind on the die, m; shape (devices) each.
struct Sites {
  Vector x_m, y_m;
  /// Places.
  Eigen::Index count() const { return x_m.size(); }
};

/// Dimensions of one MZI's box, m. Light runs along x; the box is
///
///     | phi arms | alpha coupler | theta arms | beta coupler |      arm length = mzi_length / 2 -
///     coupler_length
///
/// and two ports wide, so that the port pitch is mzi_width / 2. Default 200 x 50 um (assumed; 100..300 x
/// 20..60 um are built); heater length of Harris et al. 2014, Opt. Express 22, 10487. Whatever the coupler
/// length, device centres follow each other at a quarter of the MZI length.
struct FloorPlanSettings {
  double mzi_length_m = 200e-6;
  double mzi_width_m = 50e-6;
  double coupler_length_m = 20e-6;
  double heater_length_m = 61.6e-6;  ///< centred on its arm
};

/// Length of the waveguide between two couplers, m: mzi_length / 2 - coupler_length.
double arm_length_m(const FloorPlanSettings& settings);

/// Throws Error unless lengths are finite and positive (coupler >= 0) and couplers and heater fit into the MZI.
void validate_floor_plan(const FloorPlanSettings& settings);

/// Legal values outside the range of built devices (see FloorPlanSettings), one line each.
std::vector<Warning> floor_plan_warnings(const FloorPlanSettings& settings);

/// Where everything of one mesh lies on the die, by the centre of each device. MZIs in topology order; arms of
/// every port in every column, also of those that pass it without an MZI, at column * ports + port.
struct MeshFloorPlan {
  Sites alpha, beta;           ///< first and second splitter (MZIs)
  Sites theta, phi;            ///< heaters, on the upper arms (MZIs)
  Sites theta_arms, phi_arms;  ///< waveguides of both stages (columns * ports)
  Sites output;                ///< heaters of the output screen (ports)
  double arm_length_m = 0;     ///< of both stages and of the screen
  double x_m = 0, y_m = 0;     ///< corner of the bounding box that is nearest to the die's origin
  double length_m = 0;  ///< of the bounding box, along x: columns * mzi_length + arm length of the screen
  double width_m = 0;   ///< along y: ports * pitch

  /// Of the rectangle around it, m^2.
  double area_m2() const { return length_m * width_m; }
};

/// Floor plan of a mesh: column c spans x = c * mzi_length .., port p lies at y = (p + 1/2) * pitch. In a
/// column with an MZI on ports that are not neighbours (butterfly) the MZIs stand below each other in topology
/// order, the other ports after them; the crossings that lead there take no room. `x_m`, `y_m`: corner of the
/// bounding box. Throws Error as validate_floor_plan and validate_topology do, or for a corner that is not
/// finite.
MeshFloorPlan floor_plan(const MeshTopology& topology, const FloorPlanSettings& settings = {}, double x_m = 0.0,
                         double y_m = 0.0);

/// Every heater of a mesh in the order theta (MZIs), phi (MZIs), output screen (ports); shape (2 MZIs + ports).
Sites heater_sites(const MeshFloorPlan& plan);

/// Sites of several lists, one list after the other.
Sites joined(std::span<const Sites* const> parts);

}  // namespace optinc
