#include "tilewright/runtime.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <fstream>
#include <thread>

#include "tests/unit/runtime/blend.hpp"

namespace tilewright::test {
namespace {

namespace fs = std::filesystem;

using Launch = BlendTest;
using Preparing = BlendTest;
using Finding = BlendTest;

TEST_F(Launch, PassesEveryKindOfArgument) {
  const Runtime runtime(options());
  const Kernel kernel = runtime.kernel(request({{"count", 30}}));
  EXPECT_EQ(kernel.answer().implementation, "blend/plain");
  EXPECT_EQ(kernel.answer().rung, Rung::manifest_default);
  EXPECT_EQ(kernel.device().kind, DeviceKind::host);
  EXPECT_EQ(kernel.workspace_bytes(), 256);
  const std::vector<KernelArgument>& arguments = kernel.arguments();
  ASSERT_EQ(arguments.size(), 5U);  // `half` is computed
  EXPECT_EQ(arguments[1].name, "weights");
  EXPECT_TRUE(arguments[1].by_value);
  EXPECT_EQ(arguments[2].role, ArgumentRole::output);
  EXPECT_EQ(arguments[2].count, 30);
  BlendOperands operands(30);
  kernel.launch(nullptr, operands.list(), {operands.workspace.data()});
  for (std::size_t i = 0; i < 30; ++i) ASSERT_EQ(operands.y[i], operands.expected(i)) << i;
}

TEST_F(Launch, ClearsAWorkspaceUnlessItIsReady) {
  const Runtime runtime(options());
  const Kernel kernel = runtime.kernel(request({{"count", 5}}));
  BlendOperands operands(5);
  operands.workspace.fill(0xFF);
  kernel.launch(nullptr, operands.list(), {operands.workspace.data()});
  EXPECT_EQ(operands.y[1], operands.expected(1, 0));
  kernel.launch(nullptr, operands.list(), {operands.workspace.data(), Scratch::State::ready});
  EXPECT_EQ(operands.y[1], operands.expected(1, 1));
  kernel.launch(nullptr, operands.list(), {operands.workspace.data()});
  EXPECT_EQ(operands.y[1], operands.expected(1, 0));
}

TEST_F(Launch, ReadsValuesOfABufferWhereACopyIsGiven) {
  const Runtime runtime(options());
  const Kernel kernel = runtime.kernel(request({{"count", 3}}));
  BlendOperands operands(3);
  const std::vector<float> copy = {7, 8, 9};
  std::vector<Operand> list = operands.list();
  list[1] = list[1].with_values(copy.data());
  kernel.launch(nullptr, list, {operands.workspace.data()});
  operands.weights = copy;
  EXPECT_EQ(operands.y[2], operands.expected(2));
}

TEST_F(Launch, RefusesOperandsThatAreNotItsArguments) {
  const Runtime runtime(options());
  const Kernel kernel = runtime.kernel(request({{"count", 40}}));
  BlendOperands operands(40);
  const std::vector<Operand> right = operands.list();
  const Scratch scratch{operands.workspace.data()};
  const auto refusal = [&](std::size_t place, const Operand& operand) {
    std::vector<Operand> list = right;
    list.at(place) = operand;
    return message_of<InputError>([&] { kernel.launch(nullptr, list, scratch); });
  };
  const std::string name = "blend/plain count=40: ";
  const std::vector<double> doubles(40);
  EXPECT_EQ(refusal(0, doubles.data()),
            name + "argument 1 'x' has elements of float32; float64 was given");
  EXPECT_EQ(refusal(0, 1.0F), name + "argument 1 'x' is a buffer; a scalar was given");
  EXPECT_EQ(refusal(0, std::span<const float>(operands.x).first(39)),
            name + "argument 1 'x' has 40 elements; 39 were given");
  EXPECT_EQ(refusal(0, static_cast<const float*>(nullptr)), name + "argument 1 'x' is null");
  EXPECT_NE(refusal(0, operands.x.data() + 1).find("'x' must be aligned to 16 bytes"),
            std::string::npos);
  EXPECT_EQ(refusal(2, static_cast<const float*>(operands.y.data())),
            name + "argument 3 'y' is written; const memory was given");
  EXPECT_EQ(refusal(3, 2.0),
            name + "argument 4 'factor' has elements of float32; float64 was given");
  EXPECT_EQ(refusal(3, 2), name + "argument 4 'factor' has elements of float32; int32 was given");
  EXPECT_EQ(refusal(4, Operand::array(std::span<const int>(operands.table).first(1))),
            name + "argument 5 'table' has 2 elements; 1 were given");
  EXPECT_EQ(refusal(4, operands.table.data()),
            name + "argument 5 'table' is an array by value; a buffer was given");
  const auto launch = [&](std::span<const Operand> list, Scratch memory) {
    return message_of<InputError>([&] { kernel.launch(nullptr, list, memory); });
  };
  EXPECT_EQ(launch(std::span(right).first(4), scratch),
            name + "4 arguments were given; a launch takes 5: x, weights, y, factor, table");
  std::vector<Operand> more = right;
  more.emplace_back(1.0F);
  EXPECT_EQ(launch(more, scratch),
            name + "6 arguments were given; a launch takes 5: x, weights, y, factor, table");
  EXPECT_EQ(launch(right, {}), name + "a launch needs 256 bytes of workspace; none was given");
  EXPECT_NE(launch(right, {operands.workspace.data() + 8}).find("workspace must be aligned to 256"),
            std::string::npos);
}

TEST_F(Launch, FromManyThreads) {
  const Runtime runtime(options());
  std::atomic<int> wrong = 0;
  {
    std::vector<std::jthread> threads;
    for (std::size_t thread = 0; thread < 4; ++thread)
      threads.emplace_back([&, thread] {
        const std::size_t count = 20 + thread % 2;
        const Kernel kernel =
            runtime.kernel(request({{"count", static_cast<std::int64_t>(count)}}));
        BlendOperands operands(count);
        for (int i = 0; i < 5; ++i) {
          kernel.launch(nullptr, operands.list(), {operands.workspace.data()});
          wrong += operands.y[count - 1] != operands.expected(count - 1);
        }
      });
  }
  EXPECT_EQ(wrong, 0);
}

TEST_F(Finding, EqualRequestsShareAKernel) {
  const Runtime runtime(options());
  const Kernel one = runtime.kernel(request({{"count", 100}}));
  const Kernel same = runtime.kernel(request());  // 100 is the default
  const Kernel other = runtime.kernel(request({{"count", 101}}));
  EXPECT_EQ(&one.answer(), &same.answer());
  EXPECT_NE(&one.answer(), &other.answer());
}

TEST_F(Finding, BySizeGivesEachItsOwnOnce) {
  const Runtime runtime(options());
  const KernelsBySize kernels = runtime.resolve(request({{"sign", "minus"}}), {"count"});
  const Kernel& first = kernels.at({50});
  EXPECT_EQ(&kernels.at({50}), &first);
  EXPECT_EQ(first.answer().problem.values.at("count"), Value(50));
  EXPECT_EQ(kernels.at({51}).answer().problem.values.at("count"), Value(51));
  EXPECT_THROW(kernels.at({1, 2}), std::invalid_argument);
  EXPECT_THROW(runtime.resolve(request(), {"sign"}), InputError);
}

TEST_F(Finding, RefusesWhatIsNotThere) {
  const Runtime runtime(options());
  const auto refusal = [&](const KernelRequest& asked) {
    return message_of<InputError>([&] { runtime.kernel(asked); });
  };
  KernelRequest unknown = request();
  unknown.operation = "blond";
  EXPECT_NE(refusal(unknown).find("unknown operation 'blond'"), std::string::npos);
  EXPECT_NE(refusal(request({{"width", 4}})).find("no dimension or choice 'width'"),
            std::string::npos);
  KernelRequest exact = request();
  exact.require = Require::exact;
  EXPECT_NE(refusal(exact).find("only an answer of rung 'default'"), std::string::npos);
  KernelRequest far = request();
  far.device = DeviceSelector::cuda(4711);
  EXPECT_NE(message_of<MachineError>([&] { runtime.kernel(far); }).find("no device cuda:4711"),
            std::string::npos);
}

TEST_F(Finding, AKernelOutlivesItsRuntime) {
  const Kernel kernel = Runtime(options()).kernel(request({{"count", 9}}));
  BlendOperands operands(9);
  kernel.launch(nullptr, operands.list(), {operands.workspace.data()});
  EXPECT_EQ(operands.y[8], operands.expected(8));
}

TEST(DeviceSelectors, AreReadFromText) {
  EXPECT_EQ(device_selector("host"), DeviceSelector::host());
  EXPECT_EQ(device_selector("cuda"), DeviceSelector::cuda(0));
  EXPECT_EQ(device_selector("cuda:12"), DeviceSelector::cuda(12));
  EXPECT_EQ(device_selector("auto"), DeviceSelector{});
  for (const char* text : {"", "gpu", "cuda:", "cuda:x", "cuda:-1", "cuda:1000000"})
    EXPECT_THROW(device_selector(text), InputError) << text;
}

TEST_F(Preparing, SaysWhatDoesNotCompileAndTriesAgain) {
  const Runtime runtime(options());
  const Kernel kernel = runtime.kernel(request({{"count", 6}}));
  folder_.write("kernels/blend/blend.cu", "this is no kernel");
  const std::string message = message_of<MachineError>([&] { kernel.prepare(); });
  EXPECT_NE(message.find("blend/plain count=6: the code does not compile"), std::string::npos)
      << message;
  folder_.write("kernels/blend/blend.cu", kBlendSource);
  kernel.prepare();
  kernel.prepare();
}

TEST_F(Preparing, NamesACompilerThatIsNotThere) {
  RuntimeOptions without = options();
  without.host_compiler = "/nowhere/c++";
  const Kernel kernel = Runtime(without).kernel(request());
  EXPECT_NE(message_of<MachineError>([&] { kernel.prepare(); }).find("/nowhere/c++"),
            std::string::npos);
}

// The cached code is used, and damage to it is only slower.
TEST_F(Preparing, TakesCodeFromTheCacheAndPassesOverADamagedOne) {
  RuntimeOptions own = options();
  own.cache = folder_.path() / "code";
  Runtime(own).kernel(request()).prepare();
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(own.cache)) files.push_back(entry.path());
  ASSERT_EQ(files.size(), 1U);
  const auto written = fs::last_write_time(files[0]);
  fs::last_write_time(files[0], written - std::chrono::hours(1));
  Runtime(own).kernel(request()).prepare();
  EXPECT_GT(fs::last_write_time(files[0]), written - std::chrono::minutes(30));  // it was read

  fs::resize_file(files[0], fs::file_size(files[0]) / 2);
  const Kernel kernel = Runtime(own).kernel(request({{"count", 100}}));
  BlendOperands operands(100);
  kernel.launch(nullptr, operands.list(), {operands.workspace.data()});
  EXPECT_EQ(operands.y[99], operands.expected(99));
}

TEST_F(Preparing, TwoProcessesFillOneCache) {
  RuntimeOptions own = options();
  own.cache = folder_.path() / "code";
  const auto launch = [&] {
    const Kernel kernel = Runtime(own).kernel(request({{"count", 8}}));
    BlendOperands operands(8);
    kernel.launch(nullptr, operands.list(), {operands.workspace.data()});
    return operands.y[7] == operands.expected(7);
  };
  std::vector<pid_t> children;
  for (int i = 0; i < 2; ++i) {
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) _exit(launch() ? 0 : 1);
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
  }
  for (const auto& entry : fs::directory_iterator(own.cache))
    EXPECT_EQ(entry.path().extension(), ".code") << entry.path();
  EXPECT_TRUE(launch());
}

}  // namespace
}  // namespace tilewright::test
