#pragma once

#if defined(__SANITIZE_ADDRESS__)
#define TILEWRIGHT_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define TILEWRIGHT_ASAN 1
#endif
#endif

namespace tilewright::host {

// Whether this build has the address sanitizer. Kernels must match it: a library with the sanitizer
// loads only into a program with it, and without it the sanitizer would miss errors.
#ifdef TILEWRIGHT_ASAN
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif

}  // namespace tilewright::host
