#pragma once

#include <functional>

namespace optinc {

/// What is found of a level from which on something no longer holds.
struct LevelSearch {
  double gentle = 0.0, harsh = 1.0;
  int steps = 8;
  bool whole = false;  ///< levels are whole numbers

  /// The harshest level found at which `holds`: `harsh` where it holds there, otherwise the last that held of
  /// `steps` halvings of what lies between (of its logarithm where both ends are > 0). Where it does not hold
  /// at `gentle`: what lies beyond, 0 or, for levels that get harsher as they fall, infinity. Between a level
  /// that holds and one that does not there may be several borders; one of them is found.
  double harshest(const std::function<bool(double)>& holds) const;
};

}  // namespace optinc
