// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

// The parameters of a kernel that only volumes have. TERM_RANK is compiled in: where it is not 3,
// they are constants, which cost nothing. Enumerations, because other constants would be data in
// the compiled code.

#if TERM_RANK == 3
enum : bool { kVolumes = true };
#define VOLUME_PARAMETERS \
  int depth, int filter_depth, int stride_z, int dilation_z, int padding_z, int depth_out,
#else
enum : bool { kVolumes = false };
#define VOLUME_PARAMETERS
enum { depth = 1, filter_depth = 1, stride_z = 1, dilation_z = 1, padding_z = 0, depth_out = 1 };
#endif
