#include "experiments/base/progress.hpp"

#include <algorithm>
#include <condition_variable>
#include <cstdio>
#include <stop_token>
#include <system_error>

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

namespace optinc {

using Clock = std::chrono::steady_clock;

namespace {

/// A closed pipe or a full disk behind standard error must not end a run: what cannot be said is left unsaid.
void say(const std::string& text) {
  std::fputs(text.c_str(), stderr);
  std::fflush(stderr);
}

/// Columns of the terminal behind standard error; very many where it does not say.
std::size_t columns() {
  winsize size = {};
  return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : std::size_t{1} << 20;
}

/// UTF-8 of at most `room` characters; a longer text ends in "..".
std::string shortened(const std::string& text, std::size_t room) {
  const auto begins = [](char c) { return (static_cast<unsigned char>(c) & 0xc0u) != 0x80u; };
  if (static_cast<std::size_t>(std::count_if(text.begin(), text.end(), begins)) <= room) return text;
  std::size_t kept = 0, end = 0;
  for (; end < text.size() && (kept + 2 < room || !begins(text[end])); ++end) kept += begins(text[end]);
  return text.substr(0, end) + std::string("..").substr(0, room);
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
  std::string numbers = fmt::format(" {}/{}", done_, total_);
  if (last)
    numbers += fmt::format("  {:.1f} s", elapsed);
  else if (done_ > 0)
    numbers += fmt::format("  {:.1f}/s, {:.0f} s left", rate, static_cast<double>(total_ - done_) / rate);
  std::string note = note_ ? note_() : "";
  if (!note.empty()) note = "  " + note;
  if (!terminal_) return say(fmt::format("  {}{}{}\n", stage_, numbers, note));
  if (last) return say(fmt::format("\r\033[K{}{}{}\n", stage_, numbers, note));
  // a line that wrapped could not be renewed: the numbers stay, the note is cut first
  const std::size_t room = columns() - 1, stage = room - std::min(room, numbers.size());
  const std::string head = shortened(stage_, stage) + numbers;
  say("\r\033[K" + head + shortened(note, room - std::min(room, head.size())));
}

LongPhase::LongPhase(std::string name, bool quiet) {
  if (quiet) return;
  const auto wait = [name = std::move(name)](const std::stop_token& over) {
    std::mutex mutex;
    std::condition_variable_any none;
    // cppcheck-suppress localMutex // a condition needs one; nobody else waits for it
    std::unique_lock lock(mutex);
    none.wait_for(lock, over, std::chrono::seconds(1), [] { return false; });
    if (!over.stop_requested()) say(name + " ...\n");
  };
  try {
    waiting_ = std::jthread(wait);
  } catch (const std::system_error&) {  // no thread to spare: it stays unsaid
  }
}

}  // namespace optinc
