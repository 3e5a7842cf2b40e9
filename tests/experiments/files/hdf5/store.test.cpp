#include <cmath>
#include <csignal>
#include <numeric>
#include <sstream>

#include <sys/resource.h>
#include <unistd.h>

#include "experiments/files/hdf5/atomic_file.hpp"
#include "experiments/files/hdf5/durable_write.hpp"
#include "experiments/files/hdf5/hdf5.hpp"
#include "experiments/files/hdf5/provenance.hpp"
#include "experiments/study/points.hpp"
#include "experiments/study/stored_config.hpp"
#include "physics/core/check.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/files.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/scratch.hpp"

using namespace optinc;
namespace fs = std::filesystem;

namespace {

template <class T>
void round_trip(const Group& group, std::string_view name, const std::vector<T>& values) {
  group.dataset(name, {"a", "b"}, values, "1", "values");
  const Array<T> back = group.read<T>(name);
  CHECK(back.shape == std::vector<std::size_t>{2, 3});
  CHECK(back.values == values);
  CHECK(group.read<T>(name, {2, 3}) == values);
}

/// A file with a group "g", dimension "a" (3 values) and a dataset "x" over it.
fs::path small_file(const fs::path& folder) {
  const fs::path path = folder / "small.h5";
  File file = File::create(path);
  const Group g = file.group("g");
  g.dimension("a", std::vector<double>{1, 2, 3}, "rad", "axis");
  g.dataset("x", {"a"}, std::vector<double>{0.1, std::nan(""), -0.0}, "dB", "values");
  g.attributes().set("text", std::string_view("t\xC3\xA9xt"));
  g.attributes().set("number", 0.1);
  g.attributes().set("integer", std::int64_t{1} << 60);
  file.close();
  return path;
}

}  // namespace

TEST_CASE("every type comes back bit for bit") {
  const Scratch scratch;
  File file = File::create(scratch / "types.h5");
  const Group g = file.group("some/where");
  g.counting_dimension("a", 2, "axis");
  g.counting_dimension("b", 3, "axis");
  round_trip<double>(g, "double", {0.1, -1e300, 5e-324, 4, 5, INFINITY});
  round_trip<float>(g, "float", {0.1f, -1e30f, 1e-45f, 4, 5, 6});
  round_trip<std::int32_t>(g, "int32", {INT32_MIN, INT32_MAX, 0, 4, 5, 6});
  round_trip<std::int64_t>(g, "int64", {INT64_MIN, INT64_MAX, 0, 4, 5, 6});
  round_trip<std::uint8_t>(g, "uint8", {0, 255, 3, 4, 5, 6});
  round_trip<std::uint32_t>(g, "uint32", {0, UINT32_MAX, 3, 4, 5, 6});
  round_trip<std::string>(g, "string", {"", "b", "\xC3\xA9", "two words", "e", std::string(5000, 'x')});
  g.dataset("scalar", {}, std::vector<double>{2.5}, "W", "one value");
  CHECK(g.read<double>("scalar").shape.empty());
  CHECK(g.read<double>("scalar", {}) == std::vector<double>{2.5});
}

TEST_CASE("a large compressed dataset comes back") {
  const Scratch scratch;
  std::vector<double> values(3 * 700 * 401);
  std::iota(values.begin(), values.end(), 0.5);
  {
    File file = File::create(scratch / "large.h5");
    file.root().counting_dimension("a", 3, "axis");
    file.root().counting_dimension("b", 700, "axis");
    file.root().counting_dimension("c", 401, "axis");
    file.root().dataset("x", {"a", "b", "c"}, values, "1", "values");
    file.close();
  }
  CHECK(fs::file_size(scratch / "large.h5") < values.size() * sizeof(double) / 2);
  CHECK(File::open(scratch / "large.h5").root().read<double>("x", {3, 700, 401}) == values);
}

TEST_CASE("a file reopened holds what was written") {
  const Scratch scratch;
  const File file = File::open(small_file(scratch.path()));
  const Group g = file.root().open("g");
  const auto x = g.read<double>("x", {3});
  CHECK(x[0] == 0.1);
  CHECK(std::isnan(x[1]));
  CHECK(std::signbit(x[2]));
  CHECK(file.root().read<double>("g/a").values == std::vector<double>{1, 2, 3});
  CHECK(g.attributes().text("text") == "t\xC3\xA9xt");
  CHECK(g.attributes().number("number") == 0.1);
  CHECK(g.attributes().integer("integer") == std::int64_t{1} << 60);
  CHECK(g.attributes("x").text("units") == "dB");
  CHECK(g.attributes("x").text("long_name") == "values");
  CHECK(g.children() == std::vector<std::string>{"a", "x"});
  CHECK(file.root().children() == std::vector<std::string>{"g"});
  CHECK(g.exists("x"));
  CHECK(file.root().exists("g/x"));
  CHECK_FALSE(g.exists("y"));
  CHECK_FALSE(g.exists("y/x"));
  CHECK_FALSE(g.attributes().has("other"));
}

