#include "tuner/worker/serve.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "tilewright/error.hpp"
#include "tuner/worker/channel.hpp"
#include "tuner/worker/messages.hpp"
#include "tuner/worker/process.hpp"

namespace tilewright {
namespace {

class ScriptedCompiler final : public Compiler {
 public:
  CompileResult compile(const CompileRequest& request) override {
    if (request.source == "out of memory") throw std::bad_alloc();
    if (request.source == "broken") throw MachineError("no compiler");
    CompileResult result;
    result.code_hash = request.source;
    return result;
  }
  std::string version() const override { return "scripted"; }
};

class ScriptedEvaluator final : public Evaluator {
 public:
  void open(const SessionPlan& plan) override {
    if (plan.device_index == 1) throw MachineError("no device 1");
    if (plan.device_index == 2) throw InputError("bad plan");
  }
  Attempt<Resources> load(const KernelPlan&) override { return Resources{7, 0, 0, 0, 0, 0, 0}; }
  RoutineList list(int device_index, const PlannedRoutine& routine) override {
    if (routine.name == "broken") throw MachineError("no library");
    return {{{{"WAYS", device_index}}}, routine.arguments.at(0)};
  }
  Attempt<Verification> verify() override { return Failure{Outcome::wrong_answer, "off by one"}; }
  Attempt<Timing> sample(const SampleRequest&) override {
    return Failure{Outcome::faulted, "illegal address"};
  }
  std::vector<SimpleAnswer> simple_answers() override {
    return {{1, "y", SimpleAnswer::Kind::input, "x", 5, 3, true}};
  }
};

// Requests are few and small enough to lie in the pipe before the loop runs.
class Serve : public testing::Test {
 protected:
  void SetUp() override {
    int ends[2];
    ASSERT_EQ(pipe(ends), 0);
    requests_in_ = Descriptor(ends[0]);
    requests_out_ = Descriptor(ends[1]);
    ASSERT_EQ(pipe(ends), 0);
    replies_in_ = Descriptor(ends[0]);
    replies_out_ = Descriptor(ends[1]);
  }
  void ask(const nlohmann::json& request) {
    ASSERT_TRUE(write_message(requests_out_.get(), request));
  }
  std::vector<nlohmann::json> evaluate() {
    requests_out_.close();
    serve_evaluator(evaluator_, requests_in_.get(), replies_out_.get());
    return replies();
  }
  std::vector<nlohmann::json> compile() {
    requests_out_.close();
    serve_compiler(compiler_, requests_in_.get(), replies_out_.get());
    return replies();
  }
  std::vector<nlohmann::json> replies() {
    replies_out_.close();
    std::vector<nlohmann::json> all;
    nlohmann::json one;
    while (read_message(replies_in_.get(), one, std::chrono::milliseconds(0)) ==
           ReadStatus::message)
      all.push_back(one);
    return all;
  }
  static CompileRequest source(const std::string& text) {
    CompileRequest request;
    request.source = text;
    return request;
  }

