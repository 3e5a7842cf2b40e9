"""Small result files that follow experiments/files/hdf5/FORMAT.md, made of draws whose law is written here.

Used by sample_files.py. `python3 result_samples.py DIR` writes one of each, to look at.
"""

import sys
from pathlib import Path

from sample_chips import *  # noqa: F401, F403
from sample_meshes import *  # noqa: F401, F403
from sample_tables import *  # noqa: F401, F403
from sample_tolerances import *  # noqa: F401, F403
from sample_trainings import *  # noqa: F401, F403
from sample_parts import *  # noqa: F401, F403

ALL = (one_sweep, two_sweeps, paired_keys, text_axis, with_ablation, incomplete, words_in_time, over_time, recorded_drift, bare, laws,
       costs, side_by_side, fastest, over_parts, of_a_circuit, of_receivers, of_draws, of_a_cluster, joined, noisy_receivers, crowded, sparse, meshes_of_kinds, dies_on_wafers, unknown_errors, tolerant_shapes, tolerant_keys, noisy_networks, on_channels, detuned, trainings,
       trained_at_energies, trained_through_chips)

if __name__ == "__main__":
    for make in ALL:
        make(Path(sys.argv[1]) / f"{make.__name__}.h5")
