#include <algorithm>
#include <bit>
#include <cmath>
#include <regex>

#include "experiments/files/chips/phases_file.hpp"
#include "experiments/files/hdf5/atomic_file.hpp"
#include "experiments/files/hdf5/provenance.hpp"
#include "onn/chip/chip_design.hpp"
#include "physics/core/check.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/files.hpp"
#include "tests/support/meshes.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/scratch.hpp"

using namespace optinc;
namespace fs = std::filesystem;

namespace {

/// Bit for bit, the sign of zero included.
bool same_bits(const Vector& a, const Vector& b) {
  return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(), [](double x, double y) {
           return std::bit_cast<std::uint64_t>(x) == std::bit_cast<std::uint64_t>(y);
         });
}

void check_same(const std::vector<NamedMesh>& a, const std::vector<NamedMesh>& b) {
  REQUIRE(a.size() == b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    CHECK(a[i].name == b[i].name);
    CHECK(a[i].topology == b[i].topology);
    CHECK(same_bits(a[i].program.theta, b[i].program.theta));
    CHECK(same_bits(a[i].program.phi, b[i].program.phi));
    CHECK(same_bits(a[i].program.output_phase, b[i].program.output_phase));
  }
}

/// Meshes of every kind: rectangular, attenuators, one waveguide, MZIs across other ports; names out of
/// alphabetical order.
std::vector<NamedMesh> examples() {
  Stream stream = testing::test_stream(3);
  const MeshTopology across = {4, {{0, 3}, {1, 2}, {0, 1}}, {0, 2, 3}};
  std::vector<NamedMesh> meshes;
  meshes.push_back({"layer10/block0/mesh", clements_topology(5), {}});
  meshes.push_back({"layer2/block0/attenuators", attenuator_topology(3), {}});
  meshes.push_back({"bare", clements_topology(1), {}});
  meshes.push_back({"across-1.0+x", across, {}});
  for (NamedMesh& mesh : meshes) mesh.program = testing::random_program(mesh.topology, stream);
  Vector& theta = meshes[0].program.theta;
  theta[0] = -0.0;
  theta[1] = 5e-324;
  theta[2] = -1.7976931348623157e308;
  theta[3] = 0.1 + 0.2;
  return meshes;
}

/// What a person might type for a mesh of 3 ports.
const std::string typed =
    "kind,mesh,column,upper,lower,theta_rad,phi_rad\n"
    "mzi,a,0,0,1,1.5,0.25\n"
    "mzi,a,1,1,2,0.5,-1e-3\n"
    "output,a,,0,,,0\n"
    "output,a,,2,,,+2.5\n"
    "output,a,,1,,,1\n";

std::string refusal_of(const Scratch& scratch, const std::string& text) {
  put(scratch / "p.csv", text);
  return refusal([&] { read_phases(scratch / "p.csv"); });
}

std::string changed(const std::string& from, const std::string& to) {
  const std::size_t at = typed.find(from);
  if (at == typed.npos) throw std::logic_error("the test changes what is not there: " + from);
  return std::string(typed).replace(at, from.size(), to);
}

/// A group of one mesh of 2 ports whose parts a test replaces.
struct Parts {
  std::vector<std::string> names = {"a"};
  std::vector<double> theta = {1, 2}, phi = {3, 4}, output = {0, 0, 0};
  std::vector<std::int64_t> column = {0, 1}, upper = {0, 1}, lower = {1, 2};
  bool with_phi = true;
};

std::string refusal_of(const Scratch& scratch, const Parts& parts) {
  {
    AtomicFile out(scratch / "p.h5", true);
    const Group phases = out.file().group("phases");
    phases.dimension("mesh_name", parts.names, "1", "names");
    const Group mesh = phases.group("a");
    mesh.counting_dimension("port", parts.output.size(), "port");
    mesh.dataset("output_phase", {"port"}, parts.output, "rad", "o");
    mesh.counting_dimension("mzi", parts.theta.size(), "mzi");
    mesh.dataset("theta", {"mzi"}, parts.theta, "rad", "t");
    if (parts.with_phi) mesh.dataset("phi", {"mzi"}, parts.phi, "rad", "p");
    mesh.dataset("column", {"mzi"}, parts.column, "1", "c");
    mesh.dataset("upper", {"mzi"}, parts.upper, "1", "u");
    mesh.dataset("lower", {"mzi"}, parts.lower, "1", "l");
    out.commit();
  }
  return refusal([&] { read_phases(scratch / "p.h5"); });
}

}  // namespace

TEST_CASE("phases come back bit for bit from every format") {
  const Scratch scratch;
  const std::vector<NamedMesh> meshes = examples();
  for (const auto* name : {"phases.h5", "phases.csv", "PHASES.CSV"}) {
    INFO(name);
    write_phases(scratch / name, meshes, "test");
    check_same(read_phases(scratch / name), meshes);
  }
  CHECK(files_in(scratch.path()) == 3);
}

