"""The process of an evaluator that tilewright times: its functions behind a session of the library."""

import contextlib
import ctypes
import json
import os
import struct
import sys
import traceback
from ctypes import CFUNCTYPE, POINTER, c_char_p, c_int, c_size_t, c_void_p

from ._library import check, lib
from ._numbers import ELEMENT_TYPES, SCALARS
from ._tune import FORMATS
from .evaluator import LONGEST_TEXT

# The results are addresses of texts, because ctypes would lose the memory of a text itself.
_Prepare = CFUNCTYPE(c_void_p, c_void_p, c_size_t, c_char_p)
_Call = CFUNCTYPE(c_void_p, c_void_p, c_size_t, POINTER(c_void_p), c_size_t, c_void_p)
lib.tw_serve_callable.argtypes = [c_char_p, _Prepare, _Call, c_void_p, c_int, c_int]
lib.tw_serve_callable.restype = c_int

_TYPES = {element.name: element for element in ELEMENT_TYPES}
# What arrays of other packages have as bits.
_BITS = {"bfloat16": "<i2", "float8_e4m3": "|i1", "float8_e5m2": "|i1"}
_TORCH = {"float8_e4m3": "float8_e4m3fn"}


def serve(server_class, session_class, kind, input_, output):
    for descriptor in (input_, output):
        os.set_inheritable(descriptor, False)
    functions = _Functions(lambda: server_class(session_class), kind)
    prepare, call = _Prepare(functions.prepare), _Call(functions.call)
    check(lib.tw_serve_callable(kind.encode(), prepare, call, None, input_, output))


def _typestr(name):
    element = _TYPES[name]
    return _BITS.get(name, f"<{element.kind[0]}{element.item_bytes}")


class _Memory:
    """A buffer of a GPU for packages that read __cuda_array_interface__."""

    def __init__(self, address, type_, count):
        self.__cuda_array_interface__ = {
            "shape": (count,),
            "typestr": _typestr(type_),
            "data": (address, False),
            "version": 3,
        }


def _array(address, operand, kind):
    """Of the package that the author's file has imported: PyTorch, CuPy or NumPy."""
    type_, count = operand["type"], operand["count"]
    if kind == "host":
        memory = (ctypes.c_char * (count * _TYPES[type_].item_bytes)).from_address(address)
        numpy = sys.modules.get("numpy")
        if numpy:
            return numpy.frombuffer(memory, _typestr(type_))
        return memoryview(memory).cast("B").cast(FORMATS[type_])
    memory = _Memory(address, type_, count)
    if torch := sys.modules.get("torch"):
        array = torch.as_tensor(memory, device="cuda")
        return array.view(getattr(torch, _TORCH.get(type_, type_))) if type_ in _BITS else array
    cupy = sys.modules.get("cupy")
    return cupy.asarray(memory) if cupy else memory


def _number(address, type_):
    if type_ in ("float16", "bfloat16"):
        bits = ctypes.string_at(address, 2)  # those of bfloat16 begin a float32
        return struct.unpack("<e", bits)[0] if type_ == "float16" else struct.unpack("<f", b"\0\0" + bits)[0]
    value = SCALARS[type_].from_address(address)
    return complex(*value) if type_ == "complex64" else value.value


def _value(address, operand, kind):
    if operand["kind"] == "buffer":
        return _array(address, operand, kind)
    if operand["kind"] == "scalar":
        return _number(address, operand["type"])
    step = _TYPES[operand["type"]].item_bytes
    return tuple(_number(address + i * step, operand["type"]) for i in range(operand["count"]))


@contextlib.contextmanager
def _on_stream(stream):
    """What PyTorch and CuPy call the current stream is this one."""
    with contextlib.ExitStack() as stack:
        torch, cupy = (sys.modules.get(name) if stream else None for name in ("torch", "cupy"))
        if torch:
            stack.enter_context(torch.cuda.stream(torch.cuda.ExternalStream(stream)))
        if cupy:
            stack.enter_context(cupy.cuda.ExternalStream(stream))
        yield


class _Functions:
    """One session of the author for each problem, with the function that it prepared last."""

    def __init__(self, make_server, kind):
        self._make_server, self._kind = make_server, kind
        self._servers, self._operands, self._values = {}, {}, {}
        self._said = None  # the answer whose address C has

    def prepare(self, _context, problem, request):
        return self._say(lambda: self._prepare(problem, json.loads(request) | {"id": 0}))

    def call(self, _context, problem, addresses, count, stream):
        return self._say(lambda: self._call(problem, tuple(addresses[:count]), stream))

    def _prepare(self, problem, request):
        if self._kind == "cuda" and (torch := sys.modules.get("torch")):
            torch.cuda.set_device(request["device"])
        # The process outlives a sweep. The next one counts its problems from 0 again.
        asked = {name: request[name] for name in ("device", "operation", "problem")}
        if problem not in self._servers or self._servers[problem][0] != asked:
            hello = {"verb": "hello", "protocol": 1, "task": "measure"}
            device = {"kind": self._kind, "index": request["device"]}
            server = self._make_server()
            answer = server.answer(request | hello | {"device": device})
            if "error" in answer:
                return answer
            self._servers[problem] = asked, server
        self._operands[problem] = request["operands"]
        self._values.clear()
        return self._servers[problem][1].answer(request | {"verb": "prepare"})

    def _call(self, problem, addresses, stream):
        values = self._values.get((problem, addresses))
        if values is None:
            operands = zip(addresses, self._operands[problem])
            values = [_value(address, one, self._kind) for address, one in operands]
            self._values[problem, addresses] = values
        with _on_stream(stream):
            answer = self._servers[problem][1].run(values)
        return answer if "error" in answer else None

    def _say(self, step):
        """The address of the step's answer. An exception is an answer, too: ctypes would only print it, and C would
        read an undefined address."""
        try:
            answer = step()
            text = json.dumps(answer)
        except BaseException as error:
            kind = "launch" if isinstance(error, Exception) else "broken"  # such as SystemExit
            answer = {"error": {"kind": kind, "text": traceback.format_exc()[-LONGEST_TEXT:]}}
            text = json.dumps(answer)
        if answer is None:
            return None
        self._said = ctypes.create_string_buffer(text.encode())
        return ctypes.addressof(self._said)
