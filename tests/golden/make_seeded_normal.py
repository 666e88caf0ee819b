#!/usr/bin/env python3
"""Writes seeded_normal.txt: golden values of model/kernels/seeded_normal.cpp.

An independent implementation of the recipe in numpy. numpy's float64 arithmetic rounds as IEEE 754
says, so the bits must be equal, not just close. Differences in method, on purpose: Philox multiplies
in 64 bits on whole arrays, the logarithm's range reduction uses frexp, quadrants are chosen by
numpy.select.

    python3 -m venv V && V/bin/pip install numpy==2.4.6 && V/bin/python tests/golden/make_seeded_normal.py
"""

import hashlib
import math
import pathlib

import numpy as np

CASES = [
    (0, "token_embedding.weight"),
    (1, "blocks.0.mixer.query_key.weight"),
    (0xFFFFFFFFFFFFFFFF, "unembedding.weight"),
    (0x0123456789ABCDEF, "größe"),
    (42, ""),
]
COUNT = 1_000_000
FIRST = 12


def fnv1a(name: str) -> int:
    value = 0xCBF29CE484222325
    for byte in name.encode():
        value = ((value ^ byte) * 0x100000001B3) % 2**64
    return value


def philox4x32_10(counter, key):
    """counter: four uint64 arrays of 32-bit words; key: two ints."""
    mask = np.uint64(0xFFFFFFFF)
    half = np.uint64(32)
    c = [np.asarray(word, dtype=np.uint64) for word in counter]
    for round_number in range(10):
        k0 = np.uint64((key[0] + round_number * 0x9E3779B9) % 2**32)
        k1 = np.uint64((key[1] + round_number * 0xBB67AE85) % 2**32)
        p0 = c[0] * np.uint64(0xD2511F53)
        p1 = c[2] * np.uint64(0xCD9E8D57)
        c = [(p1 >> half) ^ c[1] ^ k0, p1 & mask, (p0 >> half) ^ c[3] ^ k1, p0 & mask]
    return c


def log_of(word):
    v = word.astype(np.float64) + 0.5  # exact
    mantissa, exponent = np.frexp(v)  # mantissa in [1/2, 1)
    small = mantissa < float.fromhex("0x1.6a09e667f3bcdp-1")  # sqrt(1/2), rounded up
    m = np.where(small, mantissa * 2.0, mantissa)
    k = (exponent - np.where(small, 1, 0) - 32).astype(np.float64)
    f = (m - 1.0) / (m + 1.0)
    f2 = f * f
    series = np.full_like(f, 1.0 / 17.0)
    for odd in (15.0, 13.0, 11.0, 9.0, 7.0, 5.0, 3.0, 1.0):
        series = series * f2 + 1.0 / odd
    return k * math.log(2.0) + (2.0 * f) * series


def sine_cosine_of(word):
    quarter = ((word + np.uint64(2**29)) >> np.uint64(30)).astype(np.int64)  # 0 .. 4
    rest = word.astype(np.int64) - quarter * 2**30
    angle = (rest.astype(np.float64) + 0.5) * (2.0 * math.pi / 2.0**32)
    a2 = angle * angle
    s = np.zeros_like(a2)
    for n in (15, 13, 11, 9, 7, 5, 3, 1):
        term = (-1.0 if n % 4 == 3 else 1.0) / float(math.factorial(n))
        s = s * a2 + term if n != 15 else np.full_like(a2, term)
    s = s * angle
    c = np.zeros_like(a2)
    for n in (16, 14, 12, 10, 8, 6, 4, 2, 0):
        term = (-1.0 if n % 4 == 2 else 1.0) / float(math.factorial(n))
        c = c * a2 + term if n != 16 else np.full_like(a2, term)
    turn = quarter % 4
    sine = np.select([turn == 0, turn == 1, turn == 2], [s, c, -s], -c)
    cosine = np.select([turn == 0, turn == 1, turn == 2], [c, -s, -c], s)
    return sine, cosine


def normals(seed: int, name: str, count: int) -> np.ndarray:
    stream = fnv1a(name)
    block = np.arange((count + 3) // 4, dtype=np.uint64)
    mask = np.uint64(0xFFFFFFFF)
    words = philox4x32_10(
        [block & mask, block >> np.uint64(32),
         np.full_like(block, stream % 2**32), np.full_like(block, stream >> 32)],
        (seed % 2**32, seed >> 32))
    columns = []
    for first, second in ((words[0], words[1]), (words[2], words[3])):
        radius = np.sqrt(-2.0 * log_of(first))
        sine, cosine = sine_cosine_of(second)
        columns += [(radius * cosine).astype(np.float32), (radius * sine).astype(np.float32)]
    return np.stack(columns, axis=1).reshape(-1)[:count]


def main():
    known = philox4x32_10([0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344], (0xA4093822, 0x299F31D0))
    assert [int(w) for w in known] == [0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1]
    lines = ["# seed, name (hexadecimal bytes, - for none), count, SHA-256 of the little-endian float32 values, first values;",
             "# written by make_seeded_normal.py"]
    for seed, name in CASES:
        values = normals(seed, name, COUNT).astype("<f4")
        first = " ".join(f"{bits:08x}" for bits in values[:FIRST].view("<u4"))
        digest = hashlib.sha256(values.tobytes()).hexdigest()
        lines.append(f"{seed:016x} {name.encode().hex() or '-'} {COUNT} {digest} {first}")
    path = pathlib.Path(__file__).with_name("seeded_normal.txt")
    path.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
