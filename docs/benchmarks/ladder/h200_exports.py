#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The tilewright authors
# SPDX-License-Identifier: MIT
"""The exports inside docs/benchmarks/h200-trust as one that today's definitions read.
usage: h200_exports.py FILE.json.gz… > export.json
Products stored when gemm had only M, N and K get the other dimensions of the plain product."""
import gzip
import json
import sys

document = None
for name in sys.argv[1:]:
    export = json.load(gzip.open(name))["export"]
    for sweep in export["sweeps"]:
        values = sweep["key"]["problem"]["values"]
        if sweep["key"]["operation"] == "gemm" and "lda" not in values:
            m, n, k = values["M"], values["N"], values["K"]
            values.update(batch=1, lda=k, ldb=n, ldc=n, stride_a=m * k, stride_b=k * n, stride_c=m * n)
            values.update(transpose_a="no", transpose_b="no", accumulate="no", epilogue="none")
    if document is None:
        document = export
    else:
        document["sweeps"] += export["sweeps"]
json.dump(document, sys.stdout)
