"""Holds the Python package python, as it reads, to small files that follow FORMAT.md; warnings are errors.

Usage: results_test.py [unittest's arguments]. Exits 77 (skipped) when a module is missing.
"""

import contextlib
import csv
import os
import tempfile
import unittest
import unittest.mock
from dataclasses import replace
from pathlib import Path

from sample_files import FILES, FOLDER, command, make_files, samples  # first: it finds the package, or skips
import h5py
import numpy as np
import xarray
import optinc.results as results
from optinc.results import figures
from optinc.results.comparison import comparison, percent
from optinc.results.headlines import headlines
from optinc.results.study import fixed, headline_metrics, meaning, of_worst_layer, say_point, show_mean

ENGINES = {}
for name, module in (("h5netcdf", "h5netcdf"), ("netcdf4", "netCDF4")):
    with contextlib.suppress(ImportError):  # before warnings become errors: netCDF4 warns when it is imported
        ENGINES[name] = __import__(module)


def setUpModule():
    make_files()


def tearDownModule():
    FOLDER.cleanup()


class Reading(unittest.TestCase):
    def test_values_are_those_of_the_file(self):
        for name, path in FILES.items():
            with results.open_run(path) as run, h5py.File(path) as file:
                for group in file:
                    data = run.group(group)
                    for dataset in file[group]:
                        wanted = file[group][dataset]
                        if isinstance(wanted, h5py.Group):
                            continue
                        got = data[dataset].values
                        if wanted.dtype == object:
                            self.assertEqual(got.tolist(), wanted.asstr()[()].tolist(), (name, group, dataset))
                        else:
                            np.testing.assert_array_equal(got, wanted[()], f"{name} {group} {dataset}")

    def test_reads_as_the_engines_of_xarray_do(self):
        for engine in ENGINES:
            with self.subTest(engine):
                for name, path in FILES.items():
                    with results.open_run(path) as run:
                        mine = {group: run.group(group).load() for group in ("trials", "summary", "eye", "ablation")
                                if run.group(group) is not None}
                    for group, data in mine.items():
                        with xarray.open_dataset(path, group=group, engine=engine) as theirs:
                            xarray.testing.assert_equal(data, theirs.load())
                            self.assertEqual(list(data.coords), list(theirs.coords))
                            for variable in data.variables:
                                for attribute in ("units", "long_name", "key"):
                                    self.assertEqual(data[variable].attrs.get(attribute),
                                                     theirs[variable].attrs.get(attribute), (name, group, variable))

    def test_is_lazy(self):
        with results.open_run(FILES["crowded"]) as run:
            trials = run.trials
            self.assertFalse(trials["code_error_count"].variable._in_memory)
            one = trials["code_error_count"].isel(trial=3, dac_bits=[0, 2], variant=slice(None, None, -1))
            with h5py.File(FILES["crowded"]) as file:
                np.testing.assert_array_equal(one.values, file["trials/code_error_count"][()][[0, 2], :, :, 3, ::-1])
            self.assertFalse(trials["code_error_count"].variable._in_memory)

    def test_sweeps_provenance_and_settings(self):
        with results.open_run(str(FILES["two_sweeps"])) as run:
            self.assertEqual(run.sweeps, ("dac_bits", "sigma_eta_rad"))
            self.assertEqual(run.config["run"]["seed"], 1)
            p = run.provenance
            self.assertEqual((p.run_id, p.seed, p.model, p.complete), ("00112233445566ff", 1, "chip", True))
            self.assertFalse(run.incomplete)
            self.assertIsNone(run.eye)
            self.assertIsNone(run.ablation)
            self.assertEqual(run.asked_and_run, (240, 240))
        with results.open_run(FILES["bare"]) as run:
            self.assertEqual((run.sweeps, run.trials, run.asked_and_run), ((), None, (0, 0)))
            self.assertFalse(run.incomplete)
            self.assertIsNone(run.provenance.model)
            self.assertIsNone(run.provenance.complete)

    def test_parameters(self):
        with results.open_run(FILES["paired_keys"]) as run:
            found = results.parameters(run)
            self.assertEqual(list(found), ["ports", "sigma_eta_rad", "design"])
            self.assertEqual({p.axis for p in found.values()}, {"design"})
            self.assertEqual([p.key for p in found.values()], ["mesh.ports", "chip.sigma_eta_rad", ""])
            self.assertEqual(say_point(run, {"design": 1}), "ports = 16, sigma_eta_rad = 0.015 rad")
        with results.open_run(FILES["text_axis"]) as run:
            self.assertFalse(results.parameters(run)["preset"].numeric)
        with results.open_run(FILES["with_ablation"]) as run:
            self.assertEqual(fixed(run, ()), {"sigma_eta_rad": 0, "ablation": 6})  # "all"
            self.assertEqual(fixed(run, ("ablation",), {"sigma_eta_rad": 0.014}), {"sigma_eta_rad": 1})

    def test_statistics(self):
        with results.open_run(FILES["one_sweep"]) as run:
            self.assertEqual(results.metrics(run)[:2], ["word_accuracy", "output_error"])
            self.assertIn("yield", results.metrics(run))
            self.assertNotIn("word_accuracy_mean", results.metrics(run))
            value = results.statistic(run, "word_accuracy")
            np.testing.assert_allclose(value.mean, run.trials["word_accuracy"].mean("trial"), rtol=1e-12)
            self.assertTrue((value.low <= value.mean).all() and (value.mean <= value.high).all())
            worst, note = of_worst_layer(results.statistic(run, "matrix_error"))
            self.assertEqual((worst.mean.dims, note), (("sigma_eta_rad", "variant"), "worst layer, 2"))
            with self.assertRaisesRegex(results.NotInResult, "no summary of a metric 'speed'.*word_accuracy"):
                results.statistic(run, "speed")

    def test_numbers_of_a_closed_file_say_so(self):
        # fails where h5py's own words come through, or a closed file is called damaged
        with results.open_run(FILES["noisy_networks"]) as run:
            mean = run.summary["word_accuracy_mean"]
        for look in (lambda: mean.values, lambda: run.trials):
            with self.assertRaisesRegex(results.NotAResult, "closed.*Call .load"):
                look()

    def test_headlines_fit_a_terminal(self):
        # fails where conclusions, meanings or points of many keys are left on one line
        for name, path in FILES.items():
            with results.open_run(path) as run:
                long = [line for line in headlines(run).splitlines() if len(line) > 100 and not line.startswith("by ")]
            self.assertEqual(long, [], name)

    def test_networks_beside_each_other(self):
        with results.open_run(FILES["noisy_networks"]) as run:
            found = comparison(run)
            mean = run.summary["word_accuracy_mean"].sel(variant="noisy").isel(sigma_eta_rad=3)
            self.assertEqual([row.name for row in found.rows], ["some_net", "other_net"])
            np.testing.assert_allclose([row.right for row in found.rows], mean.values)
            self.assertEqual(found.columns, ("design-target", "doped-heaters"))
            self.assertEqual(found.where, f"sigma_eta_rad = {float(mean.sigma_eta_rad):g} rad, chips noisy")
            self.assertTrue(found.rows[0].gradient_error > 20 * found.quantised > 0)
            self.assertAlmostEqual(found.rows[1].gradient_error / found.quantised, 1, delta=0.1)
            said = headlines(run)
            self.assertIn("at design-target other_net (29 MZIs, 100 % of words right)", " ".join(said.split()))
            poor = replace(found, rows=tuple(replace(row, right=(row.right[0], 0.76 - place / 10)) for place, row in enumerate(found.rows)))
            self.assertTrue(poor.conclusion().endswith("; at doped-heaters none is usable (some_net decodes most, 76 %)."), poor.conclusion())
            self.assertRegex(said, "(?m)^  some_net +9,000 ")
        for name in ("one_sweep", "laws", "tolerant_keys"):
            with results.open_run(FILES[name]) as run:
                self.assertIsNone(comparison(run), name)
        self.assertEqual([percent(share) for share in (0, 1, 0.0073, 0.12, 0.945, 0.99911, 0.999984, np.nan)],
                         ["0 %", "100 %", "0.73 %", "12 %", "94.5 %", "99.911 %", "99.998 %", "-"])

    def test_metrics_that_a_study_names_come_first(self):
        # fails where fidelity is left out of what is shown of a study that asks for it
        path = Path(FOLDER.name) / "asked.h5"
        asked = ["fidelity", "mesh_error", "mesh_clipped"]
        values = np.random.default_rng(2).random((2, 3, 1))
        with samples.result(path, f"[measure]\nmetrics = {asked}", model="mesh", complete=np.int64(1)) as file:
            samples.study(file, [("sigma_eta_rad", [0.01, 0.02], "rad", "splitters", "chip.sigma_eta_rad")], 3, ["corrected_quadrature"],
                          {name: (values, {}, "1", name) for name in reversed(asked)})
        with results.open_run(path) as run:
            self.assertEqual(headline_metrics(run), asked)
            said = headlines(run)
            self.assertTrue(-1 < said.find("fidelity: ") < said.find("mesh_error: ") < said.find("mesh_clipped: "), said)
            title = figures.FIGURES["metric_vs_parameter"](run)._suptitle.get_text()
            self.assertTrue(title.startswith("Fidelity and mesh error"), title)

    def test_a_share_reads_1_only_where_it_is_1(self):
        # fails where five digits round 0.999998 to 1
        for value, share, said in ((1.0, True, "1"), (0.999998, True, "0.999998"), (1 - 1.23456e-7, True, "0.99999987654"),
                                   (0.9972, True, "0.9972"), (0.57594401, True, "0.57594"), (0.0088704, True, "0.0088704"), (0.0, True, "0"), (3e-225, True, "<1e-15"),
                                   (1.0000123, False, "1"), (0.999998, False, "1"), (float("nan"), True, "nan")):
            self.assertEqual(show_mean(value, share), said)


