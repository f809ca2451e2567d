// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT

// Every exported header contains the body of this namespace too: C++17, the standard library only.
#pragma once

#include <limits>

namespace tilewright {

// The arithmetic of definitions: 64 bits, division towards minus infinity. An operation without a
// result sets `ok` to false.
struct Arithmetic {
  bool ok = true;
  static constexpr long long most = std::numeric_limits<long long>::max();
  static constexpr long long least = std::numeric_limits<long long>::min();

  constexpr long long fail() {
    ok = false;
    return 0;
  }
  constexpr long long add(long long a, long long b) {
    return (b > 0 ? a > most - b : a < least - b) ? fail() : a + b;
  }
  constexpr long long subtract(long long a, long long b) {
    return (b < 0 ? a > most + b : a < least + b) ? fail() : a - b;
  }
  constexpr long long multiply(long long a, long long b) {
    constexpr long long half = 1LL << 31;
    if (-half < a && a < half && -half < b && b < half) return a * b;
    if (a == 0 || b == 0) return 0;
    if (a == -1 || b == -1) return negate(a == -1 ? b : a);
    const bool fits =
        a > 0 ? (b > 0 ? a <= most / b : b >= least / a) : (b > 0 ? a >= least / b : b >= most / a);
    return fits ? a * b : fail();
  }
  constexpr long long negate(long long a) { return a == least ? fail() : -a; }
  constexpr long long absolute(long long a) { return a < 0 ? negate(a) : a; }
  constexpr long long floor_divide(long long a, long long b) {
    if (b == 0 || (b == -1 && a == least)) return fail();
    return a / b - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0);
  }
  constexpr long long ceil_div(long long a, long long b) {
    if (b == 0 || (b == -1 && a == least)) return fail();
    return a / b + (a % b != 0 && (a < 0) == (b < 0) ? 1 : 0);
  }
  constexpr long long modulo(long long a, long long b) {
    if (b == 0) return fail();
    const long long rest = b == -1 ? 0 : a % b;
    return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
  }
  constexpr long long minimum(long long a, long long b) { return b < a ? b : a; }
  constexpr long long maximum(long long a, long long b) { return a < b ? b : a; }
};

}  // namespace tilewright
