#include "experiments/base/interrupt.hpp"

#include <csignal>
#include <string_view>

#include <unistd.h>

namespace optinc {
namespace {

volatile std::sig_atomic_t asked = 0;  // the one mutable global: a signal handler can reach nothing else

constexpr unsigned patience_s = 8;

void note(int signal) {
  asked = signal;
  std::signal(signal, SIG_DFL);
  ::alarm(patience_s);
}

/// Nobody has looked at what was asked for.
void stop_here(int) {
  constexpr std::string_view text =
      "optinc: stopped in the middle of long work, which is dropped. Finished work is kept: resume or repeat "
      "the command.\n";
  const ssize_t written = ::write(STDERR_FILENO, text.data(), text.size());
  ::_exit(written < 0 ? 1 : 128 + asked);
}

}  // namespace

void catch_interrupts() {
  std::signal(SIGXFSZ, SIG_IGN);  // a limit on file sizes shows as a write that fails, like a full disk
  std::signal(SIGALRM, stop_here);
  std::signal(SIGINT, note);
  std::signal(SIGTERM, note);
}

void work_has_ended() { ::alarm(0); }

void ignore_sigpipe() { std::signal(SIGPIPE, SIG_IGN); }

void ask_for_end(int signal) {
  if (asked == 0) std::raise(signal);
}

int interrupt_signal() { return asked; }

void check_interrupt() {
  if (asked != 0) throw Interrupted();
}

}  // namespace optinc
