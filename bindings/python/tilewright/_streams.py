"""Streams of any library as a cudaStream_t, an integer."""

import ctypes
import sys

from .errors import InputError


def stream_pointer(stream):
    """The pointer of a stream of CuPy, PyTorch, Numba or cuda.core; an integer stays as it is."""
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
        f"stream: {type(stream).__name__} is not a stream; give an integer (a cudaStream_t) or a "
        "stream of CuPy, PyTorch, Numba or cuda.core"
    )


def current_stream(array):
    """The stream that the array's library uses now; None if it does not say."""
    library = type(array).__module__.partition(".")[0]
    if library == "torch" and array.is_cuda:
        return sys.modules["torch"].cuda.current_stream(array.device).cuda_stream
    if library == "cupy":
        return sys.modules["cupy"].cuda.get_current_stream().ptr
    interface = getattr(array, "__cuda_array_interface__", None)
    return interface.get("stream") if isinstance(interface, dict) else None


def stream_of(arrays):
    """The current stream of the arrays' library; the default stream if no library names one."""
    streams = {current_stream(array) for array in arrays} - {None}
    streams = {0 if stream == 1 else stream for stream in streams}  # both are the legacy default
    if len(streams) > 1:
        raise InputError("the arrays use different streams; name the launch's with stream=")
    return streams.pop() if streams else 0
