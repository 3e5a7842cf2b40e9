"""The tool on ranks of MPI, as the tests of faults start it and find its processes."""

import os
import pathlib
import shutil
import subprocess

from tool import OPTINC

LIBRARIES = subprocess.run(["ldd", OPTINC], capture_output=True, text=True).stdout
MPI = bool(shutil.which("mpirun")) and "libmpi" in LIBRARIES
NO_MPI = "no MPI in this build or on this machine"
ALLOWED = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
           "OMPI_MCA_rmaps_base_oversubscribe": "1"}


def launched(count, *arguments):
    """The launcher of `count` ranks of the tool; what they say on stderr can be read from it."""
    return subprocess.Popen(["mpirun", "-n", str(count), OPTINC, *map(str, arguments)], env=ALLOWED,
                            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)


def processes_of(launcher):
    """Number of each rank -> its process."""
    children = [pid for thread in pathlib.Path(f"/proc/{launcher.pid}/task").iterdir()
                for pid in (thread / "children").read_text().split()]
    return {int(variable.split("=")[1]): int(pid) for pid in children
            for variable in pathlib.Path(f"/proc/{pid}/environ").read_text().split("\0")
            if variable.startswith("OMPI_COMM_WORLD_RANK=")}
