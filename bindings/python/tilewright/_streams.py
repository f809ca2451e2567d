# SPDX-FileCopyrightText: 2026 The tilewright authors
# SPDX-License-Identifier: MIT
"""Streams of any library as a cudaStream_t, an integer."""

import ctypes
import sys

from .errors import InputError


def stream_pointer(stream):
    """Of an integer or of a stream of CuPy, PyTorch, Numba or cuda.core."""
    if isinstance(stream, int):
        return stream
    if hasattr(stream, "__cuda_stream__"):
        protocol = stream.__cuda_stream__
        return int((protocol() if callable(protocol) else protocol)[1])
    for name in ("cuda_stream", "ptr", "handle"):  # PyTorch, CuPy, Numba
        pointer = getattr(stream, name, None)
        if isinstance(pointer, ctypes.c_void_p):
            return pointer.value or 0
        if isinstance(pointer, int):
            return pointer
    raise InputError(
        f"stream: {type(stream).__name__} is no stream; give an integer (a cudaStream_t) or a "
        "stream of CuPy, PyTorch, Numba or cuda.core"
    )


def _current_stream(array):
    """That on which the array's library works now; None: it does not say."""
    library = type(array).__module__.partition(".")[0]
    if library == "torch" and array.is_cuda:
        return sys.modules["torch"].cuda.current_stream(array.device).cuda_stream
    if library == "cupy":
        return sys.modules["cupy"].cuda.get_current_stream().ptr
    interface = getattr(array, "__cuda_array_interface__", None)
    return interface.get("stream") if interface else None


def stream_of(arrays):
    """The current stream of the arrays' library; the default stream where none says any."""
    streams = {_current_stream(array) for array in arrays} - {None}
    streams = {0 if stream == 1 else stream for stream in streams}  # both: the legacy default
    if len(streams) > 1:
        raise InputError("the arrays are of different streams; give the launch's with stream=")
    return streams.pop() if streams else 0
