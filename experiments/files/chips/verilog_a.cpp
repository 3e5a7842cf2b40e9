#include "experiments/files/chips/verilog_a.hpp"

#include <algorithm>
#include <iterator>
#include <set>
#include <vector>

#include "experiments/files/chips/text_frame.hpp"
#include "experiments/files/readers/text.hpp"
#include "physics/core/check.hpp"

namespace optinc {
namespace {

/// A name as Verilog has them.
std::string identifier(std::string_view name) {
  std::string text(name);
  for (char& c : text)
    if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'))) c = '_';
  if (text.empty() || (text[0] >= '0' && text[0] <= '9')) text.insert(text.begin(), '_');
  return text;
}

/// One part of an output: sum of re x + im y over the inputs.
std::string contribution(const std::string& output, const Matrix& matrix, Eigen::Index row,
                         const std::vector<std::string>& inputs, bool imaginary) {
  std::string text = fmt::format("    V({}_{}) <+ 0.0", output, imaginary ? "im" : "re");
  const auto out = std::back_inserter(text);
  for (Eigen::Index column = 0; column < matrix.cols(); ++column) {
    const Complex value = matrix(row, column);
    const std::string& in = inputs[static_cast<std::size_t>(column)];
    const double of_re = imaginary ? value.imag() : value.real(),
                 of_im = imaginary ? value.real() : -value.imag();
    if (of_re != 0.0) fmt::format_to(out, "\n      + ({}) * V({}_re)", of_re, in);
    if (of_im != 0.0) fmt::format_to(out, "\n      + ({}) * V({}_im)", of_im, in);
  }
  return text + ";\n";
}

}  // namespace

bool is_verilog_a(const std::filesystem::path& path) { return extension_of(path) == ".va"; }

std::string verilog_a_module(const Matrix& matrix, std::span<const std::string> inputs,
                             std::span<const std::string> outputs, std::string_view name,
                             PhaseConvention convention, std::string_view title, std::string_view command) {
  constexpr std::string_view remarks[] = {
      "fields at one wavelength: NAME_re and NAME_im are the parts of a complex envelope in sqrt(W), as "
      "voltages",
      "outputs are ideal voltage sources, inputs draw no current; a constant matrix, without delay"};
  std::vector<std::string> ins, outs, pins;
  for (const std::string& port : inputs) ins.push_back(identifier(port));
  for (const std::string& port : outputs) outs.push_back(identifier(port));
  for (const auto* ports : {&ins, &outs})
    for (const std::string& port : *ports) pins.insert(pins.end(), {port + "_re", port + "_im"});
  validate(std::set<std::string>(pins.begin(), pins.end()).size() == pins.size(),
           "ports {} become equal in Verilog-A (names hold letters, digits and _). Rename one.",
           fmt::join(inputs, ", "));
  std::string text = "/" + text_header('/', title, command, remarks);
  for (std::size_t at = text.find("\n/ "); at != text.npos; at = text.find("\n/ ", at + 1))
    text.insert(at + 1, "/");
  text += fmt::format("// {}: {}\n", phase_convention_entry, phase_convention_text(convention));
  text += "`include \"disciplines.vams\"\n\n";
  const auto out = std::back_inserter(text);
  fmt::format_to(out, "module {}({});\n  inout {};\n  electrical {};\n  analog begin\n", identifier(name),
                 fmt::join(pins, ", "), fmt::join(pins, ", "), fmt::join(pins, ", "));
  const Matrix theirs = convention == PhaseConvention::optics ? matrix : Matrix(matrix.conjugate());
  for (Eigen::Index row = 0; row < matrix.rows(); ++row)
    for (const bool imaginary : {false, true})
      text += contribution(outs[static_cast<std::size_t>(row)], theirs, row, ins, imaginary);
  return text + "  end\nendmodule\n";
}

}  // namespace optinc
