#include "bench/peers/rivals/ceilings.hpp"

#include <algorithm>
#include <utility>

#include "bench/peers/rivals/kernel_texts.hpp"
#include "tilewright/error.hpp"

namespace tilewright::bench {
namespace {

constexpr unsigned int kCeilingThreads = 256;
constexpr const char* kCopy = "ceiling_copy";
constexpr const char* kMultiplyAdd = "ceiling_multiply_add";

PlannedBuffer floats(const char* name, ArgumentRole role, std::int64_t count) {
  PlannedBuffer buffer;
  buffer.name = name;
  buffer.role = role;
  buffer.count = count;
  buffer.fill = {Fill::Kind::uniform, -1, 1, {}};
  return buffer;
}

Field field_of(Arena& arena, std::vector<PlannedBuffer> buffers) {
  SessionProblem problem;
  problem.buffers = std::move(buffers);
  return {std::move(problem), arena.field_options()};
}

class Copy final : public Entrant {
 public:
  Copy(const DeviceCode& code, std::int64_t count) : code_(code), vectors_(count / 4) {}
  void call(std::span<void* const> operands, cudaStream_t stream) override {
    const auto blocks = (vectors_ + 4 * kCeilingThreads - 1) / (4 * kCeilingThreads);
    code_.launch(kCopy, dim3(static_cast<unsigned int>(blocks)), dim3(kCeilingThreads), stream,
                 operands[0], operands[1], static_cast<long long>(vectors_));
  }
  std::string how() const override { return "copy"; }

 private:
  const DeviceCode& code_;
  std::int64_t vectors_;
};

class MultiplyAdd final : public Entrant {
 public:
  MultiplyAdd(const DeviceCode& code, int blocks) : code_(code), blocks_(blocks) {}
  void call(std::span<void* const> operands, cudaStream_t stream) override {
    code_.launch(kMultiplyAdd, dim3(static_cast<unsigned int>(blocks_)), dim3(kCeilingThreads),
                 stream, operands[0], 0.999F, 0.001F, kRounds);
  }
  std::string how() const override { return "multiply-add"; }
  double flops() const { return 2.0 * 16 * kRounds * kCeilingThreads * blocks_; }

 private:
  static constexpr int kRounds = 16384;
  const DeviceCode& code_;
  int blocks_;
};

void require_copied(const Field& field, Entrant& copy, cudaStream_t stream) {
  field.operands().prepare();
  copy.call(field.pointers(), stream);
  if (cuda::download(field.operands().device(1), stream) != field.operands().before()[0])
    throw MachineError("the copy kernel that gives the floor does not copy");
}

}  // namespace

Ceilings::Ceilings(Arena& arena)
    : arena_(arena), code_(arena.compile_own(kCeilingKernels, {kCopy, kMultiplyAdd})) {
  const int blocks = 8 * arena.device().sm_count;
  const Field field = field_of(
      arena, {floats("sums", ArgumentRole::output, std::int64_t{blocks} * kCeilingThreads)});
  MultiplyAdd work(code_, blocks);
  flops_per_us_ = work.flops() / arena.time(field, work, SampleRequest{}).median_us;
}

double Ceilings::copy_us(double bytes) {
  const std::int64_t count = std::max<std::int64_t>(4, static_cast<std::int64_t>(bytes) / 32 * 4);
  const auto known = copies_us_.find(count);
  if (known != copies_us_.end()) return known->second;
  const Field field = field_of(arena_, {floats("from", ArgumentRole::input, count),
                                        floats("to", ArgumentRole::output, count)});
  Copy copy(code_, count);
  require_copied(field, copy, arena_.stream());
  return copies_us_[count] = arena_.time(field, copy, SampleRequest{}).median_us;
}

double Ceilings::floor_us(double flops, double bytes) {
  return std::max(copy_us(bytes), flops / flops_per_us_);
}

}  // namespace tilewright::bench
