#include "experiments/engine/process/progress.hpp"

#include <cstdio>

#include <fmt/format.h>
#include <unistd.h>

namespace optinc {

using Clock = std::chrono::steady_clock;

namespace {

/// A closed pipe or a full disk behind standard error must not end a run: what cannot be said is left unsaid.
void say(const std::string& text) {
  std::fputs(text.c_str(), stderr);
  std::fflush(stderr);
}

}  // namespace

Progress::Progress(std::string stage, long total, bool quiet)
    : stage_(std::move(stage)),
      total_(total),
      quiet_(quiet),
      terminal_(isatty(STDERR_FILENO) == 1),
      start_(Clock::now()),
      shown_(start_) {
  if (!quiet_ && !terminal_) say(stage_ + " ...\n");
}

Progress::~Progress() {
  const std::lock_guard lock(mutex_);
  if (quiet_) return;
  try {
    show(true);
  } catch (...) {  // a line of progress must not end the program
  }
}

void Progress::step(const std::string& note) {
  step([note] { return note; });
}

void Progress::step(std::function<std::string()> note) {
  const std::lock_guard lock(mutex_);
  ++done_;
  note_ = std::move(note);
  const auto interval = terminal_ ? std::chrono::milliseconds(200) : std::chrono::minutes(1);
  if (quiet_ || Clock::now() - shown_ < interval) return;
  shown_ = Clock::now();
  show(false);
}

void Progress::clear() {
  const std::lock_guard lock(mutex_);
  if (!quiet_ && terminal_) say("\r\033[K");
}

double Progress::seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }

void Progress::show(bool last) {
  const double elapsed = seconds(), rate = static_cast<double>(done_) / std::max(elapsed, 1e-9);
  std::string line = fmt::format("{} {}/{}", stage_, done_, total_);
  if (last)
    line += fmt::format("  {:.1f} s", elapsed);
  else if (done_ > 0)
    line += fmt::format("  {:.1f}/s, {:.0f} s left", rate, static_cast<double>(total_ - done_) / rate);
  if (const std::string note = note_ ? note_() : ""; !note.empty()) line += "  " + note;
  if (terminal_)
    say(fmt::format("\r\033[K{}{}", line, last ? "\n" : ""));
  else
    say(fmt::format("  {}\n", line));
}

}  // namespace optinc
