#include "experiments/base/terminal.hpp"

#include <cstdio>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "physics/core/printable.hpp"

namespace optinc {

void print_text(std::string_view text) { fmt::print("{}", printable_lines(text)); }

std::string json_text(const nlohmann::ordered_json& json) {
  return printable_json(json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace)) + "\n";
}

void complain(std::string_view text) {
  constexpr std::size_t longest = 2400, end = 600;  // the remedy stands there
  std::string line(text.substr(0, text.size() > longest ? longest - end : longest));
  if (text.size() > longest) line.append(" [..] ").append(text.substr(text.size() - end));
  std::fputs(fmt::format("optinc: {}\n", printable(line)).c_str(), stderr);
}

}  // namespace optinc
