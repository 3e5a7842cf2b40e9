#include "experiments/cli/chip_files.hpp"

#include <cmath>

#include "experiments/files/chips/chip_file.hpp"
#include "experiments/files/chips/matrix_file.hpp"
#include "experiments/files/chips/phases_file.hpp"
#include "experiments/files/hdf5/atomic_file.hpp"
#include "experiments/files/hdf5/network_file.hpp"
#include "experiments/files/hdf5/provenance.hpp"
#include "physics/core/check.hpp"
#include "physics/mesh/engine/mesh_engine.hpp"
#include "physics/mesh/reference_mesh.hpp"
#include "physics/random/haar.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/files.hpp"
#include "tests/support/meshes.hpp"
#include "tests/support/networks.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/scratch.hpp"

using namespace optinc;
namespace fs = std::filesystem;

namespace {

/// Layers 4 -> 8 -> 1 -> 4 hold tall, wide and one-port blocks.
Network example() { return random_network(Task{4, 4, {}}, {8, 1}); }

fs::path network_file(const Scratch& scratch, const Network& network = example()) {
  AtomicFile out(scratch / "network.h5", true);
  sign_file(out.file(), "A network", "test");
  save_network(out.file().group("network"), network);
  out.commit();
  return scratch / "network.h5";
}

/// Every kind of error, so that a field that is lost or mixed up shows.
ErrorModel all_errors() {
  ErrorModel model = error_preset("doped-heaters");
  model.sigma_phase_rad = 0.01;
  return model;
}

void check_same(const MeshErrors& a, const MeshErrors& b) {
  CHECK(a.alpha == b.alpha);
  CHECK(a.beta == b.beta);
  CHECK(a.theta_offset == b.theta_offset);
  CHECK(a.phi_offset == b.phi_offset);
  CHECK(a.theta_arm_loss_db == b.theta_arm_loss_db);
  CHECK(a.phi_arm_loss_db == b.phi_arm_loss_db);
  CHECK(a.output_offset == b.output_offset);
  CHECK(a.theta_other_loss_db == b.theta_other_loss_db);
  CHECK(a.phi_other_loss_db == b.phi_other_loss_db);
  CHECK(a.idle_arm_loss_db == b.idle_arm_loss_db);
}

StoredChip read_back(const fs::path& path) { return load_chip(File::open(path).root().open("chip")); }

Matrix haar(int n) {
  Stream stream = testing::test_stream(11);
  return haar_unitary(n, stream);
}

}  // namespace

TEST_CASE("a unitary goes out as phases and comes back as a matrix") {
  const Scratch scratch;
  for (const int n : {1, 2, 3, 8}) {
    const Matrix unitary = haar(n);
    const std::string phases = n % 2 == 0 ? "p.h5" : "p.csv";
    for (const std::string& extension :
         {std::string(".h5"), std::string(".csv"), ".s" + std::to_string(2 * n) + "p"}) {
      INFO(n << " " << extension);
      write_matrix(scratch / ("u" + extension), unitary, "t", "c", true);
      const ProgramSummary summary =
          program_to_file(scratch / ("u" + extension), scratch / phases, {.force = true});
      CHECK(summary.meshes == 1);
      CHECK(summary.mzis == n * (n - 1) / 2);
      transfer_to_file(scratch / phases, scratch / ("t" + extension), {.force = true});
      CHECK(testing::max_abs(read_matrix(scratch / ("t" + extension)) - unitary) < 1e-12 * n);
    }
  }
}

