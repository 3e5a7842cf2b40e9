#include "experiments/cli/command_line.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <regex>
#include <span>
#include <sstream>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "experiments/base/interrupt.hpp"
#include "experiments/base/terminal.hpp"
#include "experiments/base/text_table.hpp"
#include "experiments/cli/command_table.hpp"
#include "experiments/cli/listing.hpp"
#include "experiments/files/hdf5/provenance.hpp"
#include "physics/core/check.hpp"
#include "physics/core/names.hpp"
#include "physics/core/printable.hpp"
#include "physics/core/suggestion.hpp"
#include "physics/mesh/engine/field_blocks.hpp"
#include "physics/simd/processor.hpp"

namespace optinc {
namespace {

constexpr const char* start =
    "optinc: no command given. Start with one of\n"
    "  optinc list                             studies, lists, networks and presets that are shipped\n"
    "  optinc run quickstart -o quickstart.h5  a study, from its name or its .toml file\n"
    "  optinc --help                           all commands\n";

constexpr int refused = 1;

/// Options of a command as they are typed, --long before -s.
std::vector<std::string> options_of(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options())
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  for (const CLI::Option* option : command.get_options())
    for (const std::string& name : option->get_snames()) names.push_back("-" + name);
  return names;
}

/// The first word that looks like an option and is none of the command's; empty: there is none.
std::string unknown_option(const std::vector<std::string>& options, std::span<char* const> words) {
  for (const std::string_view word : words) {
    const std::string_view name = word.substr(0, word.find('='));
    if (name == "--") break;
    if (name.size() > 1 && name[0] == '-' && name.find_first_of("0123456789.") != 1 &&
        std::find(options.begin(), options.end(), name) == options.end() &&
        (name[1] == '-' ||
         std::find(options.begin(), options.end(), name.substr(0, 2)) == options.end()))  // -oFILE
      return std::string(name);
  }
  return "";
}

/// A word as a shell takes it: plain, in quotes, or, with control characters, as $'..'.
std::string as_word(const std::string& word) {
  if (std::any_of(word.begin(), word.end(), is_control)) {
    std::string text = "$'";
    for (const char c : word) {
      if (is_control(c))
        text += fmt::format("\\x{:02x}", static_cast<unsigned>(c));
      else
        text += c == '\'' || c == '\\' ? std::string{'\\', c} : std::string{c};
    }
    return text + "'";
  }
  const bool plain = !word.empty() && word.find_first_of(" '\"[]{}*?$&;|<>()\\`!#~") == std::string::npos;
  return plain ? word : "'" + std::regex_replace(word, std::regex("'"), "'\\''") + "'";
}

/// The program, and what its kernels found under them.
std::string version_text() {
  const Processor here = processor();
  const auto kib = [](std::size_t bytes) {
    return bytes > 0 ? fmt::format("{} KiB", bytes / 1024) : std::string("unknown");
  };
  constexpr std::size_t many = 1024;
  return fmt::format("{}\nSIMD {}, {} bits; blocks of {} floats at 64 ports, {} at 256; L1d {}, L2 {}",
                     program_version(), here.simd_target, 8 * here.register_bytes,
                     words_per_block<float>(64, many), words_per_block<float>(256, many), kib(here.l1d_bytes),
                     kib(here.l2_bytes));
}

/// PROBLEM (WHY). SUGGESTION for an unusable command line.
std::string parse_complaint(const CLI::ParseError& error, const CLI::App& app, int argc, char** argv) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
    names.push_back(command->get_name());
  const std::vector<std::string_view> commands(names.begin(), names.end());
  const std::string_view first = argv[1];
  if (first.empty()) return "the empty command. Try optinc --help.";
  if (first == "draw")
    return "unknown command \"draw\" (Python draws figures). Try optinc report RESULTS.h5 for a page of them, "
           "or experiments/scripts/draw RESULTS.h5 -o FOLDER for files.";
  constexpr std::array<std::pair<std::string_view, std::string_view>, 2> moved = {
      {{"words", "check-network"}, {"designs", "compare-costs"}}};
  for (const auto& [old, now] : moved)
    if (first == old)
      return fmt::format("unknown command \"{}\" (it is called {} now). Try optinc {} --help.", old, now, now);
  if (first[0] != '-' && std::find(commands.begin(), commands.end(), first) == commands.end())
    return fmt::format("unknown command \"{}\" (there are {}). {}", first, join_names(commands),
                       suggestion(first, commands));
  if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::ExtrasError) || first[0] == '-') {
    const bool command = first[0] != '-';
    const std::vector<std::string> options =
        options_of(command ? *app.get_subcommand(std::string(first)) : app);
    const std::string wrong = unknown_option(options, std::span(argv, argv + argc).subspan(command ? 2 : 1));
    const std::vector<std::string_view> known(options.begin(), options.end());
    if (!wrong.empty())
      return fmt::format(
          "unknown option \"{}\" ({}there are {}). {}", wrong, command ? "" : "before a command ",
          join_names(known),
          suggestion(wrong, known,
                     fmt::format("See optinc {}--help.", command ? std::string(first) + " " : "COMMAND ")));
  }
  return fmt::format("invalid command line ({}). Try optinc {}--help.",
                     std::regex_replace(error.what(), std::regex("\\s*\n\\s*"), "; "),
                     first[0] == '-' ? "" : std::string(first) + " ");
}