TEST_CASE("a file of phases says where it comes from") {
  const Scratch scratch;
  write_phases(scratch / "p.h5", examples(), "optinc program\nx");
  write_phases(scratch / "p.csv", examples(), "optinc program\nx");
  const File file = File::open(scratch / "p.h5");
  const Group root = file.root();
  const std::string text = bytes_of(scratch / "p.csv");
  CHECK(root.attributes().text("Conventions") == "CF-1.10");
  CHECK(root.attributes().integer("schema_version") == schema_version);
  for (const auto* name :
       {"title", "optinc_version", "git_revision", "build_target", "compiler", "created_utc", "command"}) {
    INFO(name);
    CHECK_FALSE(root.attributes().text(name).empty());
    CHECK(text.find(std::string("\n# ") + name + ": ") != text.npos);
  }
  CHECK(text.starts_with("# OptINC file, schema_version: 5\n"));
  CHECK(text.find("command: optinc program x\n") != text.npos);
  CHECK(text.find("T = DC(pi/4) diag(exp(i theta), 1) DC(pi/4) diag(exp(i phi), 1)") != text.npos);
}

TEST_CASE("a table of phases typed by hand is read, in any line ends") {
  const Scratch scratch;
  const std::string windows =
      "\xEF\xBB\xBF# by hand\r\n\r\n" + std::regex_replace(typed, std::regex("\n"), "\r\n");
  const std::string spaced = std::regex_replace(typed, std::regex(","), " , ");
  for (const std::string& text : {typed, windows, spaced, typed.substr(0, typed.size() - 1)}) {
    INFO(text);
    put(scratch / "p.csv", text);
    const std::vector<NamedMesh> meshes = read_phases(scratch / "p.csv");
    REQUIRE(meshes.size() == 1);
    CHECK(meshes[0].name == "a");
    CHECK(meshes[0].topology == MeshTopology{3, {{0, 1}, {1, 2}}, {0, 1, 2}});
    CHECK(meshes[0].program.theta == Eigen::Vector2d(1.5, 0.5));
    CHECK(meshes[0].program.phi == Eigen::Vector2d(0.25, -1e-3));
    CHECK(meshes[0].program.output_phase == Eigen::Vector3d(0, 1, 2.5));
  }
}

TEST_CASE("a bad table of phases names file, line and what was expected") {
  const Scratch scratch;
  const auto check = [&](const std::string& text, const std::vector<std::string>& parts) {
    check_message(refusal_of(scratch, text), parts);
  };
  check("", {"p.csv:0", "no data"});
  check("# nothing\n", {"p.csv:1", "no data"});
  check(typed.substr(0, typed.find('\n') + 1), {"p.csv", "no rows"});
  check("1,2\n", {"p.csv:1", "expected the column names", "kind,mesh"});
  check(changed("0.25", "nan"), {"p.csv:2", "phi_rad nan", "not finite"});
  check(changed("0.25", "inf"), {"p.csv:2", "not finite"});
  check(changed("0.25", ""), {"p.csv:2", "phi_rad", "not a number"});
  check(changed("0.25", "0.25 rad"), {"p.csv:2", "0.25 rad", "not a number"});
  check(changed("0.25", "0x1p3"), {"p.csv:2", "not a number"});
  check(changed("1.5,0.25", "1,5,0.25"), {"p.csv:2", "8 cells", "expected 7"});
  check(changed("mzi,a,1,1,2", "mzi,a,0,1,2"), {"p.csv:3", "column 0 uses port 1 twice"});
  check(changed("mzi,a,1,1,2", "mzi,a,2,1,2"), {"p.csv:3", "column 2 where 0 or 1 is due"});
  check(changed("mzi,a,0,0,1", "mzi,a,1,0,1"), {"p.csv:2", "column 1 where 0 is due"});
  check(changed("mzi,a,1,1,2", "mzi,a,1,1,3"), {"p.csv:3", "ports 1 and 3", "3 ports"});
  check(changed("mzi,a,1,1,2", "mzi,a,1,2,1"), {"p.csv:3", "ports 2 and 1"});
  check(changed("mzi,a,1,1,2", "mzi,a,1,1,1"), {"p.csv:3", "ports 1 and 1"});
  check(changed("mzi,a,1,1,2", "mzi,a,1,-1,2"), {"p.csv:3", "upper \"-1\"", "0..65535"});
  check(changed("mzi,a,1,1,2", "mzi,a,1,1,99999999999999999999"), {"p.csv:3", "lower"});
  check(changed("mzi,a,1,1,2", "mzi,a,1.0,1,2"), {"p.csv:3", "column \"1.0\"", "integer"});
  check(changed("output,a,,1,", "output,a,,0,"), {"p.csv:6", "second output row for port 0"});
  check(changed("output,a,,2,,,+2.5\n", ""), {"p.csv:3", "ports 1 and 2", "2 ports"});
  check(changed("output,a,,1,,,1\n", ""), {"p.csv:5", "port 2", "none for port 1"});
  check(changed("output,a,,1,,,1", "output,a,1,1,,,1"), {"p.csv:6", "output row with column"});
  check(changed("output,a,,1,,,1", "phase,a,,1,,,1"), {"p.csv:6", "kind \"phase\"", "mzi, output"});
  check(changed("mzi,a,1", "mzi,a/../b,1"), {"p.csv:3", "cannot name a mesh"});
  check(changed("mzi,a,1", "mzi,,1"), {"p.csv:3", "cannot name a mesh"});
  check(typed + "mzi,b,0,0,1,1,1\n", {"p.csv:7", "mesh b has no output row"});
  const std::string swapped =
      "kind,mesh,column,upper,lower,theta_rad,phi_rad\nmzi,a,0,2,3,0,0\nmzi,a,0,0,1,0,0\n"
      "output,a,,0,,,0\noutput,a,,1,,,0\noutput,a,,2,,,0\noutput,a,,3,,,0\n";
  check(swapped, {"p.csv:3", "top to bottom"});
}

