#include "physics/mesh/twin/plan_twin.hpp"

#include <algorithm>
#include <cmath>

#include "physics/core/check.hpp"
#include "physics/core/check_values.hpp"
#include "physics/core/units.hpp"
#include "physics/mesh/twin/detail/twin_problem.hpp"
#include "physics/mesh/twin/identifiability.hpp"
#include "physics/mesh/twin/twin_settings_rows.hpp"
#include "physics/random/stream.hpp"

namespace optinc {
namespace {

/// What a number of settings tell, if they read what the twin predicts.
struct Outlook {
  std::vector<TwinKindReport> kinds;
  Eigen::Index unseen = 0;
};

class Planner {
 public:
  Planner(const MeshTopology& topology, const Matrix& inputs, const TwinSettings& settings,
          const TwinPlanSettings& plan, const MeshTwin& like)
      : settings_(settings),
        plan_(plan),
        like_(like),
        parameters_(topology, fitted_kinds(settings, plan.fields)),
        data_{topology, {}, inputs, {}, {}} {}

  Eigen::Index parameters() const { return parameters_.size(); }

  /// The outlook of settings 0 .. count - 1.
  Outlook outlook(std::size_t count) {
    std::vector<std::size_t> more;
    for (std::size_t s = data_.settings.size(); s < count; ++s) {
      more.push_back(s);
      data_.settings.push_back(twin_setting(data_.topology, plan_.seed, static_cast<std::uint32_t>(s)));
      const Matrix out = twin_fields(data_.topology, like_, data_.settings.back(), data_.inputs);
      if (plan_.fields)
        data_.fields.push_back(out);
      else
        data_.powers_w.push_back(out.cwiseAbs2());
    }
    const TwinProblem problem(data_, settings_, parameters_, more);
    const auto rows = problem.rows(), columns = static_cast<Eigen::Index>(more.size());
    Eigen::MatrixXd here = problem.normal(like_, Eigen::MatrixXd::Zero(rows, columns), 1.0).matrix;
    if (information_.size() == 0)
      information_ = std::move(here);
    else
      information_ += here;
    const Identifiability told = identifiability(information_, 2 * data_.topology.ports);
    return {reports_of(parameters_, told.unseen_share(), told.variance), told.unseen.cols()};
  }

 private:
  const TwinSettings& settings_;
  const TwinPlanSettings& plan_;
  const MeshTwin& like_;
  TwinParameters parameters_;
  TwinData data_;
  Eigen::MatrixXd information_;
};

double worst_splitter_error(const std::vector<TwinKindReport>& kinds) {
  double worst = 0.0;
  for (const TwinKindReport& kind : kinds)
    if ((kind.kind == TwinKind::alpha || kind.kind == TwinKind::beta) && kind.told > 0)
      worst = std::max(worst, kind.standard_error);
  return worst;
}

}  // namespace

MeshProgram twin_setting(const MeshTopology& topology, std::uint64_t seed, std::uint32_t number) {
  Stream stream(seed, Purpose::twin_settings, 0, number);
  const auto phases = [&](Eigen::Index count) -> Vector {
    return Vector::NullaryExpr(count, [&] { return 2 * constants::pi * stream.uniform(); });
  };
  MeshProgram setting;
  setting.theta = phases(topology.mzi_count());
  setting.phi = phases(topology.mzi_count());
  setting.output_phase = Vector::Zero(topology.ports);
  return setting;
}

TwinPlan plan_twin(const MeshTopology& topology, const Matrix& inputs, const TwinSettings& settings,
                   const TwinPlanSettings& plan, const MeshTwin& like) {
  validate_rows(settings);
  validate_topology(topology);
  validate(inputs.rows() == topology.ports && inputs.cols() >= 1 && inputs.allFinite(),
           "inputs of {} x {} for a mesh of {} ports (ports x words, finite). Give a row a port.",
           inputs.rows(), inputs.cols(), topology.ports);
  validate_positive("splitter_error_rad", plan.splitter_error_rad);
  validate_field(settings.splitters, "splitters",
                 "false (a plan aims at their standard error). Set it to true.");
  validate_field(settings.noise > 0.0 || settings.noise_relative > 0.0, "noise",
                 "0 (the number of settings depends on it). Set the error of a reading.");
  Planner planner(topology, inputs, settings, plan, like);
  const auto readings = static_cast<double>(topology.ports * inputs.cols() * (plan.fields ? 2 : 1));
  auto count = static_cast<std::size_t>(std::ceil(static_cast<double>(planner.parameters()) / readings)) + 1;
  const auto require_short = [&](double wanted) {
    validate(wanted <= plan.most_settings,
             "a plan of {:.0f} settings (at most {}). Set a larger splitter_error_rad, or send more words.",
             wanted, plan.most_settings);
  };
  require_short(static_cast<double>(count));
  Outlook now = planner.outlook(count);
  double wanted = 0.0;
  for (;;) {  // until more settings bring no new direction, and there are enough of them to tell what others do
    require_short(2.0 * static_cast<double>(count));
    Outlook next = planner.outlook(2 * count);
    count *= 2;
    const bool complete = next.unseen == now.unseen;
    now = std::move(next);
    const double ratio = worst_splitter_error(now.kinds) / plan.splitter_error_rad;
    wanted = std::max(2.0, std::ceil(static_cast<double>(count) * ratio * ratio));
    const bool many = static_cast<double>(count) * readings >= 8.0 * static_cast<double>(planner.parameters());
    if (complete && (wanted <= static_cast<double>(count) || many)) break;
  }
  wanted = std::max(wanted, std::ceil(static_cast<double>(count) / 2));
  TwinPlan made;
  made.parameters = planner.parameters();
  made.unseen = now.unseen;
  made.kinds = std::move(now.kinds);
  for (TwinKindReport& kind : made.kinds) kind.standard_error *= std::sqrt(static_cast<double>(count) / wanted);
  const double total = std::ceil(wanted / (1 - settings.held_out));
  require_short(total);
  for (std::uint32_t s = 0; s < static_cast<std::uint32_t>(total); ++s)
    made.settings.push_back(twin_setting(topology, plan.seed, s));
  return made;
}

}  // namespace optinc
