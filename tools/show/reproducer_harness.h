// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <utility>

#include "reproducer_inputs.h"
#include "tuner/verify/compare_elements.h"

// Memory and launches of a reproducer. CUDA's runtime, or reproducer_host.h, stands in front of it.

namespace tilewright_reproducer {

inline void check(cudaError_t error, const char* what) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(error));
  std::exit(3);
}

// A kernel's parameter as so many bytes, whatever type the kernel gives it.
template <std::size_t SIZE>
struct Parameter {
  unsigned char bytes[SIZE];

  template <class T>
  T as() const {
    static_assert(sizeof(T) == SIZE, "the launch passes a parameter of another size");
    alignas(alignof(T)) unsigned char copy[SIZE];
    std::memcpy(copy, bytes, SIZE);
    return *reinterpret_cast<T*>(copy);
  }
};

// The bytes after the first `count` are zero.
template <std::size_t SIZE>
Parameter<SIZE> parameter(const void* bytes, std::size_t count = SIZE) {
  Parameter<SIZE> result = {};
  std::memcpy(result.bytes, bytes, count < SIZE ? count : SIZE);
  return result;
}

template <std::size_t SIZE>
Parameter<SIZE> number(unsigned long long bits) {
  return parameter<SIZE>(&bits);
}

struct Shape {
  dim3 grid;
  dim3 block;
  dim3 cluster;
  int shared_bytes;               // dynamic
  bool dependent_launch = false;  // may begin before the launch ahead of it has ended
  bool cooperative = false;       // all its blocks run at the same time
};

inline unsigned blocks_of_cluster(const Shape& shape) {
  return shape.cluster.x * shape.cluster.y * shape.cluster.z;
}

// Raises the limits of a kernel before its first launch of that shape.
inline void opt_in(const void* kernel, const Shape& shape, const char* name) {
  static std::set<std::pair<const void*, int>> done;
  if (!done.insert({kernel, shape.shared_bytes}).second) return;
  cudaFuncAttributes attributes = {};
  check(cudaFuncGetAttributes(&attributes, kernel), name);
  if (attributes.sharedSizeBytes + static_cast<std::size_t>(shape.shared_bytes) > 48 * 1024)
    check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                               shape.shared_bytes),
          name);
  if (blocks_of_cluster(shape) > 8)
    check(cudaFuncSetAttribute(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1), name);
}

// Programmatic dependent launch came with compute capability 9.0.
inline bool may_begin_early(const Shape& shape) {
  int device = 0;
  int major = 0;
  check(cudaGetDevice(&device), "asking for the device");
  check(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device),
        "asking for the compute capability");
  return shape.dependent_launch && major >= 9;
}

template <class... P, class... A>
void launch(const char* name, void (*kernel)(P...), const Shape& shape, cudaStream_t stream,
            const A&... arguments) {
  static_assert(sizeof...(P) == sizeof...(A), "the launch passes another number of parameters");
  opt_in(reinterpret_cast<const void*>(kernel), shape, name);
  cudaLaunchAttribute attributes[8] = {};
  unsigned count = 0;
  if (blocks_of_cluster(shape) > 1) {
    cudaLaunchAttribute& cluster = attributes[count++];
    cluster.id = cudaLaunchAttributeClusterDimension;
    cluster.val.clusterDim.x = shape.cluster.x;
    cluster.val.clusterDim.y = shape.cluster.y;
    cluster.val.clusterDim.z = shape.cluster.z;
  }
  if (may_begin_early(shape)) {
    cudaLaunchAttribute& dependent = attributes[count++];
    dependent.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    dependent.val.programmaticStreamSerializationAllowed = 1;
  }
  if (shape.cooperative) {
    cudaLaunchAttribute& cooperative = attributes[count++];
    cooperative.id = cudaLaunchAttributeCooperative;
    cooperative.val.cooperative = 1;
  }
  cudaLaunchConfig_t config = {};
  config.gridDim = shape.grid;
  config.blockDim = shape.block;
  config.dynamicSmemBytes = static_cast<std::size_t>(shape.shared_bytes);
  config.stream = stream;
  config.attrs = attributes;
  config.numAttrs = count;
  check(cudaLaunchKernelEx(&config, kernel, arguments.template as<P>()...), name);
}

#if !defined(__SANITIZE_ADDRESS__) && defined(__has_feature)
#if __has_feature(address_sanitizer)
#define __SANITIZE_ADDRESS__ 1  // as GCC does
#endif
#endif
#ifdef __SANITIZE_ADDRESS__
constexpr std::size_t kGuard = 0;  // the sanitizer names the access
#else
constexpr auto kGuard = static_cast<std::size_t>(kGuardBytes);
#endif

// Device memory between guard zones.
class Memory {
 public:
  explicit Memory(std::size_t size) : size_(size) {
    check(cudaMalloc(&base_, size + 2 * kGuard), "allocating memory");
    check(cudaMemset(base_, kGuardByte, size + 2 * kGuard), "filling memory");
  }
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;
  ~Memory() { cudaFree(base_); }

