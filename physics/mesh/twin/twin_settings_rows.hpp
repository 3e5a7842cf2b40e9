#pragma once

#include "physics/core/rows.hpp"
#include "physics/mesh/twin/twin_settings.hpp"

namespace optinc {

template <Like<TwinSettings> S, class Visitor>
void visit_rows(S& s, Visitor&& visit) {
  visit(Row{"splitters", "1", "Fit both splitters of every MZI"}, s.splitters);
  visit(Row{"offsets", "1", "Fit the offsets of all phases on which readings depend"}, s.offsets);
  visit(Row{"heaters", "1", "Fit the response of every heater; needs settings over a large part of a turn"},
        s.heaters);
  visit_enum(visit, "losses",
             "Losses to fit: none; one number per MZI (mzi); the imbalance of both pairs of arms (arms), which "
             "with the gains of the ports describes any loss of arms and waveguides",
             s.losses);
  visit(Row{"gains", "1", "Fit the gains of input and output ports (couplers and detectors)"}, s.gains);
  visit(Row{"noise", "1", "RMS error of a power [W], or of each quadrature of a field [sqrt(W)]; 0: unknown", 0,
            1},
        s.noise);
  visit(Row{"noise_relative", "1", "RMS relative error of a power, in addition to noise", 0, 1},
        s.noise_relative);
  visit(Row{"outlier", "1",
            "Readings beyond this many standard deviations count with a constant slope (Huber's loss)", 1, 1e6},
        s.outlier);
  visit(Row{"held_out", "1", "Share of the settings that the fit does not see, to measure its error", 0, 0.9},
        s.held_out);
  visit(Row{"prior_splitter_rad", "rad", "RMS splitter error known before the fit; 0: unknown", 0, 1},
        s.prior_splitter_rad);
  visit(Row{"prior_offset_rad", "rad", "RMS phase offset known before the fit; 0: unknown", 0, 10},
        s.prior_offset_rad);
  visit(Row{"prior_loss_db", "dB", "RMS of losses, imbalances and gains known before the fit; 0: unknown", 0,
            100},
        s.prior_loss_db);
  visit(Row{"iterations", "1", "Largest number of times the normal equations are set up", 1, 10000},
        s.iterations);
}

}  // namespace optinc