TEST_CASE("the phases of a network's meshes reproduce its blocks") {
  const Scratch scratch;
  const Network network = example();
  const ProgramSummary summary = program_to_file(network_file(scratch), scratch / "p.csv", {});
  CHECK(summary.mzis == mzi_count(network));
  CHECK(summary.clipped == 0);
  for (std::size_t l = 0; l < network.layers.size(); ++l) {
    const SigmaULayer& layer = network.layers[l];
    double largest = 0.0;
    for (const auto& sigma : layer.sigma) largest = std::max(largest, sigma.cwiseAbs().maxCoeff());
    for (std::size_t b = 0; b < layer.unitary.size(); ++b) {
      const std::string name = "layer" + std::to_string(l) + "/block" + std::to_string(b);
      INFO(name);
      transfer_to_file(scratch / "p.csv", scratch / "u.h5", {.mesh = name + "/mesh", .force = true});
      transfer_to_file(scratch / "p.csv", scratch / "s.h5", {.mesh = name + "/attenuators", .force = true});
      const Matrix u = read_matrix(scratch / "u.h5"), s = read_matrix(scratch / "s.h5");
      CHECK(testing::max_abs(u - layer.unitary[b].cast<Complex>()) < 1e-12 * layer.block_size());
      REQUIRE(s.rows() == 2 * layer.block_size());
      for (int i = 0; i < layer.block_size(); ++i)
        CHECK(std::abs(s(2 * i, 2 * i) - 0.99 * layer.sigma[b][i] / largest) < 1e-12);
    }
  }
}

TEST_CASE("a chip comes back bit for bit") {
  const Scratch scratch;
  const ErrorModel model = all_errors();
  fabricate_to_file(network_file(scratch), scratch / "chip.h5", model,
                    {.seed = 7, .chip = 3, .command = "test"});
  const ChipErrors errors = fabricate(design_chip(example()), model, 7, 3);
  const StoredChip back = read_back(scratch / "chip.h5");
  REQUIRE(back.errors.layers.size() == errors.layers.size());
  for (std::size_t l = 0; l < errors.layers.size(); ++l) {
    REQUIRE(back.errors.layers[l].size() == errors.layers[l].size());
    for (std::size_t b = 0; b < errors.layers[l].size(); ++b) {
      check_same(back.errors.layers[l][b].mesh, errors.layers[l][b].mesh);
      check_same(back.errors.layers[l][b].attenuators, errors.layers[l][b].attenuators);
    }
  }
  CHECK(back.model.preset == model.preset);
  CHECK(back.model.sigma_eta_rad == model.sigma_eta_rad);
  CHECK(back.model.sigma_phase_rad == model.sigma_phase_rad);
  CHECK(back.model.dac_bits == model.dac_bits);
  const File file = File::open(scratch / "chip.h5");
  const Group chip = file.root().open("chip");
  CHECK(chip.attributes().integer("seed") == 7);
  CHECK(chip.attributes().integer("chip") == 3);
  CHECK(chip.attributes("layer0/block0/mesh/alpha").text("units") == "rad");
  CHECK(chip.attributes("layer0/block0/mesh/theta_arm_loss").text("units") == "dB");
  require_schema(file);
}

TEST_CASE("phases corrected for a chip do on it what the simulated chip does") {
  const Scratch scratch;
  ErrorModel model = all_errors();
  model.sigma_eta_rad = 0.1;  // some MZIs cannot be corrected in full
  model.dac_bits = 12;
  const fs::path network = network_file(scratch);
  fabricate_to_file(network, scratch / "chip.h5", model, {.seed = 2, .chip = 1});
  const ProgramSummary summary =
      program_to_file(network, scratch / "p.csv", {.chip = scratch / "chip.h5", .dac_bits = 12});
  const ChipDesign design = design_chip(example());
  const ChipErrors errors = fabricate(design, model, 2, 1);
  const ChipState state = programmed_chip(design, errors, model, Programming::corrected);
  CHECK(summary.clipped == state.clipped);
  CHECK(summary.clipped > 0);
  for (std::size_t l = 0; l < design.layers.size(); ++l)
    for (std::size_t b = 0; b < design.layers[l].blocks.size(); ++b) {
      const std::string name = "layer" + std::to_string(l) + "/block" + std::to_string(b);
      INFO(name);
      TransferOptions options = {.mesh = name + "/mesh", .chip = scratch / "chip.h5", .force = true};
      transfer_to_file(scratch / "p.csv", scratch / "t.csv", options);
      CHECK(read_matrix(scratch / "t.csv") == state.layers[l].blocks[b].mesh.transfer_matrix());
      options.mesh = name + "/attenuators";
      transfer_to_file(scratch / "p.csv", scratch / "t.csv", options);
      const Matrix s = read_matrix(scratch / "t.csv");
      for (Eigen::Index i = 0; i < state.layers[l].blocks[b].attenuators.size(); ++i)
        CHECK(std::abs(s(2 * i, 2 * i) - state.layers[l].blocks[b].attenuators[i]) < 1e-14);
    }
}

