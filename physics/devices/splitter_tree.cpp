#include "physics/devices/splitter_tree.hpp"

#include <bit>
#include <cmath>

#include "physics/core/check_values.hpp"
#include "physics/core/units.hpp"
#include "physics/devices/splitter_tree_rows.hpp"

namespace optinc {

int splitters_of(const SplitterTree& tree) {
  validate_splitter_tree(tree);
  return tree.outputs - 1;
}

std::vector<double> draw_imbalance_db(const SplitterTree& tree, Stream& stream) {
  std::vector<double> imbalance(static_cast<std::size_t>(splitters_of(tree)), 0.0);
  if (tree.stage_imbalance_db == 0.0) return imbalance;
  stream.normals(std::span(imbalance));
  for (double& d : imbalance) d *= tree.stage_imbalance_db;
  return imbalance;
}

std::vector<double> splitter_tree_fields(const SplitterTree& tree, std::span<const double> imbalance_db) {
  const auto splitters = static_cast<std::size_t>(splitters_of(tree));
  validate(imbalance_db.size() == splitters,
           "{} imbalances for a 1:{} tree (one for each of its {} splitters). Draw them for this tree.",
           imbalance_db.size(), tree.outputs, splitters);
  const double passed = power_ratio_of_loss_db(tree.stage_excess_loss_db);
  std::vector<double> powers = {1.0};
  for (std::size_t first = 0; first < splitters; first += powers.size() / 2) {
    std::vector<double> next;
    next.reserve(2 * powers.size());
    for (std::size_t k = 0; k < powers.size(); ++k) {
      const double ratio = std::pow(10.0, imbalance_db[first + k] / 10);
      next.push_back(passed * powers[k] * ratio / (1 + ratio));
      next.push_back(passed * powers[k] / (1 + ratio));
    }
    powers = std::move(next);
  }
  for (double& p : powers) p = std::sqrt(p);
  return powers;
}

double splitter_tree_excess_db(const SplitterTree& tree) {
  validate_splitter_tree(tree);
  return std::countr_zero(static_cast<unsigned>(tree.outputs)) * tree.stage_excess_loss_db;
}

void validate_splitter_tree(const SplitterTree& tree) {
  validate_field(tree.outputs >= 1 && std::has_single_bit(static_cast<unsigned>(tree.outputs)), "outputs",
                 "{} of a tree of 1:2 splitters (a power of two: 1, 2, 4, ..). Give one.", tree.outputs);
  validate_rows(tree);
  validate_not_negative("stage_imbalance_db", tree.stage_imbalance_db);
}

SplitterTree zhang_2013_y_branch_tree(int outputs) {
  SplitterTree tree;
  tree.outputs = outputs;
  tree.stage_excess_loss_db = 0.28;
  return tree;
}

}  // namespace optinc
