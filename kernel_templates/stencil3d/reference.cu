// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT

// Right answers of one step of stencil3d for problems with an epilogue, in double: one thread
// computes one output of each plane.

#include "../common/element.cuh"
#include "../common/epilogue.cuh"
#include "../common/reference_boundary.cuh"

using Element = Stored<TYPE>;
using Real = decltype(widened(Element{}));

struct Coefficients {
  Real values[13];
};

// Samples of a row, a column or a line of planes, `stride` elements apart.
struct Line {
  const Element* samples;
  int stride, length, boundary;

  __device__ double at(int index) const {
    const int source = reference_source(index, length, boundary);
    return source < 0 ? 0.0 : to<double>(samples[source * stride]);
  }
  // The sum of the star's points on the line, but the middle.
  __device__ double star(int place, const Real* coefficients, int radius) const {
    double sum = 0;
    for (int r = 1; r <= radius; ++r)
      sum += static_cast<double>(coefficients[r - 1]) * (at(place - r) + at(place + r));
    return sum;
  }
  __device__ bool is_near_end(int place, int radius) const {
    return place < radius || place >= length - radius;
  }
};

extern "C" __global__ void stencil3d_reference(const Element* field, Coefficients coefficients,
                                               Element* output, int width, int height, int depth,
                                               int pitch, int radius, int batch,
                                               int boundary EPILOGUE_PARAMETERS) {
  const Epilogue epilogue = EPILOGUE_ARGUMENTS;
  const int row = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
  const int column = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (row >= height || column >= width) return;
  for (int plane = static_cast<int>(blockIdx.z); plane < depth * batch;
       plane += static_cast<int>(gridDim.z)) {
    const int z = plane % depth;
    const int index = (plane * height + row) * pitch + column;
    const Element* point = field + index;
    const Line x = {point - column, 1, width, boundary};
    const Line y = {point - row * pitch, pitch, height, boundary};
    const Line up = {point - z * height * pitch, height * pitch, depth, boundary};
    const Real* c = coefficients.values;
    double sum = to<double>(*point);
    const bool is_fixed = x.is_near_end(column, radius) || y.is_near_end(row, radius) ||
                          up.is_near_end(z, radius);
    if (boundary != BOUNDARY_FIXED || !is_fixed)
      sum = static_cast<double>(c[0]) * sum + x.star(column, c + 1, radius) +
            y.star(row, c + 1 + radius, radius) + up.star(z, c + 1 + 2 * radius, radius);
    output[index] = to<Element>(epilogue(sum, z, row, column, plane / depth, index));
  }
}
