#include "experiments/cli/command_table.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <string_view>

#include <fmt/format.h>

namespace optinc {

CLI::App& CommandTable::add(const char* name, const char* description, const char* example,
                            std::function<int()> work) {
  CLI::App* command = app_.add_subcommand(name, description);
  command->footer(fmt::format("Example:\n  {}", example));
  works_.emplace_back(command, std::move(work));
  return *command;
}

int CommandTable::execute() const {
  for (const auto& [command, work] : works_)
    if (*command) return work();
  return unusable_command_line;
}

bool CommandTable::only_reads() const {
  static constexpr std::array<std::string_view, 6> readers = {"inspect", "report", "explain",
                                                              "devices", "list",   "completion"};
  return std::any_of(readers.begin(), readers.end(),
                     [&](std::string_view name) { return app_.got_subcommand(std::string(name)); });
}

CLI::Validator whole_number() {
  static constexpr std::int64_t largest = std::int64_t{1} << 53;
  const auto problem = [](const std::string& text) -> std::string {
    std::int64_t value = -1;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool whole =
        error == std::errc{} && end == text.data() + text.size() && value >= 0 && value <= largest;
    return whole ? "" : fmt::format("{} is not a whole number from 0 to {}", text, largest);
  };
  return CLI::Validator(problem, "");
}

CLI::Option& add_output_of_any_format(CLI::App& command, OutputArguments& out) {
  CLI::Option* output = command.add_option("-o,--output", out.output, "Output file")->type_name("FILE");
  command.add_flag("--force", out.force, "Overwrite an existing output file");
  command.add_flag("--quiet", out.quiet, "Hide progress");
  return *output;
}

void add_output(CLI::App& command, OutputArguments& out) {
  static constexpr std::array<std::string_view, 12> others = {
      ".csv", ".html", ".json", ".mat", ".md", ".npy", ".npz", ".pdf", ".png", ".txt", ".toml", ".xlsx"};
  const auto problem = [](const std::string& name) -> std::string {
    const std::filesystem::path path = name;
    if (std::find(others.begin(), others.end(), path.extension().string()) == others.end()) return "";
    return fmt::format("{} would be an HDF5 file. Name it {}.h5; {}", name, path.stem().string(),
                       path.extension() == ".html" ? "optinc report makes a page of it"
                                                   : "optinc-results makes tables and figures of it");
  };
  add_output_of_any_format(command, out).check(CLI::Validator(problem, ""));
}

void add_settings(CLI::App& command, std::vector<std::string>& settings, const char* meaning) {
  command.add_option("--set", settings, meaning)->expected(1)->take_all();
}

}  // namespace optinc
