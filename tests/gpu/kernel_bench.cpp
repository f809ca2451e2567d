#include "tests/gpu/kernel_bench.hpp"

#include <cstring>
#include <set>
#include <utility>

#include "tuner/cuda/session/session.hpp"

namespace tilewright::test {
namespace {

template <class Number>
PlannedArgument by_value(Number value) {
  PlannedArgument result;
  result.bytes.resize(sizeof value);
  std::memcpy(result.bytes.data(), &value, sizeof value);
  return result;
}

CompileResult compile_text(const std::string& source, const Device& device,
                           std::vector<std::string> entries) {
  CompileRequest request;
  request.source = source;
  request.source_name = "test.cu";
  request.architecture = architecture(device);
  request.entries = std::move(entries);
  return compile(request);
}

std::map<std::string, std::string> symbols_of(const CompileResult& code) {
  std::map<std::string, std::string> symbols;
  for (const auto& [name, entry] : code.entries) symbols[name] = entry.symbol;
  return symbols;
}

}  // namespace

PlannedArgument argument(int index) {
  PlannedArgument result;
  result.kind = PlannedArgument::Kind::argument;
  result.index = index;
  return result;
}

PlannedArgument number(std::int32_t value) {
  return by_value(value);
}
PlannedArgument number64(std::int64_t value) {
  return by_value(value);
}

PlannedArgument workspace(std::int64_t offset) {
  PlannedArgument result;
  result.kind = PlannedArgument::Kind::workspace;
  result.offset = offset;
  return result;
}

PlannedBuffer buffer(const std::string& name, ArgumentRole role, std::int64_t count) {
  PlannedBuffer result;
  result.name = name;
  result.role = role;
  result.count = count;
  return result;
}

PlannedLaunch launch(const std::string& entry, std::int64_t blocks, std::int64_t threads,
                     std::vector<PlannedArgument> arguments) {
  PlannedLaunch result;
  result.entry = entry;
  result.grid = {blocks, 1, 1};
  result.block = {threads, 1, 1};
  result.arguments = std::move(arguments);
  return result;
}

PlannedLaunch doubling_launch(std::int64_t count, const std::string& entry) {
  return launch(entry, (count + kThreads - 1) / kThreads, kThreads,
                {argument(0), argument(1), number(static_cast<std::int32_t>(count))});
}

std::string doubling_source(const std::string& mistake) {
  return R"(
extern "C" __global__ void run(const float* x, float* y, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) y[i] = 2.0f * x[i];
)" + mistake +
         "\n}\n";
}

SessionProblem doubling(std::int64_t count, const Device& device) {
  SessionProblem problem;
  problem.problem = {"doubling", {{"count", count}}};
  problem.buffers = {buffer("x", ArgumentRole::input, count),
                     buffer("y", ArgumentRole::output, count)};
  const CompileResult code = compile_text(doubling_source(), device, {"run"});
  problem.reference.code = code.code;
  problem.reference.symbols = symbols_of(code);
  problem.reference.launches.launches = {doubling_launch(count)};
  return problem;
}

KernelPlan kernel(const std::string& source, const Device& device,
                  std::vector<LaunchPlan> launches) {
  std::set<std::string> entries;
  for (const LaunchPlan& plan : launches)
    for (const PlannedLaunch& item : plan.launches) entries.insert(item.entry);
  const CompileResult code = compile_text(source, device, {entries.begin(), entries.end()});
  KernelPlan result;
  result.code = code.code;
  result.symbols = symbols_of(code);
  result.launches = std::move(launches);
  return result;
}

KernelPlan kernel(const std::string& source, const Device& device, PlannedLaunch launch) {
  LaunchPlan plan;
  plan.launches = {std::move(launch)};
  return kernel(source, device, std::vector<LaunchPlan>{plan});
}

void SessionTest::SetUp() {
  GpuTest::SetUp();
  if (!IsSkipped()) session_ = cuda::make_session();
}

SessionPlan SessionTest::plan_of(std::vector<SessionProblem> problems) const {
  SessionPlan plan;
  plan.problems = std::move(problems);
  plan.seed = 42;
  plan.probe_code = compile_text(cuda::probe_source(), device(), cuda::probe_entries()).code;
  return plan;
}

void SessionTest::open(std::vector<SessionProblem> problems) {
  session_->open(plan_of(std::move(problems)));
}

Attempt<Verification> SessionTest::judge(const KernelPlan& plan) {
  const Attempt<Resources> loaded = session_->load(plan);
  if (!loaded.ok()) return loaded.failure();
  return session_->verify();
}

Attempt<Verification> SessionTest::judge(const std::string& source) {
  return judge(kernel(source, device(), doubling_launch(kCount)));
}

KernelPlan SessionTest::right_kernel() const {
  return kernel(doubling_source(), device(), doubling_launch(kCount));
}

void SessionTest::expect_session_works() {
  const Attempt<Verification> verified = judge(right_kernel());
  EXPECT_TRUE(verified.ok()) << to_text(verified);
}

}  // namespace tilewright::test
