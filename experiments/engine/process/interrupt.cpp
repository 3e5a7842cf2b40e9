#include "experiments/engine/process/interrupt.hpp"

#include <csignal>

namespace optinc {
namespace {

volatile std::sig_atomic_t asked = 0;  // the one mutable global: a signal handler can reach nothing else

void note(int signal) {
  asked = signal;
  std::signal(signal, SIG_DFL);
}

}  // namespace

void catch_interrupts() {
  std::signal(SIGXFSZ, SIG_IGN);  // a limit on file sizes shows as a write that fails, like a full disk
  std::signal(SIGINT, note);
  std::signal(SIGTERM, note);
}

void outlive_listeners() { std::signal(SIGPIPE, SIG_IGN); }

void ask_for_end(int signal) {
  if (asked == 0) std::raise(signal);
}

int interrupt_signal() { return asked; }

void check_interrupt() {
  if (asked != 0) throw Interrupted();
}

}  // namespace optinc
