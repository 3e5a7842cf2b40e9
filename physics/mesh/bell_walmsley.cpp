#include "physics/mesh/bell_walmsley.hpp"

#include <algorithm>

#include "physics/core/check.hpp"
#include "physics/core/units.hpp"
#include "physics/devices/phase_shifter.hpp"
#include "physics/mesh/decomposition.hpp"

namespace optinc {
namespace {

/// What light meets in a column of a rectangular mesh from top to bottom: an MZI or a passing port.
struct Place {
  int port;       ///< upper one of an MZI
  int mzi = -1;   ///< -1: a passing port
  int edge = -1;  ///< then its number among all passages
};

/// All columns of the rectangle, places top to bottom.
std::vector<std::vector<Place>> places_of(const MeshTopology& t) {
  std::vector<std::vector<Place>> columns;
  int edge = 0, mzi = 0;
  for (int c = 0; c < t.columns(); ++c) {
    auto& places = columns.emplace_back();
    const auto pairs = t.column(c);
    auto next = pairs.begin();
    for (int p = 0; p < t.ports; ++p) {
      if (next != pairs.end() && next->upper == p) {
        places.push_back({p, mzi++, -1});
        ++next;
        ++p;
      } else {
        places.push_back({p, -1, edge++});
      }
    }
  }
  return columns;
}

int passages(const std::vector<std::vector<Place>>& columns) {
  int count = 0;
  for (const auto& places : columns)
    for (const Place& place : places) count += place.edge >= 0 ? 1 : 0;
  return count;
}

/// The place of a column whose common phase is free, as only differences count behind it: a passing port, which
/// then needs no shifter, or else the first MZI.
std::size_t free_place(const std::vector<Place>& places) {
  for (std::size_t i = 0; i < places.size(); ++i)
    if (places[i].edge >= 0) return i;
  return 0;
}

void require_size(const char* what, Eigen::Index size, Eigen::Index wanted, int ports) {
  validate(size == wanted, "{} has {} values for a rectangular mesh of {} ports (which has {}). Give {}.", what,
           size, ports, wanted, wanted);
}

}  // namespace

int SymmetricShifters::count() const {
  int all = 0;
  for (const auto* which : {&upper, &lower, &input_phase, &edge_phase, &output_phase})
    all += static_cast<int>(std::count(which->begin(), which->end(), true));
  return all;
}

SymmetricShifters bell_walmsley_shifters(int ports) {
  const MeshTopology t = clements_topology(ports);
  const auto columns = places_of(t);
  const auto mzis = static_cast<std::size_t>(t.mzi_count()), n = static_cast<std::size_t>(ports);
  SymmetricShifters s{std::vector<bool>(mzis, true), std::vector<bool>(mzis, true), std::vector<bool>(n, false),
                      std::vector<bool>(static_cast<std::size_t>(passages(columns)), false),
                      std::vector<bool>(n, columns.empty())};
  for (std::size_t c = 0; c < columns.size(); ++c) {
    const bool first = c == 0, last = c + 1 == columns.size();
    const std::size_t free = free_place(columns[c]);
    for (std::size_t i = 0; i < columns[c].size(); ++i) {
      const Place& place = columns[c][i];
      const auto port = static_cast<std::size_t>(place.port);
      if (first && place.mzi >= 0) s.input_phase[port] = true;
      if (last) s.output_phase[place.mzi >= 0 ? port + 1 : port] = true;
      if (!last && i == free && place.mzi >= 0) s.lower[static_cast<std::size_t>(place.mzi)] = false;
      if (!last && i != free && place.edge >= 0) s.edge_phase[static_cast<std::size_t>(place.edge)] = true;
    }
  }
  return s;
}

SymmetricProgram bell_walmsley_program(const MeshProgram& program) {
  const auto ports = static_cast<int>(program.output_phase.size());
  const MeshTopology t = clements_topology(ports);
  require_size("theta", program.theta.size(), t.mzi_count(), ports);
  require_size("phi", program.phi.size(), t.mzi_count(), ports);
  const auto columns = places_of(t);
  SymmetricProgram s{Vector::Zero(t.mzi_count()), Vector::Zero(t.mzi_count()), Vector::Zero(ports),
                     Vector::Zero(passages(columns)), Vector::Zero(ports)};
  // lead[p]: what a field of the standard mesh has more in phase than that of this one, in front of the column
  Vector lead = Vector::Zero(ports);
  for (std::size_t c = 0; c < columns.size(); ++c) {
    const auto& places = columns[c];
    if (c == 0)
      for (const Place& place : places)
        if (place.mzi >= 0) {
          s.input_phase[place.port] = wrap_phase(program.phi[place.mzi]);
          lead[place.port] = -program.phi[place.mzi];
        }
    // By now the difference of leads makes phi: T diag(lead) = e^{i (theta/2 + lead_lower)} R(theta),
    // which is e^{i common} R(theta) but for a phase on both outputs.
    Vector lead_behind(static_cast<Eigen::Index>(places.size()));  // with a common phase of 0
    for (std::size_t i = 0; i < places.size(); ++i) {
      const Place& place = places[i];
      lead_behind[static_cast<Eigen::Index>(i)] =
          place.mzi >= 0 ? program.theta[place.mzi] / 2 + lead[place.port + 1] : lead[place.port];
    }
    // Common phases: what the next column's MZIs want between neighbouring places, from the free one on
    Vector common = Vector::Zero(lead_behind.size());
    if (c + 1 < columns.size()) {
      const auto free = static_cast<Eigen::Index>(free_place(places));
      if (places[static_cast<std::size_t>(free)].mzi >= 0)  // the lower arm without a shifter
        common[free] = program.theta[places[static_cast<std::size_t>(free)].mzi] / 2;
      std::vector<double> wanted(places.size(), 0.0);  // phi of the MZI that joins places i and i + 1
      for (const Place& next : columns[c + 1])
        if (next.mzi >= 0)
          for (std::size_t i = 0; i + 1 < places.size(); ++i)
            if (places[i + 1].port == next.port + 1) wanted[i] = program.phi[next.mzi];
      for (Eigen::Index i = free + 1; i < common.size(); ++i)
        common[i] =
            common[i - 1] + lead_behind[i] - lead_behind[i - 1] - wanted[static_cast<std::size_t>(i - 1)];
      for (Eigen::Index i = free; i-- > 0;)
        common[i] = common[i + 1] + lead_behind[i] - lead_behind[i + 1] + wanted[static_cast<std::size_t>(i)];
    } else {
      for (std::size_t i = 0; i < places.size(); ++i)  // an MZI turns its upper output as the screen would
        if (places[i].mzi >= 0)
          common[static_cast<Eigen::Index>(i)] =
              lead_behind[static_cast<Eigen::Index>(i)] + program.output_phase[places[i].port];
    }
    for (std::size_t i = 0; i < places.size(); ++i) {
      const Place& place = places[i];
      const auto at = static_cast<Eigen::Index>(i);
      lead[place.port] = lead_behind[at] - common[at];
      if (place.mzi >= 0) {
        lead[place.port + 1] = lead[place.port];
        const auto arms = push_pull(program.theta[place.mzi], common[at]);
        s.upper[place.mzi] = wrap_phase(arms.upper);
        s.lower[place.mzi] = wrap_phase(arms.lower);
      } else {
        s.edge_phase[place.edge] = wrap_phase(common[at]);
      }
    }
  }
  const SymmetricShifters shifters = bell_walmsley_shifters(ports);
  for (int p = 0; p < ports; ++p)
    if (shifters.output_phase[static_cast<std::size_t>(p)])
      s.output_phase[p] = wrap_phase(program.output_phase[p] + lead[p]);
  return s;
}

SymmetricProgram decompose_bell_walmsley(const Matrix& unitary) {
  return bell_walmsley_program(decompose_clements(unitary));
}

MeshBlocks mesh_blocks(const SymmetricProgram& program, std::span<const SymmetricMziErrors> errors,
                       double idle_loss_db) {
  const auto ports = static_cast<int>(program.output_phase.size());
  const MeshTopology t = clements_topology(ports);
  const auto columns = places_of(t);
  require_size("upper", program.upper.size(), t.mzi_count(), ports);
  require_size("lower", program.lower.size(), t.mzi_count(), ports);
  require_size("input_phase", program.input_phase.size(), ports, ports);
  require_size("edge_phase", program.edge_phase.size(), passages(columns), ports);
  if (!errors.empty()) require_size("errors", static_cast<Eigen::Index>(errors.size()), t.mzi_count(), ports);
  MeshBlocks mesh;
  mesh.idle_factor = field_ratio_of_loss_db(idle_loss_db);
  Eigen::VectorXcd in_front(ports);  // phase factors that wait for the next block of their port
  for (int p = 0; p < ports; ++p) in_front[p] = phase_shifter(program.input_phase[p]);
  for (const auto& places : columns)
    for (const Place& place : places) {
      if (place.edge >= 0) {
        in_front[place.port] *= phase_shifter(program.edge_phase[place.edge]);
        continue;
      }
      const auto k = static_cast<std::size_t>(place.mzi);
      mesh.blocks.push_back(symmetric_mzi({program.upper[place.mzi], program.lower[place.mzi]},
                                          errors.empty() ? SymmetricMziErrors{} : errors[k]) *
                            in_front.segment<2>(place.port).asDiagonal());
      in_front.segment<2>(place.port).setOnes();
    }
  mesh.screen.resize(ports);
  for (int p = 0; p < ports; ++p) mesh.screen[p] = in_front[p] * phase_shifter(program.output_phase[p]);
  return mesh;
}

}  // namespace optinc
