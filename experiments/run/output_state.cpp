#include "experiments/run/output_state.hpp"

#include <array>
#include <fstream>
#include <system_error>
#include <vector>

#include <fmt/format.h>
#include <zlib.h>

#include "experiments/files/hdf5/atomic_file.hpp"
#include "experiments/files/hdf5/hdf5.hpp"
#include "experiments/run/training_checkpoint.hpp"
#include "physics/core/check.hpp"

namespace optinc {
namespace {

namespace fs = std::filesystem;

/// Whether anything has this name.
bool is_there(const fs::path& path) {
  std::error_code why;
  const bool there = fs::exists(fs::status(path, why));
  validate(!why || why == std::errc::no_such_file_or_directory || why == std::errc::not_a_directory,
           "{}: cannot be looked at ({}). Name another file.", path.string(), why.message());
  return there;
}

/// Whether it is a plain file that begins as every HDF5 file does.
bool begins_as_hdf5(const fs::path& path) {
  constexpr std::string_view signature = "\x89HDF\r\n\x1a\n";
  std::error_code none;
  if (!fs::is_regular_file(path, none)) return false;
  std::array<char, signature.size()> start = {};
  std::ifstream(path, std::ios::binary).read(start.data(), start.size());
  return std::string_view(start.data(), start.size()) == signature;
}

AtOutput at_output(const fs::path& path) {
  if (!is_there(path)) return AtOutput::nothing;
  if (!begins_as_hdf5(path)) return AtOutput::other;
  try {
    const File file = File::open(path);
    const Group root = file.root();
    if (root.exists("trials")) return AtOutput::trials;
    return root.exists("network") && root.attributes().has("config_toml") ? AtOutput::network : AtOutput::other;
  } catch (const Error&) {  // damaged
    return AtOutput::other;
  }
}

Beside training_at(const fs::path& path) {
  if (!is_there(path) && !fs::is_symlink(path)) return Beside::nothing;
  return begins_as_hdf5(path) ? Beside::ours : Beside::other;
}

}  // namespace

OutputState output_state(const fs::path& output) {
  return {at_output(output), is_there(journal_path(output)) ? journal_at(output) : Beside::nothing,
          training_at(checkpoint_path(output))};
}

OutputState require_free_output(const RunOptions& options) {
  require_writable_output(options.output, options.force);
  const OutputState state = output_state(options.output);
  const std::string training = checkpoint_path(options.output).string();
  validate(state.training != Beside::other,
           "{}: not a training of OptINC (the place of one under way). Move it away, or choose another output.",
           training);
  validate(state.training == Beside::nothing || options.force,
           "{}: a training for that output is under way or was not finished. Continue it with optinc resume "
           "{}, choose another output, or give it up with --force.",
           training, options.output.string());
  return state;
}

std::string fingerprint(const fs::path& path) {
  std::error_code none;
  if (!fs::is_regular_file(path, none)) return {};
  std::ifstream file(path, std::ios::binary);
  std::vector<char> block(std::size_t{1} << 20);
  uLong sum = crc32(0, nullptr, 0);
  std::uint64_t size = 0;
  while (file.read(block.data(), static_cast<std::streamsize>(block.size())), file.gcount() > 0) {
    sum = crc32_z(sum, reinterpret_cast<const Bytef*>(block.data()), static_cast<std::size_t>(file.gcount()));
    size += static_cast<std::uint64_t>(file.gcount());
  }
  return fmt::format("{}-{:08x}", size, sum);
}

bool is_as_found(const fs::path& output, std::string_view found) {
  if (!fs::exists(fs::symlink_status(output))) return true;
  return !found.empty() && fingerprint(output) == found;
}

}  // namespace optinc
