#include "experiments/files/hdf5/provenance.hpp"

#include <algorithm>
#include <chrono>
#include <ctime>

#include <fmt/chrono.h>
#include <fmt/ranges.h>

#include "physics/core/check.hpp"

#include "optinc_version.hpp"

namespace optinc {
namespace {

#ifdef __clang__
constexpr std::string_view compiler = "Clang " __clang_version__;
#else
constexpr std::string_view compiler = "GCC " __VERSION__;
#endif

std::string utc_now() {
  const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(now));
}

}  // namespace

std::string_view program_revision() { return OPTINC_GIT_REVISION; }

std::vector<std::pair<std::string, std::string>> file_origin(std::string_view title, std::string_view command) {
  return {{"title", std::string(title)},         {"optinc_version", OPTINC_VERSION},
          {"git_revision", OPTINC_GIT_REVISION}, {"build_target", OPTINC_BUILD_TARGET},
          {"compiler", std::string(compiler)},   {"created_utc", utc_now()},
          {"command", std::string(command)}};
}

std::string program_version() {
  return fmt::format("optinc {} ({}, {}, {})", OPTINC_VERSION, OPTINC_GIT_REVISION, OPTINC_BUILD_TARGET,
                     compiler);
}

void sign_file(const File& file, std::string_view title, std::string_view command) {
  const Group group = file.root();
  const Attributes root = group.attributes();
  root.set("Conventions", std::string_view("CF-1.10"));
  root.set("schema_version", schema_version);
  root.set("references", std::string_view("every group, dataset and attribute: FORMAT.md "
                                          "(experiments/files/hdf5 of the sources, share/doc/optinc)"));
  for (const auto& [name, text] : file_origin(title, command)) root.set(name, text);
}

void write_revisions(const File& file, std::set<std::string> revisions) {
  revisions.emplace(program_revision());
  const Group root = file.root();
  if (revisions.size() > 1)
    root.attributes().set("git_revisions", std::string_view(fmt::format("{}", fmt::join(revisions, ", "))));
}

std::set<std::string> read_revisions(const File& file) {
  const Group root = file.root();
  return revisions_of(
      root.attributes().text(root.attributes().has("git_revisions") ? "git_revisions" : "git_revision"));
}

std::set<std::string> revisions_of(std::string_view text) {
  std::set<std::string> revisions;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(", "), text.size());
    revisions.emplace(text.substr(0, end));
    text.remove_prefix(std::min(end + 2, text.size()));
  }
  return revisions;
}

void require_one_revision(const std::set<std::string>& revisions, const std::filesystem::path& where,
                          std::string_view what, bool mixed) {
  std::set<std::string> all = revisions;
  all.emplace(program_revision());
  validate(mixed || all.size() == 1,
           "{}: {} of programs of other revisions ({}; this is {}: their numbers may differ). Use one program, "
           "or accept it with --mixed-revisions.",
           where.string(), what, fmt::join(all, ", "), program_revision());
}

void write_warnings(const File& file, const std::vector<std::string>& warnings) {
  const Group root = file.root();
  if (!warnings.empty()) root.attributes().set("warnings", fmt::format("{}", fmt::join(warnings, "\n")));
}

void require_schema(const File& file) {
  const Group root = file.root();
  validate(root.attributes().has("schema_version") && root.attributes().has("optinc_version"),
           "{}: not a file of OptINC (no schema_version at its root). Name a file that OptINC wrote.",
           root.where());
  refuse_newer_schema(file);
}

void refuse_newer_schema(const File& file) {
  const Group root = file.root();
  if (!root.attributes().has("schema_version")) return;
  const std::int64_t found = root.attributes().integer("schema_version");
  validate(found >= 1, "{}: schema_version {} (this program reads 1 to {}). Use another copy.", root.where(),
           found, schema_version);
  validate(found <= schema_version, "{}: schema_version {} (this program reads up to {}). Use a newer OptINC.",
           root.where(), found, schema_version);
}

}  // namespace optinc
