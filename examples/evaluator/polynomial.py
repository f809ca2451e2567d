"""Compiles polynomial.c with the flags of a configuration, checks it and times it."""

import ctypes
import pathlib
import subprocess
import tempfile

from tilewright.evaluator import Prepared, serve

SOURCE = pathlib.Path(__file__).with_name("polynomial.c")
COEFFICIENTS = [0.5, -1.25, 2.0, 0.75, -0.5, 1.5, -2.25, 1.0]


class Session:
    def begin(self, hello):
        n = hello["problem"]["n"]
        self.x = (ctypes.c_double * n)(*(i % 97 / 97 - 0.5 for i in range(n)))
        self.y = (ctypes.c_double * n)()

    def prepare(self, problem, configuration):
        level, unroll, fused = (configuration[name] for name in ("LEVEL", "UNROLL", "FUSED"))
        with tempfile.TemporaryDirectory() as folder:
            library = pathlib.Path(folder, "polynomial.so")
            flags = [f"-O{level}", f"-DUNROLL={unroll}", f"-ffp-contract={fused}"]
            subprocess.run(["cc", *flags, "-shared", "-fPIC", SOURCE, "-o", library], check=True)
            function, code = ctypes.CDLL(str(library)).polynomial, library.read_bytes()
        arguments = self.x, self.y, ctypes.c_long(problem["n"])
        return Prepared(lambda: function(*arguments), code=code)

    def check(self, run):
        ctypes.memset(self.y, 0xFF, ctypes.sizeof(self.y))  # NaN
        run()
        for x, y in zip(self.x, self.y):
            right = 0.0
            for c in COEFFICIENTS:
                right = right * x + c
            if not abs(y - right) <= 1e-12:
                return f"p({x}) is {y}, not {right}"
        return {"correct": True, "checked": len(self.y)}


serve(Session)
