#!/usr/bin/env python3
"""Training throughput of mesita against eager PyTorch running the same model.

    python3 tests/benchmarks/training_throughput.py [--program PATH] [--pairs N] [--seconds S] [CASE...]

Two processes, ours (training_throughput.cpp) and PyTorch's (this file with --peer), take turns:
ours, theirs, ours, theirs, each for about S seconds, so that whatever else the machine does hits
both. Printed are both rates and their ratio (above 1: mesita is faster) for every pair, and the
median of the ratios for every case. A case is SHAPE-PRECISION-TRAINED, such as
width512-bf16-embeddings; without any, all eight run.

Needs `import torch` (./mesita puts it into .deps/torch; PyTorch also wants typing_extensions).
The peer is GPT-2's shape in nanoGPT's manner: fused query-key-value projection,
scaled_dot_product_attention, fused AdamW, gradient clipping, autocast for bf16.
"""

import argparse
import json
import pathlib
import statistics
import subprocess
import sys
import time

# layers, heads, width, vocabulary, rows, context
SHAPES = {"width512": (4, 8, 512, 4096, 16, 256), "nanogpt": (4, 4, 128, 65, 12, 64)}
CASES = [f"{shape}-{precision}-{trained}" for shape in SHAPES
         for precision in ("float32", "bf16") for trained in ("all", "embeddings")]


def peer(shape, precision, trained, threads):
    import torch
    from torch import nn
    from torch.nn import functional as F

    if threads:
        torch.set_num_threads(threads)
    layers, heads, width, vocabulary, rows, context = shape

    class Block(nn.Module):
        def __init__(self):
            super().__init__()
            self.attention_norm, self.feed_norm = nn.LayerNorm(width), nn.LayerNorm(width)
            self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
            self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

        def forward(self, x):
            q, k, v = (t.view(rows, context, heads, width // heads).transpose(1, 2)
                       for t in self.qkv(self.attention_norm(x)).split(width, dim=2))
            y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
            x = x + self.out(y.transpose(1, 2).contiguous().view(rows, context, width))
            return x + self.down(F.gelu(self.up(self.feed_norm(x)), approximate="tanh"))

    class Gpt(nn.Module):
        def __init__(self):
            super().__init__()
            self.tokens, self.positions = nn.Embedding(vocabulary, width), nn.Embedding(context, width)
            self.blocks = nn.ModuleList(Block() for _ in range(layers))
            self.norm = nn.LayerNorm(width)
            self.unembedding = nn.Linear(width, vocabulary, bias=False)

        def forward(self, ids, targets):
            x = self.tokens(ids) + self.positions(torch.arange(context))
            for block in self.blocks:
                x = block(x)
            logits = self.unembedding(self.norm(x))
            return F.cross_entropy(logits.view(-1, vocabulary), targets.view(-1), ignore_index=-100)

    torch.manual_seed(1)
    model = Gpt()
    for parameter in model.parameters():
        nn.init.normal_(parameter, std=0.02) if parameter.dim() > 1 else None
    if trained == "embeddings":
        chosen = {model.tokens.weight, model.positions.weight, model.unembedding.weight}
        for parameter in model.parameters():
            parameter.requires_grad_(parameter in chosen)
    parameters = [p for p in model.parameters() if p.requires_grad]
    groups = [{"params": [p for p in parameters if p.dim() >= 2], "weight_decay": 0.1},
              {"params": [p for p in parameters if p.dim() < 2], "weight_decay": 0.0}]
    optimizer = torch.optim.AdamW([g for g in groups if g["params"]], lr=1e-3, betas=(0.9, 0.95), fused=True)
    ids = torch.randint(vocabulary, (rows, context))
    targets = torch.randint(vocabulary, (rows, context))
    for line in sys.stdin:
        begin = time.perf_counter()
        for _ in range(int(line)):
            with torch.autocast("cpu", torch.bfloat16, enabled=precision == "bf16"):
                loss = model(ids, targets)
            loss.backward()
            torch.nn.utils.clip_grad_norm_(parameters, 1.0)
            optimizer.step()
            optimizer.zero_grad(set_to_none=True)
        print(json.dumps({"seconds": time.perf_counter() - begin, "loss": loss.item()}), flush=True)


class Side:
    """A process that runs steps when asked."""

    def __init__(self, command):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def seconds(self, steps):
        print(steps, file=self.process.stdin, flush=True)
        line = self.process.stdout.readline()
        if not line:
            raise SystemExit(f"{self.process.args[0]} ended: status {self.process.wait()}")
        return json.loads(line)["seconds"]

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def compare(case, options):
    shape_name, precision, trained = case.split("-")
    shape = SHAPES[shape_name]
    threads = str(options.threads)
    ours = Side([options.program, *map(str, shape), precision, trained, threads])
    theirs = Side([sys.executable, __file__, "--peer", case, "--threads", threads])
    ours.seconds(2), theirs.seconds(2)  # warm up
    steps = max(1, round(2 * options.seconds / theirs.seconds(2)))
    tokens = steps * shape[4] * shape[5]
    ratios = []
    for pair in range(options.pairs):
        first, second = ours.seconds(steps), theirs.seconds(steps)
        ratios.append(second / first)
        print(f"{case:28} pair {pair + 1}: mesita {tokens / first:9,.0f} tokens/s, PyTorch "
              f"{tokens / second:9,.0f}, ratio {ratios[-1]:.3f}", flush=True)
    ours.close(), theirs.close()
    print(f"{case:28} median ratio {statistics.median(ratios):.3f}", flush=True)
    return statistics.median(ratios)


def main():
    root = pathlib.Path(__file__).resolve().parents[2]
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cases", nargs="*", metavar="CASE")
    parser.add_argument("--program", default=str(root / "build/release/bin/training_throughput"))
    parser.add_argument("--pairs", type=int, default=7)
    parser.add_argument("--seconds", type=float, default=5.0)
    parser.add_argument("--threads", type=int, default=0, help="0: all cores")
    parser.add_argument("--least", type=float, help="exit 1 when a median is below this")
    parser.add_argument("--peer", metavar="CASE", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.peer:
        shape, precision, trained = options.peer.split("-")
        return peer(SHAPES[shape], precision, trained, options.threads)
    unknown = set(options.cases) - set(CASES)
    if unknown:
        parser.error(f"unknown case {', '.join(sorted(unknown))}; known: {', '.join(CASES)}")
    medians = [compare(case, options) for case in options.cases or CASES]
    print(f"least median ratio {min(medians):.3f}")
    return 1 if options.least and min(medians) < options.least else 0


if __name__ == "__main__":
    sys.exit(main())
