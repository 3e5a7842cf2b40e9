#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "experiments/base/interrupt.hpp"
#include "experiments/base/progress.hpp"
#include "experiments/base/terminal.hpp"
#include "experiments/cli/commands.hpp"
#include "experiments/run/study_inputs.hpp"
#include "experiments/study/shipped_studies.hpp"
#include "experiments/study/study_model.hpp"
#include "onn/network/word_check.hpp"
#include "physics/core/check.hpp"

namespace optinc {

int check_network_command(const CheckNetworkArguments& a) {
  validate(a.drawn >= 0, "--words {} (allowed: 0 or more). Give a number of words.", a.drawn);
  const StudyConfig config = load_study(a.study, a.overrides);
  validate(has_network(config.model),
           "a study of model {} (it has no network to test). Use a study of model chip.", config.model);
  validate_config(config);
  const Network network = make_network_of(config, a.out.quiet).network;
  const auto drawn = static_cast<std::uint64_t>(a.drawn);
  constexpr std::uint64_t step = 100'000;
  const std::uint64_t asked = words_to_check(network.task, drawn);
  Progress progress("100,000 words", static_cast<long>(asked / step), a.out.quiet || asked < step);
  std::uint64_t done = 0;
  const WordCheck found =
      check_words(network, drawn, config.run.seed, config.run.threads, [&](std::uint64_t words) {
        check_interrupt();
        for (done += words; done >= step; done -= step) progress.step();
      });
  progress.clear();
  if (a.json) {
    const nlohmann::ordered_json json = {{"words", found.words},
                                         {"every", found.every},
                                         {"wrong", found.wrong},
                                         {"off_by_one", found.off_by_one},
                                         {"wrong_digits", found.wrong_digits},
                                         {"margin_digit", found.margin},
                                         {"mzis", mzi_count(network)},
                                         {"mzi_depth", mzi_depth(network)},
                                         {"layers", network.layers.size()}};
    print_text(json_text(json));
  } else {
    fmt::print("{} {} of {} servers, {} bits, {}: {} wrong; margin {:.4f} digit\n", found.words,
               found.every ? "words, every one," : "words, random ones and edge cases,", network.task.servers,
               network.task.bits(), name_of(network.task.rounding), found.wrong, found.margin);
    if (found.wrong > 0)
      fmt::print("{} of them off by one; wrong digits, from the top: {}\n", found.off_by_one,
                 fmt::join(found.wrong_digits, ", "));
    fmt::print("{} MZIs, {} columns in series\n", mzi_count(network), mzi_depth(network));
  }
  return found.wrong == 0 ? 0 : 1;
}

}  // namespace optinc
