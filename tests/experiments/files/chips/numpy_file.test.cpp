// Tables of NumPy: files that NumPy 2.4 wrote (tests/data/numpy), headers typed by hand as its format
// description has them, and damage.

#include "experiments/files/chips/numpy_file.hpp"

#include <cmath>
#include <cstring>
#include <limits>

#include <fmt/format.h>

#include "experiments/files/chips/mesh_errors_file.hpp"
#include "experiments/files/chips/phases_file.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/files.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/scratch.hpp"

using namespace optinc;
namespace fs = std::filesystem;

namespace {

const fs::path numpy_data = fs::path(TEST_DATA_DIR) / "numpy";

/// The bytes of an array, version 1.
std::string npy(const std::string& descr, const std::string& shape, const std::string& data) {
  std::string header = "{'descr': " + descr + ", 'fortran_order': False, 'shape': " + shape + ", }\n";
  std::string bytes("\x93NUMPY\1\0", 8);
  bytes += static_cast<char>(header.size() & 0xff);
  bytes += static_cast<char>(header.size() >> 8);
  return bytes + header + data;
}

template <class... T>
std::string raw(T... values) {
  std::string bytes;
  (bytes.append(reinterpret_cast<const char*>(&values), sizeof values), ...);
  return bytes;
}

std::string refused(const fs::path& path, const std::string& bytes) {
  put(path, bytes);
  return refusal([&] { read_numpy(path); });
}

}  // namespace

// The numbers of tests/data/numpy/README.md. Fails when padding between fields is counted as a field, when
// single precision is read as double, and when rows go to the MZI of their number in place of their column and
// port.
TEST_CASE("errors of a mesh come from every form in which NumPy keeps them") {
  const MeshTopology topology = clements_topology(3);
  for (const char* name : {"errors.npz", "errors.npy"}) {
    INFO(name);
    const MeshErrors errors = read_mesh_errors(numpy_data / name, topology).errors;
    CHECK(errors.alpha == Vector(Eigen::Vector3d(0.01, -0.02, 0.03)));  // rows (2, 0), (0, 0), (1, 1)
    CHECK(errors.beta == Vector(Eigen::Vector3d::Zero()));
  }
  const MeshErrors packed =
      read_mesh_errors(numpy_data / "in_order.npz", topology).errors;  // without column and upper
  CHECK(packed.alpha == Vector(Eigen::Vector3d(0.25, -0.5, 0.125)));
  CHECK(packed.phi_arm_loss_db == Vector(Eigen::Vector3d(0.1, 0.2, 0.3)));
  CHECK(std::abs(packed.idle_arm_loss_db - 0.05) < 1e-15);
}

TEST_CASE("phases come from an .npz") {
  const std::vector<NamedMesh> meshes = read_phases(numpy_data / "phases.npz");
  REQUIRE(meshes.size() == 1);
  CHECK(meshes[0].name == "mesh");
  CHECK(meshes[0].topology == clements_topology(3));
  CHECK(meshes[0].program.theta == Vector(Eigen::Vector3d(1, 2, 3)));
  CHECK(meshes[0].program.phi == Vector(Eigen::Vector3d(-1, -2, -3)));
  CHECK(meshes[0].program.output_phase == Vector(Eigen::Vector3d(0.5, 0, -0.5)));
}

// Fails when a sign is lost, or integers are read as unsigned.
TEST_CASE("numbers of every kind that is read") {
  const Scratch scratch;
  const auto first = [&](const std::string& kind, const std::string& data) {
    put(scratch / "a.npy", npy("[('x', '" + kind + "')]", "(1,)", data));
    return read_numpy(scratch / "a.npy").columns.at(0).values.at(0);
  };
  CHECK(first("<f8", raw(-1.5)) == -1.5);
  CHECK(first("<f4", raw(-1.5F)) == -1.5);
  CHECK(first("|i1", raw(std::int8_t{-7})) == -7);
  CHECK(first("<i2", raw(std::int16_t{-700})) == -700);
  CHECK(first("<i4", raw(-70000)) == -70000);
  CHECK(first("<i8", raw(std::int64_t{-1} << 40)) == -std::pow(2.0, 40));
  CHECK(first("|u1", raw(std::uint8_t{200})) == 200);
  CHECK(first("<u2", raw(std::uint16_t{60000})) == 60000);
  CHECK(first("<u4", raw(std::uint32_t{4000000000})) == 4e9);
  CHECK(first("<u8", raw(std::uint64_t{1} << 63)) == std::pow(2.0, 63));
}

