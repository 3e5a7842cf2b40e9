// Files that HDF5 finds in order and nobody should believe. What fuzzing found besides is kept in
// tests/fuzz/corpus.

#include <array>

#include <hdf5.h>

#include "experiments/files/hdf5/provenance.hpp"
#include "experiments/run/gradient_transfer.hpp"
#include "experiments/run/inspect.hpp"
#include "experiments/run/run_study.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/configs.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/scratch.hpp"

using namespace optinc;
namespace fs = std::filesystem;

namespace {

/// Puts a chunked dataset of float64 into a file, none of whose chunks is there, over one of the same name.
void put_unwritten(const fs::path& path, const char* name, const std::vector<hsize_t>& shape) {
  const Handle file(H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT), H5Fclose),
      space(H5Screate_simple(static_cast<int>(shape.size()), shape.data(), nullptr), H5Sclose),
      list(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
  const std::vector<hsize_t> chunk(shape.size(), 1);
  H5Pset_chunk(list.get(), static_cast<int>(chunk.size()), chunk.data());
  if (H5Lexists(file.get(), name, H5P_DEFAULT) > 0) H5Ldelete(file.get(), name, H5P_DEFAULT);
  const Handle set(
      H5Dcreate2(file.get(), name, H5T_IEEE_F64LE, space.get(), H5P_DEFAULT, list.get(), H5P_DEFAULT),
      H5Dclose);
  REQUIRE(set.get() >= 0);
}

/// A file with our signature and nothing else but what `fill` writes.
template <class Fill>
fs::path signed_file(const fs::path& path, Fill&& fill) {
  File file = File::create(path);
  sign_file(file, "a file", "test");
  fill(file.root());
  file.close();
  return path;
}

}  // namespace

// Fails when Group::read leaves out require_held: it makes room for a terabyte, or for the product modulo 2^64.
TEST_CASE("no room is made for values that a file cannot hold") {
  const Scratch scratch;
  const fs::path path = signed_file(scratch / "claims.h5", [](const Group&) {});
  put_unwritten(path, "long", {hsize_t{1} << 40});
  put_unwritten(path, "wide", {hsize_t{1} << 33, hsize_t{1} << 33});
  put_unwritten(path, "small", {3});
  const File file = File::open(path);
  for (const char* name : {"long", "wide"})
    check_message(refusal([&] { file.root().read<double>(name); }), {name, "claims", "damaged"});
  CHECK(file.root().read<double>("small").values == std::vector<double>(3, 0.0));
}

// Fails when provenance() takes an attribute only where it is: the text of a file without it reads what is not
// there.
TEST_CASE("inspect refuses a file that does not say what made it") {
  const Scratch scratch;
  const fs::path path = scratch / "nameless.h5";
  File file = File::create(path);
  const Group root = file.root();
  root.attributes().set("schema_version", schema_version);
  root.attributes().set("optinc_version", std::string_view("0"));
  file.close();
  check_message(refusal([&] { inspect_text(path); }), {"nameless.h5", "title", "missing"});
}

// Fails when gradient_summary() does not look for every path: the text asks for all six.
TEST_CASE("inspect refuses gradients of which a path is missing") {
  const Scratch scratch;
  const fs::path path = signed_file(scratch / "gradients.h5", [](const Group& root) {
    const Group group = root.group("gradient");
    group.dimension("path", std::vector<std::string>{"exact", "chip_noisy"}, "1", "path");
    group.dataset("relative_error", {"path"}, std::vector<double>{0, 0.1}, "1", "error");
    for (const char* name : {"words", "servers"}) group.attributes().set(name, std::int64_t{4});
    for (const char* name : {"sigma_eta_rad", "test_accuracy"}) group.attributes().set(name, 0.5);
  });
  check_message(refusal([&] { inspect_text(path); }), {"gradients.h5", "quantised"});
}

// Fails when ablation_summary() does not compare the lengths: it reads behind the end of the shorter one.
TEST_CASE("inspect refuses an ablation whose shares do not belong together") {
  const Scratch scratch;
  RunOptions options;
  options.output = scratch / "mesh.h5";
  options.quiet = true;
  run_study(
      parse(
          "model = 'mesh'\n[runner]\ntrials = 2\n[mesh]\nports = 3\n[[sweep]]\nmethod = 'ablation'\nsources = "
          "['splitters', 'DAC']\n"),
      options);
  CHECK(refusal([&] { inspect_text(options.output); }).empty());
  put_unwritten(options.output, "ablation/share_without", {1});
  check_message(refusal([&] { inspect_text(options.output); }), {"ablation", "shares"});
}