TEST_CASE("equal contents give equal bytes, whenever written") {
  const Scratch one, two;
  const fs::path first = small_file(one.path());
  ::sleep(1);  // HDF5 keeps times in whole seconds
  CHECK(bytes_of(first) == bytes_of(small_file(two.path())));
}

TEST_CASE("an attribute is replaced by a later one") {
  const Scratch scratch;
  File file = File::create(scratch / "a.h5");
  file.root().attributes().set("a", 1.0);
  file.root().attributes().set("a", std::string_view("text"));
  CHECK(file.root().attributes().text("a") == "text");
}

TEST_CASE("a reader's error names file, object and what was expected") {
  const Scratch scratch;
  const fs::path path = small_file(scratch.path());
  const std::string name = path.string();
  const File file = File::open(path);
  const Group g = file.root().open("g");
  check_message(refusal([&] { g.read<double>("y"); }), {name + ": /g/y", "missing", "a dataset", "h5ls -r"});
  check_message(refusal([&] { g.read<double>("y/z"); }), {name + ": /g/y/z", "missing"});
  check_message(refusal([&] { file.root().read<double>("g"); }), {name + ": /g", "a dataset"});
  check_message(refusal([&] { file.root().open("h"); }), {name + ": /h", "missing", "a group"});
  check_message(refusal([&] { file.root().open("g/x"); }), {name + ": /g/x", "a group"});
  check_message(refusal([&] { g.read<double>("x", {4}); }), {name + ": /g/x", "shape (3)", "expected (4)"});
  check_message(refusal([&] { g.read<double>("x", {3, 1}); }), {"shape (3)", "expected (3, 1)"});
  check_message(refusal([&] { g.read<float>("x"); }), {name + ": /g/x", "wrong type", "float32"});
  check_message(refusal([&] { g.read<std::int64_t>("x"); }), {"wrong type", "int64"});
  check_message(refusal([&] { g.read<std::string>("x"); }), {"wrong type", "strings"});
  const Attributes a = g.attributes();
  check_message(refusal([&] { a.text("other"); }), {name + ": /g", "attribute other", "missing", "a string"});
  check_message(refusal([&] { a.text("number"); }), {"attribute number", "wrong type", "a string"});
  check_message(refusal([&] { a.number("text"); }), {"attribute text", "wrong type", "a number"});
  check_message(refusal([&] { a.integer("number"); }), {"attribute number", "wrong type", "an integer"});
  check_message(refusal([&] { g.attributes("y"); }), {name + ": /g/y", "missing"});
  check_message(refusal([&] { file.group("new"); }), {name + ": /new", "cannot create"});
}

TEST_CASE("a writer's error names file, object and what was expected") {
  const Scratch scratch;
  File file = File::create(scratch / "w.h5");
  const std::string name = (scratch / "w.h5").string();
  const Group g = file.group("g");
  const std::vector<double> three = {1, 2, 3};
  g.dimension("a", three, "1", "axis");
  check_message(refusal([&] { g.dataset("x", {"b"}, three, "1", "x"); }),
                {name + ": /g/x", "dimension b", "missing"});
  check_message(refusal([&] { g.dataset("x", {"a", "a"}, three, "1", "x"); }), {"3 values", "(3, 3)", "9"});
  check_message(refusal([&] { g.dataset("a", {"a"}, three, "1", "x"); }), {"/g/a", "there already"});
  check_message(refusal([&] { g.dataset("x", {"a"}, three, "", "x"); }), {"unit", "empty"});
  check_message(refusal([&] { g.dataset("x", {"a"}, three, "1", ""); }), {"long name", "empty"});
  check_message(refusal([&] { g.dataset("x", {"a"}, three, "seconds", "x"); }), {"seconds", "dates"});
  check_message(refusal([&] { g.dimension("b", std::vector<double>{}, "1", "x"); }), {"/g/b", "0 values"});
  g.dataset("plain", {}, std::vector<double>{1.0}, "1", "not a dimension");
  check_message(refusal([&] { g.dataset("x", {"plain"}, three, "1", "x"); }), {"dimension plain", "missing"});
  CHECK_FALSE(g.exists("x"));
  // the nearest dimension of a name wins, and one further up is found
  file.root().counting_dimension("a", 5, "another axis");
  const Group below = g.group("h/i");
  below.dataset("x", {"a"}, three, "1", "over /g/a");
  CHECK(below.read<double>("x", {3}) == three);
}

