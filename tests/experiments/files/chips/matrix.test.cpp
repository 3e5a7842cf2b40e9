#include <algorithm>
#include <cmath>

#include "experiments/files/chips/matrix_file.hpp"
#include "experiments/files/hdf5/atomic_file.hpp"
#include "physics/core/check.hpp"
#include "physics/random/haar.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/files.hpp"
#include "tests/support/meshes.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/scratch.hpp"

using namespace optinc;
namespace fs = std::filesystem;

namespace {

Matrix example(int rows, int columns) {
  Stream stream = testing::test_stream(5);
  Matrix m = testing::random_fields(rows, columns, stream);
  m(0, 0) = {-0.0, 5e-324};
  return m;
}

Matrix read_text_as(const Scratch& scratch, const std::string& name, const std::string& text) {
  put(scratch / name, text);
  return read_matrix(scratch / name);
}

std::string refusal_of(const Scratch& scratch, const std::string& name, const std::string& text) {
  return refusal([&] { read_text_as(scratch, name, text); });
}

bool same(const Matrix& a, const Matrix& b) { return a.rows() == b.rows() && a.cols() == b.cols() && a == b; }

/// T of the Touchstone files below, whose sign of phase is the other: no symmetry, every quadrant of the plane.
const Matrix typed =
    (Matrix(2, 2) << Complex(0.5, 0), Complex(0, -0.25), Complex(-0.75, 0), Complex(0, 0.125)).finished();

// S31 S32 / S41 S42 hold T; S13 .. S24 hold something else on purpose: it is the forward block that is read
const std::string in_ri =
    "! typed by hand\n"
    "# GHz S RI R 50\n"
    "193414.489  0 0  0 0  9 9  9 9 ! row 1\n"
    "            0 0  0 0  9 9  9 9\n"
    "            0.5 0  0 0.25  0 0  0 0\n"
    "           -0.75 0  0 -0.125  0 0  0 0\n";
const std::string in_ma =
    "# mhz s ma r 50\r\n"
    "193414489  0 0  0 0  9 9  9 9\r\n"
    "0 0  0 0  9 9  9 9\r\n"
    "0.5 0  0.25 90  0 0  0 0\r\n"
    "0.75 180  0.125 -90  0 0  0 0\r\n";
const std::string in_db =
    "# Hz DB S\n"
    "1.93414489e14  -inf 0  -400 0  9 9  9 9\n"
    "0 0  0 0  9 9  9 9\n"
    "-6.020599913279624 0  -12.041199826559248 90  0 0\n 0 0\n"
    "-2.498774732165999 180  -18.061799739838872 -90  0 0  0 0";

std::string changed(const std::string& text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  if (at == text.npos) throw std::logic_error("the test changes what is not there: " + from);
  return std::string(text).replace(at, from.size(), to);
}

}  // namespace

TEST_CASE("a matrix comes back bit for bit from every format") {
  const Scratch scratch;
  for (const int n : {1, 2, 3, 5}) {
    const Matrix m = example(n, n);
    const std::string touchstone = "m.s" + std::to_string(2 * n) + "p";
    for (const std::string& name : {std::string("m.h5"), std::string("m.csv"), touchstone}) {
      INFO(name);
      write_matrix(scratch / name, m, "A matrix", "test", true);
      const Matrix back = read_matrix(scratch / name);
      CHECK(same(back, m));
      CHECK(std::signbit(back(0, 0).real()));
    }
  }
  CHECK_THAT(refusal([&] { write_matrix(scratch / "m.npy", example(2, 2), "A matrix", "test"); }),
             ContainsSubstring("not written as \".npy\" (known: .h5"));
  CHECK_THAT(refusal([&] { read_matrix(scratch / "m.mat"); }), ContainsSubstring("scipy.io.loadmat"));
  for (const auto* name : {"wide.h5", "wide.csv"}) {
    write_matrix(scratch / name, example(2, 7), "A matrix", "test");
    CHECK(same(read_matrix(scratch / name), example(2, 7)));
  }
}

