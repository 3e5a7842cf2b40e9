#include <array>
#include <map>

#include "experiments/files/readers/mesh_rows.hpp"
#include "experiments/files/readers/table_cells.hpp"
#include "experiments/files/readers/text.hpp"
#include "physics/core/check.hpp"

namespace optinc {
namespace {

/// What the rows of one mesh said so far, with the line of each.
struct Draft {
  std::vector<MziRow> mzis;
  std::vector<long> mzi_lines;
  std::map<std::int64_t, double> output;  ///< by port
  long last_line = 0;
};

void take_mzi(const std::vector<std::string_view>& cells, const TextLine& line, Draft& draft) {
  draft.mzis.push_back({read_index(cells[2], line, "column", most_mzis),
                        read_index(cells[3], line, "upper", most_ports - 1),
                        read_index(cells[4], line, "lower", most_ports - 1),
                        read_number(cells[5], line, "theta_rad"), read_number(cells[6], line, "phi_rad")});
  draft.mzi_lines.push_back(line.number);
}

void take_output(const std::vector<std::string_view>& cells, const TextLine& line, Draft& draft) {
  validate(
      cells[2].empty() && cells[4].empty() && cells[5].empty(),
      "{}: an output row with column, lower or theta_rad (it has port, as upper, and phi_rad alone). Empty "
      "those cells.",
      line.where());
  const std::int64_t port = read_index(cells[3], line, "upper", most_ports - 1);
  const bool first = draft.output.emplace(port, read_number(cells[6], line, "phi_rad")).second;
  validate(first, "{}: a second output row for port {} (one a port). Remove one.", line.where(), port);
}

NamedMesh finish(const std::string& file, const std::string& name, const Draft& draft) {
  const std::string last = fmt::format("{}:{}", file, draft.last_line);
  validate(
      !draft.output.empty(),
      "{}: mesh {} has no output row (one a port; they tell how many ports it has). Add them, phi_rad 0 where "
      "there is no shifter.",
      last, name);
  std::vector<double> output;
  for (const auto& [port, phase] : draft.output) {
    validate(
        port == static_cast<std::int64_t>(output.size()),
        "{}: mesh {} has an output row for port {} but none for port {} (one a port, counted from 0). Add it.",
        last, name, port, output.size());
    output.push_back(phase);
  }
  return mesh_of_rows(name, draft.mzis, output,
                      [&](std::size_t k) { return fmt::format("{}:{}", file, draft.mzi_lines[k]); });
}

}  // namespace

std::vector<NamedMesh> read_phases_csv(const std::filesystem::path& path) {
  std::vector<std::string> names;  // in order of appearance
  std::map<std::string, Draft, std::less<>> drafts;
  bool header = false;
  TableCells cut;
  read_text(path, '#', [&](const TextLine& line) {
    const std::vector<std::string_view>& cells = cut(line);
    if (!std::exchange(header, true)) {
      validate(fmt::format("{}", fmt::join(cells, ",")) == phases_columns,
               "{}: the first line reads \"{}\" (expected the column names {}). Give a table of phases.",
               line.where(), shown(line.text), phases_columns);
      return;
    }
    validate(cells.size() == 7, "{}: {} cells (expected 7: {}). Correct the row.", line.where(), cells.size(),
             phases_columns);
    auto draft = drafts.find(cells[1]);
    if (draft == drafts.end()) {
      names.emplace_back(cells[1]);
      require_mesh_names(line.where(), std::span(&names.back(), 1));
      draft = drafts.emplace(names.back(), Draft{}).first;
    }
    draft->second.last_line = line.number;
    validate(cells[0] == "mzi" || cells[0] == "output",
             "{}: kind \"{}\" is unknown (known: mzi, output). Correct the cell.", line.where(),
             shown(cells[0]));
    if (cells[0] == "mzi")
      take_mzi(cells, line, draft->second);
    else
      take_output(cells, line, draft->second);
  });
  std::vector<NamedMesh> meshes;
  for (const std::string& name : names)
    meshes.push_back(finish(path.string(), name, drafts.find(name)->second));
  validate(!meshes.empty(),
           "{}: no rows below the column names (expected at least one mesh). Check how it was made.",
           path.string());
  return meshes;
}

NamedMesh mesh_of_columns(const NamedColumns& table) {
  constexpr std::array<std::string_view, 6> known = {"column",    "upper",   "lower",
                                                     "theta_rad", "phi_rad", "output_rad"};
  constexpr std::string_view of_mzis = "one number an MZI";
  table.require_names(known);
  const std::vector<double>& output = table.column("output_rad", "one phase a port");
  validate(!output.empty() && output.size() <= static_cast<std::size_t>(most_ports),
           "{}: {} output phases (1..{}, one a port). Save as many as there are ports.", table.file,
           output.size(), most_ports);
  const auto column = table.indices("column", of_mzis, most_mzis),
             upper = table.indices("upper", of_mzis, most_ports - 1),
             lower = table.indices("lower", of_mzis, most_ports - 1);
  const std::vector<double>&theta = table.column("theta_rad", of_mzis), &phi = table.column("phi_rad", of_mzis);
  std::vector<MziRow> rows;
  const std::size_t count = table.rows("output_rad");
  for (std::size_t k = 0; k < count; ++k) rows.push_back({column[k], upper[k], lower[k], theta[k], phi[k]});
  return mesh_of_rows("mesh", rows, output, [&](std::size_t k) { return table.where(k); });
}

}  // namespace optinc
