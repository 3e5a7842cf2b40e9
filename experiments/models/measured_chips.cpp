#include "experiments/models/measured_chips.hpp"

#include <algorithm>

#include "experiments/files/chips/chip_file.hpp"
#include "physics/core/check.hpp"

namespace optinc {

MeasuredChips read_measured_chips(const std::vector<StudyConfig>& points) {
  MeasuredChips chips;
  for (const StudyConfig& point : points) {
    const std::string& source = point.measured_chip.measured;
    if (point.measured_chip.is_measured() &&
        std::ranges::find(chips, source, &MeasuredChip::source) == chips.end())
      chips.push_back({source, read_chip(source).errors});
  }
  return chips;
}

const MeasuredChip* measured_chip(const StudyConfig& at_point, const MeasuredChips& chips) {
  if (!at_point.measured_chip.is_measured()) return nullptr;
  const auto found = std::ranges::find(chips, at_point.measured_chip.measured, &MeasuredChip::source);
  validate(
      found != chips.end(),
      "none of the study's {} measured chips is that of chip.measured = {} (the file was changed, or nothing "
      "reads it here). Run the study again.",
      chips.size(), at_point.measured_chip.measured);
  return &*found;
}

void require_measured_fit(const StudyConfig& at_point, const MeasuredChips& chips, const Network& shape) {
  if (const MeasuredChip* chip = measured_chip(at_point, chips))
    require_fit(shape, chip->errors, fmt::format("chip.measured = {}", chip->source));
}

}  // namespace optinc
