#include "experiments/models/chip_study.hpp"

#include <memory>

namespace optinc {

std::vector<ChipDesign> designs_of(const Networks& networks) {
  std::vector<ChipDesign> designs;
  for (const PreparedNetwork& n : networks) designs.push_back(design_chip(n.network));
  return designs;
}

TrialModel model_of_chips(const StudyConfig& config, const Networks& networks, const Foundry& foundry,
                          void (*run)(const ChipStudy& study, const StudyConfig& at_point, std::uint32_t trial,
                                      std::span<double> record)) {
  const auto study =
      std::make_shared<const ChipStudy>(ChipStudy{networks, designs_of(networks), measured_variants(config),
                                                  model_layout(config, most_layers(networks)), foundry});
  TrialModel model = study->layout;
  model.run = [study, run](const StudyConfig& at_point, std::uint32_t trial, std::span<double> record) {
    run(*study, at_point, trial, record);
  };
  return model;
}

}  // namespace optinc
