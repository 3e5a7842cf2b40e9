#pragma once

#include <exception>

namespace optinc {

/// Makes SIGINT and SIGTERM ask for an orderly end; a second one ends the process at once, and so do 8 seconds
/// in which nobody looked (a trial may take minutes; schedulers kill after 10 to 30 s). What is stored stays
/// stored: all files are safe from a kill. A file that reaches the limit on its size (SIGXFSZ) is an error of
/// the write instead.
void catch_interrupts();

/// The work has ended and is about to be stored, which may take its time: a signal that came is obeyed then.
void work_has_ended();

/// For long work: a pipe that nobody reads any more (SIGPIPE) does not end it.
void ignore_sigpipe();

/// Asks for that end as the signal would, unless it is asked for already.
void ask_for_end(int signal);

/// The signal that asked for an end; 0 for none.
int interrupt_signal();

/// Thrown where long work ends because it was asked to; what is finished is stored already.
struct Interrupted : std::exception {
  /// For whoever catches it as an exception of the library.
  const char* what() const noexcept override { return "interrupted"; }
};

/// Throws Interrupted once an end was asked for.
void check_interrupt();

}  // namespace optinc
