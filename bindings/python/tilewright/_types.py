"""The types of elements: the rows of include/tilewright/element_type.hpp that Python needs."""

import typing


class ElementType(typing.NamedTuple):
    name: str
    kind: str  # "float", "int", "uint" or "complex"
    item_bytes: int
    dlpack_code: int


# In the order of tw_type.
ELEMENT_TYPES = (
    ElementType("float32", "float", 4, 2),
    ElementType("float64", "float", 8, 2),
    ElementType("int32", "int", 4, 0),
    ElementType("uint32", "uint", 4, 1),
    ElementType("int64", "int", 8, 0),
    ElementType("uint64", "uint", 8, 1),
    ElementType("uint8", "uint", 1, 1),
    ElementType("int8", "int", 1, 0),
    ElementType("int16", "int", 2, 0),
    ElementType("uint16", "uint", 2, 1),
    ElementType("float16", "float", 2, 2),
    ElementType("bfloat16", "float", 2, 4),
    ElementType("float8_e4m3", "float", 1, 10),
    ElementType("float8_e5m2", "float", 1, 12),
    ElementType("complex64", "complex", 8, 5),
)