TEST_CASE("a Touchstone file is read in its three number formats") {
  const Scratch scratch;
  CHECK(same(read_text_as(scratch, "t.s4p", in_ri), typed));
  CHECK(testing::max_abs(read_text_as(scratch, "t.S4P", in_ma) - typed) < 1e-15);
  CHECK(testing::max_abs(read_text_as(scratch, "t.s4p", in_db) - typed) < 1e-15);
  // the defaults of a bare option line are GHz S MA R 50
  CHECK(testing::max_abs(
            read_text_as(scratch, "t.s4p", changed(in_ma, "# mhz s ma r 50\r\n193414489", "#\n193414.489")) -
            typed) < 1e-15);
}

TEST_CASE("a Touchstone 2-port lists S21 before S12, with noise data behind") {
  const Scratch scratch;
  const std::string text =
      "# GHz S RI R 50\n193000 0 0 0.3 0.4 9 9 0 0\n193414 0 0 0.5 -0.25 9 9 0 0\n"
      "100 1 2 3 4\n200 1 2 3 4\n";
  const Matrix m = read_text_as(scratch, "t.s2p", text);
  REQUIRE(m.size() == 1);
  CHECK(m(0, 0) == Complex(0.5, 0.25));
  write_matrix(scratch / "w.s2p", Matrix::Constant(1, 1, Complex(0.25, 0.75)), "t", "c");
  CHECK_THAT(bytes_of(scratch / "w.s2p"), ContainsSubstring(" 0 0 0.25 -0.75 0.25 -0.75 0 0\n"));
}

// Fails when version 2 is read by columns where it says rows, a triangle is mirrored at the wrong diagonal, or
// resistances, noise and information pass for S parameters.
TEST_CASE("Touchstone 2 is read in its orders and shapes") {
  const Scratch scratch;
  const auto spectrum = [&](const std::string& name, const std::string& text) {
    put(scratch / name, text);
    return read_touchstone_spectrum(scratch / name, PhaseConvention::optics).s;
  };
  const std::string head = "! v2\n[Version] 2.0\n# THz S RI R 50 75 (50+10j)\n[Number of Ports] ";
  const auto two = [&](const std::string& order, const std::string& name) {
    return spectrum(
        name,
        head + "2\n[Two-Port Data Order] " + order +
            "\n[Number of Frequencies] 1\n[Number of Noise Frequencies] 1\n"
            "[Reference] 50\n 75\n[Begin Information]\n1 2 3\n[Whatever] x\n[End Information]\n[Network Data]\n"
            "0 1 0 2 0 3 0 4 0\n[Noise Data]\n4 5 6 7 8\n[End]\n");
  };
  Matrix rows(4, 1), columns(4, 1);  // in column order
  rows << 1, 3, 2, 4;
  columns << 1, 2, 3, 4;
  CHECK(two("12_21", "a.s2p") == rows);
  CHECK(two("21_12", "a.ts") == columns);
  const auto three = [&](const std::string& shape, const std::string& values) {
    return spectrum("b.ts",
                    head + "3\n[Matrix Format] " + shape + "\n[Network Data]\n193 " + values + "\n[End]\n");
  };
  Matrix symmetric(9, 1);
  symmetric << 1, 2, 4, 2, 3, 5, 4, 5, 6;
  CHECK(three("Lower", "1 0\n2 0 3 0\n4 0 5 0 6 0") == symmetric);
  CHECK(three("Upper", "1 0 2 0 4 0\n3 0 5 0\n6 0") == symmetric);
  CHECK(three("full", "1 0 2 0 4 0\n2 0 3 0 5 0\n4 0 5 0 6 0") == symmetric);
}

