#include "experiments/models/chip_study.hpp"

namespace optinc {

std::shared_ptr<const ChipStudy> chip_study(const StudyConfig& config, const Networks& networks) {
  return std::make_shared<const ChipStudy>(ChipStudy{networks, designs_of(networks), measured_variants(config),
                                                     model_layout(config, most_layers(networks))});
}

std::vector<ChipDesign> designs_of(const Networks& networks) {
  std::vector<ChipDesign> designs;
  for (const PreparedNetwork& n : networks) designs.push_back(design_chip(n.network));
  return designs;
}

}  // namespace optinc
