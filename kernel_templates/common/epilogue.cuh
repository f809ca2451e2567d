// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

// The hook "epilogue" where the problem has no snippet: values are stored as they are. With one,
// another text stands in this header's place, with the same three names (docs/hooks.md).
//
// A kernel takes EPILOGUE_PARAMETERS after its last parameter, makes an Epilogue of
// EPILOGUE_ARGUMENTS, and stores epilogue(value, coordinates…) instead of the value.

struct Epilogue {
  template <class Real, class... Coordinates>
  __device__ __forceinline__ Real operator()(const Real value, Coordinates...) const {
    return value;
  }
};

#define EPILOGUE_PARAMETERS
#define EPILOGUE_ARGUMENTS \
  {}
