#include "tests/host/host_support.hpp"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <map>
#include <utility>

#include "definition/text/text_file.hpp"
#include "tests/support/cached_compiler.hpp"
#include "tuner/host/backend.hpp"
#include "tuner/host/session/session.hpp"
#include "tuner/sweep/prepare/inspector.hpp"
#include "tuner/sweep/prepare/session_plan.hpp"

namespace tilewright::test {
namespace {

PlannedArgument argument(int index) {
  PlannedArgument result;
  result.kind = PlannedArgument::Kind::argument;
  result.index = index;
  return result;
}

PlannedArgument number(std::int32_t value) {
  PlannedArgument result;
  result.bytes.resize(sizeof value);
  std::memcpy(result.bytes.data(), &value, sizeof value);
  return result;
}

PlannedBuffer buffer(const std::string& name, ArgumentRole role) {
  PlannedBuffer result;
  result.name = name;
  result.role = role;
  result.count = kCount;
  return result;
}

LaunchPlan launches(std::int64_t shared_bytes) {
  PlannedLaunch launch;
  launch.entry = "run";
  launch.grid = {(kCount + kThreads - 1) / kThreads, 1, 1};
  launch.block = {kThreads, 1, 1};
  launch.shared_bytes = shared_bytes;
  launch.arguments = {argument(0), argument(1), number(static_cast<std::int32_t>(kCount))};
  LaunchPlan plan;
  plan.launches = {launch};
  return plan;
}

const std::map<std::string, std::string>& common_headers() {
  static const std::map<std::string, std::string> headers = [] {
    std::map<std::string, std::string> texts;
    const auto folder = std::filesystem::path(TILEWRIGHT_SOURCE_DIR) / "kernel_templates/common";
    for (const auto& file : std::filesystem::directory_iterator(folder))
      if (file.is_regular_file())
        texts[file.path().filename().string()] = read_text_file(file.path(), kSourceFile);
    return texts;
  }();
  return headers;
}

}  // namespace

host::HostCompiler new_host_compiler() {
  return host::HostCompiler(TILEWRIGHT_HOST_COMPILER, std::filesystem::temp_directory_path());
}

Compiler& host_compiler() {
  static CachedCompiler compiler(std::make_unique<host::HostCompiler>(new_host_compiler()),
                                 test_code());
  return compiler;
}

CompileRequest request_for(const std::string& source, std::vector<std::string> entries) {
  CompileRequest request;
  request.source = source;
  request.source_name = "test.cu";
  request.headers = common_headers();
  request.architecture = kHostArchitecture;
  request.entries = std::move(entries);
  return request;
}

ProofBench host_bench() {
  return {host::device_report().device, host::backend().facts({}), &host_compiler(),
          host::make_session()};
}

void prove_conditions(const Family& family, const Implementation& implementation,
                      const std::vector<std::string>& problem,
                      const std::vector<std::string>& conditions, Part part) {
  ProofRunner runner(family, implementation, host_bench());
  runner.open(problem);
  const std::size_t step =
      proves_in_full() ? 1 : std::min(part.step, std::max<std::size_t>(1, conditions.size()));
  for (std::size_t i = part.turn % step; i < conditions.size(); i += step)
    for (const Configuration& configuration : runner.sample(1, conditions[i]))
      runner.prove(configuration);
  EXPECT_GT(runner.proven(), 0U);
}

std::string doubling_source(const std::string& mistake) {
  return R"(
extern "C" __global__ void run(const float* x, float* y, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) y[i] = 2.0f * x[i];
)" + mistake +
         "\n}\n";
}

KernelPlan doubling_kernel(const std::string& source, std::int64_t shared_bytes,
                           std::vector<std::string> entries) {
  const CompileResult code = host_compiler().compile(request_for(source, std::move(entries)));
  EXPECT_TRUE(code.ok()) << code.log;
  KernelPlan plan;
  plan.code = code.code;
  plan.symbols = symbols_of(code);
  plan.launches = {launches(shared_bytes)};
  return plan;
}

SessionPlan doubling() {
  const KernelPlan right = doubling_kernel(doubling_source());
  SessionProblem problem;
  problem.problem = {"doubling", {{"count", kCount}}};
  problem.buffers = {buffer("x", ArgumentRole::input), buffer("y", ArgumentRole::output)};
  problem.reference.code = right.code;
  problem.reference.symbols = right.symbols;
  problem.reference.launches = right.launches.front();
  SessionPlan plan;
  plan.problems = {problem};
  plan.seed = 42;
  return plan;
}

std::unique_ptr<Evaluator> worker_session() {
  DeviceClientOptions options;
  options.worker = TILEWRIGHT_WORKER;
  options.arguments = {"device", "host"};
  options.limits = StepLimits::fixed_at(std::chrono::seconds(20));
  return make_device_client(options);
}

}  // namespace tilewright::test
