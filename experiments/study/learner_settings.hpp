#pragma once

#include <span>
#include <string>
#include <string_view>

namespace optinc {

/// [learner]: what is trained, on what, how, and which way its gradients take.
struct LearnerSettings {
  std::string kind = "mlp";                ///< learner_kind_names()
  std::string data_set = "fashion-mnist";  ///< data_set_names()
  std::string data = "default";            ///< folder or file; default: where Debian puts the data set
  int width = 0;                           ///< of the model; 0: the default of its kind
  int levels = 1;                          ///< units one above the other: servers, or servers^2
  bool carry_digit = true;                 ///< between two levels
  std::string aggregator = "exact";        ///< aggregator_names()
  std::string engine = "map";              ///< engine_names()
  int steps = 702;
  int evaluations = 3;
  int batch = 256;
  std::string optimiser = "sgd";  ///< or "adamw"
  double learning_rate = 0.1;
  double momentum = 0.9;
  double weight_decay = 0.0;
  std::string schedule = "constant";  ///< or "cosine"
  int warm_up_steps = 0;
  double largest_norm = 0.0;
  int block = 1024;
  bool error_feedback = false;
  bool range_guard = false;
  bool own_copies = false;
  int equalise_every = 0;
  double error_rate = 0.0;
  double offset_lsb = 0.0;
  double chip_factor = 1.0;
};

/// "mlp", "cnn".
std::span<const std::string_view> learner_kind_names();

/// "fashion-mnist", "cifar-10", "cifar-100".
std::span<const std::string_view> data_set_names();

/// "exact", "ring", "halving-doubling", "parameter-server": no codes; "quantised", "network", "chip": codes of
/// the task.
std::span<const std::string_view> aggregator_names();

/// How words pass a chip: "map", by its table; "light", every word through its meshes.
std::span<const std::string_view> engine_names();

}  // namespace optinc
