#include "experiments/process/interrupt.hpp"

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
  std::signal(SIGINT, note);
  std::signal(SIGTERM, note);
}

int interrupt_signal() { return asked; }

void check_interrupt() {
  if (asked != 0) throw Interrupted();
}

}  // namespace optinc
