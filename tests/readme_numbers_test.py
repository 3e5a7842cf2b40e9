"""Every number in the README's prose is that of the page, list or claim which it quotes.

Usage: readme_numbers_test.py [unittest's arguments]. A row of QUOTED says in which words a number stands in the README, in which words
its source gives it, and how the two compare; a blank stands for any space. A number in the prose that neither a row nor GIVEN (numbers that are no results) covers
fails the test; so does a row whose words are gone from either side. Numbers in blocks of code are compared by readme_test.py, which
runs the blocks.
"""

import math
import re
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
RESULTS = "docs/results.md"
HOUSE, FIRST_HOUR = ("experiments/scripts/claims_lib/" + name for name in ("house.py", "first_hour.py"))


def rounded(readme, source):
    """Each number of the README is that of the source, rounded to as many decimals as the README has."""
    return len(readme) == len(source) and all(round(float(b), len(a.partition(".")[2])) == float(a) for a, b in zip(readme, source))


def minutes(readme, source):
    """The README's minutes are the seconds that a claim allows, or up to a fifth less."""
    return 0.8 * float(source[0]) <= 60 * float(readme[0]) <= float(source[0])


# words in the README, a number for each group; source, words there; comparison
QUOTED = (
    (r"(\d+) to (\d+) minutes on two cores, most of them to compile", "docs/claims.md",
     r"no target: (\d+) to (\d+) s on three machines[^|]*, and since then about (\d+) s more",
     lambda a, b: all(abs((float(s) + float(b[2])) / 60 - float(m)) < 1 for m, s in zip(a, b))),
    (r"about (\d+) minutes on two cores; ends with PASSED", HOUSE, r'"test-seconds", "<= (\d+)"', minutes),
    (r"It takes (\d+) seconds on two cores", FIRST_HOUR, r'"study-seconds", "<= (\d+)"', lambda a, b: float(b[0]) == 2 * float(a[0])),
    (r"takes ([\d.]+) pJ per bit for eight servers, a ring ([\d.]+);", RESULTS, r"\| 8 \| ([\d.]+) \| 6\.5 \| ([\d.]+) \|", rounded),
    (r"converter's ([\d.]+) effective bits", RESULTS, r"\| 8 \| [\d.]+ \| ([\d.]+) \|", rounded),
    (r"converter's ([\d.]+) effective bits, measured at low frequency", "docs/parts.md",
     r"\| effective bits \| ([\d.]+) bit \| `effective_bits` \| read \| \"low frequency spectrum", rounded),
    (r"trained network takes (\d+) times as much", RESULTS, r"\*\*A trained network takes (\d+) times as much", rounded),
    (r"published network \(our weights\) decodes fewer than (\d) % of the words", RESULTS, r"\| published network \| 41,664 \| ([\d.]+) \| ([\d.]+) \| ([\d.]+) \|",
     lambda a, b: math.ceil(max(map(float, b))) == int(a[0])),
    (r"the 96-32 network ([\d.]+) % at `good-lab`", RESULTS, r"\| 96-32 network \| 9,984 \| [\d.]+ \| ([\d.]+) \|", rounded),
    (r"loses ([\d.]+) points of accuracy \(at most ([\d.]+), (\d+) % confidence\)", RESULTS,
     r"Brackets and ± are (\d+) %[^$]*?\| 96-32 network, `good-lab` \| 0.15 \| -([\d.]+) \[-([\d.]+), [\d.]+\] \|", lambda a, b: a == [b[1], b[2], b[0]]),
    (r"through the published one, it loses (\d+)\.", RESULTS, r"published network, `design-target` \| 98 \| -(\d+) \[", rounded),
    (r"The 96-32 network runs at (\d+) GBd", RESULTS, r"\| 96-32 network \| ([\d.]+) \| 1.24 ", rounded),
    (r"and takes (\d+) pJ per bit", RESULTS, r"\| 96-32 network \| 38.7 \| 1.24 \| 103 \| (\d+) ", rounded),
    (r"of the same parts and light takes ([\d.]+) pJ", RESULTS, r"\| ring of PAM4 links \| 38.7 \| [\d.]+ \| [\d.]+ \| ([\d.]+) \|", rounded),
    (r"\[(\d)-bit codes save time", RESULTS, r"per iteration \| ring, 32 bits \| ring, (\d) bits", rounded),
    (r"takes (\d+) % less time than a (\d+)-bit ring's", RESULTS, r"takes (\d+) % less time than the (\d+)-bit ring", rounded),
    (r"less time than a 32-bit ring's \(calibrated\), but ([\d.]+) J, not ([\d.]+) J;", RESULTS, r"\| total \(J\) \| ([\d.]+) \| [\d.]+ \| [\d.]+ \| ([\d.]+) \|", lambda a, b: rounded(a, b[::-1])),
    (r"an (\d)-bit ring takes ([\d.]+) J", RESULTS, r"ring, (\d) bits[^$]*?\| total \(J\) \| [\d.]+ \| ([\d.]+) \|", rounded),
    (r"J and (\d+) % longer", RESULTS, r"of the same 8-bit codes takes (\d+) % more time", rounded),
)