TEST_CASE("a DAC puts every phase on its grid") {
  const Scratch scratch;
  write_matrix(scratch / "u.csv", haar(4), "t", "c");
  for (const fs::path& input : {scratch / "u.csv", network_file(scratch)}) {
    program_to_file(input, scratch / "p.csv", {.dac_bits = 6, .force = true});
    for (const NamedMesh& mesh : read_phases(scratch / "p.csv"))
      for (const Vector* phases : {&mesh.program.theta, &mesh.program.phi, &mesh.program.output_phase})
        for (const double phase : *phases) {
          const double level = phase / (2 * constants::pi) * 64;
          CHECK(std::abs(level - std::round(level)) < 1e-12);
        }
  }
  check_message(refusal([&] { program_to_file(scratch / "u.csv", scratch / "q.csv", {.dac_bits = 25}); }),
                {"25 bits"});
}

TEST_CASE("a matrix that no mesh realises is refused with its deviation") {
  const Scratch scratch;
  const auto refused = [&](const Matrix& matrix) {
    write_matrix(scratch / "u.csv", matrix, "t", "c", true);
    return refusal([&] { program_to_file(scratch / "u.csv", scratch / "p.h5", {}); });
  };
  check_message(refused(haar(4) * 1.0005), {"u.csv", "not unitary", "1.0e-03", "1e-6", "--nearest-unitary"});
  check_message(refused(haar(4).topRows(3)), {"u.csv", "3 x 4", "square"});
  CHECK(refused(haar(4) * (1 + 1e-8)).empty());
  CHECK(files_in(scratch.path()) == 2);
}

// The polar factor of 1.0005 U is U. Fails when the phases are those of the matrix itself, and when the
// distance is that of U^H U.
TEST_CASE("the nearest unitary matrix is programmed where that is asked for, and its distance told") {
  const Scratch scratch;
  const Matrix u = haar(4);
  write_matrix(scratch / "u.csv", u * 1.0005, "t", "c");
  const ProgramSummary done = program_to_file(scratch / "u.csv", scratch / "p.csv", {.nearest_unitary = true});
  CHECK(std::abs(done.nearest_distance.value() - 0.0005 * u.cwiseAbs().maxCoeff()) < 1e-12);
  const NamedMesh mesh = read_phases(scratch / "p.csv").at(0);
  CHECK((transfer_matrix(mesh.topology, mesh.program, no_errors(mesh.topology)) - u).cwiseAbs().maxCoeff() <
        1e-12);
  write_matrix(scratch / "u.csv", Matrix::Zero(4, 4), "t", "c", true);
  check_message(
      refusal([&] { program_to_file(scratch / "u.csv", scratch / "q.csv", {.nearest_unitary = true}); }),
      {"u.csv", "no single nearest unitary"});
  check_message(
      refusal([&] { program_to_file(network_file(scratch), scratch / "q.csv", {.nearest_unitary = true}); }),
      {"a network with --nearest-unitary"});
}