// Light of 100 um of waveguide has the group delay +n_g L / c wherever the file goes. Fails when the phase is
// not turned on the way in or out, or a file's own statement is not heeded.
TEST_CASE("a Touchstone file has the sign of phase that it states") {
  const Scratch scratch;
  const Matrix ours = Matrix::Constant(1, 1, std::polar(1.0, 0.3));  // exp(+i beta L)
  write_matrix(scratch / "rf.s2p", ours, "t", "c");
  write_matrix(scratch / "optics.s2p", ours, "t", "c", false, {default_frequency_hz, PhaseConvention::optics});
  const std::string rf = bytes_of(scratch / "rf.s2p"), optics = bytes_of(scratch / "optics.s2p");
  CHECK_THAT(rf, ContainsSubstring("\n! phase convention: exp(-j beta L)"));
  CHECK_THAT(rf, ContainsSubstring(fmt::format(" {} {} ", std::cos(0.3), -std::sin(0.3))));
  CHECK_THAT(optics, ContainsSubstring("\n! phase convention: exp(+j beta L)"));
  CHECK_THAT(optics, ContainsSubstring(fmt::format(" {} {} ", std::cos(0.3), std::sin(0.3))));
  for (const auto* name : {"rf.s2p", "optics.s2p"}) CHECK(same(read_matrix(scratch / name), ours));
  // an earlier version wrote our sign and no statement
  put(scratch / "old.s2p",
      changed(optics, optics.substr(optics.find("! phase"), optics.find("# GHz") - optics.find("! phase")),
              ""));
  CHECK(same(read_matrix(scratch / "old.s2p"), ours));
  CHECK(same(read_matrix(scratch / "old.s2p", {default_frequency_hz, PhaseConvention::optics}), ours));
  const std::string others = optics.substr(optics.find("# GHz"));
  put(scratch / "others.s2p", others);
  CHECK(same(read_matrix(scratch / "others.s2p"), ours.conjugate()));
  CHECK(same(read_matrix(scratch / "others.s2p", {default_frequency_hz, PhaseConvention::optics}), ours));
  for (const auto& [name, convention] :
       {std::pair("old.s2p", PhaseConvention::rf), {"rf.s2p", PhaseConvention::optics}})
    check_message(refusal([&, file = scratch / name, convention = convention] {
                    read_matrix(file, {default_frequency_hz, convention});
                  }),
                  {name, "OptINC wrote the file", "Leave it out"});
  put(scratch / "new.s2p", changed(rf, "exp(-j beta L)", "exp(-j omega t)"));
  check_message(refusal([&] { read_matrix(scratch / "new.s2p"); }),
                {"new.s2p", "exp(-j omega t)", "known are"});
}

TEST_CASE("a written Touchstone file is what other programs expect") {
  const Scratch scratch;
  write_matrix(scratch / "t.s4p", typed, "t", "c", false, {193.5e12});
  const std::string text = bytes_of(scratch / "t.s4p");
  CHECK_THAT(text, ContainsSubstring("\n# GHz S RI R 50\n"
                                     "193500 0 0 0 0 0.5 0 -0.75 0\n"
                                     " 0 0 0 0 0 0.25 0 -0.125\n"
                                     " 0.5 0 0 0.25 0 0 0 0\n"
                                     " -0.75 0 0 -0.125 0 0 0 0\n"));
  write_matrix(scratch / "t.s6p", example(3, 3), "t", "c");  // rows of six break after four
  const std::string six = bytes_of(scratch / "t.s6p");
  const std::string numbers = six.substr(six.find("R 50\n") + 5);
  CHECK(numbers.starts_with("193414.489032"));
  CHECK(std::count(numbers.begin(), numbers.end(), '\n') == 6 * 2 + 1);
}

TEST_CASE("of several frequencies the nearest within one percent is taken") {
  const Scratch scratch;
  const auto at = [](const std::string& ghz, const std::string& value) {
    return ghz + " 0 0 " + value + " 0 9 9 0 0\n";
  };
  put(scratch / "t.s2p", "# GHz S RI R 50\n" + at("191000", "0.1") + at("193400", "0.2") + at("196000", "0.3"));
  const auto value = [&](double hz) { return read_matrix(scratch / "t.s2p", {hz})(0, 0).real(); };
  CHECK(value(default_frequency_hz) == 0.2);
  CHECK(value(191.5e12) == 0.1);
  CHECK(value(197.9e12) == 0.3);
  check_message(refusal([&] { value(198.0e12); }), {"t.s2p", "196000 GHz", "198000 GHz", "1 %"});
}

