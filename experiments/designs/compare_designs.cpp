#include "experiments/designs/compare_designs.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "experiments/models/networks.hpp"
#include "experiments/study/ruled_networks.hpp"
#include "onn/network/full_svd.hpp"
#include "physics/core/check.hpp"
#include "physics/random/haar.hpp"

namespace optinc {
namespace {

/// Units of designs that are compared already.
ComparedDesign system_of(const DesignEntry& entry, const std::vector<ComparedDesign>& above) {
  ComparedDesign row{entry, {}, {}, false};
  std::vector<std::pair<int, UnitCost>> levels;
  for (const UnitsOfDesign& units : entry.units) {
    const ComparedDesign& of = *std::find_if(
        above.begin(), above.end(), [&](const ComparedDesign& d) { return d.entry.name == units.design; });
    levels.emplace_back(units.count, of.cost);
    row.untrained = row.untrained || of.untrained;
    row.network += fmt::format("{}{} x {}", row.network.empty() ? "" : " + ", units.count, units.design);
  }
  row.cost = in_series(levels);
  return row;
}

/// A network and its design, which budget() takes.
struct Costable {
  Network network;
  ChipDesign design;
};

/// An untrained unit of a cascade. Its M + 1 digits divide no width: they enter or leave by a layer of 2 M
/// ports, of which the others stay dark. It cannot compute, for no network has dark ports.
Costable padded_unit(const StudyConfig& config, CascadeLevel level) {
  StudyConfig wide = config;
  wide.task.digits = 2 * config.task.digits;
  Costable unit{untrained_network(config), {}};
  const Network broad = untrained_network(wide);
  unit.design = design_chip(unit.network);
  const ChipDesign broad_design = design_chip(broad);
  const std::size_t end = level == CascadeLevel::first ? broad.layers.size() - 1 : 0;
  unit.network.layers[end] = broad.layers[end];
  unit.design.layers[end] = broad_design.layers[end];
  unit.network.task.level = unit.design.task.level = level;
  validate_task(unit.design.task);
  if (level == CascadeLevel::second)
    unit.design.layers[0].lanes.resize(static_cast<std::size_t>(unit.design.task.input_digits()));
  return unit;
}

Costable unpadded_unit(const StudyConfig& config, const TrainedNetwork& trained) {
  const RuledNetwork* rule = ruled_network(config.network.source);
  Network network = config.network.source == "untrained" ? untrained_network(config)
                    : rule != nullptr                    ? rule->make(config)
                                                         : trained(config);
  ChipDesign design = design_chip(network);
  return {std::move(network), std::move(design)};
}

/// The network of the design before, which others of a list often share.
struct LastUnit {
  std::string identity;  ///< all that network and design follow from
  Costable unit;
};

const Costable& costable(const StudyConfig& config, CascadeLevel level, const TrainedNetwork& trained,
                         LastUnit& last) {
  std::string identity = fmt::format("{}level = {}\n", network_identity(config), name_of(level));
  for (const FieldEntry& entry : config_entries(config))
    if (config.network.source == "untrained" &&
        (entry.section == "network" || entry.section == "training" || entry.name() == "run.seed"))
      identity += fmt::format("{} = {}\n", entry.name(), toml_text(entry.value));
  if (identity != last.identity)
    last = {std::move(identity),
            level == CascadeLevel::flat ? unpadded_unit(config, trained) : padded_unit(config, level)};
  return last.unit;
}

ComparedDesign unit_of(const DesignEntry& entry, const StudyConfig& config, const TrainedNetwork& trained,
                       LastUnit& last) {
  const RuledNetwork* rule = ruled_network(config.network.source);
  ComparedDesign row{entry, {}, {}, config.network.source == "untrained"};
  if (entry.time_shared) {
    validate(rule != nullptr && rule->time_shared != nullptr,
             "time_shared without a carry chain (one stage serves all digits). Set "
             "network.source = \"carry-chain\".");
    row.cost = rule->time_shared(config);
    row.network = "carry chain, one stage";
    return row;
  }
  validate(entry.approximated.empty() || config.training.full_svd_layers.empty(),
           "approximated beside training.full_svd_layers (which layers are approximated is said twice). Leave "
           "one out.");
  const CascadeLevel level = value_of_name<CascadeLevel>(entry.level);
  validate(
      level == CascadeLevel::flat || row.untrained,
      "level = \"{}\" of a network that computes (of an untrained one: its ends are padded). Set task.level.",
      entry.level);
  const Costable& unit = costable(config, level, trained, last);
  row.cost = unit_cost(unit.network, budget(unit.design, config.chip, config.hardware, config.budget),
                       entry.approximated);
  row.network = rule != nullptr
                    ? rule->called(config)
                    : fmt::format("{}, {}", fmt::join(unit.network.widths(), "-"), config.network.source);
  return row;
}

}  // namespace

Network untrained_network(const StudyConfig& config) {
  Network network =
      with_full_svd(make_network(config.task, config.network.hidden), config.training.full_svd_layers);
  Stream stream(config.run.seed, Purpose::untrained_network);
  for (SigmaULayer& layer : network.layers)
    for (std::size_t b = 0; b < layer.unitary.size(); ++b) {
      layer.unitary[b] = haar_orthogonal(layer.block_size(), stream);
      if (layer.attenuated) layer.sigma[b].setConstant(0.5);
    }
  return network;
}

std::vector<ComparedDesign> compare_designs(const DesignList& list, const TrainedNetwork& trained,
                                            const std::function<void(const std::string&)>& at_each) {
  std::vector<StudyConfig> configs;  // of all designs before the work of any
  for (const DesignEntry& entry : list.designs)
    configs.push_back(entry.units.empty() ? design_config(list, entry) : StudyConfig());
  std::vector<ComparedDesign> rows;
  LastUnit last;
  for (std::size_t i = 0; i < configs.size(); ++i) {
    const DesignEntry& entry = list.designs[i];
    if (at_each) at_each(entry.name);
    if (!entry.units.empty()) {
      rows.push_back(system_of(entry, rows));
      continue;
    }
    try {
      rows.push_back(unit_of(entry, configs[i], trained, last));
    } catch (const Error& error) {
      throw Error(fmt::format("{}: {}", entry.name, error.what()));
    }
  }
  return rows;
}

}  // namespace optinc
