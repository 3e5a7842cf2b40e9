"""OptINC: meshes of interferometers and units that average codes in light, with the errors of real devices.

A mesh of Mach-Zehnder interferometers (MZIs), fabricated with errors and corrected for them:

    unitary = optinc.haar_unitary(16, seed=1)
    mesh = optinc.Mesh.from_unitary(unitary)
    chip = mesh.fabricate("good-lab", seed=7)
    optinc.fidelity(unitary, chip.matrix())
    optinc.fidelity(unitary, mesh.corrected(chip.errors).on(chip).matrix())

A unit that averages the codes of four servers:

    unit = optinc.carry_chain(servers=4, bits=8)
    chip = unit.fabricate("good-lab", seed=1, chip=3).program(correct=True)
    chip.average(codes)  # integers (4, n) -> (n,)

For the same seed, results have the same bits as those of the command line from a portable build.

run() runs a study by the command-line tool, merge() joins its shards; interconnect(), cluster(), operating_point() and budget() are its tables as
DataFrames; optinc.results reads, tabulates and draws result files. These need no compiled module.
"""

from typing import TYPE_CHECKING

from .tool import budget, cluster, interconnect, merge, operating_point, run

try:
    from ._core import (
        AdcSettings,
        BlockErrors,
        CalibrationSettings,
        CheckedAverage,
        Chip,
        ChipDeviations,
        ChipErrors,
        CircuitSolver,
        CrosstalkSettings,
        DriftHistory,
        DriftSettings,
        ElectroOptic,
        EpochReport,
        ErrorModel,
        FieldGradient,
        FloorPlanSettings,
        LaserSettings,
        LeakyRelu,
        LinkSettings,
        Mesh,
        MeshChip,
        MeshErrors,
        MeshFloorPlan,
        MeshTwin,
        MzmSettings,
        Network,
        NeuronSettings,
        NoiseSwitches,
        OwnerSettings,
        ProcessModel,
        ProgrammedChip,
        ReceiverSettings,
        ResponseTable,
        RingActivation,
        SaturableAbsorber,
        SensitivitySettings,
        SettledMesh,
        SigmaULayer,
        Softplus,
        SymmetricMesh,
        Task,
        TimingSettings,
        TrainingResult,
        TrainingSettings,
        TwinError,
        TwinFit,
        TwinKindReport,
        TwinPlan,
        TwinSettings,
        Unit,
        UnitFloorPlan,
        UnitHardware,
        Wafer,
        analogue_sum,
        block_maxima,
        carry_chain,
        circuit_models,
        codes_of_words,
        decode,
        digit_sums,
        direct_readings,
        direct_receiver_settings,
        encode,
        error_preset,
        error_preset_names,
        exact_answers,
        fidelity,
        fit_twin,
        gpu_name,
        haar_unitary,
        model_emission,
        model_ports,
        model_scattering,
        plan_twin,
        set_threads,
        threads,
        train,
        word_hops,
    )
    from . import _reprs  # noqa: F401  gives every class of the module one
    from ._core import version as __version__
    from ._cascade import Cascade
    from .circuits import Circuit, Readings
    from ._plots import plot
    from ._service import Service
    from .laboratory import load_chip, load_matrix, load_touchstone, save_chip, save_matrix, save_touchstone
    from .networks import load_network, save_network, shipped_networks
except ModuleNotFoundError as missing:  # a clone, or an installed command-line tool
    if missing.name != "optinc._core":
        raise
    if not TYPE_CHECKING:  # to a type checker, it would make every name known

        def __getattr__(name):
            if name in __all__:
                raise ImportError(f"optinc.{name} needs the compiled module (this copy of the package has none). "
                                  "Run pip install ./python in a clone.")
            raise AttributeError(f"module 'optinc' has no attribute '{name}'")

__all__ = [
    "AdcSettings",
    "BlockErrors",
    "CalibrationSettings",
    "Cascade",
    "CheckedAverage",
    "Chip",
    "ChipDeviations",
    "ChipErrors",
    "Circuit",
    "CircuitSolver",
    "CrosstalkSettings",
    "DriftHistory",
    "DriftSettings",
    "ElectroOptic",
    "EpochReport",
    "ErrorModel",
    "FieldGradient",
    "FloorPlanSettings",
    "LaserSettings",
    "LeakyRelu",
    "LinkSettings",
    "Mesh",
    "MeshChip",
    "MeshErrors",
    "MeshFloorPlan",
    "MeshTwin",
    "MzmSettings",
    "Network",
    "NeuronSettings",
    "NoiseSwitches",
    "OwnerSettings",
    "ProcessModel",
    "ProgrammedChip",
    "Readings",
    "ReceiverSettings",
    "ResponseTable",
    "RingActivation",
    "SaturableAbsorber",
    "SensitivitySettings",
    "Service",
    "SettledMesh",
    "SigmaULayer",
    "Softplus",
    "SymmetricMesh",
    "Task",
    "TimingSettings",
    "TrainingResult",
    "TrainingSettings",
    "TwinError",
    "TwinFit",
    "TwinKindReport",
    "TwinPlan",
    "TwinSettings",
    "Unit",
    "UnitFloorPlan",
    "UnitHardware",
    "Wafer",
    "analogue_sum",
    "block_maxima",
    "budget",
    "carry_chain",
    "circuit_models",
    "cluster",
    "codes_of_words",
    "decode",
    "digit_sums",
    "direct_readings",
    "direct_receiver_settings",
    "encode",
    "error_preset",
    "error_preset_names",
    "exact_answers",
    "fidelity",
    "fit_twin",
    "gpu_name",
    "haar_unitary",
    "interconnect",
    "load_chip",
    "load_matrix",
    "load_touchstone",
    "load_network",
    "merge",
    "model_emission",
    "model_ports",
    "model_scattering",
    "operating_point",
    "plan_twin",
    "plot",
    "run",
    "save_chip",
    "save_matrix",
    "save_touchstone",
    "save_network",
    "set_threads",
    "shipped_networks",
    "threads",
    "train",
    "word_hops",
]
