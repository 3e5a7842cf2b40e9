#pragma once

#include <exception>

namespace optinc {

/// Makes SIGINT and SIGTERM ask for an orderly end; a second one ends the process at once.
void catch_interrupts();

/// The signal that asked for an end; 0 for none.
int interrupt_signal();

/// Thrown where long work ends because it was asked to; what is finished is stored already.
struct Interrupted : std::exception {
  const char* what() const noexcept override { return "interrupted"; }
};

/// Throws Interrupted once an end was asked for.
void check_interrupt();

}  // namespace optinc
