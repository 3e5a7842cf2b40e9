#include "experiments/models/chip_study.hpp"

#include <memory>

#include "onn/link/unit_p.hpp"
#include "onn/task/words.hpp"

namespace optinc {
namespace {

Eigen::MatrixXd outputs_of(const Network& network, const std::vector<std::uint64_t>& words) {
  return forward(network, digit_averages(network.task, codes_of_words(network.task, words)));
}

/// For every network the outputs of all its words, not computed yet.
std::vector<std::shared_future<Eigen::MatrixXd>> error_free_networks(const Networks& networks) {
  std::vector<std::shared_future<Eigen::MatrixXd>> outputs;
  for (const PreparedNetwork& prepared : networks)
    outputs.push_back(std::async(std::launch::deferred, [network = prepared.network] {
      return outputs_of(network, evaluation_words(network.task));
    }));
  return outputs;
}

}  // namespace

Eigen::MatrixXd error_free_outputs(const ChipStudy& study, std::size_t number,
                                   const std::vector<std::uint64_t>& words) {
  const Network& network = study.networks[number].network;
  if (network.task.words() > most_design_words) return outputs_of(network, words);
  const std::shared_future<Eigen::MatrixXd> computed = study.error_free[number];  // a thread's own
  const Eigen::MatrixXd& all = computed.get();
  Eigen::MatrixXd outputs(all.rows(), static_cast<Eigen::Index>(words.size()));
  for (std::size_t i = 0; i < words.size(); ++i)
    outputs.col(static_cast<Eigen::Index>(i)) = all.col(static_cast<Eigen::Index>(words[i]));
  return outputs;
}

std::vector<ChipDesign> designs_of(const Networks& networks) {
  std::vector<ChipDesign> designs;
  for (const PreparedNetwork& n : networks) designs.push_back(design_chip(n.network));
  return designs;
}

TrialModel model_of_chips(const StudyConfig& config, const Networks& networks, const Foundry& foundry,
                          void (*run)(const ChipStudy& study, const StudyConfig& at_point, std::uint32_t trial,
                                      std::span<double> record)) {
  const auto study = std::make_shared<const ChipStudy>(
      ChipStudy{networks, designs_of(networks), measured_variants(config),
                model_layout(config, most_layers(networks)), foundry, error_free_networks(networks)});
  TrialModel model = study->layout;
  model.run = [study, run](const StudyConfig& at_point, std::uint32_t trial, std::span<double> record) {
    run(*study, at_point, trial, record);
  };
  return model;
}

}  // namespace optinc
