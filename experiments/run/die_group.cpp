#include "experiments/run/die_group.hpp"

#include <algorithm>
#include <cmath>

#include "experiments/run/axes.hpp"
#include "experiments/study/points.hpp"
#include "experiments/study/study_model.hpp"

namespace optinc {
namespace {

bool from_wafers(const StudyConfig& config) { return config.fabrication.process == FabricationProcess::wafer; }

}  // namespace

bool has_dies(const StudyConfig& config) {
  const auto swept = [](const SweepAxis& axis) {
    return std::ranges::any_of(axis.keys, [](const SweptKey& k) {
      return k.key == "fabrication.process" &&
             std::ranges::find(k.values, FieldValue("wafer")) != k.values.end();
    });
  };
  return from_wafers(config) || std::ranges::any_of(config.sweeps, swept);
}

void write_dies_group(const Group& group, const StudyConfig& config) {
  std::vector<std::int64_t> wafer, number;
  std::vector<double> x, y;
  const auto trials = static_cast<std::uint32_t>(config.runner.trials);
  const StudyPoints points(config);
  const auto chips = model_of(config).chips;
  for (std::size_t p = 0; p < points.size(); ++p) {
    const StudyConfig at = points[p];
    if (!from_wafers(at)) {
      wafer.insert(wafer.end(), trials, -1);
      number.insert(number.end(), trials, -1);
      x.insert(x.end(), trials, std::nan(""));
      y.insert(y.end(), trials, std::nan(""));
      continue;
    }
    const WaferMap& map = at.fabrication.wafer;
    const std::vector<DiePosition> dies = dies_on_wafer(map);
    const std::uint32_t each = chips == nullptr ? 1 : chips(at);
    for (std::uint32_t t = 0; t < trials; ++t) {
      const ChipOrigin origin = chip_origin(dies, t * each);
      wafer.push_back(origin.wafer);
      number.push_back(origin.die);
      x.push_back(origin.corner.x_m + map.die_length_m / 2);
      y.push_back(origin.corner.y_m + map.die_width_m / 2);
    }
  }
  write_sweep_axes(group, config);
  group.counting_dimension("trial", trials, "number of the trial: chip or mesh");
  const std::vector<std::string> sweeps = sweep_axis_names(config);
  std::vector<std::string_view> axes(sweeps.begin(), sweeps.end());
  axes.push_back("trial");
  group.dataset<std::int64_t>("wafer", axes, wafer, "1", "number of the wafer; -1 where chips come from none");
  group.dataset<std::int64_t>("die", axes, number, "1",
                              "number of the die on its wafer; -1 where chips come from none");
  group.dataset<double>("die_x", axes, x, "m", "centre of the die from the centre of its wafer, along x");
  group.dataset<double>("die_y", axes, y, "m", "centre of the die from the centre of its wafer, along y");
}

}  // namespace optinc
