"""torch.nn.Conv2d for inference, by tilewright where that is faster."""

import torch

from .._arrays import plain_name
from ._layers import ConvLayer, is_either, is_last, ready

_BOUNDARIES = {"zeros": "zero", "reflect": "mirror", "replicate": "replicate", "circular": "wrap"}
_TYPES = (torch.float16, torch.bfloat16, torch.float32)  # not float64, whose biases no snippet takes
_DEVICES = ("cpu", "cuda")


class _Either(ConvLayer):
    """A layer that PyTorch computes where `layers` knows nothing better. `plain`: a torch.nn.Conv2d
    with its settings, whose parameters do not matter. Both are None in what is derived from it."""

    def __init__(self, runtime, *, layers=None, plain=None, **settings):
        super().__init__(runtime, **settings)
        self._layers = layers
        self._plain = plain
        self._ours = {}  # by looks: whether it is faster eager, and captured
        self.has_ours = False

    def key(self, image, filter_):
        """What times are known by, and the problem."""
        _, shape = self._helper._sizes(image.shape, filter_.shape)
        last = is_last(image) or is_last(filter_)
        # Kernels are made for the former, which calls take where sizes of 1 leave it open.
        is_open = all(map(is_either, (image.shape, filter_.shape, shape)))
        layout = "last" if last or is_open else "first"
        type_ = plain_name(image.dtype)
        sizes, _ = self._helper.sizes_of(image.shape, filter_.shape, type_, layout, layout)
        problem = self._helper._problem | sizes | {"filter": "prepared"}
        return self._layers.key_of(problem, image.device), problem

    def is_ours(self, image, filter_):
        look = image.shape, image.stride(), image.dtype, image.device, filter_.stride()
        ours = self._ours.get(look)
        if ours is None:
            ours = self._ours[look] = self._layers.are_ours(self.key(image, filter_)[0])
            self.has_ours |= any(ours)
        is_captured = image.is_cuda and torch.cuda.is_current_stream_capturing()
        return ours[is_captured]

    def forget(self):
        self._ours.clear()

    def by_torch(self, image, filter_, bias=None):
        return self._plain._conv_forward(image, filter_, bias)

    def by_tilewright(self, arrays):
        with torch.cuda.device_of(arrays[0]):
            return super().launch(super().prepared([array.detach() for array in arrays], arrays))

    def prepared(self, arrays, given):
        if self._plain is None or self.is_ours(*arrays[:2]):
            return super().prepared(arrays, given)
        image, *parameters = arrays
        for place, (one, owner) in enumerate(zip(parameters, given[1:])):
            if one.dtype != image.dtype:
                key = "torch", image.dtype
                parameters[place] = self._converted(owner, one, key, lambda: one.to(image.dtype))
        return [image, *parameters, None]

    def launch(self, arrays):
        *inputs, out = arrays
        if out is not None:
            return super().launch(arrays)
        last = is_last(inputs[0]) or is_last(inputs[1])  # as imagined() says
        return ready(self.by_torch(*inputs), last)


class Conv2d(torch.nn.Conv2d):
    """torch.nn.Conv2d, computed by tilewright where `layers`, a torch_ops.Layers, knows that to be
    faster, the host's time included, and by PyTorch elsewhere.

        conv = torch_ops.Conv2d(64, 128, 3, padding=1, layers=layers)

    Parameters, their names in state_dict() and the other settings are those of torch.nn.Conv2d. It is
    for inference: where a gradient is needed, PyTorch computes it. torch.autocast, channels_last,
    torch.compile and CUDA graphs work. Under torch.compile, a layer of which tilewright computes some
    shape is one operator of the graph; tune before. On a GPU, float32 is of the
    precision tf32 if torch.backends.cudnn.allow_tf32 was set when the layer first met it.
    """

    def __init__(self, *args, layers, **settings):
        super().__init__(*args, **settings)
        self.join(layers)

    def join(self, layers):
        """Makes a torch.nn.Conv2d, whose class has become this one, one of the layers."""
        self._layers = layers
        self._either = {}  # by type and kind of device of the image

    def forward(self, image):
        parameters = [self.weight] if self.bias is None else [self.weight, self.bias]
        arrays = [image, *parameters]
        kind = image.device.type
        needs_gradient = torch.is_grad_enabled() and any(one.requires_grad for one in arrays)
        if image.dim() != 4 or kind not in _DEVICES or needs_gradient:
            return super().forward(image)
        if torch.is_autocast_enabled(kind) and image.dtype != torch.float64:
            arrays[0] = image.to(torch.get_autocast_dtype(kind))
        elif any(one.dtype != image.dtype for one in parameters):
            return super().forward(image)  # which says what is wrong
        made_for = arrays[0].dtype, kind
        either = self._either.get(made_for)
        if torch.compiler.is_compiling():
            is_known = either is not None and either.has_ours
            return either(*arrays) if is_known else super().forward(image)
        if either is None:
            if arrays[0].dtype not in _TYPES:
                return super().forward(image)
            either = self._either.setdefault(made_for, self._made(*made_for))
        self._layers.meet(either, arrays)
        return either.run(arrays) if either.is_ours(*arrays[:2]) else super().forward(image)

    def _made(self, type_, kind):
        padding = self.padding
        if isinstance(padding, str):  # "same" or "valid"
            reach = [d * (k - 1) for d, k in zip(self.dilation, self.kernel_size)]
            padding = [(r // 2, r - r // 2) if padding == "same" else 0 for r in reach]
        settings = {"stride": self.stride, "padding": tuple(padding), "dilation": self.dilation}
        settings |= {"groups": self.groups, "boundary": _BOUNDARIES[self.padding_mode]}
        settings["accuracy"] = self._layers.accuracy
        if kind == "cuda" and type_ == torch.float32 and torch.backends.cudnn.allow_tf32:
            settings["precision"] = "tf32"
        if self.bias is not None:
            settings["epilogue"] = "channel_bias"
        plain = torch.nn.Conv2d(
            self.in_channels,
            self.out_channels,
            self.kernel_size,
            self.stride,
            self.padding,
            self.dilation,
            self.groups,
            self.bias is not None,
            self.padding_mode,
            device="meta",
        )
        return _Either(self._layers.runtime, layers=self._layers, plain=plain, **settings)
