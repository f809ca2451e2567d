// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT

extern "C" __global__ void spin_reference(int* waited, int ticks) {
  *waited = ticks;
}