TEST_CASE("commands refuse before any work what they cannot write") {
  const Scratch scratch;
  const fs::path network = network_file(scratch);
  program_to_file(network, scratch / "p.csv", {});
  const std::size_t files = files_in(scratch.path());
  const fs::path none = scratch / "none.h5";  // not even looked at
  for (const auto* name : {"o.h5", "o.csv"}) {
    put(scratch / name, "precious");
    check_message(refusal([&] { program_to_file(none, scratch / name, {}); }),
                  {name, "exists already", "--force"});
    check_message(refusal([&] { transfer_to_file(none, scratch / name, {}); }),
                  {name, "exists already", "--force"});
    CHECK(bytes_of(scratch / name) == "precious");
  }
  check_message(refusal([&] { fabricate_to_file(none, scratch / "o.h5", {}, {}); }),
                {"o.h5", "exists already", "--force"});
  check_message(refusal([&] { program_to_file(none, scratch / "x.s4p", {}); }), {".h5, .csv"});
  check_message(refusal([&] { fabricate_to_file(none, scratch / "x.csv", {}, {}); }), {"known: .h5"});
  check_message(refusal([&] { transfer_to_file(none, scratch / "x.mat", {}); }), {".h5, .csv, .sNp"});
  CHECK(bytes_of(scratch / "o.h5") == "precious");
  CHECK(files_in(scratch.path()) == files + 2);
  fabricate_to_file(network, scratch / "o.h5", {}, {.force = true});
  CHECK(read_back(scratch / "o.h5").errors.layers.size() == 3);
}

TEST_CASE("commands name what is missing or does not fit") {
  const Scratch scratch;
  const fs::path network = network_file(scratch), chip = scratch / "chip.h5", phases = scratch / "p.csv";
  fabricate_to_file(network, chip, all_errors(), {});
  program_to_file(network, phases, {});
  const auto program_of = [&](const fs::path& input, ProgramOptions options) {
    return refusal([&] { program_to_file(input, scratch / "o.csv", options); });
  };
  const auto transfer_of = [&](const fs::path& input, TransferOptions options) {
    return refusal([&] { transfer_to_file(input, scratch / "o.csv", options); });
  };
  check_message(program_of(chip, {}), {"chip.h5", "neither a group network nor a dataset matrix", "chip"});
  check_message(program_of(network, {.chip = network}), {"network.h5: /chip", "missing"});
  check_message(program_of(scratch / "u.json", {}), {".json", ".h5, .csv, .sNp"});
  check_message(transfer_of(phases, {}), {"p.csv", "meshes", "layer0/block0/mesh"});
  check_message(transfer_of(phases, {.mesh = "layer0/block0/mash"}),
                {"layer0/block0/mash", "Did you mean \"layer0/block0/mesh\""});
  check_message(transfer_of(network, {}), {"network.h5: /phases", "missing"});

  write_matrix(scratch / "u.csv", haar(4), "t", "c");
  check_message(program_of(scratch / "u.csv", {.chip = chip}), {"u.csv", "no group measured"});
  program_to_file(scratch / "u.csv", scratch / "one.csv", {});
  check_message(transfer_of(scratch / "one.csv", {.chip = chip}), {"chip.h5", "no mesh is called mesh"});

  // another network: deeper, then of other widths
  network_file(scratch, random_network(Task{4, 4, {}}, {8}));
  check_message(program_of(network, {.chip = chip}), {"chip.h5", "3 layers where 2"});
  network_file(scratch, random_network(Task{4, 4, {}}, {16, 1}));
  check_message(program_of(network, {.chip = chip}), {"chip.h5", "layer0 has 2 blocks where 4"});
  network_file(scratch, random_network(Task{4, 4, {}}, {8, 2}));
  check_message(program_of(network, {.chip = chip}), {"chip.h5", "layer1 has 8 blocks where 4"});

  // the same name and size, but wired otherwise
  NamedMesh mesh{"layer0/block0/mesh", clements_topology(4), {}};
  Stream stream = testing::test_stream(1);
  mesh.program = testing::random_program(mesh.topology, stream);
  mesh.topology.mzis[0] = {0, 2};
  mesh.topology.mzis[1] = {1, 3};
  write_phases(scratch / "w.csv", std::vector{mesh}, "t");
  check_message(transfer_of(scratch / "w.csv", {.chip = chip}), {"another wiring"});
  CHECK_FALSE(fs::exists(scratch / "o.csv"));
}

