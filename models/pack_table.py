#!/usr/bin/env python3
"""Rounds a table that `train.py` wrote to four bits a value, which is the file that goes into the binary.

    .venv/bin/python models/pack_table.py trained.hark models/static-256.hark

A value is one of the odd numbers from -15 to 15, times its row's scale; the scale is the one that loses least. Everything
else stays as it is. The layout is described in `crates/engine/src/embed/table.rs`.
"""
import hashlib
import struct
import sys
from pathlib import Path

import numpy as np
from pack import best_step, round_to
from tokens import read

HEADER = 64


def main():
    raw = Path(sys.argv[1]).read_bytes()
    assert raw[:8] == b"HARKEMB1", "this table is packed already"
    tokens, values, scales = read(sys.argv[1])
    count, dims = values.shape
    rows = values.astype(np.float64) * scales[:, None].astype(np.float64)
    steps = best_step(rows, 4).astype(np.float32)
    codes = round_to(rows, steps, 4).astype(np.uint8)
    records = np.zeros(count, [("scale", "<f4"), ("pairs", "u1", dims // 2)])
    records["scale"] = steps[:, 0]
    records["pairs"] = codes[:, : dims // 2] | codes[:, dims // 2 :] << 4
    before = raw[HEADER : len(raw) - count * (dims + 4)]
    body = before + records.tobytes()
    name = f"static-{dims}-{hashlib.sha256(body).hexdigest()[:12]}".encode().ljust(32, b"\0")
    Path(sys.argv[2]).write_bytes(b"HARKEMB2" + raw[8:32] + name + body)


if __name__ == "__main__":
    main()
