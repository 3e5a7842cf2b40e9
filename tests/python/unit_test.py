"""Units from Python: codes in, codes out, against integer arithmetic."""

import _thread
import os
import pickle
import random
import tempfile
import threading
import time
import unittest
import zlib
from pathlib import Path

import numpy
import optinc

try:
    import h5py
except ImportError:
    h5py = None


def first_mesh(errors):
    """Errors of the first mesh of a chip that has an MZI."""
    return next(block.mesh for layer in errors.layers for block in layer if len(block.mesh.alpha))


@unittest.skipUnless(h5py, "no h5py")
class Networks(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = Path(folder.name) / "network.h5"
        optinc.save_network(optinc.carry_chain(2, 4).network, self.path)
        self.whole = self.path.read_bytes()

    # Fails where the seal is not looked at: a flipped bit of the unitary matrices is another network
    def test_a_flipped_bit_is_always_seen(self):
        draw = random.Random(61)
        for _ in range(200):
            flipped = bytearray(self.whole)
            flipped[draw.randrange(len(flipped) - 12)] ^= 1 << draw.randrange(8)
            self.path.write_bytes(flipped)
            for read in (optinc.load_network, optinc.Unit.load):
                with self.assertRaisesRegex(ValueError, r"network.h5 is damaged \("):
                    read(self.path)

    def test_what_is_written_is_sealed_and_whole(self):
        self.assertEqual((self.whole[-12:-4], self.whole[-4:]), (b"OPTINCS1", zlib.crc32(self.whole[:-12]).to_bytes(4, "little")))
        self.assertEqual([path.name for path in self.path.parent.iterdir()], ["network.h5"])
        with self.assertRaisesRegex(FileExistsError, "nothing is overwritten"):
            optinc.save_network(optinc.carry_chain(2, 6).network, self.path)
        with self.assertRaisesRegex(OSError, "no folder"):
            optinc.save_network(optinc.carry_chain(2, 6).network, self.path.parent / "none" / "network.h5")
        self.assertEqual(self.path.read_bytes(), self.whole)

    def test_other_versions_and_what_leads_elsewhere(self):
        def virtual(file):
            layout = h5py.VirtualLayout((4, 4), "f8")
            layout[...] = h5py.VirtualSource(".", "network/layer0/unitary", (4, 4))
            del file["network/layer0/unitary"]
            file.create_virtual_dataset("network/layer0/unitary", layout)

        def link(file):
            del file["network"]
            file["network"] = h5py.ExternalLink("/dev/zero", "/network")
        for change, why in ((lambda file: file.attrs.__setitem__("schema_version", 99), "schema version 99"),
                            (lambda file: file.attrs.__setitem__("schema_version", 0), "schema_version 0"),
                            (virtual, "lie elsewhere"), (link, "a link to elsewhere")):
            self.path.write_bytes(self.whole)
            with h5py.File(self.path, "r+") as file:
                change(file)
            for read in (optinc.load_network, optinc.Unit.load):
                with self.assertRaisesRegex(ValueError, why):
                    read(self.path)
        self.path.unlink()
        os.mkfifo(self.path)
        with self.assertRaisesRegex(OSError, "a pipe"):
            optinc.load_network(self.path)

    def test_every_shipped_network_is_sealed(self):
        shipped = sorted((Path(optinc.__file__).parent / "share/optinc/networks").glob("*.h5"))
        self.assertGreaterEqual(len(shipped), 31)
        for path in shipped:
            content = path.read_bytes()
            self.assertEqual(content[-12:], b"OPTINCS1" + zlib.crc32(content[:-12]).to_bytes(4, "little"), path.name)


class Units(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.unit = optinc.carry_chain(servers=4, bits=8)
        cls.codes = numpy.random.default_rng(1).integers(0, 256, (4, 2000), numpy.uint32)
        cls.exact = (cls.codes.sum(axis=0) + 2) // 4  # the mean, rounded half up

    def test_exact_answers(self):
        numpy.testing.assert_array_equal(optinc.exact_answers(self.unit.task, self.codes), self.exact)
        even = numpy.rint(self.codes.mean(axis=0))
        numpy.testing.assert_array_equal(optinc.exact_answers(optinc.Task(4, 8), self.codes), even)

    # Fails where a network's file or pickle forgets that sums go out, or an owner's answers do not reach all
    def test_sums_round_at_random(self):
        """In the mean over 40,000 words, 1/2; 5 sigma. Fails when a unit of sums is checked as one that answers."""
        codes = numpy.repeat(numpy.array([[1], [1], [0], [0]], dtype=numpy.uint32), 40_000, axis=1)
        sums = optinc.digit_sums(4, 8, "stochastic")
        self.assertLess(abs(sums.average(codes).mean() - 0.5), 5 * 0.5 / 200)
        chip = sums.fabricate("ideal").program()  # fails when whoever counts wrong words draws other numbers
        numpy.testing.assert_array_equal(chip.average(codes, optinc.NoiseSwitches(), instant=3), optinc.exact_answers(sums.task, codes, 3))

    def test_digit_sums_are_right(self):
        sums = optinc.digit_sums(8, 6, "half-up")
        codes = numpy.random.default_rng(2).integers(0, 64, (8, 2000), numpy.uint32)
        exact = (codes.sum(axis=0) + 4) // 8
        with tempfile.TemporaryDirectory() as folder:
            optinc.save_network(sums.network, Path(folder) / "sums.h5")
            read = optinc.Unit.load(Path(folder) / "sums.h5")
        self.assertEqual(repr(sums.task), "Task(servers=8, bits=6, rounding='half-up', level='flat', reduction='mean', outputs='sums', adder='light')")
        for unit in (sums, read, pickle.loads(pickle.dumps(sums))):
            self.assertEqual(unit.task.outputs, "sums")
            numpy.testing.assert_array_equal(unit.average(codes), exact)
        for destinations in (0, 1):
            hardware = optinc.UnitHardware("idealised")
            hardware.link.destinations = destinations
            chip = sums.fabricate("ideal").program(hardware=hardware)
            for server in (0, 7):
                numpy.testing.assert_array_equal(chip.average(codes, optinc.NoiseSwitches(), server=server), exact)
            gradients = numpy.random.default_rng(3).normal(size=(8, 4096)).astype(numpy.float32)
            mean = chip.average_gradients(gradients, noise=optinc.NoiseSwitches())
            self.assertLess(numpy.abs(mean - gradients.mean(axis=0)).max(), 2 * numpy.abs(gradients).max() / 62)

    # Fails where a file or pickle forgets that sums are analogue, or a sum of codes comes back as a mean
    def test_analogue_sums_are_sums(self):
        sums = optinc.analogue_sum(8, 6, "stochastic")
        codes = numpy.random.default_rng(2).integers(0, 64, (8, 2000), numpy.uint32)
        with tempfile.TemporaryDirectory() as folder:
            optinc.save_network(sums.network, Path(folder) / "sum.h5")
            read = optinc.Unit.load(Path(folder) / "sum.h5")
        for unit in (sums, read, pickle.loads(pickle.dumps(sums))):
            self.assertEqual((unit.task.outputs, unit.task.answer_bits, unit.task.answer_step), ("analogue", 10, 1 / 8))
            numpy.testing.assert_array_equal(unit.average(codes), codes.sum(axis=0))
        gradients = numpy.random.default_rng(3).normal(size=(8, 100_000)).astype(numpy.float32)
        scale = numpy.abs(gradients).max()
        for destinations in (0, 1):
            hardware = optinc.UnitHardware("idealised")
            hardware.link.destinations = destinations
            chip = sums.fabricate("ideal").program(hardware=hardware)
            for server in (0, 7):
                numpy.testing.assert_array_equal(chip.average(codes, optinc.NoiseSwitches(), server=server), codes.sum(axis=0))
            off = chip.average_gradients(gradients, block=100_000, noise=optinc.NoiseSwitches()) - gradients.mean(axis=0)
            # every server rounds at random: of a step s / 31, variance 1/6 on average, and 1/8 of it for the mean; 5 sigma
            rms = scale / 31 * (1 / 48) ** 0.5
            self.assertLess(abs(off.mean()), 5 * rms / 100_000**0.5)
            self.assertLess(abs((off**2).mean() / rms**2 - 1), 0.02)

    # Fails where a fibre that is cut carries light, or check words of zeros agree with zeros
    def test_a_missing_server_fails_every_check(self):
        hardware = optinc.UnitHardware("idealised")
        hardware.link.cut_servers = 1
        codes = numpy.random.default_rng(2).integers(0, 256, (8, 160), numpy.uint32)
        chip = optinc.digit_sums(8, 8).fabricate("ideal").program(hardware=hardware)
        self.assertEqual(chip.average_checked(codes, 16, optinc.NoiseSwitches()).failed, [10] * 4)
        numpy.testing.assert_array_equal(chip.average(codes, optinc.NoiseSwitches()), optinc.digit_sums(8, 8).average(codes * (numpy.arange(8) > 0)[:, None]))

    # Fails where a file or pickle forgets who adds, a word takes another server's answer, or instants round alike
    def test_words_that_hop_are_right(self):
        codes = numpy.random.default_rng(2).integers(0, 64, (3, 2000), numpy.uint32)
        for adder in ("ring", "hub"):
            unit = optinc.word_hops(adder, 3, 6, "half-even")
            with tempfile.TemporaryDirectory() as folder:
                optinc.save_network(unit.network, Path(folder) / "hops.h5")
                read = optinc.Unit.load(Path(folder) / "hops.h5")
            for of in (unit, read, pickle.loads(pickle.dumps(unit))):
                self.assertEqual(of.task.adder, adder)
                chip = of.fabricate("ideal").program(hardware=optinc.UnitHardware("idealised"))
                for server in (0, 2):
                    numpy.testing.assert_array_equal(chip.average(codes, optinc.NoiseSwitches(), server=server),
                                                     numpy.rint(codes.sum(axis=0) / 3))
        drawn = optinc.word_hops("ring", 3, 6, "stochastic").fabricate("ideal").program(hardware=optinc.UnitHardware("idealised"))
        first, second = (drawn.average(codes, optinc.NoiseSwitches(), instant=i) for i in (0, 1))
        self.assertTrue((first != second).any())
        # of 2,000 means, each off by at most 2/3 with rms below 0.48: 5 sigma
        self.assertLess(abs(first.astype(float).mean() - codes.mean()), 5 * 0.48 / 2000**0.5)
        with self.assertRaisesRegex(ValueError, "stochastic"):
            optinc.Task(4, 8, "stochastic")

    # 8 servers at little light: some percent of the words are wrong. Fails when errors pass, a word is lost, or an owner's way is left out
    def test_checked_sums_are_sent_again(self):
        sums = optinc.digit_sums(8, 8)
        codes = numpy.random.default_rng(2).integers(0, 256, (8, 4001), numpy.uint32)
        exact = sums.average(codes)
        for destinations in (0, 1):
            hardware = optinc.UnitHardware("idealised")
            hardware.link.destinations = destinations
            chip = sums.fabricate("ideal").program(hardware=hardware)
            quiet = chip.average_checked(codes, noise=optinc.NoiseSwitches())
            numpy.testing.assert_array_equal(quiet.codes, exact)
            self.assertEqual((quiet.blocks, quiet.failed, quiet.left), (251, [0, 0, 0, 0], 0))
            self.assertAlmostEqual(quiet.symbols, 4252 / 4001)
        noise = optinc.NoiseSwitches()
        noise.tia = True
        hardware = optinc.UnitHardware("idealised")
        hardware.link.launch_power_w = 1.5e-4
        chip = sums.fabricate("ideal").program(hardware=hardware)
        wrong = (chip.average(codes, noise) != exact).mean()
        checked = chip.average_checked(codes, 16, noise)
        self.assertGreater(wrong, 2e-3)
        self.assertLess((checked.codes != exact).mean(), wrong / 10)
        self.assertGreater(checked.symbols, 4252 / 4001)
        self.assertIn("% of checks failed", repr(checked))
        chain = optinc.carry_chain(4, 8, "half-up").fabricate("ideal").program()
        with self.assertRaisesRegex(ValueError, "Use digit sums"):
            chain.average_checked(codes[:4])

    def test_carry_chain_is_right(self):
        numpy.testing.assert_array_equal(self.unit.average(self.codes), self.exact)
        fabricated = self.unit.fabricate("ideal")
        chip = fabricated.program(hardware=optinc.UnitHardware("idealised"))
        numpy.testing.assert_array_equal(chip.average(self.codes, optinc.NoiseSwitches()), self.exact)
        cut = fabricated.program().average(self.codes, optinc.NoiseSwitches())  # by published amplifiers
        self.assertGreater((cut != self.exact).sum(), 0)
        other = optinc.carry_chain(2, 6, rounding="floor", carries="lookahead")
        numpy.testing.assert_array_equal(other.average(self.codes[:2] // 4), (self.codes[:2] // 4).sum(axis=0) // 2)

    def test_every_word(self):
        words = numpy.arange(self.unit.task.words)
        codes = optinc.codes_of_words(self.unit.task, words)
        self.assertEqual((codes.shape, len(words)), ((4, 28561), 13**4))
        numpy.testing.assert_array_equal(self.unit.average(codes), (codes.sum(axis=0) + 2) // 4)

    def test_noise(self):
        chip = self.unit.fabricate("good-lab", seed=1, chip=3).program(correct=True)
        once = chip.average(self.codes)
        self.assertEqual((once.dtype, once.shape), (numpy.uint32, (2000,)))
        numpy.testing.assert_array_equal(chip.average(self.codes), once)
        self.assertFalse(numpy.array_equal(chip.transmit(self.codes, instant=1), chip.transmit(self.codes)))
        self.assertFalse(numpy.array_equal(chip.transmit(self.codes, server=1), chip.transmit(self.codes)))
        self.assertGreater((once == self.exact).mean(), 0.9)

    # Fails when a chip keeps its oscillators in phase wherever they come from.
    def test_oscillators(self):
        chip, warm = self.unit.fabricate("ideal"), optinc.SensitivitySettings()
        warm.imbalance_m = 0.0

        def sent(oscillators, loop_hz=0.0):
            hardware = optinc.UnitHardware()
            hardware.link.oscillators, hardware.link.oscillator_loop_hz = oscillators, loop_hz
            warmer = chip.program(hardware=hardware).at(0.05, 0.0, sensitivity=warm)
            return warmer.transmit(self.codes, optinc.NoiseSwitches())

        numpy.testing.assert_array_equal(sent("beside-signal"), sent("in-phase"))
        numpy.testing.assert_array_equal(sent("direct", 1.0), sent("in-phase"))
        # a real field turned by 730 rad/m per K x 0.05 K x 5 mm or more
        self.assertGreater(abs(sent("direct") - sent("in-phase")).max(), 0.01)

    def test_averages_are_the_outputs_decided(self):
        chip = self.unit.fabricate("good-lab").program()
        digits = numpy.digitize(chip.transmit(self.codes), [0.5, 1.5, 2.5])
        numpy.testing.assert_array_equal(chip.average(self.codes), 4 ** numpy.arange(3, -1, -1) @ digits)

    def test_layouts_of_codes(self):
        chip = self.unit.fabricate("good-lab").program()
        expected = chip.average(self.codes)
        wide = numpy.repeat(self.codes, 2, axis=1)
        for codes in (self.codes.astype("u1"), self.codes.astype(">i8"), numpy.asfortranarray(self.codes),
                      wide[:, ::2], self.codes.tolist()):
            numpy.testing.assert_array_equal(chip.average(codes), expected)
        self.assertEqual(chip.average(numpy.zeros((4, 0), "u4")).shape, (0,))
        self.assertEqual(chip.transmit(numpy.zeros((4, 0), "u4")).shape, (4, 0))

    def test_gradients(self):
        chip = self.unit.fabricate("good-lab", seed=2).program()
        gradients = numpy.random.default_rng(1).normal(size=(4, 3000)).astype("f4")
        scale = numpy.max([optinc.block_maxima(g) for g in gradients], axis=0)
        numpy.testing.assert_array_equal(scale, [abs(gradients[:, b:b + 1024]).max() for b in (0, 1024, 2048)])
        codes = numpy.array([optinc.encode(g, scale) for g in gradients])
        wanted = optinc.decode(chip.average(codes, instant=5), scale)
        numpy.testing.assert_array_equal(chip.average_gradients(gradients, instant=5), wanted)
        exact = optinc.decode(optinc.exact_answers(self.unit.task, codes), scale)
        step = numpy.repeat(scale, 1024)[:3000] / 127
        # Half a step for the servers' codes, half for that of their mean, and float32.
        self.assertTrue((abs(exact - gradients.mean(axis=0)) <= 1.000001 * step).all())

    # Fails when a table is another chip's, has no noise, or draws that of every part anew.
    def test_a_chip_as_a_table(self):
        chip = self.unit.fabricate("doped-heaters", seed=2).program()
        codes = numpy.random.default_rng(1).integers(0, 256, (4, 100_000))
        silent = optinc.NoiseSwitches()
        numpy.testing.assert_array_equal(chip.table(silent).average(codes), chip.average(codes, silent))
        noise = optinc.NoiseSwitches.all()
        with self.assertRaisesRegex(ValueError, "link.sigma_lock_rad"):
            chip.table(noise)
        noise.lock = False
        table = chip.table(noise)
        found = table.average(codes)
        exact = optinc.exact_answers(table.task, codes)
        shares = [numpy.mean(answers != exact) for answers in (found, chip.average(codes, noise))]
        self.assertGreater(shares[1], 0.01)
        # of 28,561 words, each with 8 draws of the neurons' noise: 5 sigma
        self.assertLess(abs(shares[0] - shares[1]), 5 * (2 * shares[1] / 1e5) ** 0.5)
        self.assertTrue((table.average(codes, instant=1) != found).any())
        numpy.testing.assert_array_equal(table.average(codes[:, 8192:], first_word=8192), found[8192:])
        gradients = numpy.random.default_rng(1).normal(size=(4, 3000)).astype("f4")
        scale = abs(gradients.reshape(4, 3, 1000)).max(axis=(0, 2))
        sent = [optinc.encode(g, scale, block=1000) for g in gradients]
        numpy.testing.assert_array_equal(table.average_gradients(gradients, block=1000, instant=3),
                                         optinc.decode(table.average(sent, instant=3), scale, block=1000))
        self.assertEqual(repr(table), "<ResponseTable: 4 servers, 8 bits, 28561 words>")

    # Fails when what pickle keeps leaves an error or a layer's ending out.
    def test_pickled(self):
        for unit in (self.unit, optinc.carry_chain(2, 6, rounding="floor", carries="lookahead"),
                     optinc.carry_chain(3, 6, reduction="majority")):
            again = pickle.loads(pickle.dumps(unit))
            self.assertEqual((repr(again), repr(again.task)), (repr(unit), repr(unit.task)))
            codes = self.codes[:unit.task.servers] // 4
            for chip in (unit.fabricate("good-lab", seed=3), unit.calibrate("good-lab", seed=3, number=2)):
                first_mesh(chip.errors).alpha[0] = 0.02
                wanted = chip.program().transmit(codes)
                numpy.testing.assert_array_equal(pickle.loads(pickle.dumps(chip)).program().transmit(codes), wanted)
        self.assertNotEqual(repr(self.unit.task), repr(again.task))

    # Fails when calibration finds everything out, when a new one draws what the first drew, or noise stands still.
    def test_calibration(self):
        settings = optinc.CalibrationSettings()
        settings.sigma_estimate_rad = 0.05
        self.assertIsNone(self.unit.fabricate("good-lab").known)
        chip, later = (self.unit.calibrate("good-lab", settings, seed=2, number=n) for n in (0, 1))
        alpha = [first_mesh(errors).alpha[0] for errors in (chip.errors, later.errors, chip.known, later.known)]
        self.assertEqual(alpha[0], alpha[1])
        self.assertEqual(len(set(alpha)), 3)
        exact = self.unit.calibrate("good-lab", seed=2).program()
        self.assertLess(sum(exact.matrix_error), sum(chip.program().matrix_error))
        self.assertNotEqual(exact.at(instant=1).matrix_error, exact.at(instant=2).matrix_error)
        settings.policy = "in-situ"
        settings.sigma_estimate_rad = 0.0
        with self.assertRaisesRegex(ValueError, 'policy = "in situ" is unknown .*"in-situ"'):
            settings.policy = "in situ"
        self.assertNotEqual(self.unit.calibrate("good-lab", settings, seed=2).program().matrix_error, exact.matrix_error)

    # Fails when changes add up from call to call, or have no size.
    def test_environment(self):
        chip = self.unit.calibrate("good-lab", seed=2).program()
        errors = [sum(chip.at(temperature_k=t).matrix_error) for t in (0.0, 20.0, 200.0)]
        self.assertEqual(errors[0], sum(chip.matrix_error))
        self.assertLess(errors[0], errors[1])
        self.assertLess(2 * errors[1], errors[2])
        self.assertEqual(chip.at(20.0).at(0.0).matrix_error, chip.matrix_error)
        self.assertNotEqual(chip.at(wavelength_m=1e-9).matrix_error, chip.matrix_error)
        with self.assertRaisesRegex(ValueError, "temperature_k = nan"):
            chip.at(float("nan"))

    # Fails when Ctrl-C waits for all words.
    def test_interrupted(self):
        chip, codes = self.unit.fabricate("good-lab").program(), numpy.tile(self.codes, 2000)
        timer = threading.Timer(0.2, _thread.interrupt_main)
        start = time.perf_counter()
        timer.start()
        with self.assertRaises(KeyboardInterrupt):
            while True:
                chip.average(codes)
                uninterrupted = time.perf_counter() - start
                self.assertLess(uninterrupted, 60)
        self.assertLess(time.perf_counter() - start, 1.5)

    def test_training(self):
        settings = optinc.TrainingSettings()
        settings.epochs, settings.batch = 60, 16
        task = optinc.Task(2, 2)
        trained = optinc.train(task, [8, 8], settings)
        self.assertEqual(trained.network.widths, [1, 8, 8, 1])
        codes = optinc.codes_of_words(task, numpy.arange(task.words))
        settings.full_svd_layers = [2]
        full_svd = optinc.train(task, [8, 8], settings)
        self.assertEqual(full_svd.network.mzi_count - trained.network.mzi_count, 8 * 7 // 2)
        for each in (trained, full_svd):
            right = (optinc.Unit(each.network).average(codes) == optinc.exact_answers(task, codes)).mean()
            self.assertEqual(right, each.curve[-1].word_accuracy)
        settings.full_svd_layers = []
        further = optinc.train(task, [8, 8], settings, start=trained.network)
        self.assertLess(further.curve[0].loss, trained.curve[0].loss)

        def stop(epoch):
            raise RuntimeError(f"stopped at {epoch.epoch}")

        with self.assertRaisesRegex(RuntimeError, "stopped at 1"):
            optinc.train(task, [8, 8], settings, progress=stop)
        settings.on_chips = True
        with self.assertRaisesRegex(ValueError, "Give start"):
            optinc.train(task, [8, 8], settings)
        settings.epochs, settings.warmup_epochs = 2, 0
        through_chips = optinc.train(task, [], settings, model="good-lab", start=trained.network)
        self.assertEqual(through_chips.network.widths, [1, 8, 8, 1])
        with self.assertRaisesRegex(ValueError, "learning_rate = -1"):
            settings.learning_rate = -1.0

    # Fails when the noise of a part does not depend on which words it holds.
    def test_words_in_parts(self):
        chip = self.unit.fabricate("good-lab", seed=2).program()
        codes = numpy.random.default_rng(1).integers(0, 256, (4, 3000))
        whole = chip.transmit(codes, instant=3)
        parts = [chip.transmit(codes[:, a:b], instant=3, first_word=a) for a, b in ((0, 1024), (1024, 3000))]
        numpy.testing.assert_array_equal(numpy.concatenate(parts, axis=1), whole)

    # Fails when the two draw other noise, or one rounds as the other does.
    def test_words_in_float32(self):
        chip = optinc.Unit.load("shipped/32x5").fabricate("good-lab", seed=2).program()
        codes = numpy.random.default_rng(1).integers(0, 256, (4, 20_000))
        noise = optinc.NoiseSwitches.all()
        noise.converter = False  # whose steps would hide the difference
        double, single = (chip.transmit(codes, noise, arithmetic=name) for name in ("float64", "float32"))
        apart = abs(double - single).max()
        self.assertGreater(apart, 0)
        self.assertLess(apart, 1e-4 * abs(double - chip.transmit(codes, noise, instant=1)).max())
        with self.assertRaisesRegex(ValueError, "float16"):
            chip.average(codes, arithmetic="float16")
        with self.assertRaisesRegex(ValueError, "float16"):
            chip.average_gradients(codes.astype("f4"), arithmetic="float16")

    def test_measured_errors_go_in(self):
        chip = self.unit.fabricate("ideal")
        first_mesh(chip.errors).alpha[0] = 0.3
        self.assertGreater(max(chip.program(correct=False).matrix_error), 0.01)
        self.assertLess(max(self.unit.fabricate("ideal").program().matrix_error), 1e-12)

    def test_hardware(self):
        hardware = optinc.UnitHardware()
        hardware.link.launch_power_w = 1e-6
        hardware.timing.sampling = "clocked"
        self.assertEqual((hardware.link.launch_power_w, hardware.timing.sampling), (1e-6, "clocked"))
        hardware.timing.sampling = "settled"
        weak = self.unit.fabricate("good-lab").program(hardware=hardware).average(self.codes)
        strong = self.unit.fabricate("good-lab").program().average(self.codes)
        self.assertLess((weak == self.exact).mean(), (strong == self.exact).mean())

    def test_cost(self):
        cost = self.unit.fabricate("good-lab").program().cost()
        self.assertEqual((cost["servers"], cost["bits"], cost["mzis"]), (4, 8, self.unit.mzi_count))
        self.assertTrue(all(isinstance(value, (int, float)) for value in cost.values()))
        self.assertGreater(cost["static_power_w"], cost["heater_w"])

    def test_levels_of_a_cascade(self):
        codes = self.codes[:2] // 64  # of one digit
        first, second = (optinc.Task(2, 2, "half-up", level) for level in ("first", "second"))
        sums = optinc.exact_answers(first, codes)
        numpy.testing.assert_array_equal(sums, codes.sum(axis=0))
        rounded = optinc.exact_answers(second, [sums, sums[::-1]])
        numpy.testing.assert_array_equal(rounded, (sums + sums[::-1] + 2) // 4)
        self.assertEqual((first.words, second.words), (7, 49))

    # Fails when design_chip takes any row: the tree of the chip then adds up to another size than the network.
    def test_only_row_0_of_a_sum_counts(self):
        def unit(row):
            layers = [optinc.SigmaULayer([[first, [7, 7]]], [[1]], [0], [0, 1], "sum", "servers", attenuated=False)
                      for first in (row, [0, 1])]
            return optinc.Unit(optinc.Network(optinc.Task(1, 4), layers))

        codes = numpy.arange(16)[None]
        chip = unit([1, 0]).fabricate("ideal").program()
        numpy.testing.assert_array_equal(chip.average(codes, optinc.NoiseSwitches()), codes[0])
        for row in ([2, 0], [1 + 1e-5, 0], [0, 0]):
            with self.assertRaisesRegex(ValueError, "row 0 of a sum's unitary has norm .*1: sigma holds the size"):
                unit(row)

    # Fails when Working (arrays.hpp) keeps the interpreter's lock: the other thread then stands still all the time.
    def test_other_threads_run_meanwhile(self):
        chip, codes = self.unit.fabricate("good-lab").program(), numpy.tile(self.codes, 1000)
        gaps, done = [0.0], threading.Event()

        def watch():
            last = time.perf_counter()
            while not done.is_set():
                now = time.perf_counter()
                gaps.append(now - last)
                last = now
                time.sleep(1e-3)
            gaps.append(time.perf_counter() - last)

        thread = threading.Thread(target=watch)
        thread.start()
        start = time.perf_counter()
        chip.transmit(codes)
        took = time.perf_counter() - start
        done.set()
        thread.join()
        self.assertLess(max(gaps), took / 2)

    @unittest.skipUnless(h5py, "needs h5py")
    def test_shipped_networks(self):
        self.assertIn("shipped/published_noise_aware", optinc.shipped_networks())
        for name in ("shipped/32x5", "shipped/64x4"):
            unit = optinc.Unit.load(name)
            exact = optinc.exact_answers(unit.task, self.codes)
            self.assertGreater((unit.average(self.codes) == exact).mean(), 0.999, name)
        with self.assertRaisesRegex(ValueError, "Did you mean \"shipped/32x5"):
            optinc.Unit.load("shipped/32x6")


if __name__ == "__main__":
    unittest.main()
