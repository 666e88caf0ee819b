#!/usr/bin/env python3
"""Writes parameter_hashes.txt: the `frozen` and `core` hashes of tests/support/tiny_checkpoint.h.

Independent of the C++ code: tensors, their initial values and the hashed bytes are written down here
once more, after model/checkpoint/README.md. Needs numpy.
"""

import hashlib
import math
import pathlib
import struct

import numpy as np

from make_seeded_normal import normals

WIDTH, HEADS, FEED_FORWARD, SEED, NORM_EPSILON = 4, 2, 6, 7, 1e-5


def interior():
    """(name, shape, standard deviation, or None for ones) in file order, for one block."""
    d, f, residual = WIDTH, FEED_FORWARD, 0.02 / math.sqrt(2.0)
    tensors = []
    for name, shape, deviation in [
        ("blocks.0.mixer_norm", (d,), None),
        ("blocks.0.mixer.query_key", (2 * d, d), 0.02),
        ("blocks.0.mixer.value", (d, d), 0.02),
        ("blocks.0.mixer.output", (d, d), residual),
        ("blocks.0.feed_forward_norm", (d,), None),
        ("blocks.0.feed_forward.up", (f, d), 0.02),
        ("blocks.0.feed_forward.down", (d, f), residual),
        ("final_norm", (d,), None),
    ]:
        tensors += [(name + ".weight", shape, deviation), (name + ".bias", shape[:1], 0.0)]
    return tensors


def tensor_bytes():
    parts = []
    for name, shape, deviation in interior():
        size = math.prod(shape)
        if deviation is None:
            values = np.ones(size)
        elif deviation == 0.0:
            values = np.zeros(size)
        else:
            values = normals(SEED, name, size).astype(np.float64) * deviation
        line = "tensor " + " ".join([name, *map(str, shape)]) + "\n"
        parts += [line.encode(), values.astype("<f4").tobytes()]
    return b"".join(parts)


def main():
    (epsilon,) = struct.unpack("<Q", struct.pack("<d", NORM_EPSILON))
    configuration = (
        f"mesita core 1\nwidth {WIDTH}\nlayers 1\nheads {HEADS}\nfeed_forward {FEED_FORWARD}\n"
        f"mixer softmax\nposition learned\nnorm layer_norm before {epsilon}\nactivation gelu_tanh\n"
    )
    frozen = hashlib.sha256(b"mesita frozen 1\n" + tensor_bytes()).hexdigest()
    core = hashlib.sha256(configuration.encode() + tensor_bytes()).hexdigest()
    path = pathlib.Path(__file__).with_name("parameter_hashes.txt")
    path.write_text(f"{frozen}\n{core}\n")


if __name__ == "__main__":
    main()
