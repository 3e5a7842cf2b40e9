#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>

#include "experiments/cli/commands.hpp"

namespace optinc {

/// Exit status of an unusable command line.
inline constexpr int unusable_command_line = 2;

/// The commands of the tool and what each does once its arguments are read.
class CommandTable {
 public:
  /// `typed`: the command line, as provenance keeps it. Both references must outlive the table.
  CommandTable(CLI::App& app, std::string typed, Ranks& ranks)
      : app_(app), typed_(std::move(typed)), ranks_(ranks) {}

  /// A command whose arguments `work` owns; `work` returns the exit status.
  CLI::App& add(const char* name, const char* description, const char* example, std::function<int()> work);

  /// Runs the command that was given; the exit status of an unusable command line where none was.
  int execute() const;

  /// Whether the command that was given only reads: a signal may end it at once.
  bool only_reads() const;

  /// The parser that the commands belong to.
  const CLI::App& app() const { return app_; }
  /// The command line as it was typed.
  const std::string& typed() const { return typed_; }
  /// The MPI ranks of this process.
  Ranks& ranks() const { return ranks_; }
  /// Where a command's result goes. Throws Error where no output is named; `example` shows how.
  RunOptions options(const OutputArguments& out, std::string_view example = "results.h5") const {
    return out.options(typed_, ranks_, example);
  }

 private:
  CLI::App& app_;
  std::string typed_;
  Ranks& ranks_;
  std::vector<std::pair<CLI::App*, std::function<int()>>> works_;
};

/// Accepts the whole numbers from 0 to 2^53, which every reader of a result file keeps. Larger ones the parser
/// would take for the largest of its type, and negative ones for very large ones.
CLI::Validator whole_number();

/// Options -o, --force and --quiet of a command whose output's extension says its format. Returns -o.
CLI::Option& add_output_of_any_format(CLI::App& command, OutputArguments& out);

/// The same of a command whose output is an HDF5 file; names of other formats are refused.
void add_output(CLI::App& command, OutputArguments& out);

/// Option --set, repeatable.
void add_settings(CLI::App& command, std::vector<std::string>& settings, const char* meaning);

void add_study_commands(CommandTable& commands);     ///< run, ablate, resume, merge, replay, train
void add_chip_io_commands(CommandTable& commands);   ///< program, fabricate, transfer, twin, circuit
void add_analysis_commands(CommandTable& commands);  ///< of files, laws, words, costs and interconnects
void add_help_commands(CommandTable& commands);      ///< explain, devices, list, completion

}  // namespace optinc