TEST_CASE("what is not a whole HDF5 file is refused") {
  const Scratch scratch;
  const auto open = [](const fs::path& path) { return refusal([&] { File::open(path); }); };
  check_message(open(scratch / "none.h5"), {"none.h5", "no such file"});
  check_message(open(scratch.path()), {"folder"});
  put(scratch / "text.h5", "not a result\n");
  check_message(open(scratch / "text.h5"), {"text.h5", "not an HDF5 file"});
  put(scratch / "empty.h5", "");
  check_message(open(scratch / "empty.h5"), {"not an HDF5 file"});
  const std::string whole = bytes_of(small_file(scratch.path()));
  put(scratch / "cut.h5", whole.substr(0, whole.size() / 2));
  check_message(open(scratch / "cut.h5"), {"cut.h5", "truncated"});
}

TEST_CASE("a file that was damaged is noticed by its seal, wherever the bit") {
  const Scratch scratch;
  const fs::path path = small_file(scratch.path());
  const std::string whole = bytes_of(path);
  constexpr std::size_t seal_size = 12;
  int unseen = 0;
  for (std::size_t at = 0; at < whole.size() - seal_size; ++at) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ (1 << (at % 8)));
    put(scratch / "damaged.h5", damaged);
    unseen +=
        refusal([&] { File::open(scratch / "damaged.h5"); }).find("damaged.h5: damaged (") == std::string::npos;
  }
  CHECK(unseen == 0);
  // HDF5 itself takes the file with its seal and without
  CHECK(whole.substr(whole.size() - seal_size, 8) == "OPTINCS1");
  put(scratch / "bare.h5", whole.substr(0, whole.size() - seal_size));
  CHECK(File::open(scratch / "bare.h5").root().open("g").exists("x"));
}

TEST_CASE("what killed writers left of a file goes, and nothing else") {
  const Scratch scratch;
  const fs::path left = scratch / "out.h5.partial-0123456789abcdef";
  for (const fs::path& file :
       {left, scratch / "out.h5", scratch / "out.h5.journal", scratch / "other.h5.partial-0123456789abcdef",
        scratch / "out.h5.partial-backup", scratch / "out.h5.partial-0123456789abcdeg",
        scratch / "out.h5.partial-0123456789abcdef0"})
    put(file, "");
  remove_leftovers(scratch / "out.h5");
  CHECK(files_in(scratch.path()) == 6);
  CHECK_FALSE(fs::exists(left));
  write_text_file(scratch / "other.h5", "text");  // as whoever writes that file next does
  CHECK_FALSE(fs::exists(scratch / "other.h5.partial-0123456789abcdef"));
}

// Fails where what another process is still writing is taken for a leftover
TEST_CASE("a partial file of a living process stays") {
  const Scratch scratch;
  const fs::path partial = scratch / "out.h5.partial-0123456789abcdef";
  {
    const Descriptor held = write_durably(partial, {}, "out.h5");
    remove_leftovers(scratch / "out.h5");
    CHECK(fs::exists(partial));
  }
  fs::create_symlink(partial, scratch / "out.h5.partial-0000000000000000");
  remove_leftovers(scratch / "out.h5");
  CHECK_FALSE(fs::exists(partial));
  CHECK(fs::is_symlink(scratch / "out.h5.partial-0000000000000000"));
}

// Fails where partial files have names that others can tell beforehand, or are opened through a link
TEST_CASE("no link that lies in the folder is written through") {
  const Scratch scratch;
  const auto partial = [&] { return PartialFile(scratch / "out.h5", false).partial(); };
  CHECK(partial() != partial());
  CHECK(is_leftover(partial().filename().string(), "out.h5"));
  put(scratch / "victim", "mine");
  fs::create_symlink(scratch / "victim", scratch / "link");
  check_message(refusal([&] { write_durably(scratch / "link", {}, "out.h5"); }), {"out.h5", "File exists"});
  check_message(refusal([&] { File::create(scratch / "link").close(); }), {"File exists"});
  CHECK(bytes_of(scratch / "victim") == "mine");
}