class BadFiles(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = Path(self.folder.name) / "x.h5"

    def refused(self, pattern, path=None):
        with self.assertRaisesRegex(results.NotAResult, pattern) as caught:
            results.open_run(path or self.path)
        self.assertRegex(str(caught.exception), r"^.+ \(.+\)\. .+")
        return str(caught.exception)

    def test_missing(self):
        self.refused("no such file")
        self.refused("it is a folder", self.folder.name)

    def test_not_hdf5(self):
        self.path.write_text("not HDF5")
        self.refused("cannot be opened")

    def test_cut_off(self):
        self.path.write_bytes(FILES["one_sweep"].read_bytes()[:20000])
        self.refused("cannot be opened")

    def test_foreign(self):
        with h5py.File(self.path, "w") as file:
            file["x"] = 1.0
        self.refused("not a result of OptINC.*schema_version")

    def test_newer(self):
        with samples.result(self.path, schema_version=np.int64(6)):
            pass
        self.refused("newer than this package.*schema version 6.*up to 5")

    def test_of_no_version(self):
        with samples.result(self.path, schema_version=np.int64(-1)):
            pass
        self.refused("schema_version -1 .*reads 1 to 5")

    def test_older(self):
        with samples.result(self.path, schema_version=np.int64(1)):
            pass
        with results.open_run(self.path) as run:
            self.assertEqual(run.provenance.schema_version, 1)

    # Fails where "corrected" of an old file reads as what it means today.
    def test_older_variants_have_their_present_names(self):
        old, present = ["uncorrected", "corrected", "corrected_nearest"], ["uncorrected", "corrected_quadrature", "corrected"]
        for version, names in ((4, present), (5, old[:2])):
            stored = old[:len(names)]
            with samples.result(self.path, schema_version=np.int64(version)) as file:
                samples.study(file, [], 2, stored, {"mesh_error": (np.tile(np.arange(len(stored)), (2, 1)), {}, "1", "error")})
            with results.open_run(self.path) as run:
                self.assertEqual(list(run.trials["variant"].values), names)
                self.assertEqual(float(run.trials["mesh_error"].sel(variant=names[1])[0]), 1.0)
            self.path.unlink()

    def test_settings_that_are_no_toml(self):
        with samples.result(self.path, config_toml="= ="):
            pass
        with results.open_run(self.path) as run, self.assertRaisesRegex(results.NotAResult, "cannot be read"):
            run.config

    def changed(self, change):
        """A sound file after change(file)."""
        self.path.write_bytes(FILES["one_sweep"].read_bytes())
        with h5py.File(self.path, "r+") as file:
            change(file)

    # Fails where links are followed (the pipe is waited for), and where HDF5 reads a dataset of itself (it crashes)
    def test_data_that_lies_elsewhere(self):
        pipe, name = self.path.with_name("pipe"), "trials/word_accuracy"
        os.mkfifo(pipe)

        def put(make):
            def change(file):
                del file[name]
                make(file)
            self.changed(change)
            said = self.refused(f"x.h5: /{name} is a (link to elsewhere|dataset whose values lie elsewhere)")
            with self.assertRaises(ValueError) as caught:
                results.contents(self.path)
            self.assertEqual(str(caught.exception), said)

        def virtual(file):
            layout = h5py.VirtualLayout((4,), "f8")
            layout[...] = h5py.VirtualSource(".", name, (4,))
            file.create_virtual_dataset(name, layout)
        put(lambda file: file.__setitem__(name, h5py.ExternalLink(str(pipe), "/x")))
        put(lambda file: file.__setitem__(name, h5py.SoftLink(f"/{name}")))
        put(lambda file: file.create_dataset(name, (4,), "f8", external=[(str(pipe), 0, 32)]))
        put(virtual)
        self.refused("it is a pipe", pipe)

    # Fails with AttributeError, TypeError, RuntimeError, and the end of the process where HDF5 reads the last one's axes
    def test_what_is_damaged_without_a_seal(self):
        def axes(file):
            file["trials/word_accuracy"].attrs["DIMENSION_LIST"] = "text"

        def nested(file):
            group = file
            for _ in range(100):
                group = group.create_group("g")

        def claim(file):
            del file["trials/word_accuracy"]
            file.create_dataset("trials/word_accuracy", (1 << 40,), "f8", chunks=(64,))
        for change, why in ((axes, "DIMENSION_LIST"), (nested, "in more than 16 others"), (claim, "claims 8.8e[+]12 bytes"),
                            (lambda file: file.attrs.create("schema_version", h5py.Empty("S10")), "x.h5"),
                            (lambda file: (file.__delitem__("trials/word_accuracy"), file.create_dataset("trials/word_accuracy", data=h5py.Empty("f8"))),
                             "without values")):
            self.changed(change)
            self.refused(why)
        for name, value in (("trials/completed", 1.0), ("trials/completed", np.arange(7.0)), ("trials/sigma_eta_rad", np.zeros((2, 2)))):
            def change(file):
                del file[name]
                file[name] = value
            self.changed(change)
            for read in (lambda run: run.trials.load(), lambda run: run.asked_and_run, lambda run: run.sweeps, lambda run: run.incomplete,
                         results.tidy, results.parameters, lambda run: results.tidy(run, "word_accuracy"), results.networks):
                with results.open_run(self.path) as run, contextlib.suppress(results.NotAResult):
                    read(run)
        self.changed(lambda file: file.attrs.create("config_toml", "x = " + "[" * 100_000))
        with results.open_run(self.path) as run, self.assertRaisesRegex(results.NotAResult, "cannot be read"):
            run.config

    def test_no_text_of_a_file_commands_the_terminal(self):
        hostile = "\x1b[31m \x9b31m \u202e \u2066"
        with samples.result(self.path, title=hostile):
            pass
        for words in (["show", self.path], ["show", self.path.with_name(hostile)]):
            for said in command(*words)[1:]:
                self.assertNotRegex(said, "[\x1b\x9b\u202e\u2066]")
        self.assertIn("\ufffd[31m", command("show", self.path)[1])

    def test_a_label_of_earlier_versions_says_what_its_numbers_are(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "old.h5"
            path.write_bytes(FILES["recorded_drift"].read_bytes())
            with h5py.File(path, "r+") as file:
                file["trials/die_temperature"].attrs["label"] = "die over ambient"
            with results.open_run(path) as run:
                self.assertEqual(meaning(run, "die_temperature").label, "die over mean ambient")

    def test_missing_group(self):
        with results.open_run(FILES["bare"]) as run:
            with self.assertRaisesRegex(results.NotAResult, r"no group 'eye' \(its groups: network\)\. "):
                run.require("eye")


class Tables(unittest.TestCase):
    def test_trials(self):
        with results.open_run(FILES["two_sweeps"]) as run:
            table = results.tidy(run)
            self.assertEqual(list(table)[:5], ["dac_bits", "sigma_eta_rad", "trial", "variant", "completed"])
            self.assertEqual({len(c) for c in table.values()}, {4 * 6 * 10 * 3})
            self.assertNotIn("matrix_error", table)
            row = 2 * 180 + 3 * 30 + 7 * 3 + 1
            self.assertEqual([table[n][row] for n in ("dac_bits", "sigma_eta_rad", "trial", "variant", "completed")],
                             [10, 0.015, 7, "corrected_quadrature", 1])
            self.assertEqual(table["margin"][row], float(run.trials["margin"][2, 3, 7, 1]))
            layers = results.tidy(run, "matrix_error")
            self.assertEqual(list(layers), ["dac_bits", "sigma_eta_rad", "trial", "variant", "layer", "completed",
                                            "matrix_error"])
            np.testing.assert_array_equal(layers["matrix_error"], run.trials["matrix_error"].values.reshape(-1))

    def test_other_groups(self):
        with results.open_run(FILES["one_sweep"]) as run:
            summary = results.tidy(run, "word_accuracy", "summary")
            self.assertEqual(list(summary), ["sigma_eta_rad", "variant", "completed", "word_accuracy_mean",
                                             "word_accuracy_std", "word_accuracy_mean_low", "word_accuracy_mean_high"])
            quantiles = results.tidy(run, "word_accuracy_quantile", "summary")
            self.assertEqual(len(quantiles["word_accuracy_quantile_high"]), 6 * 3 * 3)
            self.assertEqual(list(results.tidy(run, "code_error_count", "summary"))[-1], "code_error_count_sum")
            self.assertEqual(list(results.tidy(run, group="training"))[:2], ["epoch", "loss"])
            for metric, group in (("speed", "trials"), ("word", "summary")):
                with self.assertRaises(results.NotInResult):
                    results.tidy(run, metric, group)
        with results.open_run(FILES["paired_keys"]) as run:
            table = results.tidy(run, "mesh_error")
            self.assertEqual(list(table), ["design", "trial", "variant", "ports", "sigma_eta_rad", "completed",
                                           "mesh_error"])
            self.assertEqual(table["ports"][-1], 64)

    def test_a_file_without_trials_is_told_by_the_group_it_holds(self):
        for name, group, columns in (("joined", "interconnect", {"name", "servers", "total_s", "energy_j"}), ("laws", "laws", {"measured"})):
            with self.subTest(name), results.open_run(FILES[name]) as run:
                self.assertLessEqual(columns, set(results.tidy(run)))
                self.assertEqual(list(results.tidy(run)), list(results.tidy(run, group=group)))
        with results.open_run(FILES["joined"]) as run:
            said = headlines(run)
            self.assertRegex(said, r"(?m)^OptINC +16 +0\.00115 s +0\.63 +5 J$")
            self.assertRegex(said, r"(?m)^ODDL +1024 +0\.09446 s +- +-$")

    def test_csv_gives_the_numbers_back(self):
        with tempfile.TemporaryDirectory() as folder, results.open_run(FILES["incomplete"]) as run:
            table = results.tidy(run, "word_accuracy")
            path = Path(folder) / "x.csv"
            results.write_csv(table, path)
            self.assertEqual(os.listdir(folder), ["x.csv"])
            with open(path, encoding="utf-8", newline="") as file:
                rows = list(csv.DictReader(file))
            back = np.array([float(r["word_accuracy"] or "nan") for r in rows])
            np.testing.assert_array_equal(back, table["word_accuracy"])
            self.assertEqual(int(np.isnan(back).sum()), (120 - 86) * 3)
            before = path.read_bytes()
            with self.assertRaises(UnicodeEncodeError):  # in the middle of writing
                results.write_csv({"x": np.array(["good", "\udc80"], object)}, path, force=True)
            self.assertEqual((os.listdir(folder), path.read_bytes()), (["x.csv"], before))

    # Fails where a spreadsheet would compute what a file calls something
    def test_csv_holds_no_formulas(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "x.csv"
            texts = ['=HYPERLINK("http://a")', "+1", "-1 dB", "@SUM(A1)", "\tx", "plain", "a=b"]
            results.write_csv({"name": np.array(texts, object), "x": np.array([-1.5, -np.inf, np.nan, 1e-3, 0, 1, 2])}, path)
            with open(path, encoding="utf-8", newline="") as file:
                rows = list(csv.reader(file))
            self.assertEqual([row[0] for row in rows[1:]], [f"'{text}" for text in texts[:5]] + texts[5:])
            self.assertEqual([row[1] for row in rows[1:]], ["-1.5", "-inf", "", "0.001", "0.0", "1.0", "2.0"])

    def test_pandas(self):
        try:
            import pandas  # noqa: F401
        except ImportError:
            self.skipTest("no pandas")
        with results.open_run(FILES["one_sweep"]) as run:
            frame = results.to_pandas(results.tidy(run))
            mean = frame.groupby(["sigma_eta_rad", "variant"]).word_accuracy.mean()
            self.assertAlmostEqual(mean[0.03, "corrected_quadrature"], float(run.summary["word_accuracy_mean"][5, 1]), places=12)


if __name__ == "__main__":
    unittest.main()
