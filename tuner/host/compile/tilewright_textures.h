// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

// Reading textures on the host device. docs/manifest-source.md lists what is here.

typedef unsigned long long cudaTextureObject_t;

// What a read gives, as host::texel_format() writes it: the kind of its numbers (0 float, 1 signed,
// 2 unsigned), their bytes, and how many there are.
template <class T>
struct TilewrightTexel;
#define TILEWRIGHT_TEXEL(type, kind, bytes, count)                      \
  template <>                                                           \
  struct TilewrightTexel<type> {                                        \
    static constexpr unsigned kFormat = kind << 8 | bytes << 4 | count; \
  };
#define TILEWRIGHT_TEXELS(scalar, name, kind, bytes) \
  TILEWRIGHT_TEXEL(scalar, kind, bytes, 1)           \
  TILEWRIGHT_TEXEL(name##1, kind, bytes, 1)          \
  TILEWRIGHT_TEXEL(name##2, kind, bytes, 2)          \
  TILEWRIGHT_TEXEL(name##4, kind, bytes, 4)
TILEWRIGHT_TEXELS(float, float, 0, 4)
TILEWRIGHT_TEXEL(char, 1, 1, 1)
TILEWRIGHT_TEXELS(signed char, char, 1, 1)
TILEWRIGHT_TEXELS(short, short, 1, 2)
TILEWRIGHT_TEXELS(int, int, 1, 4)
TILEWRIGHT_TEXELS(unsigned char, uchar, 2, 1)
TILEWRIGHT_TEXELS(unsigned short, ushort, 2, 2)
TILEWRIGHT_TEXELS(unsigned, uint, 2, 4)
#undef TILEWRIGHT_TEXELS
#undef TILEWRIGHT_TEXEL

template <class T>
static inline T tilewright_read_texture(cudaTextureObject_t texture, int dimensions, float x,
                                        float y, float z) {
  const float at[3] = {x, y, z};
  T element;
  tilewright_host_call(&TilewrightHostCalls::read_texture, texture, &at[0], dimensions,
                       static_cast<void*>(&element), TilewrightTexel<T>::kFormat);
  return element;
}
template <class T>
TILEWRIGHT_FUNCTION(T tex1D(cudaTextureObject_t texture, float x),
                    tilewright_read_texture<T>(texture, 1, x, 0, 0))
template <class T>
TILEWRIGHT_FUNCTION(T tex2D(cudaTextureObject_t texture, float x, float y),
                    tilewright_read_texture<T>(texture, 2, x, y, 0))
template <class T>
TILEWRIGHT_FUNCTION(T tex3D(cudaTextureObject_t texture, float x, float y, float z),
                    tilewright_read_texture<T>(texture, 3, x, y, z))
template <class T>
static inline T tex1Dfetch(cudaTextureObject_t texture, int x) {
  T element;
  tilewright_host_call(&TilewrightHostCalls::fetch_texture, texture, x,
                       static_cast<void*>(&element), TilewrightTexel<T>::kFormat);
  return element;
}
// The older forms, which write to a pointer.
template <class T>
static inline void tex1D(T* element, cudaTextureObject_t texture, float x) {
  *element = tex1D<T>(texture, x);
}
template <class T>
static inline void tex2D(T* element, cudaTextureObject_t texture, float x, float y) {
  *element = tex2D<T>(texture, x, y);
}
template <class T>
static inline void tex3D(T* element, cudaTextureObject_t texture, float x, float y, float z) {
  *element = tex3D<T>(texture, x, y, z);
}
template <class T>
static inline void tex1Dfetch(T* element, cudaTextureObject_t texture, int x) {
  *element = tex1Dfetch<T>(texture, x);
}