// Fails when an arm without heater of an older file keeps no loss, or when a file that lacks an arm is not
// refused
TEST_CASE("a chip file of one loss for all arms without heaters gives it to each of them") {
  const Scratch scratch;
  const auto read = [&](std::string_view loss) {
    {
      fs::remove(scratch / "c.h5");
      File file = File::create(scratch / "c.h5");
      const Group chip = file.group("chip");
      save_chip(chip, {}, all_errors());
      chip.attributes().set("layers", std::int64_t{1});
      const Group layer = chip.group("layer0");
      layer.attributes().set("blocks", std::int64_t{1});
      for (const char* part : {"block0/mesh", "block0/attenuators"}) {
        const Group mesh = layer.group(part);
        mesh.counting_dimension("port", 2, "p");
        mesh.counting_dimension("mzi", 1, "m");
        mesh.dataset("output_offset", {"port"}, std::vector{0.0, 0.0}, "rad", "o");
        for (const char* name :
             {"alpha", "beta", "theta_offset", "phi_offset", "theta_arm_loss", "phi_arm_loss"})
          mesh.dataset(name, {"mzi"}, std::vector{0.25}, "1", name);
        mesh.dataset(loss, {}, std::vector{0.375}, "dB", "l");
      }
      file.close();
    }
    return read_back(scratch / "c.h5").errors.layers[0][0].mesh;
  };
  const MeshErrors e = read("other_arm_loss");
  CHECK(e.theta_arm_loss_db == Vector::Constant(1, 0.25));
  CHECK(e.theta_other_loss_db == Vector::Constant(1, 0.375));
  CHECK(e.phi_other_loss_db == Vector::Constant(1, 0.375));
  CHECK(e.idle_arm_loss_db == 0.375);
  check_message(refusal([&] { read("idle_arm_loss"); }), {"c.h5: /chip/layer0/block0/mesh/theta_other_loss"});
}

TEST_CASE("a damaged chip names file, dataset and what was expected") {
  const Scratch scratch;
  const ErrorModel model = all_errors();
  const auto refused = [&](auto damage) {
    ChipErrors errors = fabricate(design_chip(example()), model, 1, 0);
    ErrorModel stored = model;
    {
      fs::remove(scratch / "c.h5");
      File file = File::create(scratch / "c.h5");
      damage(errors.layers[0][0].mesh, stored);
      save_chip(file.group("chip"), errors, stored);
      file.close();
    }
    return refusal([&] { read_back(scratch / "c.h5"); });
  };
  CHECK(refused([](MeshErrors&, ErrorModel&) {}).empty());
  check_message(refused([](MeshErrors& e, ErrorModel&) { e.beta[2] = std::nan(""); }),
                {"c.h5: /chip/layer0/block0/mesh/beta", "value 2 is not finite"});
  check_message(refused([](MeshErrors& e, ErrorModel&) { e.phi_arm_loss_db[1] = -0.5; }),
                {"/mesh/phi_arm_loss", "-0.5 dB", ">= 0"});
  check_message(refused([](MeshErrors& e, ErrorModel&) { e.theta_other_loss_db[0] = -0.25; }),
                {"/mesh/theta_other_loss", "-0.25 dB", ">= 0"});
  check_message(refused([](MeshErrors& e, ErrorModel&) { e.idle_arm_loss_db = -1; }),
                {"/mesh/idle_arm_loss", "-1 dB"});
  check_message(refused([](MeshErrors&, ErrorModel& m) { m.rho_ab = 2; }),
                {"c.h5: /chip: attribute rho_ab", "2"});
  check_message(refused([](MeshErrors&, ErrorModel& m) { m.preset = "fondry"; }),
                {"attribute preset", "doped-heaters"});
}
