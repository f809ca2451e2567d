"""vLLM's layer of a mixture of experts, from the installed package, with a configuration as its tables have it."""

import torch
from tilewright import vllm
from tilewright.evaluator import serve
from vllm.model_executor.layers.fused_moe import fused_experts, override_config


class Session:
    def prepare(self, problem, configuration):
        tokens, top, experts, n, k = (problem[name] for name in ("tokens", "top", "experts", "N", "K"))
        row = vllm.row(configuration)

        def layer(x, w1, w2, weights, chosen, _hidden, y):
            x, w1, w2, weights, chosen, y = map(torch.as_tensor, (x, w1, w2, weights, chosen, y))
            matrices = x.view(tokens, k), w1.view(experts, 2 * n, k), w2.view(experts, k, n)
            with override_config(row):
                y.view(tokens, k).copy_(fused_experts(*matrices, weights.view(tokens, top), chosen.view(tokens, top)))

        return layer


serve(Session)