TEST_CASE("arrays that are no columns are refused in a sentence") {
  const Scratch scratch;
  const fs::path file = scratch / "a.npy";
  const std::string path = file.string(), good = "[('x', '<f8')]", one = raw(1.0);
  CHECK(refused(file, npy(good, "(1,)", one)).empty());
  CHECK(refused(file, npy("'>f8'", "(1,)", one)) ==
        path +
            ": numbers of type >f8 (real ones in little-endian order are read). Save an array of float64 or "
            "int64 with one axis.");
  for (const char* type : {"'<c16'", "'|O'", "'<U3'", "'|V8'", "'<f'", "'<f99999'", "3", "[('x', '<f8', (2,))]",
                           "[]", "[('x',)]", "[('x', '|V8')]"})
    CHECK_THAT(refused(file, npy(type, "(1,)", one)), ContainsSubstring(path + ": "));
  CHECK_THAT(refused(file, npy(good, "(1, 1)", one)), ContainsSubstring("an array of 2 axes (one is read)"));
  CHECK_THAT(refused(file, npy(good, "()", one)), ContainsSubstring("an array of 0 axes"));
  CHECK_THAT(refused(file, npy(good, "(-1,)", one)), ContainsSubstring("no count of rows"));
  const std::string deep = std::string(30'000, '[') + std::string(30'000, ']');  // no recursion goes down there
  CHECK_THAT(refused(file, npy("[('x', " + deep + ")]", "(1,)", one)), ContainsSubstring("without a name"));
  CHECK_THAT(refused(file, npy(good, "(2,)", one)),
             ContainsSubstring("2 rows of 8 bytes, and 8 bytes of data"));
  CHECK_THAT(refused(file, npy(good, "(2305843009213693953,)", one)), ContainsSubstring("and 8 bytes of data"));
  CHECK_THAT(refused(file, npy("[('x', '<f8'), ('x', '<f8')]", "(1,)", one + one)),
             ContainsSubstring("array x is there twice"));
  CHECK_THAT(refused(file, npy(good, "(1,)", raw(std::numeric_limits<double>::quiet_NaN()))),
             ContainsSubstring("row 0 of x is nan (every number is finite)"));
  CHECK_THAT(refused(file, "\x93NUMPY\1"), ContainsSubstring("no array of NumPy"));
  CHECK_THAT(refused(file, "some text"), ContainsSubstring("no ZIP archive"));
  const MeshTopology topology = clements_topology(3);
  const auto no_errors_of = [&](const std::string& descr, int rows) {
    std::string data;
    for (int k = 0; k < rows; ++k) data += one;
    put(file, npy(descr, fmt::format("({},)", rows), data));
    return refusal([&] { read_mesh_errors(file, topology); });
  };
  CHECK(no_errors_of("[('alpha_rad', '<f8')]", 3).empty());
  CHECK(no_errors_of("[('alpha_rad', '<f8')]", 2) ==
        path + ": 2 rows for 3 MZIs (one each, in the order of the mesh). Save as many.");
  CHECK_THAT(no_errors_of("[('alpha', '<f8')]", 3), ContainsSubstring("Did you mean \"alpha_rad\"?"));
  CHECK_THAT(no_errors_of("[('upper', '<f8')]", 3), ContainsSubstring("no column \"column\""));
  CHECK_THAT(no_errors_of("'<f8'", 3), ContainsSubstring("column \"array\" is unknown"));
}

// Every beginning of each file, and each with one byte changed: a table or a sentence, never less than all
// rows. Fails when a checksum is not compared.
TEST_CASE("damaged files of NumPy are refused, or are what they were") {
  const Scratch scratch;
  for (const char* name : {"errors.npz", "errors.npy", "in_order.npz", "phases.npz"}) {
    INFO(name);
    const std::string whole = bytes_of(numpy_data / name);
    const fs::path file = scratch / name;
    for (std::size_t length = 0; length < whole.size(); ++length)
      CHECK(!refused(file, whole.substr(0, length)).empty());
    const bool archive = file.extension() == ".npz";
    put(file, whole);
    const NamedColumns wanted = read_numpy(file);
    for (std::size_t at = 0; at < whole.size(); ++at) {
      std::string changed = whole;
      changed[at] = static_cast<char>(changed[at] ^ 0x55);
      if (!refused(file, changed).empty() || !archive) continue;
      const NamedColumns found = read_numpy(file);
      REQUIRE(found.columns.size() <= wanted.columns.size());
      for (std::size_t c = 0; c < found.columns.size(); ++c)
        CHECK(found.columns[c].values == wanted.columns[c].values);
    }
  }
}

// Fails when a matrix is read column by column, or what Fortran keeps so is read row by row
TEST_CASE("a matrix comes from an .npy by rows and by columns") {
  const Scratch scratch;
  const fs::path path = scratch / "matrix.npy";
  const std::string numbers = raw(1.0, 2.0, 3.0, 4.0, 5.0, 6.0);
  std::string by_columns = npy("'<f8'", "(2, 3)", numbers);
  put(path, by_columns);
  Eigen::MatrixXd rows(2, 3), columns(2, 3);
  rows << 1, 2, 3, 4, 5, 6;
  columns << 1, 3, 5, 2, 4, 6;
  CHECK(read_numpy_matrix(path, "any", 3) == rows);
  by_columns.replace(by_columns.find("False"), 5, "True ");
  put(path, by_columns);
  CHECK(read_numpy_matrix(path, "any", 3) == columns);
  const auto refused_matrix = [&](const std::string& bytes, std::size_t largest = 3) {
    put(path, bytes);
    return refusal([&] { read_numpy_matrix(path, "any", largest); });
  };
  CHECK_THAT(refused_matrix(npy("'<f8'", "(6,)", numbers)),
             ContainsSubstring("an array of 1 axes (two are read)"));
  CHECK_THAT(refused_matrix(npy("'<f8'", "(2, 3)", numbers), 2), ContainsSubstring("at most 2 x 2"));
  CHECK_THAT(refused_matrix(npy("'<f8'", "(3, 3)", numbers)), ContainsSubstring("48 bytes of data"));
  CHECK_THAT(refused_matrix(npy("[('a', '<f8')]", "(2, 3)", numbers)),
             ContainsSubstring("an array with fields"));
  CHECK_THAT(refused_matrix(npy("'<f8'", "(1, 1)", raw(std::nan("")))),
             ContainsSubstring("row 0, column 0 is nan"));
  CHECK_THAT(refusal([&] { read_numpy_matrix(numpy_data / "errors.npz", "any", 3); }),
             ContainsSubstring("no array \"any\""));
  CHECK_THAT(refused_matrix(npy("'<c16'", "(1, 1)", raw(1.0, 2.0))), ContainsSubstring("numbers of type <c16"));
}

// Fails when real and imaginary parts are exchanged, or numbers of 8 bytes read as those of 16
TEST_CASE("a complex matrix comes from an .npy") {
  const Scratch scratch;
  const fs::path path = scratch / "matrix.npy";
  const auto read = [&](const std::string& bytes) {
    put(path, bytes);
    return read_numpy_complex_matrix(path, 2);
  };
  Matrix expected(1, 2);
  expected << Complex(1, -2), Complex(0.5, 4);
  CHECK(read(npy("'<c16'", "(1, 2)", raw(1.0, -2.0, 0.5, 4.0))) == expected);
  CHECK(read(npy("'<c8'", "(1, 2)", raw(1.0f, -2.0f, 0.5f, 4.0f))) == expected);
  CHECK(read(npy("'<f8'", "(1, 2)", raw(1.0, 0.5))) == expected.real().cast<Complex>());
  CHECK_THAT(refusal([&] { read(npy("'<c16'", "(1, 1)", raw(1.0, HUGE_VAL))); }),
             ContainsSubstring("row 0, column 0 is inf"));
  CHECK_THAT(refusal([&] { read(npy("'>c16'", "(1, 1)", raw(1.0, 2.0))); }),
             ContainsSubstring("numbers of type >c16"));
  CHECK_THAT(refusal([&] { read_numpy_complex_matrix(numpy_data / "errors.npz", 3); }),
             ContainsSubstring("arrays (one, the matrix, is read)"));
}
