// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

// A matrix as the loop over K sees it: `positions` rows of op(A) or columns of op(B), `depth`
// products. Elements (position, k) are at position * pitch + k where ks lie side by side, else at
// k * pitch + position.
template <class T>
struct Operand {
  const T* data;
  int pitch;
  int positions;
  int depth;
};
