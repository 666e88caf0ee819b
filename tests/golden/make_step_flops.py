#!/usr/bin/env python3
"""Writes step_flops.txt: floating-point operations of a training step as PyTorch counts them.

For each position kind, tying, and choice of trained roles, one line: products with weights forward
and backward, then products of attention forward and backward, without a mask (T x T pairs). The
model is written once more here, with attention as two plain products. Needs torch:
PYTHONPATH=.deps/torch python3 tests/golden/make_step_flops.py
"""

import pathlib

import torch
from torch.utils.flop_counter import FlopCounterMode

ROWS, CONTEXT, VOCABULARY, WIDTH, LAYERS, HEADS, FEED_FORWARD = 3, 6, 11, 8, 2, 2, 20
ROLES = ["token_embedding", "position_embedding", "query_key", "value", "attention_output",
         "feed_forward", "norm", "unembedding"]  # fmt: skip
CHOICES = [[role] for role in ROLES] + [
    ROLES,
    ["token_embedding", "position_embedding", "unembedding"],
    ["token_embedding", "position_embedding"],
    ["token_embedding", "unembedding"],
    ["query_key", "value", "attention_output", "feed_forward", "norm"],
    ["query_key", "value", "attention_output"],
    ["value", "feed_forward"],
    ["feed_forward", "unembedding"],
]


def counts(position, tied, trained):
    def weight(role, *shape):
        return torch.randn(*shape).requires_grad_(role in trained)

    tokens = weight("token_embedding", VOCABULARY, WIDTH)
    positions = weight("position_embedding", CONTEXT, WIDTH) if position == "learned" else None
    unembedding = tokens if tied else weight("unembedding", VOCABULARY, WIDTH)
    if not any(t is not None and t.requires_grad for t in (tokens, positions, unembedding)) and not (
            set(trained) - {"token_embedding", "position_embedding", "unembedding"}):  # fmt: skip
        return None
    layers = [{"mixer_norm": weight("norm", WIDTH), "query_key": weight("query_key", 2 * WIDTH, WIDTH),
               "value": weight("value", WIDTH, WIDTH), "output": weight("attention_output", WIDTH, WIDTH),
               "feed_forward_norm": weight("norm", WIDTH), "up": weight("feed_forward", FEED_FORWARD, WIDTH),
               "down": weight("feed_forward", WIDTH, FEED_FORWARD)} for _ in range(LAYERS)]  # fmt: skip
    final_norm = weight("norm", WIDTH)
    ids = torch.randint(VOCABULARY, (ROWS, CONTEXT))
    heads = (ROWS, CONTEXT, HEADS, WIDTH // HEADS)

    def forward():
        x = tokens[ids] if positions is None else tokens[ids] + positions
        for layer in layers:
            y = torch.layer_norm(x, [WIDTH]) * layer["mixer_norm"]
            q, k = ((y @ layer["query_key"].T)).split(WIDTH, dim=2)
            v = y @ layer["value"].T
            q, k, v = (t.view(heads).transpose(1, 2).flatten(0, 1) for t in (q, k, v))
            mixed = torch.bmm(torch.softmax(torch.bmm(q, k.transpose(1, 2)), dim=-1), v)
            mixed = mixed.view(ROWS, HEADS, CONTEXT, -1).transpose(1, 2).reshape(ROWS, CONTEXT, WIDTH)
            x = x + mixed @ layer["output"].T
            y = torch.layer_norm(x, [WIDTH]) * layer["feed_forward_norm"]
            x = x + torch.nn.functional.gelu(y @ layer["up"].T) @ layer["down"].T
        logits = (torch.layer_norm(x, [WIDTH]) * final_norm) @ unembedding.T
        return torch.nn.functional.cross_entropy(logits.flatten(0, 1), ids.flatten())

    def counted(work):
        with FlopCounterMode(display=False) as mode:
            work()
        ops = mode.get_flop_counts()["Global"]
        attention = sum(n for op, n in ops.items() if "bmm" in str(op))
        return sum(ops.values()) - attention, attention

    products, attention = counted(forward)
    both_products, both_attention = counted(lambda: forward().backward())
    return products, both_products - products, attention, both_attention - attention


def main():
    lines = [f"# rows {ROWS} context {CONTEXT} vocabulary {VOCABULARY} width {WIDTH} layers {LAYERS} "
             f"heads {HEADS} feed_forward {FEED_FORWARD}; PyTorch {torch.__version__}"]  # fmt: skip
    for position in ("learned", "none"):
        for tied in (False, True):
            for trained in CHOICES:
                numbers = counts(position, tied, trained)
                if numbers:
                    lines.append(" ".join([position, "tied" if tied else "untied", ",".join(trained),
                                           *map(str, numbers)]))  # fmt: skip
    (pathlib.Path(__file__).parent / "step_flops.txt").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
