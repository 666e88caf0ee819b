#!/usr/bin/env python3
"""Golden values of a GPT-2-shape transformer, from plain PyTorch operations in float64.

An implementation of its own: nothing here knows the C++ code but the names of its tensors. Run it
where `import torch` works:

    python3 tests/golden/make_transformer.py

It writes transformer_<position>[_tied].safetensors beside itself. Each file holds

    weight.<name>        F32  parameters (values exact in float32)
    ids, targets         I64  [batch, time]
    logits               F64  [batch, time, vocabulary]
    loss                 F64  [1], mean cross-entropy of targets
    gradient.<name>      F64  of the loss, every parameter
    steps.all            F64  [10], losses before each of ten AdamW steps, every parameter trained
    steps.embeddings     F64  [10], the same with token, position and unembedding weights trained

and in its metadata the model's configuration. The optimiser: learning rate 1e-2, betas 0.9 and
0.95, epsilon 1e-8, decay 0.1 on trained tensors of two dimensions, gradients clipped to a total
norm of 1 over the trained tensors, the same batch in every step.
"""

import json
import math
import pathlib
import struct

import torch

WIDTH, LAYERS, HEADS, VOCABULARY, CONTEXT, HIDDEN = 16, 2, 2, 61, 24, 64
BATCH, TIME = 2, 20
EPSILON, ROTARY_BASE = 1e-5, 10000.0
EMBEDDINGS = {"token_embedding.weight", "position_embedding.weight", "unembedding.weight"}


def make_weights(position, tied, seed):
    """Random weights, larger than GPT-2's first ones so that nothing is nearly linear."""
    draw = torch.Generator().manual_seed(seed)

    def normal(scale, *shape):
        return (torch.randn(*shape, generator=draw, dtype=torch.float64) * scale).float()

    weights = {"token_embedding.weight": normal(0.5, VOCABULARY, WIDTH)}
    if position == "learned":
        weights["position_embedding.weight"] = normal(0.3, CONTEXT, WIDTH)
    for layer in range(LAYERS):
        block = f"blocks.{layer}."
        for norm in ("mixer_norm", "feed_forward_norm"):
            weights[block + norm + ".weight"] = 1 + normal(0.2, WIDTH)
            weights[block + norm + ".bias"] = normal(0.2, WIDTH)
        for name, outputs, inputs in (
            ("mixer.query_key", 2 * WIDTH, WIDTH),
            ("mixer.value", WIDTH, WIDTH),
            ("mixer.output", WIDTH, WIDTH),
            ("feed_forward.up", HIDDEN, WIDTH),
            ("feed_forward.down", WIDTH, HIDDEN),
        ):
            weights[block + name + ".weight"] = normal(1.2 / math.sqrt(inputs), outputs, inputs)
            weights[block + name + ".bias"] = normal(0.2, outputs)
    weights["final_norm.weight"] = 1 + normal(0.2, WIDTH)
    weights["final_norm.bias"] = normal(0.2, WIDTH)
    if not tied:
        weights["unembedding.weight"] = normal(0.4, VOCABULARY, WIDTH)
    return weights


def normalise(x, weight, bias):
    centred = x - x.mean(-1, keepdim=True)
    return centred / (centred.square().mean(-1, keepdim=True) + EPSILON).sqrt() * weight + bias


def turn(x):
    """Rotary positions by complex multiplication; x: [batch, heads, time, head_width]."""
    half = x.shape[-1] // 2
    frequencies = torch.tensor([ROTARY_BASE ** (-i / half) for i in range(half)], dtype=x.dtype)
    angles = torch.arange(x.shape[2], dtype=x.dtype)[:, None] * frequencies
    turned = torch.complex(x[..., :half], x[..., half:]) * torch.polar(torch.ones_like(angles), angles)
    return torch.cat([turned.real, turned.imag], dim=-1)