TEST_CASE("a bad Touchstone file names file, line and what was expected") {
  const Scratch scratch;
  const auto check = [&](const std::string& text, const std::vector<std::string>& parts) {
    check_message(refusal_of(scratch, "t.s4p", text), parts);
  };
  check("", {"t.s4p:0", "no data"});
  check("# GHz S RI R 50\n", {"t.s4p:1", "no data"});
  check(changed(in_ri, "# GHz S RI R 50\n", ""), {"t.s4p:2", "before the option line"});
  check(changed(in_ri, " S ", " Y "), {"t.s4p:2", "\"Y\"", "S parameters"});
  check(changed(in_ri, "GHz S", "s S"), {"t.s4p:2", "S parameters over seconds"});
  check("[\"port 1\",\"LEFT\"]\n", {"t.s4p:1", "Lumerical"});
  check(std::string("\xFF\xFE#\0 \0", 6), {"t.s4p:1", "UTF-16"});
  check_message(refusal_of(scratch, "t.s2p", "# GHz S RI R 50\n195 0 0 1 0\n 1 0 0 0\n194 0 0 1 0\n 1 0 0 0\n"),
                {"t.s2p:4", "frequency 194 GHz after 195 GHz"});
  check("[Version] 2.0\n" + in_ri, {"t.s4p:4", "numbers before [Network Data]"});
  const std::string data = changed(in_ri, "# GHz S RI R 50\n", "[Version] 2.0\n# GHz S RI\n[Network Data]\n");
  const auto with = [&](const std::string& line) {
    return changed(data, "[Network Data]", line + "\n[Network Data]");
  };
  check(changed(data, "2.0", "3.0"), {"t.s4p:2", "[Version] 3.0", "version 2.0"});
  check(changed(data, "[Version] 2.0\n", ""), {"t.s4p:3", "[Version] first"});
  check(with("[Number of Ports] 3"), {"t.s4p:4", "4 ports"});
  check(with("[Two-Port Data Order] 12"), {"t.s4p:4", "12_21 or 21_12"});
  check(with("[Matrix Format] Half"), {"t.s4p:4", "Full, Lower or Upper"});
  check(with("[Mixed-Mode Order] D2,3 C2,3"), {"t.s4p:4", "single-ended ports"});
  check_message(refusal([&] {
                  put(scratch / "t.ts", data);
                  read_touchstone_spectrum(scratch / "t.ts");
                }),
                {"t.ts", "no [Number of Ports]"});
  check(changed(in_ri, "-0.75", "nan"), {"t.s4p:6", "not finite"});
  check(changed(in_ri, "-0.75", "-inf"), {"t.s4p:6", "not finite"});
  check(changed(in_ri, "-0.75", "0,75"), {"t.s4p:6", "0,75", "not a number"});
  check(changed(in_ri, "-0.75 0", "-0.75"), {"t.s4p:6", "31 numbers", "expected 32"});
  check(changed(in_ri, "-0.75 0", "-0.75 0 1"), {"t.s4p:6", "more than 32 numbers"});
  check(in_ri + in_ri.substr(in_ri.find("193")), {"t.s4p:7", "rise"});
  check(changed(in_ri, "193414.489", "-1"), {"t.s4p:3", "frequency -1 GHz after none", "rise from 0"});
  check(changed(in_ri, "193414.489", "0"), {"t.s4p", "nearest frequency 0 GHz"});
  check(in_ri + "1 2 3\n", {"t.s4p:7", "rise"});
  check_message(refusal_of(scratch, "t.s3p", in_ri), {"t.s3p", "3 ports", "even"});
  check_message(refusal_of(scratch, "t.s999998p", in_ri), {"999998 ports", "8192"});
  check_message(refusal_of(scratch, "t.s2p", in_ri),
                {"t.s2p:4", "frequency 0 GHz after 193414.489 GHz", "8 numbers make 2 ports"});
  check_message(refusal_of(scratch, "t.s6p", in_ri), {"t.s6p:6", "32 numbers", "expected 72"});
}

