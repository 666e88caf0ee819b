#!/usr/bin/env python3
"""Packing a large file of the Pile's shape, against SentencePiece alone on the same texts.

    python3 tests/benchmarks/pack.py [--programs DIR] [--gigabytes SIZE] [--pairs N]

A .jsonl.zst of SIZE gigabytes of text (default 2) is drawn from a fixed seed and packed. Printed are
megabytes of text a second and the peak of resident memory, for SIZE and for an eighth of it: memory must
not grow with the file. SentencePiece encodes 64 MB of the same texts from memory, on as many threads,
before and after; the ratio (above 1: mesita is faster, although it also unpacks, parses and writes) is to
its mean. Needs zstd."""

import argparse
import json
import os
import pathlib
import random
import shutil
import statistics
import subprocess
import tempfile
import time

SETS = ["Pile-CC", "Books3", "Github", "ArXiv", "StackExchange"]


def words(draw):
    syllables = [c + v for c in ["b", "br", "d", "f", "g", "k", "l", "m", "n", "p", "pr", "r", "s", "st",
                                 "t", "tr", "v", "z"] for v in "aeiou"]  # fmt: skip
    return ["".join(draw.choices(syllables, k=draw.randint(1, 4))) for _ in range(30000)]


def block(seed, size):
    """Records and their texts, about `size` bytes of text: Zipf's law, sentences, paragraphs."""
    draw = random.Random(seed)
    known = words(random.Random(1))
    weights = [1.0 / (rank + 3) for rank in range(len(known))]
    records, texts, total = [], [], 0
    while total < size:
        length = int(draw.lognormvariate(5.5, 1.2)) + 1
        drawn = draw.choices(known, weights, k=length)
        text = "\n".join(" ".join(drawn[i : i + 80]).capitalize() + "." for i in range(0, length, 80))
        meta = {"pile_set_name": draw.choice(SETS)}
        record = {"text": text, "meta": meta if draw.random() < 0.8 else json.dumps(meta)}
        records.append(json.dumps(record if draw.random() < 0.5 else dict(reversed(record.items()))))
        texts.append(text.replace("\n", " "))
        total += len(text)
    return records, texts, total


def write(path, blocks, size):
    """`size` bytes of text, the blocks again and again in turn."""
    with path.open("wb") as file:
        process = subprocess.Popen(["zstd", "-q", "-1", "-T0"], stdin=subprocess.PIPE, stdout=file)
        written = number = 0
        while written < size:
            records, _, total = blocks[number % len(blocks)]
            process.stdin.write(("\n".join(records) + "\n").encode())
            written += total
            number += 1
        process.stdin.close()
        if process.wait() != 0:
            raise SystemExit(f"zstd ended with status {process.returncode}")
    return written


def pack(programs, file, tokenizer, out, threads):
    begin = time.perf_counter()
    process = subprocess.Popen([programs / "mesita-pack", file, "--tokenizer", tokenizer, "--out", out,
                                "--threads", str(threads)], stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL)  # fmt: skip
    _, status, usage = os.wait4(process.pid, 0)
    if status != 0:
        raise SystemExit(f"mesita-pack ended with status {status}")
    shutil.rmtree(out)
    return time.perf_counter() - begin, usage.ru_maxrss / 1024


def alone(programs, model, texts, size, threads):
    done = subprocess.run([programs / "sentencepiece_rate", model, texts, str(threads)], check=True,
                          capture_output=True, text=True)  # fmt: skip
    return size / 1e6 / json.loads(done.stdout)["seconds"]


def main():
    root = pathlib.Path(__file__).resolve().parents[2]
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--programs", type=pathlib.Path, default=root / "build/release/bin")
    parser.add_argument("--gigabytes", type=float, default=2.0)
    parser.add_argument("--pairs", type=int, default=1)
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        blocks = [block(seed, 8 << 20) for seed in range(8)]
        texts = folder / "texts.txt"
        texts.write_text("\n".join(text for _, each, _ in blocks for text in each) + "\n")
        subprocess.run([options.programs / "mesita-tokenizer", "train", texts, "--out", folder / "tokenizer",
                        "--vocabulary", "4096"], check=True, capture_output=True)  # fmt: skip
        model = next((folder / "tokenizer").glob("*.model"))
        size = sum(total for _, _, total in blocks)
        ratios = []
        for share in (8, 1):
            file = folder / "large.jsonl.zst"
            total = write(file, blocks, options.gigabytes * 1e9 / share)
            for _ in range(options.pairs):
                before = alone(options.programs, model, texts, size, options.threads)
                seconds, peak = pack(options.programs, file, folder / "tokenizer", folder / "pack",
                                     options.threads)  # fmt: skip
                after = alone(options.programs, model, texts, size, options.threads)
                rate = total / 1e6 / seconds
                ratios.append(rate / statistics.mean([before, after]))
                print(f"{total / 1e6:7.0f} MB of text: {rate:6.2f} MB/s, peak {peak:5.0f} MB; SentencePiece "
                      f"alone {before:6.2f} and {after:6.2f} MB/s, ratio {ratios[-1]:.3f}", flush=True)  # fmt: skip
    print(f"median ratio {statistics.median(ratios):.3f}")


if __name__ == "__main__":
    main()
