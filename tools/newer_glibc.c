// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
// What our code and the static libstdc++ of this system take from a newer glibc than the one that tools/package.sh links
// the wheel with.
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

// 2.32: whether the process has only one thread. 0 means that it may have more.
char __libc_single_threaded = 0;

// 2.32
const char* sigdescr_np(int signal) {
  return strsignal(signal);
}

// 2.34. Kernels before 5.9 have no such call, and the result says so.
int close_range(unsigned int first, unsigned int last, int flags) {
  enum { call = 436 };
  return (int)syscall(call, first, last, flags);
}

// 2.36
unsigned int arc4random(void) {
  unsigned int number = 0;
  if (getentropy(&number, sizeof number) != 0) abort();
  return number;
}