# numbers that are names or definitions, not results
GIVEN = (r"https?://\S+", r"base-4", r"Debian 12", r"96-32", r"ResNet-?50", r"C\+\+", r"Apache-2\.0", r"HDF5", r"H5")


def prose(page):
    """Without blocks of code (but for what is told of the first two commands), targets of links and pictures, and inline code
    but for presets."""
    page = re.sub(r"^```[^\n]*\n(.*?)^```", lambda block: block[1] if block[1].startswith("./") else "", page,
                  flags=re.MULTILINE | re.DOTALL)
    page = re.sub(r"<(picture|source|img)[^>]*>|\]\([^)]*\)", "]", page)
    return re.sub(r"`([^`\n]*)`", lambda code: code[0] if code[1] in ("design-target", "good-lab", "doped-heaters") else "`code`", page)


def spaced(words):
    """The pattern, whose blanks match line breaks too."""
    return words.replace(" ", r"\s+")


def compared(readme, row, sources=lambda name: (ROOT / name).read_text(encoding="utf-8")):
    """Numbers of the README that a row compares; raises AssertionError with what is wrong."""
    words, source, there, same = row
    here, found = re.search(spaced(words), readme), re.search(spaced(there), sources(source))
    assert here, f"the README no longer says {words}"
    assert found, f"{source} no longer says {there}"
    assert same(list(here.groups()), list(found.groups())), f"README: {here[0]!r}; {source}: {found[0]!r}"
    return len(here.groups()) or 1


class Numbers(unittest.TestCase):
    readme = prose((ROOT / "README.md").read_text(encoding="utf-8"))

    def test_each_is_that_of_its_source(self):
        total = 0
        for row in QUOTED:
            with self.subTest(row[0]):
                total += compared(self.readme, row)
        print(f"{total} numbers of the README compared, {len(QUOTED)} sentences")

    def test_none_is_left_over(self):
        rest = list(self.readme)
        for words in GIVEN:
            for found in re.finditer(words, self.readme):
                rest[found.start():found.end()] = " " * len(found[0])
        for words, *_ in QUOTED:
            found = re.search(spaced(words), self.readme)
            for group in range(1, len(found.groups()) + 1):
                rest[found.start(group):found.end(group)] = " " * len(found[group])
        self.assertEqual([line for line in "".join(rest).splitlines() if re.search(r"\d", line)], [])

    def test_a_change_on_either_side_is_found(self):
        for row in QUOTED:
            changed = re.search(spaced(row[0]), self.readme)
            for digit in ([changed.start(1)] if changed.groups() else []):
                other = str((int(self.readme[digit]) + 5) % 10)
                with self.subTest(row[0]), self.assertRaises(AssertionError):
                    compared(self.readme[:digit] + other + self.readme[digit + 1:], row)
            text = (ROOT / row[1]).read_text(encoding="utf-8")
            found = re.search(spaced(row[2]), text)
            group = next(i for i in range(1, len(found.groups()) + 1) if found[i])
            with self.subTest(row[2]), self.assertRaises(AssertionError):
                compared(self.readme, row, lambda _: text[:found.start(group)] + "777" + text[found.end(group):])


if __name__ == "__main__":
    unittest.main()
