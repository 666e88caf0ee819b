#!/usr/bin/env python3
"""Eight seeds in one run against eight runs one after another.

    python3 tests/benchmarks/seeds.py [--programs DIR] [--pairs N] [--seeds N] [--steps N] [CASE...]

Both sides are whole programs, from start to end: `mesita-train --seeds 1-8` with all cores, and eight
times `mesita-train` with what it chooses by itself. They take turns. Printed are wall seconds and the
ratio (together : one after another) of every pair, with start, evaluation and saving (whole) and of
the steps alone. A case is ROWSxCONTEXT-WIDTH-LAYERS; the first is the task model of the tests."""

import argparse
import json
import os
import pathlib
import statistics
import subprocess
import tempfile
import time

CASES = ["8x32-64-2", "16x80-64-2", "16x80-128-2", "16x80-256-4", "4x32-16-2"]
SYLLABLES = [c + v for c in "bdfgklmnprstvz" for v in "aeiou"]
WORDS = [SYLLABLES[(7 * i) % 70] + SYLLABLES[(13 * i + i // 70) % 70] for i in range(400)]


def texts(path, count, seed):
    """Sentences of words drawn from a fixed sequence of numbers, as lines."""
    number = seed
    with path.open("w") as file:
        for _ in range(count):
            words = []
            for _ in range(30):
                number = (number * 6364136223846793005 + 1442695040888963407) % 2**64
                words.append(WORDS[(number >> 33) % len(WORDS)])
            file.write(" ".join(words) + "\n<|endoftext|>\n")


def run(command):
    begin = time.perf_counter()
    result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if result.returncode != 0:
        raise SystemExit(result.stderr)
    return time.perf_counter() - begin, json.loads(result.stdout)


def compare(case, options, folder):
    shape, width, layers = case.split("-")
    rows, context = shape.split("x")
    config = ["--data.kind", "text", "--data.train", folder / "train.txt",
              "--data.validation", folder / "valid.txt", "--data.tokenizer", folder / "tokenizer",
              "--rows", rows, "--model.context", context, "--width", width, "--layers", layers,
              "--heads", "4" if int(width) >= 64 else "2", "--steps", options.steps, "--precision",
              "float32", "--evaluation.interval", options.steps, "--samples.tokens", "1", "--json"]  # fmt: skip
    ratios, step_ratios = [], []
    for pair in range(options.pairs):
        command = [options.programs / "mesita-train", *map(str, config), "--out"]
        together, result = run([*command, folder / f"{case}-{pair}", "--seeds", f"1-{options.seeds}",
                                "--threads", str(options.threads)])  # fmt: skip
        steps_together = result["seeds"][0]["seconds"]
        alone = steps_alone = 0.0
        for seed in range(1, options.seeds + 1):
            seconds, result = run([*command, folder / f"{case}-{pair}-{seed}", "--seed", str(seed)])
            alone += seconds
            steps_alone += result["seconds"]
        ratios.append(together / alone)
        step_ratios.append(steps_together / steps_alone)
        print(f"{case:14} pair {pair + 1}: together {together:6.1f} s, one after another {alone:6.1f} s, "
              f"ratio {ratios[-1]:.3f}; steps alone {step_ratios[-1]:.3f}", flush=True)  # fmt: skip
    print(f"{case:14} median ratio {statistics.median(ratios):.3f}, "
          f"steps alone {statistics.median(step_ratios):.3f}", flush=True)  # fmt: skip


def main():
    root = pathlib.Path(__file__).resolve().parents[2]
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cases", nargs="*", metavar="CASE")
    parser.add_argument("--programs", type=pathlib.Path, default=root / "build/release/bin")
    parser.add_argument("--pairs", type=int, default=3)
    parser.add_argument("--seeds", type=int, default=8)
    parser.add_argument("--steps", type=int, default=1000)
    parser.add_argument("--threads", type=int, default=os.cpu_count(), help="of the run of all seeds")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        texts(folder / "train.txt", 20000, 1)
        texts(folder / "valid.txt", 200, 2)
        subprocess.run([options.programs / "mesita-tokenizer", "train", folder / "train.txt", "--out",
                        folder / "tokenizer", "--vocabulary", "512"], check=True,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)  # fmt: skip
        for case in options.cases or CASES:
            compare(case, options, folder)


if __name__ == "__main__":
    main()
