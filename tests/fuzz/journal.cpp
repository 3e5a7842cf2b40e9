#include <zlib.h>

#include "experiments/run/state.hpp"

#include "tests/fuzz/support.hpp"

namespace optinc::fuzz {
namespace {

constexpr std::size_t magic = 8, frame = 32;  // FORMAT.md, "Journal"

/// The frames with the checksums that their bytes ask for, which no fuzzer would guess.
std::vector<std::uint8_t> with_checksums(Bytes bytes) {
  std::vector<std::uint8_t> whole(bytes.begin(), bytes.end());
  for (std::size_t at = magic; at + frame <= whole.size();) {
    std::uint64_t payload = 0;
    std::memcpy(&payload, whole.data() + at + 24, sizeof payload);
    if (payload > whole.size() - at - frame) break;
    std::memset(whole.data() + at + 4, 0, 4);
    const auto sum =
        static_cast<std::uint32_t>(crc32_z(crc32(0, nullptr, 0), whole.data() + at, frame + payload));
    std::memcpy(whole.data() + at + 4, &sum, sizeof sum);
    at += frame + payload;
  }
  return whole;
}

}  // namespace

void journal(Bytes bytes) {
  const auto whole = with_checksums(bytes);
  const auto path = written(whole, "run.h5.journal");
  accepted([&] {
    const OpenedJournal opened = reopen_journal(path);
    if (!opened.state.records) return;
    demand(layout_of(opened.state).record_size == opened.state.records->record_size,
           "records are as wide as the study's");
  });
  demand(std::filesystem::file_size(path) <= whole.size(), "reading a journal adds nothing to it");
}

}  // namespace optinc::fuzz