TEST_CASE("an output that is an input is refused by whatever name") {
  const Scratch scratch;
  put(scratch / "in.toml", "");
  fs::create_symlink(scratch / "in.toml", scratch / "link");
  for (const char* name : {"in.toml", "./in.toml", "link"})
    check_message(refusal([&] {
                    require_not_input(scratch / name, {"", "none", scratch / "in.toml"});
                  }),
                  {name, "both input and output"});
  CHECK(refusal([&] { require_not_input(scratch / "out.h5", {scratch / "in.toml", "none"}); }).empty());
  CHECK(refusal([&] { require_not_input("none", {"none"}); }).empty());
}

TEST_CASE("an atomic file appears whole or not at all") {
  const Scratch scratch;
  const fs::path path = scratch / "out.h5";
  const auto write = [&](bool force, bool commit) {
    AtomicFile out(path, force);
    out.file().root().attributes().set("force", std::int64_t{force});
    if (commit) out.commit();
  };
  write(false, false);
  CHECK(files_in(scratch.path()) == 0);
  write(false, true);
  CHECK(File::open(path).root().attributes().integer("force") == 0);
  const std::string before = bytes_of(path);

  check_message(refusal([&] { write(false, true); }), {path.string(), "exists already", "--force"});
  check_message(refusal([&] { require_writable_output(path, false); }), {path.string(), "--force"});
  CHECK(bytes_of(path) == before);
  write(true, false);
  CHECK(bytes_of(path) == before);
  CHECK(files_in(scratch.path()) == 1);
  write(true, true);
  CHECK(File::open(path).root().attributes().integer("force") == 1);
  CHECK(files_in(scratch.path()) == 1);
}

TEST_CASE("an output that appears while the run lasts is not overwritten") {
  const Scratch scratch;
  {
    AtomicFile out(scratch / "out.h5");
    put(scratch / "out.h5", "someone else's");
    check_message(refusal([&] { out.commit(); }), {"exists already", "--force"});
  }
  CHECK(bytes_of(scratch / "out.h5") == "someone else's");
  CHECK(files_in(scratch.path()) == 1);
}

TEST_CASE("an output that cannot be written is refused before any work") {
  const Scratch scratch;
  const auto require = [](const fs::path& path) {
    return refusal([&] { require_writable_output(path, true); });
  };
  check_message(require(scratch / "none" / "out.h5"), {"none", "does not exist"});
  check_message(require(scratch.path()), {"folder"});
  check_message(require(""), {"not a file name"});
  put(scratch / "file", "");
  check_message(require(scratch / "file" / "out.h5"), {"does not exist"});
  CHECK(require(scratch / "fine.h5").empty());
  CHECK(files_in(scratch.path()) == 1);
  // permissions do not bind root, but nobody creates files in /proc
  if (::geteuid() == 0 && fs::exists("/proc/self"))
    check_message(require("/proc/out.h5"), {"cannot be written"});
  if (::geteuid() != 0) {
    fs::permissions(scratch.path(), fs::perms::owner_read | fs::perms::owner_exec);
    check_message(require(scratch / "out.h5"), {"cannot be written", "denied"});
    fs::permissions(scratch.path(), fs::perms::owner_all);
  }
}

TEST_CASE("a disk that fills up leaves the old result and no litter") {
  const Scratch scratch;
  const fs::path path = scratch / "out.h5";
  put(path, "old");
  // the limit on file size stands for a full disk: writes beyond it fail the same way
  rlimit old{};
  REQUIRE(::getrlimit(RLIMIT_FSIZE, &old) == 0);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit small{64 * 1024, old.rlim_max};
  REQUIRE(::setrlimit(RLIMIT_FSIZE, &small) == 0);
  const std::string message = refusal([&] {
    AtomicFile out(path, true);
    const Group root = out.file().root();
    root.counting_dimension("a", 100000, "axis");
    std::vector<double> noise(100000);
    for (std::size_t i = 0; i < noise.size(); ++i) noise[i] = std::sin(static_cast<double>(i * i));
    root.dataset("x", {"a"}, noise, "1", "hard to compress");
    out.commit();
  });
  ::setrlimit(RLIMIT_FSIZE, &old);
  std::signal(SIGXFSZ, handler);
  check_message(message, {path.string(), "cannot be written", "File too large"});
  CHECK(bytes_of(path) == "old");
  CHECK(files_in(scratch.path()) == 1);
}

