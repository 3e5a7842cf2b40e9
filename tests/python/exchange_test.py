"""Files that Python and the command line exchange, each reading what the other wrote; pictures of meshes; own wirings."""

import io
import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

import numpy
import optinc

WIRING = [[(0, 2), (1, 3)], [(0, 1), (2, 3)], [(1, 2)], [(0, 3)]]


class Scratch(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name)

    def tool(self, *words):
        return subprocess.run([os.environ["OPTINC_TOOL"], *map(str, words), "--quiet"], cwd=self.folder, check=True, capture_output=True, text=True)


def drawn_mesh(topology="clements"):
    draw = numpy.random.default_rng(3)
    mesh = optinc.Mesh(4, topology)
    mesh.theta, mesh.phi = draw.uniform(0, 6, (2, len(mesh.theta)))
    mesh.output_phase = draw.uniform(0, 6, 4)
    return mesh


def faulty_chip(mesh):
    draw = numpy.random.default_rng(4)
    chip = mesh.fabricate("ideal")
    for name in ("alpha", "beta", "theta_offset", "phi_offset"):
        setattr(chip.errors, name, draw.normal(0, 0.1, len(mesh.theta)))
    for name in ("theta_arm_loss_db", "phi_arm_loss_db", "theta_other_loss_db", "phi_other_loss_db"):
        setattr(chip.errors, name, draw.uniform(0, 0.2, len(mesh.theta)))
    chip.errors.idle_arm_loss_db = numpy.mean([getattr(chip.errors, name) for name in (
        "theta_arm_loss_db", "phi_arm_loss_db", "theta_other_loss_db", "phi_other_loss_db")])
    return chip


class Wiring(Scratch):
    # Fails when a pair goes to another column or MZI.
    def test_matrix_is_the_product_of_its_columns(self):
        mesh = drawn_mesh(WIRING)
        self.assertEqual(mesh.topology, "0-2 1-3 | 0-1 2-3 | 1-2 | 0-3")
        expected, k = numpy.eye(4, dtype=complex), 0
        coupler = numpy.array([[1, 1j], [1j, 1]]) / numpy.sqrt(2)
        for column in WIRING:
            for pair in column:
                t = coupler @ numpy.diag([numpy.exp(1j * mesh.theta[k]), 1]) @ coupler @ numpy.diag([numpy.exp(1j * mesh.phi[k]), 1])
                expected[list(pair)] = t @ expected[list(pair)]
                k += 1
        numpy.testing.assert_allclose(mesh.matrix(), numpy.exp(1j * mesh.output_phase)[:, None] * expected, atol=1e-14)

    def test_fit_reaches_a_unitary(self):
        target = optinc.haar_unitary(4, seed=2)
        own = optinc.Mesh.from_unitary(target, "0-1 2-3 | 1-2 | 0-1 2-3 | 1-2 | 0-1 2-3")
        self.assertLess(abs(own.matrix() - target).max(), 1e-6)

    def test_refused_in_words(self):
        for given, words in (([[(0, 1), (1, 2)]], "column 0 uses port 1 twice"), ([[(0, 4)]], "ports 0 and 4"), ("clemens", "unknown")):
            with self.assertRaisesRegex(ValueError, words):
                optinc.Mesh(4, given)


