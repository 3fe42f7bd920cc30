#!/usr/bin/env python3
"""Measures tables of the static model on the development sets, vectors alone and fused with BM25.

    python3 evaluate.py FOLDER_OF_SETS TABLE [TABLE...]

A document is as near as its best turn (cosine of full-precision sums). Prints the columns of README's table, then the
same fused with BM25 by equal reciprocal ranks, then how similar related and unrelated pairs are.
"""
import json
import os
import re
import sys
from collections import Counter, defaultdict
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
import numpy as np  # noqa: E402
from scipy.sparse import csr_matrix  # noqa: E402

from tokens import Tokenizer, read  # noqa: E402

FUSE = 60
STOP = set(
    """a an and are as at be been but by can could did do does for from had has have how i if in into is it its me my of on
    or our should so that the their them then there these they this to was we were what when where which who why will with
    would you your""".split()
)


def lines(path):
    with open(path) as file:
        return [json.loads(line) for line in file]


class Set:
    def __init__(self, folder, pooled=False):
        docs = lines(folder / "docs.jsonl")
        self.ids = [d["id"] for d in docs]
        place = {d: i for i, d in enumerate(self.ids)}
        self.units, self.owner = [], []
        for i, d in enumerate(docs):
            for text in [d["text"]] if "text" in d else [t["content"] for t in d["turns"]]:
                self.units.append(text)
                self.owner.append(i)
        self.owner = np.array(self.owner)
        gold = defaultdict(set)
        for line in (folder / "qrels.tsv").read_text().splitlines():
            qid, doc = line.split("\t")[:2]
            gold[qid].add(place[doc])
        hays = {}
        if not pooled and (folder / "haystacks.jsonl").exists():
            for h in lines(folder / "haystacks.jsonl"):
                hays[h["haystack"]] = np.array([place[d["id"]] for d in h["docs"]])
        everything = np.arange(len(docs))
        self.queries, self.gold, self.where = [], [], []
        for q in lines(folder / "queries.jsonl"):
            if q.get("abstention") or q["qid"] not in gold:
                continue
            self.queries.append(q["query"])
            self.gold.append(gold[q["qid"]])
            self.where.append(everything if pooled else hays.get(q.get("haystack"), everything))
        self.bm25 = None

    def lexical(self):
        """BM25 of every question over every document; made once."""
        if self.bm25 is None:
            word = re.compile(r"[a-z0-9]+")

            def cut(text):
                return [w[:-1] if len(w) > 3 and w.endswith("s") else w for w in word.findall(text.lower()) if w not in STOP]

            wanted = {w for q in self.queries for w in cut(q)}
            counts, sizes = defaultdict(Counter), np.zeros(len(self.ids))
            for unit, doc in zip(self.units, self.owner):
                words = cut(unit)
                sizes[doc] += len(words)
                for w in words:
                    if w in wanted:
                        counts[w][doc] += 1
            n, mean = len(self.ids), sizes.mean()
            self.bm25 = np.zeros((len(self.queries), n), np.float32)
            for q, query in enumerate(self.queries):
                for w in set(cut(query)):
                    if (found := counts.get(w)) is None:
                        continue
                    at = np.fromiter(found, int)
                    tf = np.fromiter(found.values(), float)
                    idf = np.log(1 + (n - len(at) + 0.5) / (len(at) + 0.5))
                    self.bm25[q, at] += idf * tf * 2.2 / (tf + 1.2 * (0.25 + 0.75 * sizes[at] / mean))
        return self.bm25

    def tokenized(self, tokenizer):
        key = id(tokenizer)
        if getattr(self, "key", None) != key:
            self.key = key
            self.matrix = [counts_of(tokenizer, texts) for texts in (self.units, self.queries)]
        return self.matrix


def counts_of(tokenizer, texts):
    rows = [tokenizer(t) for t in texts]
    starts = np.cumsum([0] + [len(r) for r in rows])
    flat = np.fromiter((r for row in rows for r in row), np.int32, starts[-1])
    return csr_matrix((np.ones(len(flat), np.float32), flat, starts), (len(texts), len(tokenizer.tokens)))


def unit(x):
    return x / np.maximum(np.linalg.norm(x, axis=1, keepdims=True), 1e-9)


def similarities(one, vectors):
    """[questions, documents]: that of the best turn."""
    units, queries = vectors
    best = np.full((len(queries), len(one.ids)), -1, np.float32)
    for at in range(0, len(units), 20000):
        scores = queries @ units[at : at + 20000].T
        np.maximum.at(best.T, one.owner[at : at + 20000], scores.T)
    return best


def ranking(scores):
    return np.argsort(-scores, kind="stable")