  unsigned char* data() const { return static_cast<unsigned char*>(base_) + kGuard; }
  std::size_t size() const { return size_; }
  void set(int byte) const { check(cudaMemset(data(), byte, size_), "filling memory"); }
  void upload(const Bytes& bytes) const {
    check(cudaMemcpy(data(), bytes.data(), size_, cudaMemcpyHostToDevice), "uploading");
  }
  Bytes download() const { return read(data(), size_); }
  bool is_intact() const {
    const auto is_guard = [](unsigned char byte) { return byte == kGuardByte; };
    const Bytes before = read(data() - kGuard, kGuard);
    const Bytes after = read(data() + size_, kGuard);
    return std::all_of(before.begin(), before.end(), is_guard) &&
           std::all_of(after.begin(), after.end(), is_guard);
  }

 private:
  static Bytes read(const unsigned char* from, std::size_t size) {
    Bytes bytes(size);
    check(cudaMemcpy(bytes.data(), from, size, cudaMemcpyDeviceToHost), "downloading");
    return bytes;
  }

  void* base_ = nullptr;
  std::size_t size_;
};

enum class Role { input, output, inout, ignored };  // ignored: written, and not compared

struct Argument {
  const char* name;
  Role role;
  bool is_buffer;  // in device memory; else passed by value
  Bytes bytes;     // as they are before a call
  std::int64_t count;
  Findings (*compare)(const Bytes& got, const Bytes& right, const Rules& rules);
  std::complex<double> (*sum)(const Bytes& got);
  std::vector<const void*> constants = {};  // variables of the kernels that have its bytes
};

inline Bytes poison(std::size_t size) {
  return Bytes(size, kPoison);
}

// The arguments of one call, those that are buffers in device memory.
class Operands {
 public:
  explicit Operands(std::vector<Argument> arguments) : arguments_(std::move(arguments)) {
    for (const Argument& argument : arguments_)
      memory_.push_back(argument.is_buffer ? new Memory(argument.bytes.size()) : nullptr);
  }
  Operands(const Operands&) = delete;
  Operands& operator=(const Operands&) = delete;
  ~Operands() {
    for (Memory* const memory : memory_) delete memory;
  }

  void prepare() const {
    for (std::size_t i = 0; i < memory_.size(); ++i)
      if (memory_[i] != nullptr) memory_[i]->upload(arguments_[i].bytes);
    for (const Argument& argument : arguments_)
      for (const void* const constant : argument.constants)
        check(cudaMemcpyToSymbol(constant, argument.bytes.data(), argument.bytes.size()),
              "filling a constant");
  }
  unsigned char* address(std::size_t i) const { return memory_[i]->data(); }
  Parameter<sizeof(void*)> pointer(std::size_t i) const {
    unsigned char* const place = address(i);
    return parameter<sizeof(void*)>(&place);
  }
  template <std::size_t SIZE>
  Parameter<SIZE> value(std::size_t i) const {
    return parameter<SIZE>(arguments_[i].bytes.data(), arguments_[i].bytes.size());
  }
  Bytes download(std::size_t i) const { return memory_[i]->download(); }
  // What is made of the operands at its first use, such as a texture, by number.
  std::shared_ptr<void>& attached(std::size_t number) const { return attached_[number]; }

  // Whether guard zones and inputs are what they were; says what is not.
  bool is_intact() const {
    bool intact = true;
    for (std::size_t i = 0; i < memory_.size(); ++i) {
      if (memory_[i] == nullptr) continue;
      const Argument& argument = arguments_[i];
      if (!memory_[i]->is_intact()) {
        std::printf("  WRONG: wrote outside %s\n", argument.name);
        intact = false;
      }
      if (argument.role == Role::input && download(i) != argument.bytes) {
        std::printf("  WRONG: changed the input %s\n", argument.name);
        intact = false;
      }
    }
    return intact;
  }

 private:
  std::vector<Argument> arguments_;
  std::vector<Memory*> memory_;
  mutable std::map<std::size_t, std::shared_ptr<void>> attached_;
};

enum class Clear { never, once, each };

class Workspace {
 public:
  Workspace(std::size_t size, Clear clear) : memory_(size), clear_(clear) {
    memory_.set(clear == Clear::once ? 0 : kPoison);
  }
  // What a call does to it before its launches.
  void begin_call(cudaStream_t stream) const {
    if (clear_ == Clear::each && memory_.size() > 0)
      check(cudaMemsetAsync(memory_.data(), 0, memory_.size(), stream), "clearing the workspace");
  }
  unsigned char* address(std::size_t offset) const { return memory_.data() + offset; }
  Parameter<sizeof(void*)> at(std::size_t offset) const {
    unsigned char* const place = address(offset);
    return parameter<sizeof(void*)>(&place);
  }
  // With Clear::once a call must leave the workspace as the next one needs it, so two are judged.
  int calls_to_judge() const { return clear_ == Clear::once && memory_.size() > 0 ? 2 : 1; }
  bool is_intact() const {
    const bool intact = memory_.is_intact();
    if (!intact) std::printf("  WRONG: wrote outside the workspace\n");
    return intact;
  }

 private:
  Memory memory_;
  Clear clear_;
};

}  // namespace tilewright_reproducer
