#include "experiments/run/trials/journal.hpp"

#include <bit>
#include <cmath>
#include <cstring>
#include <filesystem>

#include "experiments/run/trials/records.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/files.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/scratch.hpp"

using namespace optinc;
namespace fs = std::filesystem;

namespace {

using Bits = std::vector<std::uint64_t>;

/// All that a journal holds; records as bits, so that NaN equals NaN.
struct Contents {
  std::string toml, shard, inputs;
  struct Trial {
    std::size_t point, trial;
    Bits record;
    friend bool operator==(const Trial&, const Trial&) = default;
  };
  std::vector<Trial> trials;

  friend bool operator==(const Contents&, const Contents&) = default;
};

Bits bits(std::span<const double> record) {
  Bits found;
  for (const double x : record) found.push_back(std::bit_cast<std::uint64_t>(x));
  return found;
}

Journal::Reader into(Contents& contents) {
  return {[&](const std::string& toml, const std::string& shard) {
            contents.toml = toml;
            contents.shard = shard;
          },
          [&](std::span<const std::byte> file) {
            contents.inputs.assign(reinterpret_cast<const char*>(file.data()), file.size());
          },
          [&](std::size_t point, std::size_t trial, std::span<const double> record) {
            contents.trials.push_back({point, trial, bits(record)});
          },
          {}};
}

Contents read(const fs::path& path) {
  Contents contents;
  Journal::reopen(path, into(contents));
  return contents;
}

const std::vector<std::vector<double>> records = {
    {1.5, -0.0, 5e-324}, {std::nan("17"), INFINITY, 1.0 / 3.0}, {0.1, 0.2, 0.3}};
constexpr std::size_t last_frame = 32 + 3 * sizeof(double);  // head and record of the last trial

/// A journal of three trials and what it must hold.
Contents write(const fs::path& path) {
  Contents wanted{"a = 1\n[b]\n", "2/3", std::string("file\0\xff", 6), {}};
  Journal journal = Journal::create(path, wanted.toml, wanted.shard, false);
  journal.inputs(std::as_bytes(std::span(wanted.inputs)));
  for (std::size_t i = 0; i < records.size(); ++i) {
    journal.trial(i, 2 * i + 1, records[i]);
    wanted.trials.push_back({i, 2 * i + 1, bits(records[i])});
  }
  return wanted;
}

}  // namespace

TEST_CASE("records keep what was run") {
  Records r(2, 3, 2);
  CHECK(r.count() == 0);
  CHECK(std::isnan(r.at(1, 2)[1]));
  r.put(1, 0, std::vector<double>{1, 2});
  r.put(1, 2, std::vector<double>{3, std::nan("")});
  CHECK(r.count() == 2);
  CHECK(r.count(0) == 0);
  CHECK(r.count(1) == 2);
  CHECK(r.has(1, 2));
  CHECK_FALSE(r.has(1, 1));
  CHECK(r.at(1, 0)[1] == 2);
  CHECK(r.values[(1 * 3 + 2) * 2] == 3);
  CHECK(r.cell(1, 0) == std::vector<double>{1, 3});
  CHECK(r.cell(1, 1) == std::vector<double>{2});  // NaN is left out
  CHECK(r.cell(0, 0).empty());
  r.values[0] = 9;  // of a trial that was not run
  CHECK(r.cell(0, 0).empty());
}

TEST_CASE("a journal comes back bit for bit") {
  const Scratch scratch;
  const fs::path path = journal_path(scratch / "out.h5");
  CHECK(path == scratch / "out.h5.journal");
  const Contents wanted = write(path);
  CHECK(read(path) == wanted);
  CHECK(read(path) == wanted);  // reading changes nothing
  Journal::reopen(path, {});    // and a reader may take nothing
  CHECK(read(path) == wanted);
}

TEST_CASE("a journal that was torn keeps every whole trial and goes on") {
  const Scratch scratch;
  const fs::path whole = scratch / "whole", torn = scratch / "torn";
  Contents kept = write(whole);
  const std::string bytes = bytes_of(whole);
  const auto lost = kept.trials.back();
  kept.trials.pop_back();
  for (std::size_t cut = 1; cut <= last_frame; ++cut) {
    INFO("bytes missing: " << cut);
    put(torn, bytes.substr(0, bytes.size() - cut));
    Contents found;
    {
      Journal journal = Journal::reopen(torn, into(found));
      CHECK(found == kept);
      journal.trial(lost.point, lost.trial, records.back());
    }
    CHECK(bytes_of(torn) == bytes);  // what follows stands where the torn frame stood
  }
}

