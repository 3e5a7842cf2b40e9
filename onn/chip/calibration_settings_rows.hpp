#pragma once

#include "onn/chip/calibration_settings.hpp"
#include "physics/core/rows.hpp"

namespace optinc {

template <Like<CalibrationSettings> S, class Visitor>
void visit_rows(S& s, Visitor&& visit) {
  visit_enum(
      visit, "policy",
      "Calibration policy: no calibration (none), perfect knowledge of the chip (oracle), "
      "knowledge with errors (noisy), noisy followed by a fit of phases on the chip itself, without noise "
      "(in-situ), or on a model of it whose splitters and losses were measured (twin)",
      s.policy);
  visit(switched_off(
            "splitter estimate",
            Row{"sigma_estimate_rad", "rad",
                "RMS error of the estimated splitter angles (policies noisy, in-situ and twin)", 0, 0.5}),
        s.sigma_estimate_rad);
  visit_enum(visit, "splitters",
             "Splitter angles that the correction knows: that of every splitter (each), or only the mean "
             "of the die, which a few test structures tell (die-mean)",
             s.splitters);
  visit(Row{"in_situ_steps", "1",
            "Quasi-Newton steps per mesh under policy in-situ; each step uses the exact gradient of the "
            "simulated chip",
            0, 100000},
        s.in_situ_steps);
  visit(switched_off("loss estimate", Row{"sigma_loss_estimate_db", "dB",
                                          "RMS error of the estimated loss of every arm (policy twin)", 0, 10}),
        s.sigma_loss_estimate_db);
  visit(Row{"twin_steps", "1", "Quasi-Newton steps per mesh under policy twin", 0, 100000}, s.twin_steps);
  visit(Row{"diagonal_epochs", "1",
            "Epochs of retraining a chip's attenuations and biases on its measured mesh matrices, with "
            "receiver noise scaled by training.noise; 0: no retraining",
            0, 100000},
        s.diagonal_epochs);
  visit(Row{"diagonal_rate", "1",
            "Peak learning rate when attenuations and biases are retrained (diagonal_epochs)", 1e-6, 1},
        s.diagonal_rate);
}

}  // namespace optinc
