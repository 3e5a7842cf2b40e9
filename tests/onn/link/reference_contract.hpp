#pragma once

#include <functional>
#include <vector>

#include <omp.h>

#include "onn/chip/calibration.hpp"
#include "onn/chip/crosstalk.hpp"
#include "onn/chip/environment.hpp"
#include "onn/link/reference_transmit.hpp"
#include "onn/task/codes.hpp"

// Units that transmit() and reference_transmit() are compared on, settled and in time.

namespace optinc {

/// Settings and errors of everything between the servers' codes and their digits.
struct Unit {
  ErrorModel model;
  CalibrationSettings calibration = {.policy = CalibrationPolicy::oracle};
  std::uint32_t recalibrations = 0;
  Programming programming = Programming::uncorrected;
  SensitivitySettings sensitivity;
  Environment change;
  CrosstalkSettings crosstalk;
  UnitHardware hardware;
  double overdrive = 1.0;        ///< full scales are too small by this factor
  bool triangles = false;        ///< Reck's meshes in place of Clements'
  bool losses_measured = false;  ///< losses of every mesh of its own, which are known
  MziKind kind = MziKind::standard;
  std::uint32_t server = 0, chip = 3;
};

/// Every non-ideality by itself, with the errors that it needs to act at all, and at last all together.
struct Switch {
  const char* name;
  std::function<void(Unit&)> on;
};
const std::vector<Switch>& switches();

/// With all of them.
Unit all_wrong();

/// Powers meet in unit P, whose light is weak enough for its receivers' noise to be seen.
void without_common_phase(Unit& u);

struct Subject {
  const char* name;
  Network network;
  bool with_noise = true;  ///< takes part in the Monte-Carlo law
};

/// Networks of every kind of layer.
const std::vector<Subject>& subjects();

/// Runs on one thread: for thousands of transmissions of a few words, waking threads would take longest.
struct OneThread {
  int before = omp_get_max_threads();
  OneThread() { omp_set_num_threads(1); }
  ~OneThread() { omp_set_num_threads(before); }
  OneThread(const OneThread&) = delete;
  OneThread& operator=(const OneThread&) = delete;
};

/// A fabricated and programmed chip, for either side.
struct Built {
  ChipDesign design;
  ChipState state;
  ReferenceChip reference;
};

Built built(const Network& network, const Unit& u);

/// The first drives every modulator at full scale, the second none.
Codes random_codes(const Task& task, Eigen::Index words);

/// Outputs of one word at many instants, (output digits, instants).
struct Samples {
  Eigen::MatrixXd fast, slow;
};

/// The largest difference of the means, variances and covariances of the digits of both sides, in standard
/// errors.
double worst_moment(const Samples& y);

}  // namespace optinc