TEST_CASE("a flipped bit in the last frame drops that trial alone") {
  const Scratch scratch;
  const fs::path path = scratch / "j";
  Contents kept = write(path);
  const std::string bytes = bytes_of(path);
  kept.trials.pop_back();
  int wrong = 0;
  for (std::size_t at = bytes.size() - last_frame; at < bytes.size(); ++at)
    for (int bit = 0; bit < 8; ++bit) {
      std::string damaged = bytes;
      damaged[at] = static_cast<char>(damaged[at] ^ (1 << bit));
      put(path, damaged);
      wrong += read(path) == kept ? 0 : 1;
      wrong += fs::file_size(path) == bytes.size() - last_frame ? 0 : 1;
    }
  CHECK(wrong == 0);
}

TEST_CASE("a flipped bit further up drops that trial alone, with a word") {
  const Scratch scratch;
  const fs::path path = scratch / "j";
  const Contents whole = write(path);
  const std::string bytes = bytes_of(path);
  for (std::size_t lost = 0; lost + 1 < records.size(); ++lost) {
    Contents kept = whole;
    kept.trials.erase(kept.trials.begin() + static_cast<std::ptrdiff_t>(lost));
    const std::size_t frame = bytes.size() - (records.size() - lost) * last_frame;
    int wrong = 0;
    for (std::size_t at = frame; at < frame + last_frame; ++at) {
      std::string damaged = bytes;
      damaged[at] = static_cast<char>(damaged[at] ^ 8);
      put(path, damaged);
      Contents found;
      std::size_t told = 0;
      Journal::Reader reader = into(found);
      reader.damaged = [&](std::size_t size) { told = size; };
      Journal::reopen(path, reader);
      wrong += found == kept && told == last_frame && bytes_of(path) == damaged ? 0 : 1;
    }
    INFO("trial " << lost);
    CHECK(wrong == 0);
  }
}

// fails when the search has no end, when it ends too early, when what it gave up is cut off, or when a search
// that gave up passes for an empty journal that a new run may take
TEST_CASE("a journal of false starts of trials is refused and left alone, a few cost nothing") {
  const Scratch scratch;
  const fs::path path = scratch / "j";
  const Contents whole = write(path);
  const std::string bytes = bytes_of(path);
  const std::size_t last = bytes.size() - last_frame;
  for (const std::uint64_t starts : {20, 400}) {
    std::string crafted = bytes.substr(0, last);
    for (std::uint64_t k = 0; k < starts; ++k) {  // each claims all that follows, with a wrong checksum
      const std::uint64_t follows = 32 * (starts - 1 - k) + last_frame;
      std::string head(32, '\0');
      head[0] = 3;
      std::memcpy(head.data() + 24, &follows, sizeof follows);
      crafted += head;
    }
    crafted += bytes.substr(last);
    put(path, crafted);
    if (starts == 20) {
      CHECK(read(path) == whole);
    } else {
      check_message(refusal([&] { read(path); }), {path.string(), "only looks like trials", "Move it away"});
      CHECK(bytes_of(path) == crafted);
      crafted.erase(40, last - 40);  // of the header, its frame alone, and no trial before the false starts
      put(path, crafted);
      check_message(refusal([&] { Journal::create(path, "", "1/1", false); }), {path.string(), "--force"});
      CHECK(bytes_of(path) == crafted);
    }
  }
}

