"""A study of single meshes, small and quick, for tests that look at how a study is run and not at what it finds."""

import pathlib

MESH = """study = "meshes"
model = "mesh"
[runner]
trials = {trials}
[mesh]
ports = {ports}
[chip]
preset = "good-lab"
[yield]
metric = "mesh_error"
sense = "at-most"
limit = 0.05
[[sweep]]
values = {{"chip.sigma_eta_rad" = [0.005, 0.01]}}
[[sweep]]
values = {{"chip.dac_bits" = [6, 12]}}
"""
"""Trials of a millisecond or less, at four points."""


def mesh_study(path, trials, ports=24):
    path.write_text(MESH.format(trials=trials, ports=ports))
    return path


def journal_of(path):
    return pathlib.Path(f"{path}.journal")
