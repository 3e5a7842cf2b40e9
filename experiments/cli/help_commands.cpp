#include <memory>

#include <fmt/format.h>

#include "experiments/base/terminal.hpp"
#include "experiments/cli/command_table.hpp"
#include "experiments/cli/completion.hpp"
#include "experiments/cli/listing.hpp"
#include "physics/core/check.hpp"
#include "physics/core/names.hpp"

namespace optinc {
namespace {

/// Commands and their options as a shell may complete them.
std::vector<CompletableCommand> completable(const CLI::App& app) {
  std::vector<CompletableCommand> commands;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    CompletableCommand c{command->get_name(), {}};
    for (const CLI::Option* option : command->get_options())
      for (const std::string& name : option->get_lnames()) c.options.push_back("--" + name);
    commands.push_back(std::move(c));
  }
  return commands;
}

void add_explain(CommandTable& commands) {
  const auto key = std::make_shared<std::string>();
  const auto json = std::make_shared<bool>();
  CLI::App& explained = commands.add(
      "explain", "Explain a key, a section or a metric: meaning, unit, default, range, source, models",
      "optinc explain chip.sigma_eta_rad\n"
      "  optinc explain receiver --json   the keys of a section, for scripts",
      [key, json] { return explain_command(*key, *json); });
  explained.add_option("KEY", *key, "Key (section.key), section or metric; without it, all keys are listed");
  explained.add_flag("--json", *json, "Print a JSON array: one key, those of a section, or all");
}

void add_devices(CommandTable& commands) {
  const auto device = std::make_shared<std::string>();
  const auto device_json = std::make_shared<bool>();
  CLI::App& devices = commands.add("devices", "List published devices, or show the data and source of one",
                                   "optinc devices\n"
                                   "  optinc devices harris-2014-heater --json",
                                   [device, device_json] { return devices_command(*device, *device_json); });
  devices.add_option("NAME", *device, "Name of a device; without it, all devices are listed");
  devices.add_flag("--json", *device_json, "Print one JSON object in SI units, for scripts");
}

void add_list(CommandTable& commands) {
  const auto kind = std::make_shared<std::string>(), word = std::make_shared<std::string>();
  const auto json = std::make_shared<bool>();
  CLI::App& list = commands.add(
      "list", "List shipped studies, lists, networks, devices, presets, models with metrics, and error sources",
      "optinc list\n"
      "  optinc list networks\n"
      "  optinc list studies drift     those whose text holds a word\n"
      "  optinc help drift             the same of commands, keys and everything that is listed",
      [kind, word, json] {
        const std::string text = listing(*kind, *word);
        validate(!text.empty(), "no {} hold \"{}\". Try optinc help {}.", *kind, *word, *word);
        print_text(*json ? listing_json(*kind, *word) : text);
        return 0;
      });
  list.add_option("KIND", *kind, fmt::format("Only one of {}", join_names(listing_kinds())));
  list.add_option("WORD", *word, "Only entries that hold this word");
  list.add_flag("--json", *json, "Print one JSON object, for scripts");
}

void add_completion(CommandTable& commands) {
  const auto shell = std::make_shared<std::string>();
  CLI::App& completion = commands.add(
      "completion", "Print a shell completion script", "source <(optinc completion bash)", [shell, &commands] {
        fmt::print("{}", completion_script(*shell, completable(commands.app())));
        return 0;
      });
  completion.add_option("SHELL", *shell, "Shell: bash, zsh or fish")->required();
}

}  // namespace

void add_help_commands(CommandTable& commands) {
  add_explain(commands);
  add_devices(commands);
  add_list(commands);
  add_completion(commands);
}

}  // namespace optinc