def measure(one, scores):
    """any@1, any@5, any@10, all@5, MRR in per cent."""
    out = []
    for q, (gold, where) in enumerate(zip(one.gold, one.where)):
        order = where[ranking(scores[q, where])]
        hits = np.array([d in gold for d in order])
        first = int(hits.argmax()) if hits.any() else 10**9
        out.append([first < 1, first < 5, first < 10, hits[:5].sum() >= len(gold), 1 / (1 + first)])
    return 100 * np.mean(out, axis=0)


def fused(one, scores):
    lexical = one.lexical()
    out = np.zeros_like(scores)
    for q, where in enumerate(one.where):
        for part in (scores[q, where], lexical[q, where]):
            rank = np.empty(len(where))
            rank[ranking(part)] = np.arange(len(where))
            rank[part <= 0] = np.inf
            out[q, where] += 1 / (FUSE + 1 + rank)
    return out


class Sets:
    def __init__(self, root):
        root = Path(root)
        self.sets = {
            "lme": Set(root / "lme_s"),
            "locomo": Set(root / "locomo"),
            "cosqa": Set(root / "cosqa"),
            "entire": Set(root / "codemem_entire"),
        }
        lme = self.sets["lme"]
        self.pool = object.__new__(Set)
        self.pool.__dict__ = dict(lme.__dict__)
        self.pool.where = [np.arange(len(lme.ids))] * len(lme.queries)

    def figures(self, tokenizer, rows, bm25=False, similar=False):
        """One line: lme any@1 any@5 any@10 all@5 | pool any@5 | locomo | cosqa | entire any@5 | MRR over five."""
        result, vectors, all_scores = {}, {}, {}
        for name, one in self.sets.items():
            vectors[name] = [unit(m @ rows) for m in one.tokenized(tokenizer)]
            all_scores[name] = scores = similarities(one, vectors[name])
            result[name] = measure(one, scores)
            if name == "lme":
                result["pool"] = measure(self.pool, scores)
        print_line("vectors", result)
        if bm25:
            both = {}
            for name, one in self.sets.items():
                both[name] = measure(one, fused(one, all_scores[name]))
            self.pool.bm25 = self.sets["lme"].lexical()
            both["pool"] = measure(self.pool, fused(self.pool, all_scores["lme"]))
            print_line("+ bm25", both)
        if similar:
            self.similar(vectors, all_scores)
        return result

    def similar(self, vectors, all_scores):
        rng = np.random.default_rng(1)
        for name, one in self.sets.items():
            best = [all_scores[name][q, list(gold)].max() for q, gold in enumerate(one.gold)]
            print(f"  answer  {name:8} mean {np.mean(best):.2f} p10 {np.quantile(best, .1):.2f} p50 {np.median(best):.2f}")
        for name, one in self.sets.items():
            for other, two in self.sets.items():
                queries = vectors[name][1]
                units = vectors[other][0]
                pairs = rng.integers(0, [len(queries), len(units)], (200000, 2))
                if name == other:
                    keep = [two.owner[u] not in one.gold[q] for q, u in pairs]
                    pairs = pairs[keep]
                s = np.einsum("ij,ij->i", queries[pairs[:, 0]], units[pairs[:, 1]])
                p = np.quantile(s, [0.5, 0.95, 0.99])
                line = f"  strangers {name}->{other}: mean {s.mean():.2f} p50 {p[0]:.2f} p95 {p[1]:.2f} p99 {p[2]:.2f}; best of"
                for n in (100, 1000, 10000):
                    tops = []
                    for q in range(min(len(queries), 100)):
                        where = rng.integers(0, len(units), n)
                        if name == other:
                            gold = one.gold[q]
                            where = np.array([u for u in where if two.owner[u] not in gold])
                        tops.append((units[where] @ queries[q]).max())
                    line += f" {n}: {np.median(tops):.2f} (p95 {np.quantile(tops, .95):.2f})"
                print(line)


def print_line(label, result):
    lme = " ".join(f"{v:.1f}" for v in result["lme"][:4])
    rest = " | ".join(f"{result[n][1]:.1f}" for n in ("pool", "locomo", "cosqa", "entire"))
    mrr = np.mean([result[n][4] for n in ("lme", "pool", "locomo", "cosqa", "entire")])
    each = " ".join(f"{result[n][4]:.1f}" for n in ("lme", "pool", "locomo", "cosqa", "entire"))
    print(f"{label:8} | {lme} | {rest} | {mrr:.1f} | (mrr {each})", flush=True)


def main():
    sets = Sets(sys.argv[1])
    for path in sys.argv[2:]:
        tokens, values, scales = read(path)
        print(path)
        sets.figures(Tokenizer(tokens), values.astype(np.float32) * scales[:, None], bm25=True, similar=True)


if __name__ == "__main__":
    main()
