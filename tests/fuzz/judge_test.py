#!/usr/bin/env python3
"""Whose fault a sanitizer's complaint inside HDF5 is, as tests/fuzz/run judges it: HDF5's, unless the memory is ours."""

import os
import sys
import tempfile
import time
import unittest
from importlib.machinery import SourceFileLoader
from pathlib import Path
from unittest import mock

sys.dont_write_bytecode = True
run = SourceFileLoader("fuzz_run", str(Path(__file__).with_name("run"))).load_module()

FAULT = """==1==ERROR: AddressSanitizer: heap-buffer-overflow on address 0x602 at pc 0x1
WRITE of size 8 at 0x602 thread T0
    #0 0x4a1 in __asan_memcpy (fuzz_files+0x4a1)
    #1 0x7f1 in H5T_convert (/usr/lib/libhdf5_serial.so.103+0x1)
    #2 0x4c1 in optinc::read_values(long) experiments/files/hdf5/hdf5.cpp:200:3

0x602 is located 0 bytes to the right of 8-byte region
allocated by thread T0 here:
    #0 0x4a2 in {how} (fuzz_files+0x4a2)
    #1 {who}
    #2 0x4c2 in optinc::read_values(long) experiments/files/hdf5/hdf5.cpp:190:3

SUMMARY: AddressSanitizer: heap-buffer-overflow
"""
STACK = """==1==ERROR: AddressSanitizer: stack-buffer-overflow on address 0x7ff at pc 0x1
    #0 0x7f1 in H5T_convert (/usr/lib/libhdf5_serial.so.103+0x1)

Address 0x7ff is located in stack of thread T0 at offset 40 in frame
    #0 {frame}
"""


class Judge(unittest.TestCase):
    def test_memory_that_we_made_is_ours(self):
        ours = FAULT.format(how="operator new(unsigned long)", who="0x4c3 in optinc::make(long) experiments/files/hdf5/hdf5.cpp:10:3")
        theirs = FAULT.format(how="malloc", who="0x7f2 in H5MM_malloc (/usr/lib/libhdf5_serial.so.103+0x2)")
        self.assertTrue(run.in_our_memory(ours))
        self.assertFalse(run.in_our_memory(theirs))
        self.assertTrue(run.in_our_memory(STACK.format(frame="0x4c1 in optinc::read(long) experiments/files/hdf5/hdf5.cpp:9:1")))
        self.assertFalse(run.in_our_memory(STACK.format(frame="0x7f3 in H5T_path (/usr/lib/libhdf5_serial.so.103+0x3)")))

    def test_a_crash_without_memory_of_anybody_is_not(self):
        self.assertFalse(run.in_our_memory("==1==ERROR: AddressSanitizer: SEGV on unknown address 0x0\n    #0 0x7f1 in H5HG_read\n"))

    def test_the_report_of_an_end_that_does_not_come_again_is_that_of_its_moment(self):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            (folder / "reports").mkdir()
            (folder / "bin").mkdir()
            (folder / "bin/fuzz_files").write_text("#!/bin/sh\nexit 0\n")  # ends well on the input alone
            (folder / "bin/fuzz_files").chmod(0o755)
            finding = folder / "files-crash-1"
            finding.touch()
            where = "    #0 0x7f1 in {} (/usr/lib/{}+0x1)\n    #1 0x4c1 in optinc::read(long) experiments/files/hdf5/hdf5.cpp:9:1\n"
            for number, seconds, frame in ((1, -30, ("optinc::f()", "fuzz_files")), (2, 0.1, ("H5D_read", "libhdf5_serial.so.103")),
                                           (3, 30, ("optinc::f()", "fuzz_files"))):
                report = folder / f"reports/files.{number}"
                report.write_text("==1==ERROR: AddressSanitizer: SEGV\n" + where.format(*frame) + "SUMMARY: AddressSanitizer: SEGV\n")
                os.utime(report, (time.time() + seconds,) * 2)
            with mock.patch.object(run, "BUILD", folder):
                self.assertEqual(run.judge("files", finding), ("not alone: SUMMARY: AddressSanitizer: SEGV", True))
                os.utime(folder / "reports/files.3", (time.time(),) * 2)
                os.utime(folder / "reports/files.2", (time.time() + 60,) * 2)
                self.assertEqual(run.judge("files", finding)[1], False)
                for report in (folder / "reports").iterdir():
                    report.unlink()
                self.assertEqual(run.judge("files", finding), ("not alone: exit status 0", False))


if __name__ == "__main__":
    unittest.main()