  Descriptor requests_in_, requests_out_, replies_in_, replies_out_;
  ScriptedEvaluator evaluator_;
  ScriptedCompiler compiler_;
};

TEST_F(Serve, CompilerAnswersUntilEndOfFile) {
  ask(source("one"));
  ask(source("out of memory"));
  ask(source("two"));
  const std::vector<nlohmann::json> answers = compile();
  ASSERT_EQ(answers.size(), 3U);
  EXPECT_EQ(answers[0]["result"].get<CompileResult>().code_hash, "one");
  EXPECT_EQ(answers[1]["result"].get<CompileResult>().outcome, Outcome::compile_timed_out);
  EXPECT_EQ(answers[2]["result"].get<CompileResult>().code_hash, "two");
}

TEST_F(Serve, CompilerStopsWhereThereIsNone) {
  ask(source("broken"));
  ask(source("one"));
  const std::vector<nlohmann::json> answers = compile();
  ASSERT_EQ(answers.size(), 1U);
  EXPECT_EQ(answers[0]["machine_error"], "no compiler");
}

TEST_F(Serve, EvaluatorAnswersEveryVerb) {
  ask({{"verb", "open"}, {"argument", SessionPlan{}}});
  ask({{"verb", "load"}, {"argument", KernelPlan{}}});
  ask({{"verb", "verify"}});
  ask({{"verb", "simple_answers"}});
  const std::vector<nlohmann::json> answers = evaluate();
  ASSERT_EQ(answers.size(), 4U);
  EXPECT_TRUE(answers[0].contains("ok"));
  EXPECT_EQ(answers[1]["ok"].get<Resources>().registers, 7);
  EXPECT_EQ(answers[2]["failure"].get<Failure>().message, "off by one");
  const auto simple = answers[3]["ok"].get<std::vector<SimpleAnswer>>().at(0);
  EXPECT_EQ(simple.problem, 1U);
  EXPECT_EQ(simple.output, "y");
  EXPECT_EQ(simple.kind, SimpleAnswer::Kind::input);
  EXPECT_EQ(simple.input, "x");
  EXPECT_EQ(simple.altered, 5);
  EXPECT_EQ(simple.told, 3);
  EXPECT_TRUE(simple.passes);
}

TEST_F(Serve, EvaluatorListsRoutinesBeforeItOpens) {
  ask({{"verb", "list"}, {"argument", RoutineQuestion{3, {"lib", {{"N", 1}}, {"x"}}}}});
  ask({{"verb", "list"}, {"argument", RoutineQuestion{3, {"broken"}}}});
  const std::vector<nlohmann::json> answers = evaluate();
  ASSERT_EQ(answers.size(), 2U);
  const auto listed = answers[0]["ok"].get<RoutineList>();
  EXPECT_EQ(listed.configurations, (decltype(listed.configurations){{{"WAYS", 3}}}));
  EXPECT_EQ(listed.why, "x");
  EXPECT_EQ(answers[1]["machine_error"], "no library");
}

TEST_F(Serve, EvaluatorLeavesAfterAFault) {
  ask({{"verb", "sample"}, {"argument", SampleRequest{}}});
  ask({{"verb", "verify"}});
  const std::vector<nlohmann::json> answers = evaluate();
  ASSERT_EQ(answers.size(), 1U);
  EXPECT_EQ(answers[0]["failure"].get<Failure>().outcome, Outcome::faulted);
}

TEST_F(Serve, EvaluatorReportsErrorsByKind) {
  SessionPlan no_device, bad_plan;
  no_device.device_index = 1;
  bad_plan.device_index = 2;
  ask({{"verb", "open"}, {"argument", no_device}});
  ask({{"verb", "open"}, {"argument", bad_plan}});
  ask({{"verb", "dance"}});
  ask({{"verb", "open"}, {"argument", "not a plan"}});
  const std::vector<nlohmann::json> answers = evaluate();
  ASSERT_EQ(answers.size(), 4U);
  EXPECT_EQ(answers[0]["machine_error"], "no device 1");
  EXPECT_EQ(answers[1]["input_error"], "bad plan");
  EXPECT_TRUE(answers[2].contains("machine_error"));
  EXPECT_TRUE(answers[3].contains("machine_error"));
}

using Words = std::vector<std::string>;

TEST(Role, IsReadAsItWasWritten) {
  const Toolchain toolchain{"/usr/bin/g++", {"/cuda/a", "/cuda/b"}, "/tmp", "/bin/nvcc"};
  for (const DeviceKind kind : kDeviceKinds) {
    const auto compile = read_role(arguments_of({WorkerRole::Task::compile, kind, toolchain}));
    ASSERT_TRUE(compile);
    EXPECT_EQ(compile->task, WorkerRole::Task::compile);
    EXPECT_EQ(compile->kind, kind);
    EXPECT_EQ(compile->toolchain.host_compiler, toolchain.host_compiler);
    EXPECT_EQ(compile->toolchain.toolkit_folders, toolchain.toolkit_folders);
    EXPECT_EQ(compile->toolchain.nvcc, toolchain.nvcc);
    const auto device = read_role(arguments_of({WorkerRole::Task::device, kind, toolchain}));
    ASSERT_TRUE(device);
    EXPECT_EQ(device->toolchain.toolkit_folders, toolchain.toolkit_folders);
    EXPECT_EQ(device->task, WorkerRole::Task::device);
    EXPECT_EQ(device->kind, kind);
  }
}

TEST(Role, MayHaveAnEvaluator) {
  const Toolchain toolchain{"/usr/bin/g++", {"/cuda"}, "/tmp", {}};
  const EvaluatorCommand commands[] = {
      {{"python3", "a.py", "--callable"}, TimedBy::author},
      {{"python3", "--evaluator", "--nvrtc"}, TimedBy::tilewright}};
  for (const EvaluatorCommand& command : commands)
    for (const auto task : {WorkerRole::Task::compile, WorkerRole::Task::device}) {
      const auto role = read_role(arguments_of({task, DeviceKind::host, toolchain, command}));
      ASSERT_TRUE(role);
      EXPECT_EQ(role->task, task);
      EXPECT_TRUE(role->evaluator == command);
      EXPECT_EQ(role->toolchain.toolkit_folders, toolchain.toolkit_folders);
    }
}

TEST(Role, IsCudasWithoutAKind) {
  EXPECT_EQ(read_role({"device"})->kind, DeviceKind::cuda);
  EXPECT_EQ(read_role({"compile", "--nvrtc", "/cuda"})->kind, DeviceKind::cuda);
}

TEST(Role, IsNothingElse) {
  for (const Words& words : std::vector<Words>{{},
                                               {"dance"},
                                               {"device", "--host"},
                                               {"device", "host", "x"},
                                               {"device", "host", "--evaluator"},
                                               {"device", "host", "x", "--callable", "y"},
                                               {"compile", "host", "--nvrtc"},
                                               {"compile", "--gcc", "x"}})
    EXPECT_FALSE(read_role(words)) << ::testing::PrintToString(words);
}

}  // namespace
}  // namespace tilewright
