#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace optinc {

/// What a shell may complete after one command.
struct CompletableCommand {
  std::string name;
  std::vector<std::string> options;
};

/// A script that completes commands, options, keys after --set and explain, metrics, presets, devices, files
/// and shipped networks. `shell`: bash, zsh (through its bash emulation) or fish. Throws Error for another.
std::string completion_script(std::string_view shell, const std::vector<CompletableCommand>& commands);

}  // namespace optinc