TEST_CASE("a table of phases that lost its end is refused wherever it was cut") {
  const Scratch scratch;
  write_phases(scratch / "whole.csv", std::vector{examples()[1]}, "test");
  const std::string whole = bytes_of(scratch / "whole.csv");
  const std::string sign = "# end of file\n";
  REQUIRE(whole.ends_with(sign));
  for (std::size_t size = 0; size < whole.size() - sign.size(); ++size) {
    const std::string message = refusal_of(scratch, whole.substr(0, size));
    INFO(size);
    CHECK_FALSE(message.empty());
  }
  check_message(refusal_of(scratch, whole.substr(0, whole.size() - sign.size() - 3)), {"p.csv:", "truncated"});
}

TEST_CASE("bad phases in HDF5 name file, dataset and what was expected") {
  const Scratch scratch;
  const auto check = [&](const Parts& parts, const std::vector<std::string>& expected) {
    check_message(refusal_of(scratch, parts), expected);
  };
  CHECK(refusal_of(scratch, Parts{}).empty());
  check({.theta = {1, std::nan("")}}, {"p.h5: /phases/a/theta", "value 1 is not finite"});
  check({.output = {0, INFINITY, 0}}, {"p.h5: /phases/a/output_phase", "not finite"});
  check({.column = {0, 0}}, {"p.h5: /phases/a: MZI 1", "uses port 1 twice"});
  check({.upper = {0, -1}}, {"MZI 1", "ports -1 and 2"});
  check({.lower = {1, 3}}, {"MZI 1", "ports 1 and 3"});
  check({.lower = {1, std::int64_t{1} << 40}}, {"MZI 1", "3 ports"});
  check({.with_phi = false}, {"p.h5: /phases/a/phi", "missing"});
  check({.names = {"a", "b"}}, {"p.h5: /phases/b", "missing"});
  check({.names = {"a", "a"}}, {"p.h5: /phases/mesh_name", "two meshes are called a"});
  check({.output = std::vector<double>(65537)}, {"output_phase", "shape (65537)", "1..65536"});
  put(scratch / "cut.h5", bytes_of(scratch / "p.h5").substr(0, 1000));
  check_message(refusal([&] { read_phases(scratch / "cut.h5"); }), {"cut.h5", "truncated"});
}

TEST_CASE("phases have two extensions and overwrite nothing") {
  const Scratch scratch;
  check_message(refusal([&] { write_phases(scratch / "p.txt", examples(), "t"); }),
                {"p.txt", ".txt", ".h5, .csv"});
  check_message(refusal([&] { read_phases(scratch / "p"); }), {".h5, .csv"});
  for (const auto* name : {"p.h5", "p.csv"}) {
    put(scratch / name, "precious");
    check_message(refusal([&] { write_phases(scratch / name, examples(), "t"); }),
                  {name, "exists already", "--force"});
    CHECK(bytes_of(scratch / name) == "precious");
    write_phases(scratch / name, examples(), "t", true);
    check_same(read_phases(scratch / name), examples());
  }
  CHECK(files_in(scratch.path()) == 2);
}

TEST_CASE("phases that do not fit their wiring are not written") {
  const Scratch scratch;
  std::vector<NamedMesh> meshes;
  for (const auto member : {&MeshProgram::theta, &MeshProgram::phi, &MeshProgram::output_phase})
    for (const auto* name : {"p.h5", "p.csv"}) {
      meshes = examples();
      (meshes[1].program.*member).conservativeResize(2);
      check_message(refusal([&] { write_phases(scratch / name, meshes, "t"); }),
                    {"layer2/block0/attenuators", "they must agree"});
    }
  meshes = examples();
  meshes[1].name = meshes[0].name;
  for (const auto* name : {"p.h5", "p.csv"})
    check_message(refusal([&] { write_phases(scratch / name, meshes, "t"); }), {"two meshes are called"});
  CHECK(files_in(scratch.path()) == 0);
}
