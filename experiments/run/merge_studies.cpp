#include "experiments/run/merge_studies.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "experiments/files/hdf5/atomic_file.hpp"
#include "experiments/files/hdf5/provenance.hpp"
#include "experiments/run/output_state.hpp"
#include "experiments/run/write_results.hpp"
#include "physics/core/check.hpp"

namespace optinc {
namespace {

namespace fs = std::filesystem;

/// Every key that tells two studies apart, with both values.
std::string difference(const StudyConfig& a, const StudyConfig& b) {
  const auto left = config_entries(a), right = config_entries(b);
  std::vector<std::string> differ;
  for (std::size_t i = 0; i < left.size(); ++i)
    if (left[i].info.changes_results && left[i].value != right[i].value)
      differ.push_back(fmt::format("{} = {} here and {} there", left[i].name(), toml_text(left[i].value),
                                   toml_text(right[i].value)));
  for (std::size_t i = 0; i < std::min(a.sweeps.size(), b.sweeps.size()); ++i)
    if (a.sweeps[i] != b.sweeps[i])
      differ.push_back(fmt::format("[[sweep]] {} has other points", a.sweeps[i].name));
  if (a.sweeps.size() != b.sweeps.size())
    differ.push_back(fmt::format("{} sweeps here and {} there", a.sweeps.size(), b.sweeps.size()));
  return fmt::format("{}", fmt::join(differ, ", "));
}

/// Throws Error where two files were computed by programs that may round differently.
void require_same_build(const fs::path& first, const fs::path& other) {
  const File a = File::open(first), b = File::open(other);
  for (const char* name : {"optinc_version", "build_target", "compiler"}) {
    const std::string one = a.root().attributes().text(name), two = b.root().attributes().text(name);
    validate(one == two,
             "{}: another build than {} ({} \"{}\" here and \"{}\" there). Run all shards with one build.",
             other.string(), first.string(), name, two, one);
  }
}

bool same_targets(const StudyInputs& a, const StudyInputs& b) {
  return std::equal(a.targets.begin(), a.targets.end(), b.targets.begin(), b.targets.end(),
                    [](const MeshTarget& x, const MeshTarget& y) {
                      return x.source == y.source && x.matrix.rows() == y.matrix.rows() && x.matrix == y.matrix;
                    });
}

bool same_values(const Vector& a, const Vector& b) { return std::ranges::equal(a, b); }

bool same_errors(const MeshErrors& a, const MeshErrors& b) {
  return same_values(a.alpha, b.alpha) && same_values(a.beta, b.beta) &&
         same_values(a.theta_offset, b.theta_offset) && same_values(a.phi_offset, b.phi_offset) &&
         same_values(a.theta_arm_loss_db, b.theta_arm_loss_db) &&
         same_values(a.phi_arm_loss_db, b.phi_arm_loss_db) &&
         same_values(a.theta_other_loss_db, b.theta_other_loss_db) &&
         same_values(a.phi_other_loss_db, b.phi_other_loss_db) &&
         same_values(a.output_offset, b.output_offset) && a.idle_arm_loss_db == b.idle_arm_loss_db;
}

bool same_measured(const StudyInputs& a, const StudyInputs& b) {
  return std::ranges::equal(a.measured, b.measured, [](const MeasuredMesh& x, const MeasuredMesh& y) {
    return x.source == y.source && same_errors(x.found.errors, y.found.errors) &&
           same_values(x.found.theta_p_pi_w, y.found.theta_p_pi_w) &&
           same_values(x.found.phi_p_pi_w, y.found.phi_p_pi_w);
  });
}

bool same_crosstalk(const StudyInputs& a, const StudyInputs& b) {
  return std::ranges::equal(
      a.crosstalks, b.crosstalks, [](const MeasuredCrosstalk& x, const MeasuredCrosstalk& y) {
        return x.source == y.source && std::ranges::equal(x.rad_per_rad.reshaped(), y.rad_per_rad.reshaped());
      });
}

bool same_chips(const StudyInputs& a, const StudyInputs& b) {
  const auto block = [](const BlockErrors& x, const BlockErrors& y) {
    return same_errors(x.mesh, y.mesh) && same_errors(x.attenuators, y.attenuators);
  };
  const auto layer = [&](const std::vector<BlockErrors>& x, const std::vector<BlockErrors>& y) {
    return std::ranges::equal(x, y, block);
  };
  return std::ranges::equal(a.chips, b.chips, [&](const MeasuredChip& x, const MeasuredChip& y) {
    return x.source == y.source && std::ranges::equal(x.errors.layers, y.errors.layers, layer);
  });
}

bool same_network(const StudyInputs& a, const StudyInputs& b) {
  const auto layer = [](const SigmaULayer& x, const SigmaULayer& y) {
    return x.unitary == y.unitary && x.sigma == y.sigma && x.bias == y.bias;
  };
  const auto equal = [&](const PreparedNetwork& x, const PreparedNetwork& y) {
    return std::equal(x.network.layers.begin(), x.network.layers.end(), y.network.layers.begin(),
                      y.network.layers.end(), layer);
  };
  return std::equal(a.networks.begin(), a.networks.end(), b.networks.begin(), b.networks.end(), equal);
}

}  // namespace

void merge_studies(const std::vector<fs::path>& shards, const RunOptions& options) {
  require_not_input(options.output, shards);
  const OutputState there = require_free_output(options);
  validate(there.journal == Beside::nothing && there.training == Beside::nothing,
           "{}: a run or a training of that output is under way or was not finished. Choose another output.",
           options.output.string());
  const OutputLock held(options.output);
  require_writable_output(options.output, options.force);  // another merge may have ended before we held it
  std::optional<StudyState> whole;
  for (const fs::path& path : shards) {
    const StudyState part = read_state(path);
    require_same_build(shards.front(), path);
    if (!whole) {
      whole = StudyState{part.config, {}, part.inputs, part.records, {}, {}, part.revisions};
      continue;
    }
    validate(run_id(part.config) == run_id(whole->config),
             "{}: another study than {} ({}). Merge shards of one study only.", path.string(),
             shards.front().string(), difference(part.config, whole->config));
    const auto require_same = [&](bool same, std::string_view what) {
      validate(
          same,
          "{}: other {} than {} (the file was changed between the two runs). Run all shards with one file.",
          path.string(), what, shards.front().string());
    };
    require_same(same_targets(*part.inputs, *whole->inputs), "matrices of mesh.target");
    require_same(same_measured(*part.inputs, *whole->inputs), "errors of mesh.measured");
    require_same(same_crosstalk(*part.inputs, *whole->inputs), "crosstalk of mesh.measured_crosstalk");
    require_same(same_chips(*part.inputs, *whole->inputs), "errors of chip.measured");
    validate(same_network(*part.inputs, *whole->inputs),
             "{}: another network than {} (trained on another machine or build). Train it once with optinc "
             "train and set network.source.",
             path.string(), shards.front().string());
    if (const auto differs = contradiction(part, *whole))
      throw Error(
          fmt::format("{}: trial {} of point {} has other values than in the files before it (one of them was "
                      "changed since it was "
                      "written). Find out which; optinc replay computes a trial again.",
                      path.string(), differs->second, differs->first));
    add_state(part, *whole);
  }
  add_revision(*whole, shards.front(), options);
  require_data(whole->config);
  const TrialModel model = layout_of(*whole);
  std::optional<OneOffResults> once;
  if (is_complete(whole->config, model, *whole->records))
    once = measure_one_offs(whole->config, *whole->inputs, options.quiet);
  else
    say(false,
        fmt::format(
            "optinc: {} of {} trials are present. Add the missing shards, or run the rest: optinc resume {}",
            whole->records->count(), trials_wanted(whole->config, {}), options.output.string()));
  write_results(*whole, model, once ? &*once : nullptr, options, options.force);
}

}  // namespace optinc
