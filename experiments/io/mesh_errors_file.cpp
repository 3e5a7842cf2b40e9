#include "experiments/io/mesh_errors_csv.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "experiments/io/mesh_rows.hpp"
#include "experiments/io/text.hpp"
#include "physics/core/check.hpp"
#include "physics/core/names.hpp"

namespace optinc {
namespace {

struct ErrorColumn {
  std::string_view name;
  Vector MeshErrors::*member;  ///< none of the first two
};

constexpr std::array<ErrorColumn, 10> known_columns = {
    {{"column", nullptr},
     {"upper", nullptr},
     {"alpha_rad", &MeshErrors::alpha},
     {"beta_rad", &MeshErrors::beta},
     {"theta_offset_rad", &MeshErrors::theta_offset},
     {"phi_offset_rad", &MeshErrors::phi_offset},
     {"theta_arm_loss_db", &MeshErrors::theta_arm_loss_db},
     {"phi_arm_loss_db", &MeshErrors::phi_arm_loss_db},
     {"theta_other_loss_db", &MeshErrors::theta_other_loss_db},
     {"phi_other_loss_db", &MeshErrors::phi_other_loss_db}}};

class ErrorsReader {
 public:
  explicit ErrorsReader(const MeshTopology& topology)
      : topology_(topology),
        errors_(no_errors(topology)),
        lines_(static_cast<std::size_t>(topology.mzi_count())) {
    for (int column = 0; column < topology.columns(); ++column)
      for (const PortPair& mzi : topology.column(column)) {
        mzi_at_[{column, mzi.upper}] = places_.size();
        places_.emplace_back(column, mzi.upper);
      }
  }

  void take(const TextLine& line) {
    const auto cells = cells_of(line.text, ',');
    if (columns_.empty()) return take_names(cells, line);
    if (cells.size() != columns_.size())
      throw Error(fmt::format("{}: {} cells (expected {}, as many as column names). Mend the row.",
                              line.where(), cells.size(), columns_.size()));
    std::array<std::int64_t, 2> place{};
    for (std::size_t c = 0; c < cells.size(); ++c)
      if (columns_[c] < place.size())
        place[columns_[c]] = read_index(cells[c], line, known_columns[columns_[c]].name, most_mzis);
    const auto found = mzi_at_.find({place[0], place[1]});
    validate(
        found != mzi_at_.end(),
        "{}: no MZI in column {} with upper port {} (the mesh has {} ports and {} columns, counted from 0). "
        "Mend the row, or set mesh.ports and mesh.topology.",
        line.where(), place[0], place[1], topology_.ports, topology_.columns());
    long& first = lines_[found->second];
    validate(first == 0, "{}: the MZI of line {} again (one row each). Remove one.", line.where(), first);
    first = line.number;
    for (std::size_t c = 0; c < cells.size(); ++c) {
      const auto& [name, member] = known_columns[columns_[c]];
      if (member == nullptr) continue;
      const double value = read_number(cells[c], line, name);
      validate(value >= 0.0 || !name.ends_with("_db"), "{}: {} = {} (light is not amplified). Mend the cell.",
               line.where(), name, value);
      (errors_.*member)[static_cast<Eigen::Index>(found->second)] = value;
    }
  }

  MeshErrors errors(const std::string& file) {
    validate(!columns_.empty(), "{}: no column names. See mesh.measured.", file);
    const auto missing = std::ranges::find(lines_, 0);
    if (missing != lines_.end()) {
      const auto [column, upper] = places_[static_cast<std::size_t>(missing - lines_.begin())];
      throw Error(
          fmt::format("{}: {} rows for {} MZIs, none for column {}, upper port {} (one row each). Add it.",
                      file, std::ranges::count_if(lines_, [](long line) { return line != 0; }),
                      topology_.mzi_count(), column, upper));
    }
    errors_.idle_arm_loss_db = (errors_.theta_arm_loss_db + errors_.phi_arm_loss_db +
                                errors_.theta_other_loss_db + errors_.phi_other_loss_db)
                                   .mean() /
                               4;
    return std::move(errors_);
  }

 private:
  void take_names(const std::vector<std::string_view>& cells, const TextLine& line) {
    std::vector<std::string_view> names;
    for (const ErrorColumn& column : known_columns) names.push_back(column.name);
    for (const std::string_view cell : cells) {
      const auto found = std::ranges::find(names, cell);
      validate(found != names.end(), "{}: column \"{}\" is unknown (known: {}). Did you mean {}?", line.where(),
               shown(cell), join_names(names), nearest_name(cell, names));
      const auto column = static_cast<std::size_t>(found - names.begin());
      validate(std::ranges::find(columns_, column) == columns_.end(),
               "{}: column {} is there twice (each once). Remove one.", line.where(), cell);
      columns_.push_back(column);
    }
    for (const std::size_t needed : {std::size_t{0}, std::size_t{1}})
      validate(std::ranges::find(columns_, needed) != columns_.end(),
               "{}: no column \"{}\" (it says which MZI a row is about). Add it.", line.where(), names[needed]);
  }

  const MeshTopology& topology_;
  MeshErrors errors_;
  std::vector<std::pair<std::int64_t, std::int64_t>> places_;  ///< column and upper port of each MZI
  std::map<std::pair<std::int64_t, std::int64_t>, std::size_t> mzi_at_;
  std::vector<long> lines_;           ///< of each MZI, 0: none yet
  std::vector<std::size_t> columns_;  ///< of the table, by their place among the known ones
};

}  // namespace

MeshErrors read_mesh_errors_csv(const std::filesystem::path& path, const MeshTopology& topology) {
  ErrorsReader reader(topology);
  read_text(path, '#', [&](const TextLine& line) { reader.take(line); });
  return reader.errors(path.string());
}

}  // namespace optinc
