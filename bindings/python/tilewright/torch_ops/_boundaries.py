"""What lies beyond the edges of images, as kernel_templates/common/boundary.cuh has it."""

import torch

from ..errors import InputError


def _sources(boundary, size, before, after, device):
    """The index of the sample that stands at each place from `before` in front of a row of `size`
    samples to `after` behind it."""
    index = torch.arange(-before, size + after, device=device)
    if boundary == "replicate":
        return index.clamp(0, size - 1)
    if boundary == "reflect":
        folded = index % (2 * size)
        return torch.where(folded < size, folded, 2 * size - 1 - folded)
    if boundary == "mirror":
        period = max(2 * size - 2, 1)
        folded = index % period
        return torch.where(folded < size, folded, period - folded)
    if boundary == "wrap":
        return index % size
    raise InputError(f"the boundary '{boundary}' has no gradient")


def extended(image, boundary, edges):
    """The image with its edges. `edges`: (before, after) for each of its last dimensions."""
    if boundary == "zero":
        return with_zeros(image, edges)
    first = image.dim() - len(edges)
    for dimension, (before, after) in enumerate(edges, first):
        size = image.shape[dimension]
        sources = _sources(boundary, size, before, after, image.device)
        image = image.index_select(dimension, sources)
    return image


def with_zeros(image, edges):
    flat = [width for edge in reversed(edges) for width in edge]
    return torch.nn.functional.pad(image, flat)
