#!/usr/bin/env python3
"""Compares the statistics of pawl-checks with SciPy and statsmodels.

    python3 -m venv .venv && .venv/bin/pip install -r scripts/oracle/requirements.txt
    .venv/bin/python scripts/oracle/statistics.py [COMMAND…]

COMMAND answers requests on standard input; the default is the example `statistics` of pawl-checks. Exits with 1 and the
requests that differ when a number is further from the oracle's than its stated tolerance.
"""

import json
import math
import subprocess
import sys
from itertools import product
from pathlib import Path

import numpy as np
from scipy import stats
from statsmodels.stats.contingency_tables import mcnemar
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.power import TTestPower
from statsmodels.stats.proportion import proportion_confint

ROOT = Path(__file__).resolve().parents[2]
COMMAND = ["cargo", "run", "--quiet", "--package", "pawl-checks", "--example", "statistics"]
CONFIDENCES = [0.8, 0.9, 0.95, 0.99, 0.999]


class Comparison:
    """A request, the oracle's numbers for it, and how far ours may be from them.

    `relative` is a share of the expected number, `absolute` a distance; either is enough.
    """

    def __init__(self, request, expected, *, relative=0.0, absolute=0.0, read=lambda value: value):
        self.request = request
        self.expected = expected
        self.relative = relative
        self.absolute = absolute
        self.read = read

    def difference(self, answer):
        """What is wrong with the answer, or None."""
        if "value" not in answer:
            return f"answered {json.dumps(answer)}"
        actual = self.read(answer["value"])
        if self.agrees(actual, self.expected):
            return None
        return f"{actual} is not {self.expected}"

    def agrees(self, actual, expected):
        if isinstance(expected, (list, tuple)):
            return (
                isinstance(actual, list)
                and len(actual) == len(expected)
                and all(self.agrees(a, e) for a, e in zip(actual, expected))
            )
        if isinstance(expected, float) and isinstance(actual, (int, float)):
            return math.isclose(actual, expected, rel_tol=self.relative, abs_tol=self.absolute)
        return actual == expected


def ends(value):
    return [value["lower"], value["upper"]]


def interval_ends(value):
    return [value["method"], *ends(value["interval"])]


