"""Programs that fork, or end, while the library has threads. On the host device."""

import os
import signal
import subprocess
import sys
import tempfile
import textwrap
import unittest

from test_runtime import SAMPLES, TEMPLATES, Blend, open_runtime

HANGS = 60  # seconds, when SIGALRM ends a child that hangs


class Forking(unittest.TestCase):
    def launch(self, kernel):
        blend = Blend()
        kernel(*blend.all())
        self.assertEqual(list(blend.y), blend.expected())

    def in_child(self, work):
        child = os.fork()
        if child == 0:
            status = 1
            try:
                signal.alarm(HANGS)
                work()
                status = 0
            finally:
                os._exit(status)
        self.assertEqual(os.waitpid(child, 0)[1], 0)

    def test_a_child_launches_what_its_parent_has_launched(self):
        kernel = open_runtime().kernel("blend", count=30, device="host")
        self.launch(kernel)
        self.in_child(lambda: self.launch(kernel))
        self.launch(kernel)

    def test_a_child_opens_its_own(self):
        runtime = open_runtime()
        self.launch(runtime.kernel("blend", count=30, device="host"))
        self.in_child(
            lambda: self.launch(open_runtime().kernel("blend", count=30, device="host"))
        )


class Ending(unittest.TestCase):
    # The program's end waits in getchar() after everything static is gone. It was registered first.
    PROGRAM = """
        import ctypes, sys, threading, time
        libc = ctypes.CDLL(None)
        libc.on_exit(libc.getchar, None)
        import tilewright
        results, templates, kernels, cache, compiling = sys.argv[1:]
        runtime = tilewright.Runtime(
            results, [templates, kernels], cache=cache, compiling=compiling or None
        )
        work = lambda: runtime.kernel("gemm/naive", M=9, N=17, K=16, device="host").prepare()
        threading.Thread(target=work, daemon=True).start()
        time.sleep(0.05)  # it compiles now
    """

    def test_while_a_thread_compiles(self):
        for compiling in ("", "in_background"):
            with tempfile.TemporaryDirectory() as cache:
                words = [SAMPLES / "results.db", TEMPLATES, SAMPLES / "kernels", cache, compiling]
                program = subprocess.Popen(
                    [sys.executable, "-c", textwrap.dedent(self.PROGRAM), *words],
                    stdin=subprocess.PIPE,
                    stderr=subprocess.PIPE,
                    text=True,
                )
                try:
                    program.wait(4)  # the compile ends meanwhile, or crashes
                except subprocess.TimeoutExpired:
                    pass
                _, errors = program.communicate("\n", timeout=HANGS)
                self.assertEqual((program.returncode, errors), (0, ""))


if __name__ == "__main__":
    unittest.main()
