#include "experiments/cli/completion.hpp"

#include <fmt/format.h>

#include "experiments/cli/devices.hpp"
#include "experiments/study/shipped_networks.hpp"
#include "experiments/study/study_config.hpp"
#include "experiments/study/study_names.hpp"
#include "physics/core/check.hpp"
#include "physics/variation/error_model.hpp"

namespace optinc {
namespace {

std::string words(const auto& list) { return fmt::format("{}", fmt::join(list, " ")); }

std::string names_of(const std::vector<CompletableCommand>& commands) {
  std::vector<std::string> names;
  for (const auto& command : commands) names.push_back(command.name);
  return words(names);
}

std::string bash_script(const std::vector<CompletableCommand>& commands) {
  std::string cases;
  for (const auto& command : commands)
    cases += fmt::format("    {}) options='{}' ;;\n", command.name, words(command.options));
  return fmt::format(R"(# bash completion of optinc; load it with:  source <(optinc completion bash)
_optinc() {{
  local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}} options='' keys='{}'
  COMPREPLY=()
  if ((COMP_CWORD == 1)); then
    COMPREPLY=($(compgen -W '{}' -- "$word"))
    return
  fi
  case $before in
    --set | --sweep)
      COMPREPLY=($(compgen -S = -W "$keys" -- "$word"))
      compopt -o nospace 2>/dev/null
      return ;;
    --preset) COMPREPLY=($(compgen -W '{}' -- "$word")); return ;;
  esac
  if [[ ${{COMP_WORDS[1]}} == devices && $word != -* ]]; then
    COMPREPLY=($(compgen -W '{}' -- "$word"))
    return
  fi
  case ${{COMP_WORDS[1]}} in
    explain) COMPREPLY=($(compgen -W "$keys {}" -- "$word")); return ;;
    completion) COMPREPLY=($(compgen -W 'bash zsh fish' -- "$word")); return ;;
{}  esac
  if [[ $word == -* ]]; then
    COMPREPLY=($(compgen -W "$options" -- "$word"))
  else
    local IFS=$'\n'  # a name may hold spaces
    COMPREPLY=($(compgen -f -- "$word"))
    [[ $word == s* ]] && COMPREPLY+=($(compgen -W '{}' -- "$word"))
    compopt -o filenames 2>/dev/null
  fi
}}
complete -F _optinc optinc
)",
                     words(all_keys()), names_of(commands), fmt::join(error_preset_names(), " "),
                     words(device_names()), words(metric_names()), cases, fmt::join(shipped_networks(), "\n"));
}

std::string fish_script(const std::vector<CompletableCommand>& commands) {
  std::string text = "# fish completion of optinc; load it with:  optinc completion fish | source\n";
  for (const auto& command : commands) {
    text += fmt::format("complete -c optinc -n __fish_use_subcommand -a {}\n", command.name);
    for (const auto& option : command.options)
      text += fmt::format("complete -c optinc -n '__fish_seen_subcommand_from {}' -l {}\n", command.name,
                          option.substr(2));
  }
  text += fmt::format("complete -c optinc -n '__fish_seen_subcommand_from devices' -f -a '{}'\n",
                      words(device_names()));
  return text + fmt::format("complete -c optinc -n '__fish_seen_subcommand_from explain' -f -a '{}'\n",
                            words(all_keys()) + " " + words(metric_names()));
}

}  // namespace

std::string completion_script(std::string_view shell, const std::vector<CompletableCommand>& commands) {
  if (shell == "bash") return bash_script(commands);
  if (shell == "zsh") return "autoload -U +X bashcompinit && bashcompinit\n" + bash_script(commands);
  if (shell == "fish") return fish_script(commands);
  throw Error(fmt::format("shell \"{}\" is unknown (known: bash, zsh, fish). Choose one of those.", shell));
}

}  // namespace optinc