TEST_CASE("a grid of complex numbers is read as numpy and MATLAB write it") {
  const Scratch scratch;
  const Matrix m = (Matrix(2, 3) << Complex(1, 2), Complex(-0.5, -0.25), Complex(0, -1), Complex(0, 1), 3.0,
                    Complex(0, 2e-3))
                       .finished();
  const std::vector<std::string> texts = {
      "1+2i,-0.5-0.25i,-1i\ni,3,0.002i\n",                                              // MATLAB
      "1.0+2.0j,-5e-1-2.5E-01j,-0-1j\r\n0+1j,3+0j,2e-3j",                               // Windows
      "# numpy.savetxt\n (1.0e+00+2.0e+00j) (-5.0e-01+-2.5e-01j) (0.0e+00-1.0e+00j)\n"  // old and new numpy
      " (0.0e+00+1.0e+00j) (3.0e+00+0.0e+00j) (0.0e+00+2.0e-03j)\n",
      "1 + 2i; -0.5 - 0.25i; -i\n 1j; +3; 0.002j\n",
      "1+2i\t-0.5-0.25i\t0-i\n0+i\t3\t2e-3i\n\n",
      "row , column,re,im\n1,2,0,2e-3\n0,0,1,2\n0,1,-0.5,-0.25\n0,2,0,-1\n1,0,0,1\n1,1,3,0\n"};
  for (const std::string& text : texts) {
    INFO(text);
    CHECK(same(read_text_as(scratch, "m.csv", text), m));
  }
}

// Fails when a decimal comma parts cells, when pandas' numbers of rows or columns become elements, and when
// pairs of HDF5 are read in the order of memory.
TEST_CASE("a unitary is the same from five programs") {
  const fs::path data = fs::path(TEST_DATA_DIR) / "matrices";
  const Matrix u = read_matrix(data / "c_npy.npy");
  CHECK((u * u.adjoint() - Matrix::Identity(4, 4)).norm() < 1e-14);
  for (const auto& [name, digits] :
       {std::pair("c_h5_complex.h5", 0.0), std::pair("c_h5_f32.h5", 1e-7), std::pair("f_pandas.csv", 0.0),
        std::pair("f_excel_decimal_comma.csv", 1e-14)}) {
    INFO(name);
    CHECK((read_matrix(data / name) - u).cwiseAbs().maxCoeff() <= digits);
  }
}

TEST_CASE("tables are cut as spreadsheets and pandas write them") {
  const Scratch scratch;
  const Matrix m = (Matrix(2, 2) << Complex(0.5, 0.25), -1.5, Complex(0, 1e-3), 2.0).finished();
  for (const std::string text :
       {"0,5+0,25i;-1,5\n0,001i;2\n", "0,5+0,25i\t-1,5\n0,001i\t2\n", "\"0,5+0,25i\",\"-1,5\"\n\"0,001i\",2\n",
        ",x,y\n0,0.5+0.25j,-1.5\n1,0.001j,2\n", "in 0,in 1\n0.5+0.25j,-1.5\n0.001j,2\n",
        "\"row\";\"column\";\"re\";\"im\"\n0;0;0,5;0,25\n0;1;-1,5;0\n1;0;0;0,001\n1;1;2;0\n"}) {
    INFO(text);
    CHECK(same(read_text_as(scratch, "m.csv", text), m));
  }
}

