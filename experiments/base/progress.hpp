#pragma once

#include <chrono>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

namespace optinc {

/// Progress of one stage on standard error: a line that renews itself on a terminal, one line a minute
/// elsewhere, and a last line with the time taken and the note of the last step. Standard output stays clean
/// for results. Thread-safe.
class Progress {
 public:
  /// `total` steps lie ahead; silent when `quiet`.
  Progress(std::string stage, long total, bool quiet = false);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// One more step is done; `note` is shown behind rate and time left. It is called only when its text is
  /// shown: at once, or by the destructor, for the last step. What it refers to must live until the next step
  /// and, for the last one, outlive this object.
  void step(std::function<std::string()> note);
  /// The same with a text.
  void step(const std::string& note = {});

  /// Takes the line off the terminal, so that results may be printed there; the next step() shows it again.
  void clear();

 private:
  void show(bool last);
  double seconds() const;

  std::string stage_;
  std::function<std::string()> note_;  ///< of the last step
  long total_, done_ = 0;
  bool quiet_, terminal_;
  std::chrono::steady_clock::time_point start_, shown_;
  std::mutex mutex_;
};

/// Names a phase without steps on standard error, once it has taken a second.
class LongPhase {
 public:
  /// Silent when `quiet`.
  explicit LongPhase(std::string name, bool quiet = false);
  ~LongPhase() = default;
  LongPhase(const LongPhase&) = delete;

 private:
  std::jthread waiting_;
};

}  // namespace optinc
