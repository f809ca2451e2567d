"""The epilogues that come with tilewright, as PyTorch computes them."""

import dataclasses

import torch


@dataclasses.dataclass(frozen=True)
class Epilogue:
    compute: object  # (value, *arguments) → what is stored
    is_sum: bool = False  # its gradients do not depend on the value


def known(axes):
    """The Epilogues by name. `axes`: those of a plane or volume, which follow the channels' one."""

    def over_planes(bias):
        return bias.reshape(-1, *[1] * axes)

    def gelu(value):
        return torch.nn.functional.gelu(value, approximate="tanh")

    return {
        "bias": Epilogue(lambda value, bias: value + bias, is_sum=True),
        "bias_gelu": Epilogue(lambda value, bias: gelu(value + bias)),
        "bias_relu": Epilogue(lambda value, bias: torch.relu(value + bias)),
        "channel_bias_relu": Epilogue(
            lambda value, bias: torch.relu(value + over_planes(bias))
        ),
        "residual": Epilogue(
            lambda value, residual: value + residual.reshape(value.shape), is_sum=True
        ),
        "row_bias": Epilogue(lambda value, bias: value + bias[:, None], is_sum=True),
        "scaled": Epilogue(lambda value, rows, columns: value * rows[:, None] * columns),
    }