TEST_CASE("a module of Verilog-A is the matrix, in ports of voltages") {
  const Scratch scratch;
  write_matrix(scratch / "my mesh.va", typed, "t", "c", false, {.convention = PhaseConvention::optics});
  const std::string text = bytes_of(scratch / "my mesh.va");
  for (const std::string part :
       {"module my_mesh(in0_re, in0_im, in1_re, in1_im, out0_re, out0_im, out1_re, out1_im);",
        "V(out0_re) <+ 0.0\n      + (0.5) * V(in0_re)\n      + (0.25) * V(in1_im);",
        "V(out0_im) <+ 0.0\n      + (0.5) * V(in0_im)\n      + (-0.25) * V(in1_re);", "exp(+j beta L)"}) {
    INFO(part);
    CHECK(text.find(part) != text.npos);
  }
  write_matrix(scratch / "rf.va", typed, "t", "c");
  CHECK(bytes_of(scratch / "rf.va").find("+ (-0.25) * V(in1_im)") != std::string::npos);  // conjugated
}

TEST_CASE("a bad matrix in CSV names file, line and what was expected") {
  const Scratch scratch;
  const auto check = [&](const std::string& text, const std::vector<std::string>& parts) {
    check_message(refusal_of(scratch, "m.csv", text), parts);
  };
  check("", {"m.csv:0", "no data"});
  check("1+2i,3\n1\n", {"m.csv:2", "1 cells", "expected 2"});
  for (const auto* cell :
       {"1+2", "1+2k",  "i1",    "1i+2", "",      "1..2",  "1e",    "1++2i", "((1))", "0x1",
        "abc", "1+2i3", "(1+2i", "+",    "1 000", "0.1 2", "1e -5", "1e- 5", "2 j",   "1 + 2 3i"}) {
    INFO(cell);
    check(std::string("1,2\n3,") + cell + "\n", {"m.csv:2", "not a complex number"});
  }
  for (const auto* cell : {"nan", "1+nanj", "-inf", "infj"})
    check(std::string("1,2\n3,") + cell + "\n", {"m.csv:2", "not finite"});
  check("1;2.5,5\n", {"m.csv:1", "2.5,5", "not a complex number"});
  check("a,b\n", {"m.csv:1", "no row below the column names"});
  check("\"1\",\"2\n", {"m.csv:1", "quote that is not closed"});
  check(std::string("\xFF\xFE\x31\x00", 4), {"m.csv:1", "UTF-16"});
  const std::string table = "row,column,re,im\n0,0,1,2\n0,1,3,4\n";
  check("row,column,re,im\n", {"m.csv:1", "no element"});
  check(table + "0,1,5,6\n", {"m.csv:4", "element 0, 1 for the second time"});
  check(table + "1,1,5,6\n", {"m.csv:4", "3 elements", "2 x 2"});
  check(table + "4095,4095,5,6\n", {"m.csv:4", "3 elements", "4096 x 4096"});
  check(table + "4096,0,5,6\n", {"m.csv:4", "row \"4096\"", "0..4095"});
  check(table + "1,0,nan,6\n", {"m.csv:4", "re nan", "not finite"});
  check(table + "1,0,6\n", {"m.csv:4", "3 cells", "expected 4"});
  std::string wide = "1";
  for (int i = 0; i < 4096; ++i) wide += ",1";
  check(wide, {"m.csv:1", "4097", "4096"});
}

TEST_CASE("a matrix that lost its end is refused wherever it was cut") {
  const Scratch scratch;
  for (const auto* name : {"m.csv", "m.s4p"}) {
    write_matrix(scratch / name, typed, "t", "c", true);
    const std::string whole = bytes_of(scratch / name);
    const std::size_t sign = std::string("# end of file\n").size();
    for (std::size_t size = 0; size < whole.size() - sign; ++size) {
      INFO(name << " cut to " << size);
      CHECK_FALSE(refusal_of(scratch, name, whole.substr(0, size)).empty());
    }
    check_message(refusal_of(scratch, name, whole.substr(0, whole.size() - sign - 1)), {name, "truncated"});
  }
}