class Files(Scratch):
    def test_meshes_come_back(self):
        for topology in ("clements", "reck", WIRING):
            mesh = drawn_mesh(topology)
            for kind in ("csv", "npz", "h5"):
                with self.subTest(topology=topology, kind=kind):
                    path = self.folder / f"{mesh.topology[:5]}.{kind}"
                    mesh.save(path)
                    back = optinc.Mesh.load(path)
                    self.assertEqual(back.topology, mesh.topology)
                    numpy.testing.assert_array_equal(back.matrix(), mesh.matrix())
                    with self.assertRaises(FileExistsError):
                        mesh.save(path)
                    mesh.save(path, force=True)

    def test_errors_come_back(self):
        mesh = drawn_mesh()
        chip = faulty_chip(mesh)
        for kind in ("csv", "npz", "h5"):
            with self.subTest(kind=kind):
                chip.save(self.folder / f"errors.{kind}")
                back = mesh.measured(self.folder / f"errors.{kind}")
                numpy.testing.assert_allclose(back.matrix(), chip.matrix(), atol=1e-14)
        chip.errors.output_offset = [0.1, 0, 0, 0]
        with self.assertRaisesRegex(ValueError, "Name it .h5"):
            chip.save(self.folder / "other.csv")
        chip.save(self.folder / "other.h5")
        numpy.testing.assert_allclose(mesh.measured(self.folder / "other.h5").matrix(), chip.matrix(), atol=1e-14)

    def test_matrices_come_back(self):
        u = optinc.haar_unitary(5, seed=1)
        for kind in ("csv", "npy", "h5"):
            optinc.save_matrix(u, self.folder / f"u.{kind}")
            numpy.testing.assert_array_equal(optinc.load_matrix(self.folder / f"u.{kind}"), u)
        data = Path(__file__).parents[1] / "data/matrices"
        right = optinc.load_matrix(data / "c_npy.npy")
        for name in ("c_h5_complex.h5", "c_h5_f32.h5", "f_pandas.csv", "f_excel_decimal_comma.csv"):
            numpy.testing.assert_allclose(optinc.load_matrix(data / name), right, atol=1e-7)

    # Fails when the sign of phase is lost, or two-ports keep the order of the other version.
    def test_spectra_come_back(self):
        draw = numpy.random.default_rng(5)
        hz = numpy.sort(draw.uniform(190e12, 196e12, 4))
        for ports in (1, 2, 3, 5):
            s = draw.normal(size=(4, ports, ports)) + 1j * draw.normal(size=(4, ports, ports))
            for name in (f"x.s{ports}p", "x.ts"):
                for convention in ("rf", "optics"):
                    with self.subTest(name=name, convention=convention):
                        optinc.save_touchstone(self.folder / name, hz, s, convention=convention, force=True)
                        back_hz, back = optinc.load_touchstone(self.folder / name)
                        numpy.testing.assert_allclose(back_hz, hz, rtol=1e-15)
                        numpy.testing.assert_array_equal(back, s)
                        self.assertIn("exp(-j" if convention == "rf" else "exp(+j", (self.folder / name).read_text())

    def test_what_is_no_such_file_is_refused_in_words(self):
        (self.folder / "bad.csv").write_text("kind,mesh,column,upper,lower,theta_rad,phi_rad\nmzi,m,0,0,1,x,0\n")
        for call, words in ((lambda: optinc.Mesh.load(self.folder / "bad.csv"), r"bad.csv:2: theta_rad \"x\""),
                            (lambda: optinc.Mesh.load(self.folder / "none.csv"), "no such file"),
                            (lambda: drawn_mesh().save(self.folder / "mesh.txt"), "known: .csv, .npz, .h5"),
                            (lambda: optinc.save_matrix([[numpy.nan]], self.folder / "n.csv"), "NaN"),
                            (lambda: optinc.save_touchstone(self.folder / "x.s2p", [2e14, 1e14], numpy.zeros((2, 2, 2))), "rise"),
                            (lambda: optinc.save_touchstone(self.folder / "x.s2p", [2e14], numpy.zeros((1, 3, 3))), "known: .s3p, .ts"),
                            (lambda: optinc.save_touchstone(self.folder / "x.s2p", [2e14], numpy.zeros((2, 2))), "are written"),
                            (lambda: optinc.save_touchstone(self.folder / "x.ts", [2e14], numpy.zeros((1, 2, 2)), convention="RF"), "known: rf, optics"),
                            (lambda: optinc.load_touchstone(self.folder / "bad.csv"), "bad.csv")):
            with self.assertRaisesRegex((ValueError, FileNotFoundError), words):
                call()