def wilson():
    """Against two oracles: SciPy's and statsmodels' score intervals."""
    for total in [1, 2, 10, 20, 50, 333, 10_000, 1_000_000]:
        for successes in sorted({0, 1, total // 10, total // 2, total - 1, total}):
            for confidence in CONFIDENCES:
                request = {
                    "function": "wilson",
                    "successes": successes,
                    "total": total,
                    "confidence": confidence,
                }
                of_scipy = stats.binomtest(successes, total).proportion_ci(confidence, method="wilson")
                yield Comparison(request, [float(of_scipy.low), float(of_scipy.high)], absolute=1e-12, read=ends)
                of_statsmodels = proportion_confint(successes, total, 1 - confidence, method="wilson")
                yield Comparison(request, [float(end) for end in of_statsmodels], absolute=1e-12, read=ends)


def paired_rate_difference():
    """Neither library has Agresti and Min's interval: the multinomial variance of the four cells, half a case added."""
    for pairs, lost, gained in [
        (1, 0, 0),
        (10, 0, 3),
        (20, 2, 1),
        (50, 0, 0),
        (50, 5, 12),
        (300, 30, 10),
        (10_000, 200, 250),
        (1_000_000, 10, 5_000),
    ]:
        for confidence in [0.8, 0.95, 0.99]:
            concordant = (pairs - lost - gained) / 2
            cells = np.array([concordant, lost, gained, concordant]) + 0.5
            contrast = np.array([0, -1, 1, 0])
            shares = cells / cells.sum()
            covariance = (np.diag(shares) - np.outer(shares, shares)) / cells.sum()
            centre = contrast @ shares
            half_width = stats.norm.isf((1 - confidence) / 2) * math.sqrt(contrast @ covariance @ contrast)
            yield Comparison(
                {
                    "function": "paired_rate_difference",
                    "pairs": pairs,
                    "only_first_passed": lost,
                    "only_second_passed": gained,
                    "confidence": confidence,
                },
                [float(max(centre - half_width, -1)), float(min(centre + half_width, 1))],
                absolute=1e-12,
                read=ends,
            )


def mcnemar_exact():
    """Against statsmodels' test, and SciPy's binomial test up to a million discordant pairs."""
    counts = [0, 1, 2, 5, 6, 17, 40, 123, 1_000]
    large = [(49_500, 50_500), (200_000, 201_500), (499_000, 501_000), (500_000, 500_000), (495_000, 505_000)]
    for lost, gained in [*product(counts, counts), *large]:
        request = {"function": "mcnemar_exact", "only_first_passed": lost, "only_second_passed": gained}
        of_statsmodels = float(mcnemar([[7, lost], [gained, 9]], exact=True).pvalue)
        of_scipy = float(stats.binomtest(lost, lost + gained).pvalue) if lost + gained else 1.0
        for expected in [of_statsmodels, of_scipy]:
            # Where there is no discordant pair statsmodels divides by nothing.
            if not math.isnan(expected):
                yield Comparison(request, min(expected, 1.0), relative=1e-9, absolute=1e-300)


def holm():
    random = np.random.default_rng(1)
    families = [random.uniform(size=size) ** 3 for size in [1, 2, 3, 8, 30, 200]]
    families.append(np.array([0.01, 0.01, 0.01, 0.5, 1.0, 0.0]))
    for p_values in families:
        expected = multipletests(p_values, method="holm")[1]
        yield Comparison(
            {"function": "holm", "p_values": p_values.tolist()}, expected.tolist(), absolute=1e-12
        )


def mean_interval():
    random = np.random.default_rng(2)
    for count in [2, 3, 5, 10, 31, 100, 499, 502, 3_000]:
        values = random.beta(3, 1, size=count)
        for confidence in CONFIDENCES:
            expected = stats.ttest_1samp(values, 0).confidence_interval(confidence)
            yield Comparison(
                {"function": "mean_interval", "values": values.tolist(), "confidence": confidence},
                ["student_t", float(expected.low), float(expected.high)],
                absolute=1e-9,
                read=interval_ends,
            )


def philox():
    """Bit for bit NumPy's generator, whose counter moves before the first block."""
    for seed, stream in [(0, 0), (1, 0), (0, 1), (42, 7), (2**64 - 1, 2**63 + 5)]:
        yield Comparison(
            {"function": "philox", "seed": seed, "stream": stream, "count": 41},
            [int(bits) for bits in raw_stream(seed, stream, 41)],
        )


def raw_stream(seed, stream, count):
    generator = np.random.Philox(counter=2**256 - 1, key=np.array([seed, stream], dtype=np.uint64))
    return generator.random_raw(count)


def bootstrap():
    """Neither library has the bootstrap-t: it is written here once more, vectorised, over NumPy's random numbers."""
    random = np.random.default_rng(3)
    samples = {
        "normal": random.normal(0.02, 0.2, size=25),
        "skewed": random.exponential(size=60) - 0.7,
        "mostly unchanged": np.where(random.uniform(size=80) < 0.3, random.integers(-8, 9, size=80) / 8, 0.0),
        "binary": random.choice([-1.0, 0.0, 1.0], p=[0.1, 0.7, 0.2], size=100),
    }
    for differences, confidence, seed in product(samples.values(), [0.9, 0.95], [0, 1, 2**63]):
        resamples = 999
        yield Comparison(
            {
                "function": "paired_bootstrap",
                "differences": differences.tolist(),
                "confidence": confidence,
                "resamples": resamples,
                "seed": seed,
            },
            ["bootstrap_t", *bootstrap_t(np.sort(differences), confidence, resamples, seed)],
            absolute=1e-9,
            read=interval_ends,
        )


def bootstrap_t(differences, confidence, resamples, seed):
    count = len(differences)
    bits = np.array([raw_stream(seed, stream, count) for stream in range(resamples)], dtype=object)
    drawn = differences[((bits * count) >> 64).astype(int)]
    mean, error = differences.mean(), stats.sem(differences)
    studentised = np.sort((drawn.mean(axis=1) - mean) / stats.sem(drawn, axis=1))
    rank = round((1 - confidence) / 2 * (resamples + 1))
    student = stats.t.interval(confidence, count - 1, loc=mean, scale=error)
    return [
        float(min(mean - studentised[-rank] * error, student[0])),
        float(max(mean - studentised[rank - 1] * error, student[1])),
    ]


def detectable_mean_difference():
    """Against the noncentral t; ours is an approximation, stated to be within 0.5 % from 10 pairs on."""
    for pairs, significance, power in product([10, 20, 50, 200, 5_000], [0.01, 0.05, 0.1], [0.7, 0.8, 0.9]):
        expected = TTestPower().solve_power(nobs=pairs, alpha=significance, power=power)
        yield Comparison(
            {
                "function": "detectable_mean_difference",
                "pairs": pairs,
                "significance": significance,
                "power": power,
                "standard_deviation": 0.25,
            },
            0.25 * float(expected),
            relative=5e-3,
        )


def detectable_rate_difference():
    """Against the power of the test summed with scipy.stats.binom; above 1,000 expected flips ours is an approximation."""
    for significance, power in [(0.05, 0.8), (0.05, 0.9), (0.01, 0.8)]:
        for pairs, discordance in product([5, 6, 10, 20, 50, 100, 500], [0.0, 0.05, 0.2, 0.5, 1.0]):
            yield detectable(pairs, discordance, significance, power, relative=1e-5)
        yield detectable(100_000, 0.001, significance, power, relative=1e-5)
        yield detectable(4_000, 0.3, significance, power, relative=2e-2)
        yield detectable(20_000, 0.1, significance, power, relative=2e-2)


def detectable(pairs, discordance, significance, power, *, relative):
    request = {
        "function": "detectable_rate_difference",
        "pairs": pairs,
        "significance": significance,
        "power": power,
        "discordance": discordance,
    }
    return Comparison(
        request, smallest_difference(pairs, discordance, significance, power), relative=relative
    )


def smallest_difference(pairs, discordance, significance, power):
    if mcnemar_power(pairs, discordance, significance, 1.0) < power:
        return None
    missed, found = 0.0, 1.0
    while found - missed > 1e-8 * found:
        middle = (missed + found) / 2
        if mcnemar_power(pairs, discordance, significance, middle) < power:
            missed = middle
        else:
            found = middle
    return found


def mcnemar_power(pairs, discordance, significance, difference):
    discordance = max(discordance, difference)
    flips = np.arange(stats.binom.isf(1e-14, pairs, discordance) + 1)
    flips = flips[flips >= stats.binom.ppf(1e-14, pairs, discordance)]
    critical = stats.binom.ppf(significance / 2, flips, 0.5)
    critical -= 2 * stats.binom.cdf(critical, flips, 0.5) > significance
    lean = (1 + difference / discordance) / 2
    rejects = stats.binom.cdf(critical, flips, lean) + stats.binom.sf(flips - critical - 1, flips, lean)
    return float(np.sum(stats.binom.pmf(flips, pairs, discordance) * np.where(critical >= 0, rejects, 0)))


GRIDS = [
    wilson,
    paired_rate_difference,
    mcnemar_exact,
    holm,
    mean_interval,
    philox,
    bootstrap,
    detectable_mean_difference,
    detectable_rate_difference,
]


def main():
    grids = {grid.__name__: list(grid()) for grid in GRIDS}
    comparisons = [comparison for grid in grids.values() for comparison in grid]
    requests = "".join(json.dumps(comparison.request) + "\n" for comparison in comparisons)
    answered = subprocess.run(
        sys.argv[1:] or COMMAND, input=requests, stdout=subprocess.PIPE, text=True, cwd=ROOT, check=False
    )
    if answered.returncode != 0:
        sys.exit(f"statistics: the command failed with {answered.returncode}")
    answers = [json.loads(line) for line in answered.stdout.splitlines()]
    if not comparisons or not all(grids.values()) or len(answers) != len(comparisons):
        sys.exit(f"statistics: {len(answers)} answers to {len(comparisons)} requests")
    mismatches = 0
    for comparison, answer in zip(comparisons, answers):
        if difference := comparison.difference(answer):
            mismatches += 1
            print(f"statistics: {json.dumps(comparison.request)[:200]}: {difference}", file=sys.stderr)
    if mismatches:
        sys.exit(f"statistics: {mismatches} of {len(comparisons)} comparisons differ from SciPy or statsmodels")
    for name, grid in grids.items():
        print(f"{name}: {len(grid)} agree")
    print(f"statistics: {len(comparisons)} comparisons agree with SciPy and statsmodels")


if __name__ == "__main__":
    main()
