// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT

// Right answers of conv1d for problems with an epilogue, in double: one thread computes one output.

#include "../common/element.cuh"
#include "../common/epilogue.cuh"
#include "../common/reference_boundary.cuh"

using Element = Stored<TYPE>;

extern "C" __global__ void conv1d_reference(const Element* signal, const Element* filter,
                                            Element* output, int length, int taps, int batch,
                                            int boundary, int flips EPILOGUE_PARAMETERS) {
  const Epilogue epilogue = EPILOGUE_ARGUMENTS;
  const int column = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (column >= length) return;
  for (int row = static_cast<int>(blockIdx.y); row < batch; row += static_cast<int>(gridDim.y)) {
    const int first = row * length;
    double sum = 0;
    for (int tap = 0; tap < taps; ++tap) {
      const int source = reference_source(column + tap - taps / 2, length, boundary);
      const double factor = to<double>(filter[flips ? taps - 1 - tap : tap]);
      if (source >= 0) sum += factor * to<double>(signal[first + source]);
    }
    output[first + column] = to<Element>(epilogue(sum, row, column, first + column));
  }
}