/// A page of help whose lines fit a terminal: descriptions go on below their own column, commands are left
/// whole.
std::string wrapped(const std::string& help) {
  std::string text;
  std::istringstream lines(help);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t name = line.find_first_not_of(' '), gap = line.find("  ", std::min(name, line.size())),
                      told = line.find_first_not_of(' ', std::min(gap, line.size()));
    if (line.size() <= terminal_columns || line.starts_with("  optinc "))
      text += line + "\n";
    else if (told == std::string::npos)
      text += hanging_text(std::string(name, ' '), line.substr(name), name);
    else
      text += hanging_text(line.substr(0, gap), line.substr(told), told);
  }
  return text;
}

constexpr const char* output_is_full =
    "standard output could not be written (a full disk or a closed pipe). Send it somewhere with room.";

int parse_and_run(int argc, char** argv, Ranks& ranks) {
  CLI::App app(
      "OptINC: a physics-level simulator of optical in-network computing.\n"
      "Chips of imperfect Mach-Zehnder interferometers average the gradients of several servers inside the "
      "network.");
  app.require_subcommand(1);
  app.set_version_flag("-V,--version", version_text, "Print version, revision and processor and exit");
  app.footer(
      "Example:\n"
      "  optinc run quickstart -o results.h5 && optinc inspect results.h5\n"
      "Exit codes:\n"
      "  0    success, or a run stopped by run.time_limit_s (its file has complete = 0)\n"
      "  1    refused or failed (standard error says why), wrong words found (check-network), or differing "
      "values (replay)\n"
      "  2    invalid command line\n"
      "  130  interrupted by Ctrl-C (143: by SIGTERM); finished trials are stored and the resume command is "
      "printed");
  CommandTable commands(app, as_typed(argc, argv), ranks);
  add_study_commands(commands);
  add_chip_io_commands(commands);
  add_analysis_commands(commands);
  add_help_commands(commands);

  std::vector<char*> words(argv, argv + argc);
  std::string help = "--help";
  if (argc > 1 && std::string_view(argv[1]) == "help") {  // optinc help COMMAND, optinc help WORD
    words.erase(words.begin() + 1);
    std::vector<std::pair<std::string, std::string>> known;
    for (const CLI::App* c : app.get_subcommands([](const CLI::App*) { return true; }))
      known.emplace_back(c->get_name(), c->get_description());
    if (argc == 3 && std::ranges::find(known, argv[2], [](const auto& c) { return c.first; }) == known.end()) {
      const std::string found = help_text(argv[2], known);
      if (!found.empty()) {
        print_text(found);
        return 0;
      }
      --argc, ++argv;  // complained of as if typed alone
    } else {
      words.push_back(help.data());
    }
  }
  try {
    app.parse(static_cast<int>(words.size()), words.data());
  } catch (const CLI::ParseError& e) {
    if (e.get_exit_code() == 0) {  // --help
      std::ostringstream page;
      app.exit(e, page, page);
      fmt::print("{}", wrapped(page.str()));
      return 0;
    }
    if (argc < 2)
      std::fputs(start, stderr);
    else
      complain(parse_complaint(e, app, argc, argv));
    return unusable_command_line;
  }
  if (!commands.only_reads()) catch_interrupts();
  const int status = commands.execute();
  validate(std::fflush(stdout) == 0 && std::ferror(stdout) == 0, "{}", output_is_full);
  return status;
}

}  // namespace

std::string as_typed(int argc, char** argv) {
  std::string text = "optinc";
  for (int i = 1; i < argc; ++i) text += " " + as_word(argv[i]);
  return text;
}

int run_command_line(int argc, char** argv, Ranks& ranks) {
  try {
    return parse_and_run(argc, argv, ranks);
  } catch (const Interrupted&) {
    complain("interrupted before the first trial (there is nothing to keep). Repeat the command.");
    return 128 + interrupt_signal();
  } catch (const Error& e) {
    complain(e.what());
  } catch (const std::bad_alloc&) {
    complain(
        "out of memory (the study is larger than this machine). See optinc run --dry-run; lower runner.trials "
        "or measure fewer metrics.");
  } catch (const std::exception& e) {
    if (std::ferror(stdout) != 0)  // text longer than the buffer: fmt::print() found out before the end
      complain(output_is_full);
    else
      complain(fmt::format("{} (unexpected). Please report it with the command.", e.what()));
  }
  if (ranks.size() > 1) Ranks::abort();  // the others may wait for an answer that will not come
  return refused;
}

}  // namespace optinc
