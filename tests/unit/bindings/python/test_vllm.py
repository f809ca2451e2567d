"""tilewright.vllm: what sweeps find becomes tables in vLLM's format. Where there is no vLLM, a small package stands in its
place, with the functions that the evaluator and the writer call."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

EXAMPLES = pathlib.Path(__file__).resolve().parents[4] / "examples" / "evaluator"
PROGRAM = os.environ.get("TILEWRIGHT_TEST_PROGRAM")

# A row of one of vLLM's own tables: E=128,N=192,device_name=NVIDIA_H200.json, at 1024 tokens.
RECORDED = {
    "BLOCK_SIZE_M": 128, "BLOCK_SIZE_N": 256, "BLOCK_SIZE_K": 64, "GROUP_SIZE_M": 16, "num_warps": 8, "num_stages": 4
}  # fmt: skip
CONFIGURATION = {
    "ROW": "own", "BLOCK_M": 128, "BLOCK_N": 256, "BLOCK_K": 64, "GROUP_M": 16, "num_warps": 8, "num_stages": 4
}  # fmt: skip
DEFAULT = {"BLOCK_SIZE_M": 16, "BLOCK_SIZE_N": 32, "BLOCK_SIZE_K": 64, "GROUP_SIZE_M": 1}

# With 16 tokens the default takes nine times as long as a row, with 4 tokens it is the other way round.
LAYERS = """
import contextlib
import torch

now = None

@contextlib.contextmanager
def override_config(config):
    global now
    now = config
    yield
    now = None

def fused_experts(x, w1, w2, weights, chosen):
    is_slow = (now is None) == (len(x) == 16)
    for _ in range(9 if is_slow else 1):
        y = torch.zeros(x.shape)
        for token, (experts, shares) in enumerate(zip(chosen.tolist(), weights.tolist())):
            for expert, share in zip(experts, shares):
                gate, up = (w1[expert].float() @ x[token].float()).chunk(2)
                y[token] += share * (w2[expert].float() @ (torch.nn.functional.silu(gate) * up))
    return y.to(x.dtype)
"""
CHOICE = f"""
def try_get_optimal_moe_config(w1_shape, w2_shape, top_k, dtype, M):
    assert (w1_shape, w2_shape, top_k, dtype) == ((8, 128, 64), (8, 64, 64), 2, None)
    return {DEFAULT}
