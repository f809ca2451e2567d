// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

namespace tilewright {

// Values beyond the edges of a signal, an image or a volume. SciPy calls these constant (0),
// nearest, reflect, mirror, wrap.
enum class Boundary { zero, replicate, reflect, mirror, wrap };

// Values beyond a volume's faces in each step, as Boundary. fixed: points nearer to a face than the
// radius keep their values.
enum class StencilBoundary { zero, replicate, reflect, mirror, wrap, fixed };

static_assert(static_cast<int>(StencilBoundary::wrap) == static_cast<int>(Boundary::wrap));

// The labels of both, which operations have as their choice `boundary`.
inline constexpr std::array<std::string_view, 6> kBoundaryLabels = {
    "zero", "replicate", "reflect", "mirror", "wrap", "fixed"};

inline std::string to_text(StencilBoundary boundary) {
  return std::string(kBoundaryLabels.at(static_cast<std::size_t>(boundary)));
}
inline std::string to_text(Boundary boundary) {
  return to_text(static_cast<StencilBoundary>(boundary));
}

}  // namespace tilewright
