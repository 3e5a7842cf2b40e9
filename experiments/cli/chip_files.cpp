#include "experiments/cli/chip_files.hpp"

#include <algorithm>

#include "experiments/files/chips/chip_file.hpp"
#include "experiments/files/chips/matrix_file.hpp"
#include "experiments/files/chips/mesh_errors_file.hpp"
#include "experiments/files/chips/phases_file.hpp"
#include "experiments/files/hdf5/atomic_file.hpp"
#include "experiments/files/hdf5/network_file.hpp"
#include "experiments/files/hdf5/provenance.hpp"
#include "experiments/files/readers/text.hpp"
#include "onn/chip/calibration.hpp"
#include "onn/chip/chip.hpp"
#include "onn/chip/unit_floor_plan.hpp"
#include "physics/core/check.hpp"
#include "physics/core/names.hpp"
#include "physics/core/suggestion.hpp"
#include "physics/mesh/combining_tree.hpp"
#include "physics/mesh/correction.hpp"
#include "physics/mesh/decomposition.hpp"
#include "physics/mesh/engine/mesh_engine.hpp"
#include "physics/mesh/fit.hpp"
#include "physics/mesh/nearest_unitary.hpp"
#include "physics/mesh/wiring.hpp"

namespace optinc {
namespace {

namespace fs = std::filesystem;

ChipDesign load_design(const File& file) {
  require_schema(file);
  validate(
      file.root().exists("network"),
      "{}: no network in it (a chip is drawn for a whole network, not for single meshes). Give a network or "
      "result file, or shipped/NAME.",
      file.root().where());
  return design_chip(load_network(file.root().open("network")));
}

std::vector<NamedMesh> program_network(ChipDesign design, const ProgramOptions& options, int& clipped) {
  ChipErrors errors;
  if (options.chip) {
    errors = read_chip(*options.chip).errors;
    require_fit(design, errors, options.chip->string());
    design = with_known_losses(std::move(design), known_losses(errors));
  }
  const Programming programming = options.chip ? Programming::corrected : Programming::uncorrected;
  std::vector<NamedMesh> meshes;
  for (std::size_t l = 0; l < design.layers.size(); ++l)
    for (std::size_t b = 0; b < design.layers[l].blocks.size(); ++b) {
      const BlockDesign& block = design.layers[l].blocks[b];
      BlockProgram phases = program_block(block, options.chip ? errors.layers[l][b] : BlockErrors{},
                                          options.dac_bits, programming);
      meshes.push_back({mesh_name(l, b, "mesh"), block.mesh, std::move(phases.mesh)});
      meshes.push_back({mesh_name(l, b, "attenuators"), block.attenuators, std::move(phases.attenuators)});
      clipped += phases.clipped;
    }
  return meshes;
}

/// The program on a mesh that was measured.
MeshProgram corrected_for(const fs::path& measured, const MeshTopology& topology, const MeshProgram& program,
                          const ProgramOptions& options, ProgramSummary& summary) {
  const MeshErrors known = read_mesh_errors(measured, topology).errors;
  if (options.oscillator_rad) {
    FittedRealProgram fitted = fit_real_program(topology, program, known, *options.oscillator_rad);
    summary.fit_error = fitted.error;
    summary.headroom_db = fitted.headroom_db;
    return fitted.program;
  }
  CorrectedProgram set = correct_splitters(topology, program, known.alpha, known.beta);
  set.program.theta -= known.theta_offset;
  set.program.phi -= known.phi_offset;
  set.program.output_phase -= known.output_offset;
  summary.clipped = set.clipped;
  return set.program;
}

std::vector<NamedMesh> program_matrix(const fs::path& input, const ProgramOptions& options,
                                      ProgramSummary& summary) {
  Matrix matrix = read_matrix(input, options.touchstone);
  try {
    if (options.nearest_unitary) {
      NearestUnitary nearest = nearest_unitary(matrix);
      matrix = std::move(nearest.unitary);
      summary.nearest_distance = nearest.distance;
    }
    validate_unitary(matrix, "Give --nearest-unitary to program that one.");
    const MeshTopology topology = wiring_of(options.topology, static_cast<int>(matrix.rows()));
    FittedProgram programmed = program_of_wiring(topology, matrix);
    if (is_written_out(options.topology)) summary.wiring_error = programmed.error;
    MeshProgram phases = std::move(programmed.program);
    if (options.chip) phases = corrected_for(*options.chip, topology, phases, options, summary);
    return {{"mesh", topology, quantise(phases, options.dac_bits)}};
  } catch (const Error& error) {
    throw Error(fmt::format("{}: {}", input.string(), error.what()));
  }
}

std::vector<NamedMesh> program_input(const fs::path& input, const ProgramOptions& options,
                                     ProgramSummary& summary) {
  if (extension_of(input) == ".h5") {
    const File file = File::open(input);
    if (file.root().exists("network")) {
      validate(!options.nearest_unitary,
               "{}: a network with --nearest-unitary (it is for matrices that are not unitary). Leave it out.",
               input.string());
      validate(!options.oscillator_rad,
               "{}: a network with --fit (it is for a matrix on a measured mesh; studies fit networks by "
               "calibration.policy = \"twin\"). Leave it out.",
               input.string());
      validate(options.topology == "clements",
               "{}: a network with --topology (its file says which meshes its layers have). Leave it out.",
               input.string());
      return program_network(load_design(file), options, summary.clipped);
    }
    validate(file.root().exists("matrix"),
             "{}: neither a group network nor a dataset matrix (one of them is programmed). h5ls -r shows what "
             "is there.",
             file.root().where());
  }
  return program_matrix(input, options, summary);
}

const NamedMesh& choose(const std::vector<NamedMesh>& meshes, const std::string& name, const fs::path& path) {
  std::vector<std::string_view> names;
  for (const NamedMesh& mesh : meshes) names.push_back(mesh.name);
  if (name.empty()) {
    validate(meshes.size() == 1, "{}: {} meshes (one is wanted). Name it: {}.", path.string(), meshes.size(),
             join_names(names));
    return meshes.front();
  }
  const auto found = std::find(names.begin(), names.end(), name);
  validate(found != names.end(), "{}: no mesh is called \"{}\" (there are {}). {}", path.string(), shown(name),
           meshes.size(), suggestion(name, names, "optinc inspect lists them."));
  return meshes[static_cast<std::size_t>(found - names.begin())];
}

/// The errors a chip has for the mesh of that name; the wiring must be the one the chip was made with. A mesh
/// that was measured by itself has no name.
MeshErrors errors_of_mesh(const NamedMesh& mesh, const fs::path& path) {
  if (is_measured_mesh(path)) return read_mesh_errors(path, mesh.topology).errors;
  const ChipErrors errors = read_chip(path).errors;
  for (std::size_t l = 0; l < errors.layers.size(); ++l)
    for (std::size_t b = 0; b < errors.layers[l].size(); ++b)
      for (const bool attenuators : {false, true}) {
        if (mesh.name != mesh_name(l, b, attenuators ? "attenuators" : "mesh")) continue;
        const MeshErrors& found = attenuators ? errors.layers[l][b].attenuators : errors.layers[l][b].mesh;
        require_fit(mesh.topology, found, fmt::format("{}: {}", path.string(), mesh.name));
        const int ports = mesh.topology.ports;
        validate(mesh.topology == (attenuators ? attenuator_topology(ports / 2) : clements_topology(ports)) ||
                     (!attenuators && mesh.topology == combining_tree_topology(ports)),
                 "mesh {} has another wiring than on the chip of {} (errors belong to MZIs). Give the phases "
                 "that were programmed for this chip.",
                 mesh.name, path.string());
        return found;
      }
  throw Error(
      fmt::format("{}: no mesh is called {} (a chip has layer0/block0/mesh and so on). Give the chip that the "
                  "phases are for.",
                  path.string(), mesh.name));
}

}  // namespace

ProgramSummary program_to_file(const fs::path& input, const fs::path& output, const ProgramOptions& options) {
  require_phases_extension(output);
  require_writable_output(output, options.force);
  constexpr int most_bits = 24;  // as in the error model
  validate(options.dac_bits >= 0 && options.dac_bits <= most_bits,
           "DAC of {} bits (0 means no quantisation, otherwise 1..{}). Give 0..{}.", options.dac_bits,
           most_bits, most_bits);
  validate(!options.oscillator_rad || options.chip,
           "--fit without --chip (phases are fitted to measured losses). Name the measured mesh.");
  validate(!options.oscillator_rad || *options.oscillator_rad >= 0,
           "--fit {} (an rms phase of oscillators, 0 or more). Give 0 for receivers in phase.",
           options.oscillator_rad.value_or(0.0));
  ProgramSummary summary;
  const std::vector<NamedMesh> meshes = program_input(input, options, summary);
  write_phases(output, meshes, options.command, options.force);
  summary.meshes = meshes.size();
  for (const NamedMesh& mesh : meshes) summary.mzis += mesh.topology.mzi_count();
  return summary;
}

void fabricate_to_file(const fs::path& network, const fs::path& output, const ErrorModel& model,
                       const FabricateOptions& options) {
  validate(extension_of(output) == ".h5",
           "{}: extension \"{}\" is unknown for a chip (known: .h5). Rename the file.", output.string(),
           shown(extension_of(output)));
  require_writable_output(output, options.force);
  constexpr std::uint64_t largest_seed = std::uint64_t{1} << 53;
  validate(options.seed <= largest_seed,
           "seed {} (0..2^53, which every reader of the file keeps). Give a smaller one.", options.seed);
  const ChipDesign design = load_design(File::open(network));
  const CalibratedChip calibrated =
      calibrate(design, model, {}, {options.seed, options.chip},
                options.variation ? options.variation(meshes_of(design)) : SharedVariation{});
  const ChipErrors errors = with_phase_noise(calibrated.errors, model, options.seed, options.chip);
  AtomicFile out(output, options.force);
  sign_file(out.file(), "OptINC: a fabricated chip", options.command);
  const Group chip = out.file().group("chip");
  chip.attributes().set("seed", static_cast<std::int64_t>(options.seed));
  chip.attributes().set("chip", std::int64_t{options.chip});
  save_chip(chip, errors, model);
  out.commit();
}

void transfer_to_file(const fs::path& phases, const fs::path& output, const TransferOptions& options) {
  require_writable_extension(output);
  require_writable_output(output, options.force);
  const std::vector<NamedMesh> meshes = read_phases(phases);
  const NamedMesh& mesh = choose(meshes, options.mesh, phases);
  validate(mesh.topology.ports <= largest_matrix,
           "{}: mesh {} has {} ports (matrices have at most {}). Name another with --mesh.", phases.string(),
           mesh.name, mesh.topology.ports, largest_matrix);
  const MeshErrors errors = options.chip ? errors_of_mesh(mesh, *options.chip) : no_errors(mesh.topology);
  const Matrix transfer = transfer_matrix(mesh.topology, mesh.program, errors);
  write_matrix(output, transfer, fmt::format("OptINC: transfer matrix of {}", mesh.name), options.command,
               options.force, options.touchstone);
}

}  // namespace optinc
