"""plot(): the numbers of an object, with what they are and their units."""

import unittest

import numpy
import optinc

try:
    import matplotlib  # noqa: F401
except ModuleNotFoundError as missing:
    raise unittest.SkipTest(f"no {missing.name}")


class Plots(unittest.TestCase):
    def labels(self, figure):
        return [(panel.get_xlabel(), panel.get_ylabel()) for panel in figure.axes]

    # Fails when a curve has the values or the unit of another.
    def test_drift(self):
        drift = optinc.DriftSettings()
        drift.ramp_k_per_s = 1e-3
        history = optinc.carry_chain(servers=2, bits=4).fabricate("good-lab").program().drift(drift)
        figure = optinc.plot(history)
        die = figure.axes[0].lines[1]
        numpy.testing.assert_allclose(die.get_xdata(), history.time_s / 3600)
        numpy.testing.assert_allclose(die.get_ydata(), history.die_k)
        numpy.testing.assert_allclose(figure.axes[1].lines[0].get_ydata(), 1e12 * history.wavelength_m)
        self.assertEqual(self.labels(figure)[0], ("time since calibration (h)", "temperature (K)"))

    def test_training(self):
        settings = optinc.TrainingSettings()
        settings.epochs = 5
        result = optinc.train(optinc.Task(servers=2, bits=2), [4], settings)
        loss, wrong = (panel.lines[0] for panel in optinc.plot(result).axes)
        self.assertEqual(list(loss.get_ydata()), [report.loss for report in result.curve])
        self.assertEqual(list(wrong.get_ydata()), [1 - report.word_accuracy for report in result.curve])

    def test_histograms_count_everything(self):
        chip = optinc.Mesh(8).fabricate("good-lab", seed=1)
        found = optinc.Mesh(4).deviations("good-lab", numpy.eye(4), 200)
        for thing, count in ((chip.errors, 28), (found, 200)):
            for panel in optinc.plot(thing).axes:
                for outline in panel.patches:  # of steps: two corners a bin
                    self.assertAlmostEqual(outline.get_xy()[1:-1:2, 1].sum(), count)

    def test_wafers_meshes_and_floor_plans(self):
        wafer = optinc.Wafer(optinc.ProcessModel())
        self.assertEqual(len(optinc.plot(wafer).axes[0].patches), len(wafer.dies))
        for thing in (optinc.Mesh(4), optinc.Mesh(4).fabricate("ideal"), optinc.Mesh(4).floor_plan()):
            self.assertTrue(optinc.plot(thing).axes)
        with self.assertRaisesRegex(TypeError, "Task has no plot"):
            optinc.plot(optinc.Task(servers=2, bits=2))


if __name__ == "__main__":
    unittest.main()