TEST_CASE("a file says where it comes from") {
  const Scratch scratch;
  StudyConfig config;
  config.run = {77, 3, 5.0};
  config.chip = error_preset("doped-heaters");
  {
    File file = File::create(scratch / "p.h5");
    write_provenance(file, config, "A title", "optinc run x.toml");
    file.close();
  }
  const File file = File::open(scratch / "p.h5");
  const Group group = file.root();
  const Attributes root = group.attributes();
  CHECK(root.text("Conventions") == "CF-1.10");
  CHECK(root.text("title") == "A title");
  CHECK(root.text("command") == "optinc run x.toml");
  CHECK(root.integer("schema_version") == 5);
  CHECK(root.integer("seed") == 77);
  CHECK(root.text("run_id") == run_id(config));
  for (const auto* name : {"optinc_version", "git_revision", "build_target", "compiler"})
    CHECK_FALSE(root.text(name).empty());
  const std::string utc = root.text("created_utc");
  INFO(utc);
  CHECK(utc.size() == 20);
  CHECK(utc[10] == 'T');
  CHECK(utc.back() == 'Z');
  StudyConfig expected = config;
  expected.run = {77, 0, 0.0};  // how to run is never part of a result
  CHECK(stored_config(file) == expected);
}

TEST_CASE("equal runs on other threads leave equal attributes") {
  const Scratch scratch;
  StudyConfig config;
  std::vector<std::string> texts;
  for (const int threads : {1, 8}) {
    config.run.threads = threads;
    File file = File::create(scratch / "t.h5");
    write_provenance(file, config, "t", "c");
    texts.push_back(file.root().attributes().text("config_toml") + file.root().attributes().text("run_id"));
  }
  CHECK(texts[0] == texts[1]);
}

// Fails where "corrected" of an old file is taken for what it means today.
TEST_CASE("variants of older files have their present names") {
  const Scratch scratch;
  const File file = File::create(scratch / "old.h5");
  const Attributes root = file.root().attributes();
  write_provenance(file, {}, "t", "c");
  const auto variants = [&](int schema, const char* model, const char* names) {
    root.set("schema_version", std::int64_t{schema});
    root.set("config_toml", fmt::format("model = '{}'\n[measure]\nvariants = [{}]\n", model, names));
    return stored_config(file).measure.variants;
  };
  using Names = std::vector<std::string>;
  CHECK(variants(4, "mesh", "'corrected', 'corrected_nearest'") == Names{"corrected_quadrature", "corrected"});
  CHECK(variants(4, "chip", "'uncorrected', 'corrected', 'noisy'") ==
        Names{"uncorrected", "corrected_quadrature", "noisy"});
  CHECK(variants(5, "mesh", "'corrected', 'corrected_quadrature'") ==
        Names{"corrected", "corrected_quadrature"});
  CHECK(refusal([&] { variants(5, "chip", "'corrected'"); }).find("corrected_quadrature") != std::string::npos);
}

// Fails where the files of earlier versions, of any schema, are no longer read, or a study of today takes their
// names.
TEST_CASE("former names of presets in stored settings are read by their present names") {
  const std::string text =
      "[chip]\npreset = 'foundry'\n[[sweep]]\nvalues = {\"chip.preset\" = ['ideal', 'foundry']}\n";
  for (const int schema : {4, 5}) {
    const StudyConfig config = parse_stored_config(text, "old.h5", schema);
    CHECK(config.chip.preset == "doped-heaters");
    CHECK(config_at(config, 1).chip.preset == "doped-heaters");
    CHECK(config_at(config, 0).chip.preset == "ideal");
  }
  check_message(refusal([&] { parse_config(text, "new.toml"); }),
                {"new.toml:2:10: chip.preset", "foundry", "Use \"doped-heaters\"", "\"metal-heaters\""});
}

TEST_CASE("a foreign or newer file is refused") {
  const Scratch scratch;
  check_message(refusal([&] { require_schema(File::open(small_file(scratch.path()))); }),
                {"not a file of OptINC"});
  File file = File::create(scratch / "new.h5");
  write_provenance(file, {}, "t", "c");
  require_schema(file);
  file.root().attributes().set("schema_version", schema_version + 1);
  check_message(refusal([&] { require_schema(file); }), {"new.h5", "schema_version 6", "up to 5", "newer"});
}

TEST_CASE("a section of the configuration becomes attributes") {
  const Scratch scratch;
  const File file = File::create(scratch / "s.h5");
  const Group g = file.group("chip");
  write_section(g.attributes(), {}, "chip");
  CHECK(g.attributes().text("preset") == "design-target");
  CHECK(g.attributes().integer("dac_bits") == 14);
  CHECK(g.attributes().number("sigma_eta_rad") == 0.005);
  check_message(refusal([&] { write_section(g.attributes(), {}, "chips"); }), {"[chips]", "unknown"});
}