TEST_CASE("an empty journal holds a place and nothing else") {
  const Scratch scratch;
  const fs::path output = scratch / "out.h5", path = journal_path(output);
  CHECK(journal_at(output) == Beside::nothing);
  {
    const OutputLock held(output);
    CHECK(fs::file_size(path) == 0);
    CHECK(journal_at(output) == Beside::nothing);
    check_message(refusal([&] { OutputLock again(output); }), {"another process"});
    check_message(refusal([&] { Journal::create(path, "", "1/1", true); }), {"another process"});
  }
  CHECK_FALSE(fs::exists(path));
  Journal::create(path, "a", "1/1", false);
  const std::string header = bytes_of(path);
  CHECK(journal_at(output) == Beside::ours);
  for (std::size_t size = 0; size < header.size(); ++size) {  // of a process that died
    put(path, header.substr(0, size));
    CHECK(journal_at(output) == Beside::nothing);
    Journal::create(path, "a", "1/1", false);
    CHECK(bytes_of(path) == header);
  }
  std::string damaged = header;
  damaged[8 + 24 + 7] = 1;  // bytes that are not there
  put(path, damaged);
  CHECK(journal_at(output) == Beside::nothing);
  write(scratch / "whole");
  damaged = bytes_of(scratch / "whole");
  damaged[8 + 24 + 7] = 1;
  put(path, damaged);
  CHECK(journal_at(output) == Beside::ours);  // trials follow
  check_message(refusal([&] { OutputLock again(output); }), {"not finished"});
  put(path, "my diary\n");
  CHECK(journal_at(output) == Beside::other);
}

TEST_CASE("a frame that claims more than there is ends the journal") {
  const Scratch scratch;
  const fs::path path = scratch / "j";
  Contents kept = write(path);
  kept.trials.pop_back();
  std::string bytes = bytes_of(path);
  const std::uint64_t huge = std::uint64_t{1} << 60;
  std::memcpy(bytes.data() + bytes.size() - last_frame + 24, &huge, sizeof huge);
  put(path, bytes);
  CHECK(read(path) == kept);
}

TEST_CASE("what is no journal is refused and left alone") {
  const Scratch scratch;
  const auto refused = [&](const std::string& bytes) {
    put(scratch / "f", bytes);
    const std::string message = refusal([&] { Journal::reopen(scratch / "f", {}); });
    CHECK(bytes_of(scratch / "f") == bytes);
    return message;
  };
  check_message(refused("a text of somebody else\n"), {(scratch / "f").string(), "not a journal"});
  check_message(refused(""), {"not a journal"});
  check_message(refused("OPTINCJ"), {"not a journal"});
  check_message(refused("OPTINCJ2 of the future"), {"another version"});
  check_message(refused("OPTINCJ1"), {(scratch / "f").string(), "without its configuration"});
  write(scratch / "whole");
  const std::string bytes = bytes_of(scratch / "whole");
  check_message(refused(bytes.substr(0, 8 + 32 + 5)), {"without its configuration"});  // a torn header
  std::string headless = bytes.substr(0, 8) + bytes.substr(bytes.size() - last_frame);
  check_message(refused(headless), {"without its configuration"});
  check_message(refusal([&] { Journal::reopen(scratch / "none", {}); }), {"none", "cannot be opened"});
  check_message(refusal([&] { Journal::create(scratch / "no" / "j", "", "1/1", false); }),
                {"cannot be created"});
}

TEST_CASE("one process at a time writes a journal") {
  const Scratch scratch;
  const fs::path path = scratch / "out.h5.journal";
  {
    Journal first = Journal::create(path, "a", "1/1", false);
    first.trial(0, 0, records[0]);
    check_message(refusal([&] { Journal::reopen(path, {}); }), {path.string(), "another process", "lock"});
    check_message(refusal([&] { Journal::create(path, "b", "1/1", true); }), {"another process"});
    check_message(refusal([&] { Journal::create(path, "b", "1/1", false); }), {"another process"});
    check_message(refusal([&] { OutputLock(scratch / "out.h5"); }), {"another process"});
    first.trial(0, 1, records[1]);
  }
  CHECK(read(path).toml == "a");
  CHECK(read(path).trials.size() == 2);
  Journal moved = Journal::reopen(path, {});
  const Journal holder = std::move(moved);
  check_message(refusal([&] { Journal::reopen(path, {}); }), {"another process"});
}

TEST_CASE("a journal that is there is dropped by force alone") {
  const Scratch scratch;
  const fs::path path = scratch / "out.h5.journal";
  const Contents wanted = write(path);
  check_message(refusal([&] { Journal::create(path, "new", "1/1", false); }),
                {path.string(), "optinc resume " + (scratch / "out.h5").string() + ",", "--force"});
  CHECK(read(path) == wanted);
  Journal::create(path, "new", "1/1", true);
  CHECK(read(path) == Contents{"new", "1/1", "", {}});
  Journal::reopen(path, {}).remove();
  CHECK_FALSE(fs::exists(path));
}