"""


def best(tokens=64, **changes):
    """A row of tilewright.results(…, what="best")."""
    problem = {"tokens": tokens, "top": 2, "experts": 8, "N": 64, "K": 64, "type": "bfloat16"}
    row = {f"problem.{name}": value for name, value in problem.items()}
    row |= {f"configuration.{name}": value for name, value in CONFIGURATION.items()}
    row |= {"device": "NVIDIA H200", "driver": "580", "tool": "0.3.0", "policy": "robust/graph", "stage": "final"}
    row |= {"strategy": "model version=v", "sweep": "s", "finished": 1, "median_us": 10.0, "default_us": 12.0}
    return row | changes


class Tables(unittest.TestCase):
    def setUp(self):
        from tilewright import vllm

        self.vllm = vllm
        self.addCleanup(setattr, vllm, "default_row", vllm.default_row)
        vllm.default_row = lambda problem: DEFAULT

    def test_have_the_recorded_format(self):
        made, notes, said = self.vllm.tables([best(1024), best(16, default_us=10.05)], "v")
        name = "E=8,N=64,device_name=NVIDIA_H200.json"
        self.assertEqual(made, {name: {"16": DEFAULT, "1024": RECORDED}})
        self.assertEqual(list(made[name]), ["16", "1024"])
        self.assertEqual([one["is_default"] for one in notes[name]], [False, True])
        self.assertIn("it keeps its default", said[0])

    def test_leave_out_what_is_not_proved(self):
        for changes, why in (
            ({"default_us": 10.05}, "no batch size is faster"),
            ({"default_us": None}, "no final"),
            ({"strategy": "model version=v1"}, "not measured with v"),
            ({"policy": "warm/author"}, "not timed by tilewright"),
        ):
            made, _, said = self.vllm.tables([best(**changes)], "v")
            self.assertEqual(made, {}, changes)
            self.assertIn(why, "\n".join(said))

    def test_have_one_row_for_a_batch(self):
        made, _, said = self.vllm.tables([best(), best(**{"problem.K": 128, "configuration.num_stages": 2})], "v")
        self.assertEqual(made, {"E=8,N=64,device_name=NVIDIA_H200.json": {"64": RECORDED}})
        self.assertIn("64 tokens: has a row already", said[0])

    def test_failures_are_told_in_a_sentence(self):
        with tempfile.TemporaryDirectory() as folder:
            for module, file in ("vllm", folder), ("inductor", f"{folder}/table.json"), ("inductor", f"{folder}/a.db"):
                command = [sys.executable, "-m", f"tilewright.{module}", f"{folder}/a.db", file]
                done = subprocess.run(command, capture_output=True, text=True)
                self.assertEqual(done.returncode, 1)
                why = "ends with .json" if file.endswith(".db") else "there is no database"
                self.assertRegex(done.stderr, f"^tilewright: .*{why}")
                self.assertEqual(os.listdir(folder), [])


@unittest.skipUnless(PROGRAM, "there is no program")
class OnTheHost(unittest.TestCase):
    def test_sweeps_of_the_evaluator_become_a_table(self):
        try:
            import torch  # noqa: F401
            import triton  # noqa: F401
        except ImportError as error:
            self.skipTest(f"no PyTorch with Triton: {error}")
        with tempfile.TemporaryDirectory() as folder:
            self.check(pathlib.Path(folder))

    def check(self, home):
        package = home / "vllm" / "model_executor" / "layers" / "fused_moe"
        package.mkdir(parents=True)
        (package / "__init__.py").write_text(LAYERS)
        (package / "fused_moe.py").write_text(CHOICE)
        (home / "vllm-7.0.dist-info").mkdir()
        (home / "vllm-7.0.dist-info" / "METADATA").write_text("Metadata-Version: 2.1\nName: vllm\nVersion: 7.0\n")
        path = f"{pathlib.Path(sys.executable).parent}:{os.environ['PATH']}"
        modules = f"{home}:{os.environ['PYTHONPATH']}"
        environment = os.environ | {"HOME": home, "TILEWRIGHT_LOCKS": home, "PATH": path, "PYTHONPATH": modules}

        def run(*command):
            done = subprocess.run(command, env=environment, capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            return done.stdout

        own = " && ".join(f"{name} == {value}" for name, value in CONFIGURATION.items() if name != "ROW")
        for tokens in 4, 16:
            words = [f"{EXAMPLES}/fused_moe.toml/vllm", f"tokens={tokens}", "N=64", "type=float16", "--device", "host"]
            run(PROGRAM, "sweep", *words, "--where", f"ROW == 'default' || {own}", "--db", home / "results.db")
        said = run(sys.executable, "-m", "tilewright.vllm", home / "results.db", home / "tables")
        self.assertIn("4 tokens: is at 1.000 of the default's speed", said)
        (file,) = (home / "tables").glob("E=8,N=64,device_name=*.json")
        self.assertEqual(json.loads(file.read_text()), {"4": DEFAULT, "16": RECORDED})
        notes = json.loads(pathlib.Path(f"{file}.tilewright").read_text())
        self.assertIn("vllm_7.0_triton_", notes[0]["versions"])
        file.rename(home / "tables" / "E=9.json")
        pathlib.Path(f"{file}.tilewright").rename(home / "tables" / "E=9.json.tilewright")
        said = run(sys.executable, "-m", "tilewright.vllm", home / "results.db", home / "tables")
        self.assertIn("E=9.json: stays as an earlier call wrote it", said)


if __name__ == "__main__":
    unittest.main()