def logits_of(w, ids, position, tied):
    time = ids.shape[1]
    x = w["token_embedding.weight"][ids]
    if position == "learned":
        x = x + w["position_embedding.weight"][:time]
    future = torch.ones(time, time, dtype=torch.bool).triu(1)

    def heads(y):
        return y.unflatten(-1, (HEADS, WIDTH // HEADS)).movedim(2, 1)

    for layer in range(LAYERS):
        p = f"blocks.{layer}."
        h = normalise(x, w[p + "mixer_norm.weight"], w[p + "mixer_norm.bias"])
        both = h @ w[p + "mixer.query_key.weight"].T + w[p + "mixer.query_key.bias"]
        q, k = heads(both[..., :WIDTH]), heads(both[..., WIDTH:])
        v = heads(h @ w[p + "mixer.value.weight"].T + w[p + "mixer.value.bias"])
        if position == "rotary":
            q, k = turn(q), turn(k)
        scores = (q @ k.mT / math.sqrt(WIDTH // HEADS)).masked_fill(future, -math.inf)
        scores = (scores - scores.amax(-1, keepdim=True)).exp()
        mixed = (scores / scores.sum(-1, keepdim=True) @ v).movedim(1, 2).flatten(2)
        x = x + mixed @ w[p + "mixer.output.weight"].T + w[p + "mixer.output.bias"]
        h = normalise(x, w[p + "feed_forward_norm.weight"], w[p + "feed_forward_norm.bias"])
        h = h @ w[p + "feed_forward.up.weight"].T + w[p + "feed_forward.up.bias"]
        h = 0.5 * h * (1 + (math.sqrt(2 / math.pi) * (h + 0.044715 * h**3)).tanh())
        x = x + h @ w[p + "feed_forward.down.weight"].T + w[p + "feed_forward.down.bias"]
    x = normalise(x, w["final_norm.weight"], w["final_norm.bias"])
    return x @ w["token_embedding.weight" if tied else "unembedding.weight"].T


def loss_of(logits, targets):
    chosen = logits.gather(-1, targets[..., None])[..., 0]
    return (logits.logsumexp(-1) - chosen).mean()


def ten_steps(weights, trained, ids, targets, position, tied):
    w = {name: value.double().requires_grad_(name in trained) for name, value in weights.items()}
    first = {name: torch.zeros_like(w[name]) for name in trained}
    second = {name: torch.zeros_like(w[name]) for name in trained}
    losses = []
    for step in range(1, 11):
        loss = loss_of(logits_of(w, ids, position, tied), targets)
        losses.append(loss.item())
        gradients = dict(zip(trained, torch.autograd.grad(loss, [w[name] for name in trained])))
        norm = math.sqrt(sum(g.square().sum().item() for g in gradients.values()))
        with torch.no_grad():
            for name, gradient in gradients.items():
                gradient = gradient * min(1.0, 1.0 / norm)
                first[name] = 0.9 * first[name] + 0.1 * gradient
                second[name] = 0.95 * second[name] + 0.05 * gradient**2
                decay = 0.1 if w[name].dim() >= 2 else 0.0
                change = first[name] / (1 - 0.9**step)
                change = change / ((second[name] / (1 - 0.95**step)).sqrt() + 1e-8)
                w[name].mul_(1 - 1e-2 * decay).sub_(1e-2 * change)
    return torch.tensor(losses, dtype=torch.float64)


def write_safetensors(path, tensors, metadata):
    kinds = {torch.float32: "F32", torch.float64: "F64", torch.int64: "I64"}
    header, body = {"__metadata__": metadata}, b""
    for name, tensor in tensors.items():
        data = tensor.detach().contiguous().numpy().astype(tensor.numpy(force=True).dtype.newbyteorder("<"))
        raw = data.tobytes()
        header[name] = {
            "dtype": kinds[tensor.dtype],
            "shape": list(tensor.shape),
            "data_offsets": [len(body), len(body) + len(raw)],
        }
        body += raw
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    path.write_bytes(struct.pack("<Q", len(text)) + text + body)


def make_golden(position, tied, seed):
    weights = make_weights(position, tied, seed)
    draw = torch.Generator().manual_seed(seed + 1)
    ids = torch.randint(VOCABULARY, (BATCH, TIME), generator=draw)
    targets = torch.randint(VOCABULARY, (BATCH, TIME), generator=draw)

    w = {name: value.double().requires_grad_() for name, value in weights.items()}
    logits = logits_of(w, ids, position, tied)
    loss = loss_of(logits, targets)
    loss.backward()

    tensors = {"weight." + name: value for name, value in weights.items()}
    tensors |= {"ids": ids, "targets": targets, "logits": logits, "loss": loss.reshape(1)}
    tensors |= {"gradient." + name: value.grad for name, value in w.items()}
    for preset, trained in (("all", list(weights)), ("embeddings", [n for n in weights if n in EMBEDDINGS])):
        tensors["steps." + preset] = ten_steps(weights, trained, ids, targets, position, tied)
    metadata = {
        "vocabulary": VOCABULARY, "context": CONTEXT, "width": WIDTH, "layers": LAYERS,
        "heads": HEADS, "feed_forward": HIDDEN, "position": position, "rotary_base": ROTARY_BASE,
        "norm_epsilon": EPSILON, "tied_unembedding": tied,
    }
    name = f"transformer_{position}{'_tied' if tied else ''}.safetensors"
    write_safetensors(pathlib.Path(__file__).with_name(name), tensors,
                      {key: json.dumps(value) if not isinstance(value, str) else value
                       for key, value in metadata.items()})


if __name__ == "__main__":
    make_golden("learned", tied=False, seed=11)
    make_golden("learned", tied=True, seed=22)
    make_golden("rotary", tied=False, seed=33)
    make_golden("none", tied=True, seed=44)