@unittest.skipUnless(os.environ.get("OPTINC_TOOL"), "needs OPTINC_TOOL")
class Exchange(Scratch):
    # Fails when either side counts MZIs otherwise, or writes another sign.
    def test_both_sides_read_the_other(self):
        target = optinc.haar_unitary(4, seed=7)
        ideal = optinc.Mesh.from_unitary(target)
        chip = faulty_chip(ideal)
        optinc.save_matrix(target, self.folder / "target.csv")
        for kind in ("csv", "npz", "h5"):
            chip.save(self.folder / f"chip.{kind}")
            self.tool("program", "target.csv", "-o", f"set.{'csv' if kind == 'npz' else kind}", "--chip", f"chip.{kind}", "--force")
            theirs = optinc.Mesh.load(self.folder / f"set.{'csv' if kind == 'npz' else kind}")
            ours = ideal.corrected(chip.errors)
            numpy.testing.assert_allclose(theirs.matrix(), ours.matrix(), atol=1e-12)
            ours.save(self.folder / f"ours.{kind}")
            self.tool("transfer", f"ours.{kind}", "--chip", f"chip.{kind}", "-o", f"found_{kind}.h5")
            self.tool("transfer", f"ours.{kind}", "--chip", f"chip.{kind}", "-o", f"found_{kind}.s8p")
            for found in (f"found_{kind}.h5", f"found_{kind}.s8p"):
                numpy.testing.assert_allclose(optinc.load_matrix(self.folder / found), ours.on(chip).matrix(), atol=1e-12)

    def test_chips_of_networks(self):
        unit = optinc.Unit.load("shipped/64x5")
        self.tool("fabricate", "shipped/64x5", "-o", "chip.h5", "--preset", "good-lab", "--seed", "5", "--chip", "2")
        theirs = optinc.load_chip(unit, self.folder / "chip.h5")
        ours = unit.fabricate("good-lab", seed=5, chip=2)
        for a, b in zip(theirs.errors.layers, ours.errors.layers):
            for x, y in zip(a, b):
                numpy.testing.assert_allclose(x.mesh.alpha, y.mesh.alpha, atol=1e-15)
                numpy.testing.assert_allclose(x.attenuators.beta, y.attenuators.beta, atol=1e-15)
        optinc.save_chip(theirs, self.folder / "again.h5")
        for name in ("chip", "again"):
            self.tool("program", "shipped/64x5", "-o", f"{name}.csv", "--chip", f"{name}.h5")
        told = [optinc.Mesh.load(self.folder / f"{name}.csv", "layer0/block0/mesh").matrix() for name in ("chip", "again")]
        numpy.testing.assert_array_equal(*told)
        chain = optinc.carry_chain(servers=4, bits=8)  # some of whose parts have no MZI
        made = chain.fabricate("good-lab", seed=3)
        optinc.save_chip(made, self.folder / "chain.h5")
        again = optinc.load_chip(chain, self.folder / "chain.h5")
        for one, other in zip(made.errors.layers, again.errors.layers):
            for a, b in zip(one, other):
                numpy.testing.assert_array_equal(a.mesh.alpha, b.mesh.alpha)
        with self.assertRaisesRegex(ValueError, "of this network"):
            optinc.load_chip(optinc.carry_chain(servers=4, bits=8), self.folder / "chip.h5")

    def test_circuits_write_what_the_tool_writes(self):
        (self.folder / "n.json").write_text('{"instances": {"g": "ring"}, "ports": {"a": "g,in0", "b": "g,out0"}}')
        wavelengths = numpy.linspace(1.54e-6, 1.56e-6, 7)
        circuit = optinc.Circuit(self.folder / "n.json")
        for kind in ("s2p", "ts"):
            circuit.save(self.folder / f"ours.{kind}", wavelengths)
            self.tool("circuit", "n.json", "--points", "7", "-o", f"theirs.{kind}")
            ours, theirs = ([line for line in (self.folder / f"{name}.{kind}").read_text().splitlines() if not line.startswith("!")]
                            for name in ("ours", "theirs"))
            self.assertEqual(ours, theirs)
            numpy.testing.assert_allclose(optinc.load_touchstone(self.folder / f"theirs.{kind}")[1][::-1], circuit(wavelengths), atol=1e-15)

    def test_tool_programs_own_wirings(self):
        target = optinc.haar_unitary(4, seed=2)
        optinc.save_matrix(target, self.folder / "target.csv")
        wiring = "0-1 2-3 | 1-2 | 0-1 2-3 | 1-2 | 0-1 2-3"
        told = self.tool("program", "target.csv", "-o", "own.csv", "--topology", wiring)
        self.assertRegex(told.stdout, r"8 MZIs programmed, fitted to within [0-9.]+e-(09|1[0-9]) rms of the matrix")
        mesh = optinc.Mesh.load(self.folder / "own.csv")
        self.assertEqual(mesh.topology, wiring)
        self.assertLess(abs(mesh.matrix() - target).max(), 1e-6)
        self.assertRegex(self.tool("program", "target.csv", "-o", "few.csv", "--topology", "0-1 2-3").stdout, r"within [1-9][0-9.]*e-01 rms")
        chip = faulty_chip(mesh)
        for name in ("theta_arm_loss_db", "phi_arm_loss_db", "theta_other_loss_db", "phi_other_loss_db"):
            setattr(chip.errors, name, 0 * chip.errors.alpha)
        chip.errors.idle_arm_loss_db = 0
        chip.save(self.folder / "chip.csv")
        self.tool("program", "target.csv", "-o", "set.csv", "--topology", wiring, "--chip", "chip.csv")
        numpy.testing.assert_allclose(optinc.Mesh.load(self.folder / "set.csv").matrix(), mesh.corrected(chip.errors).matrix(), atol=1e-12)

    def test_own_wiring_goes_to_the_tool(self):
        mesh = drawn_mesh(WIRING)
        for kind in ("csv", "npz", "h5"):
            mesh.save(self.folder / f"own.{kind}")
            self.tool("transfer", f"own.{kind}", "-o", f"matrix_{kind}.csv")
            numpy.testing.assert_allclose(optinc.load_matrix(self.folder / f"matrix_{kind}.csv"), mesh.matrix(), atol=1e-14)

    # Evaluates the text as Verilog-A says: each contribution is a sum over inputs.
    def test_verilog_a_is_the_mesh(self):
        mesh = drawn_mesh()
        mesh.save(self.folder / "m.csv")
        self.tool("transfer", "m.csv", "-o", "m.va", "--convention", "optics")
        fields = numpy.random.default_rng(1).normal(size=(2, 4)) @ numpy.eye(4)
        given = {f"in{p}_{part}": fields[i, p] for p in range(4) for i, part in enumerate(("re", "im"))}
        text = (self.folder / "m.va").read_text().split("analog begin")[1].split("end")[0]
        found = {}
        for statement in text.replace("\n", " ").split(";")[:-1]:
            name, value = statement.split("<+")
            found[name.strip()[2:-1]] = eval(value, {"V": lambda x: x, **given})  # noqa: S307  our own file
        out = numpy.array([found[f"out{p}_re"] + 1j * found[f"out{p}_im"] for p in range(4)])
        numpy.testing.assert_allclose(out, mesh.matrix() @ (fields[0] + 1j * fields[1]), atol=1e-12)
        if shutil.which("admsXml"):  # the compiler of Verilog-A that Debian has
            done = subprocess.run(["admsXml", "m.va"], cwd=self.folder, capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            self.assertNotIn("[error", done.stdout + done.stderr)


class Picture(Scratch):
    def test_pictures_have_every_interferometer(self):
        try:
            import matplotlib  # noqa: F401
        except ImportError:
            self.skipTest("needs matplotlib")
        mesh = drawn_mesh()
        for each in (mesh, faulty_chip(mesh), drawn_mesh(WIRING)):
            figure = each.draw(power=1)
            axes = figure.axes[0]
            self.assertEqual(len(axes.lines), 2 * len(each.theta) + 4)  # shifters
            self.assertEqual(len(figure.axes), 3)  # and two colour bars
            figure.savefig(io.BytesIO(), format="pdf")
        shown = [float(text.get_text()) for text in mesh.draw(power=1).axes[0].texts[1::2]]
        numpy.testing.assert_allclose(shown, abs(mesh.matrix()[:, 1]) ** 2, rtol=0.06, atol=1e-3)
        self.assertEqual(len(mesh.draw(phases=False).axes), 1)
        with self.assertRaisesRegex(ValueError, "number of a port, 0 to 3"):
            mesh.draw(power=4)
        with self.assertRaisesRegex(ValueError, "at most"):
            optinc.Mesh(65).draw()


if __name__ == "__main__":
    unittest.main()