TEST_CASE("a bad matrix in HDF5 names file, dataset and what was expected") {
  const Scratch scratch;
  const auto stored = [&](std::size_t rows, std::size_t columns, std::size_t parts, double value) {
    AtomicFile out(scratch / "m.h5", true);
    const Group root = out.file().root();
    root.counting_dimension("output", rows, "o");
    root.counting_dimension("input", columns, "i");
    root.counting_dimension("complex", parts, "c");
    root.dataset("matrix", {"output", "input", "complex"}, std::vector<double>(rows * columns * parts, value),
                 "1", "m");
    out.commit();
    return refusal([&] { read_matrix(scratch / "m.h5"); });
  };
  CHECK(stored(2, 3, 2, 1.0).empty());
  check_message(stored(2, 3, 1, 1.0), {"m.h5: /matrix", "shape (2, 3, 1)", "output, input, 2"});
  check_message(stored(4097, 1, 2, 1.0), {"m.h5: /matrix", "4096 x 4096"});
  check_message(stored(2, 2, 2, std::nan("")), {"m.h5: /matrix", "NaN"});
  File::create(scratch / "none.h5").close();
  check_message(refusal([&] { read_matrix(scratch / "none.h5"); }), {"none.h5: /matrix", "missing"});
}

TEST_CASE("a line longer than any table's is refused before it fills the memory") {
  const Scratch scratch;
  put(scratch / "m.csv", "1,0\n" + std::string((16 << 20) + 70000, '1'));
  check_message(refusal([&] { read_matrix(scratch / "m.csv"); }), {"m.csv:2: a line of more than 16 MiB"});
  for (const std::size_t size :
       {65534U, 65535U, 65536U, 131070U}) {  // around the pieces that lines are read in
    const std::string blanks(size - 3, ' ');
    put(scratch / "m.csv", "1," + blanks + "2\n3,4\n5,6" + blanks);
    CHECK(read_matrix(scratch / "m.csv").rows() == 3);
    put(scratch / "m.csv", "1," + blanks + "2");
    CHECK(read_matrix(scratch / "m.csv")(0, 1) == Complex(2.0, 0.0));
  }
}

TEST_CASE("matrices have three extensions and overwrite nothing") {
  const Scratch scratch;
  const std::vector<std::string> known = {".h5, .csv, .sNp"};
  for (const auto* name : {"m.txt", "m", "m.sp", "m.s2", "m.s4x", "m.sap"}) {
    check_message(refusal([&] { write_matrix(scratch / name, typed, "t", "c"); }), known);
    check_message(refusal([&] { read_matrix(scratch / name); }), known);
  }
  check_message(refusal([&] { write_matrix(scratch / "m.s2p", typed, "t", "c"); }),
                {"m.s2p", "2 inputs", ".s4p"});
  check_message(refusal([&] { write_matrix(scratch / "m.s4p", example(3, 2), "t", "c"); }), {"3 x 2"});
  check_message(refusal([&] { write_matrix(scratch / "m.s4p", typed, "t", "c", false, {0.0}); }),
                {"frequency"});
  check_message(refusal([&] { write_matrix(scratch / "m.csv", typed * std::nan(""), "t", "c"); }), {"NaN"});
  CHECK(files_in(scratch.path()) == 0);
  for (const auto* name : {"m.h5", "m.csv", "m.s4p"}) {
    put(scratch / name, "precious");
    check_message(refusal([&] { write_matrix(scratch / name, typed, "t", "c"); }),
                  {name, "exists already", "--force"});
    CHECK(bytes_of(scratch / name) == "precious");
  }
  CHECK(files_in(scratch.path()) == 3);
  check_message(refusal([&] { read_matrix(scratch / "missing.csv"); }), {"missing.csv", "no such file"});
  fs::create_directory(scratch / "folder.csv");
  check_message(refusal([&] { read_matrix(scratch / "folder.csv"); }), {"folder.csv", "not a plain file"});
}
