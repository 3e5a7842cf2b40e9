"""Data files that the snapshot's studies read: images and a matrix, the same bytes on every machine."""

import gzip
import pathlib

import numpy as np


def noise(count, salt):
    """Bytes that look random: a multiplicative hash of their number, so that no library's generator matters."""
    x = np.arange(count, dtype=np.uint64) + np.uint64(salt << 32)
    x = (x ^ (x >> np.uint64(33))) * np.uint64(0xFF51AFD7ED558CCD)
    x = (x ^ (x >> np.uint64(33))) * np.uint64(0xC4CEB9FE1A85EC53)
    return (x >> np.uint64(56)).astype(np.uint8)


def images(count, pixels, classes, salt):
    """Labels and images (count, pixels): stripes whose width is the class, and noise."""
    labels = noise(count, salt) % classes
    stripes = 96 * (np.arange(pixels)[None, :] // (1 + labels[:, None].astype(int)) % 2)
    return labels, (stripes + noise(count * pixels, salt + 1).reshape(count, pixels) // 2).astype(np.uint8)


def write_idx(path, magic, sizes, values):
    header = np.array([magic, *sizes], ">u4").tobytes()
    path.write_bytes(gzip.compress(header + values.tobytes(), mtime=0))


def write_inputs(folder):
    """Writes images/ (IDX files), cifar/ (binary files of both sets), target.csv, and what was measured of a mesh
    of 4 ports, measured.csv and crosstalk.csv, into `folder`."""
    folder = pathlib.Path(folder)
    for name in ("images", "cifar"):
        (folder / name).mkdir()
    for part, count, salt in (("train", 240, 1), ("t10k", 80, 3)):
        labels, pixels = images(count, 784, 10, salt)
        write_idx(folder / f"images/{part}-images-idx3-ubyte.gz", 0x803, (count, 28, 28), pixels)
        write_idx(folder / f"images/{part}-labels-idx1-ubyte.gz", 0x801, (count,), labels)
    for number, name in enumerate([*(f"data_batch_{i}" for i in range(1, 6)), "test_batch"]):
        labels, pixels = images(8, 3072, 10, 10 + 2 * number)
        (folder / f"cifar/{name}.bin").write_bytes(np.column_stack([labels, pixels]).tobytes())
    for number, name in enumerate(("train", "test")):
        labels, pixels = images(24, 3072, 100, 30 + 2 * number)
        (folder / f"cifar/{name}.bin").write_bytes(np.column_stack([labels // 5, labels, pixels]).tobytes())
    hadamard = np.array([[1, 1, 1, 1], [1, -1, 1, -1], [1, 1, -1, -1], [1, -1, -1, 1]]) / 2
    (folder / "target.csv").write_text("".join(",".join(map(str, row)) + "\n" for row in hadamard))
    rows = [(0, 0), (0, 2), (1, 1), (2, 0), (2, 2), (3, 1)]
    (folder / "measured.csv").write_text("column,upper,alpha_rad,phi_offset_rad,theta_pi_power_w\n" + "".join(
        f"{column},{upper},{0.01 * (k - 2)},{0.02 * k},{0.02 + 0.001 * k}\n" for k, (column, upper) in enumerate(rows)))
    (folder / "crosstalk.csv").write_text("".join(
        ",".join("0.02" if abs(i - j) == 1 else "0" for j in range(16)) + "\n" for i in range(16)))
