// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT

// The spaces beside this file are for counting, not for running.
extern "C" __global__ void empty() {}
