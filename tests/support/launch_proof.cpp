#include "tests/support/launch_proof.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>
#include <map>
#include <optional>
#include <utility>

#include "definition/problem.hpp"
#include "runtime/bundle_maker.hpp"
#include "tests/support/folder_of_files.hpp"
#include "tests/support/proof_runner.hpp"
#include "tilewright/bundle.hpp"
#include "tuner/machine/machine.hpp"
#include "tuner/space/space.hpp"
#include "tuner/verify/compare.hpp"
#include "tuner/verify/fill.hpp"

namespace tilewright::test {
namespace {

using Bytes = std::vector<std::uint8_t>;

// The operands of one problem, and the right answers.
class Operands {
 public:
  Operands(const Operation& operation, const Problem& problem, const LaunchBench& bench);

  // Launches, and compares what is in memory then.
  void prove(const Kernel& kernel) const;

 private:
  using Memory = std::vector<std::shared_ptr<void>>;  // by argument

  const std::vector<PlannedBuffer>& plan() const { return problem_.buffers; }
  bool is_buffer(std::size_t i) const { return plan()[i].kind == ArgumentKind::buffer; }
  bool is_written(std::size_t i) const {
    return is_buffer(i) && plan()[i].role != ArgumentRole::input;
  }

  Bytes contents(std::size_t argument, std::uint64_t seed) const;
  Memory new_memory() const;
  Bytes in_memory(const Memory& memory, std::size_t argument) const;
  // All arguments after a call of a kernel that fills or computes right answers.
  ArgumentData after(const Bytes& code, const std::map<std::string, std::string>& symbols,
                     const LaunchPlan& launches) const;
  std::vector<Expected> answers_of_kernel() const;
  Operand operand(const KernelArgument& argument, const Memory& memory) const;

  const LaunchBench& bench_;
  const Backend& backend_;
  SessionProblem problem_;
  ArgumentData before_;  // by argument; outputs are poisoned
  std::vector<Expected> answers_;
};

Operands::Operands(const Operation& operation, const Problem& problem, const LaunchBench& bench)
    : bench_(bench), backend_(backend_of(local_device(bench.device).device.kind)) {
  SweepRequest request;
  request.operation = &operation;
  request.problem = problem;
  request.device = local_device(bench.device).device;
  request.backend.architecture = backend_.facts(request.device).architecture;
  const std::unique_ptr<Compiler> compiler = backend_.make_compiler(bench.toolchain);
  const SessionPlan session = compiled_session(request, {problem}, *compiler);
  problem_ = session.problems.front();
  for (std::size_t i = 0; i < plan().size(); ++i) before_.push_back(contents(i, session.seed));
  for (const FillPlan& fill : problem_.fills) {
    const auto filled = static_cast<std::size_t>(fill.argument);
    before_[filled] = after(fill.code, fill.symbols, fill.launches)[filled];
  }
  answers_ = problem_.reference.builtin.empty()
                 ? answers_of_kernel()
                 : builtin_answers(problem_, before_, session.check_limits, session.seed);
}

Bytes Operands::contents(std::size_t argument, std::uint64_t seed) const {
  const PlannedBuffer& buffer = plan()[argument];
  if (buffer.role != ArgumentRole::output)
    return fill_buffer(buffer, static_cast<int>(argument), seed);
  return Bytes(static_cast<std::size_t>(buffer.count) * size_of(buffer.type), kPoison);
}

Operands::Memory Operands::new_memory() const {
  Memory memory;
  for (std::size_t i = 0; i < plan().size(); ++i)
    memory.push_back(is_buffer(i) ? bench_.memory_with(before_[i]) : nullptr);
  return memory;
}

Bytes Operands::in_memory(const Memory& memory, std::size_t argument) const {
  Bytes copy(before_[argument].size());
  if (!copy.empty()) backend_.read_memory(memory[argument].get(), copy, plan()[argument].name);
  return copy;
}

ArgumentData Operands::after(const Bytes& code, const std::map<std::string, std::string>& symbols,
                             const LaunchPlan& launches) const {
  const Memory memory = new_memory();
  ExecutablePlan executable{code, symbols, launches, {}, bench_.device.index};
  std::vector<CallArgument> arguments;
  for (std::size_t i = 0; i < plan().size(); ++i) {
    arguments.push_back({memory[i].get(), std::as_bytes(std::span(before_[i]))});
    const std::int64_t elements = std::max<std::int64_t>(1, plan()[i].capacity);
    const std::size_t bytes =
        is_buffer(i) ? sizeof(void*) : static_cast<std::size_t>(elements) * size_of(plan()[i].type);
    executable.sizes.push_back(static_cast<std::int64_t>(bytes));
  }
  const auto workspace =
      bench_.memory_with(Bytes(static_cast<std::size_t>(launches.workspace_bytes)));
  backend_.make_executable(executable)
      ->launch(arguments, {static_cast<std::uint8_t*>(workspace.get())}, ClearWorkspace::no,
               bench_.stream);
  bench_.wait();
  ArgumentData data = before_;
  for (std::size_t i = 0; i < data.size(); ++i)
    if (is_buffer(i)) data[i] = in_memory(memory, i);
  return data;
}

std::vector<Expected> Operands::answers_of_kernel() const {
  const ReferencePlan& reference = problem_.reference;
  const ArgumentData data = after(reference.code, reference.symbols, reference.launches);
  std::vector<Expected> answers;
  for (std::size_t i = 0; i < data.size(); ++i) {
    if (!is_written(i)) continue;
    const std::int64_t count = plan()[i].count;
    answers.push_back(
        expected_from(data[i], plan()[i], static_cast<int>(i), elements_to_check(count, count, 0)));
  }
  return answers;
}

Operand Operands::operand(const KernelArgument& argument, const Memory& memory) const {
  const auto found = std::ranges::find(plan(), argument.name, &PlannedBuffer::name);
  const auto i = static_cast<std::size_t>(found - plan().begin());
  const Bytes& values = before_.at(i);
  if (argument.kind == ArgumentKind::scalar) return Operand::scalar(argument.type, values.data());
  const auto count = static_cast<std::int64_t>(values.size() / size_of(argument.type));
  if (argument.kind == ArgumentKind::array)
    return Operand::array(argument.type, values.data(), count);
  const OperandForm form = is_written(i) ? OperandForm::write : OperandForm::read;
  const Operand buffer = Operand::buffer(form, argument.type, memory[i].get(), count);
  return argument.by_value ? buffer.with_values(values.data()) : buffer;
}

void Operands::prove(const Kernel& kernel) const {
  const Memory memory = new_memory();
  const auto workspace =
      bench_.memory_with(Bytes(static_cast<std::size_t>(kernel.workspace_bytes()), kPoison));
  std::vector<Operand> operands;
  for (const KernelArgument& argument : kernel.arguments())
    operands.push_back(operand(argument, memory));
  kernel.launch(bench_.stream, operands, {workspace.get()});
  bench_.wait();
  for (std::size_t i = 0; i < plan().size(); ++i)
    if (is_buffer(i) && !is_written(i)) {
      EXPECT_EQ(in_memory(memory, i), before_[i]) << plan()[i].name << " was changed";
    }
  std::int64_t checked = 0;
  for (const Expected& expected : answers_) {
    const auto i = static_cast<std::size_t>(expected.argument);
    const OutputComparison comparison =
        compare_output(in_memory(memory, i), plan()[i], expected, problem_.reference.comparison);
    EXPECT_EQ(comparison.message, "");
    checked += comparison.checked;
  }
  EXPECT_GT(checked, 0);
}

// Values are those that the host device has by default, also on a GPU: a test is not a benchmark.
std::vector<Problem> problems_of(const Operation& operation) {
  Device small;
  small.kind = DeviceKind::host;
  std::vector<Problem> problems = {make_problem(operation, Settings{}, small)};
  for (const Choice& choice : operation.choices)
    for (const std::string& label : choice.labels) {
      const Problem problem = make_problem(operation, Settings{{choice.name, label}}, small);
      if (problem != problems.front()) problems.push_back(problem);
    }
  return problems;
}

// The last configuration of the space. It launches what the default often leaves out: a second
// stage, a cluster, more shared memory, a texture of linear memory.
Configuration last_of(const Operation& operation, const Implementation& implementation,
                      const Problem& problem, const Device& device) {
  const Configurations legal = build_space(operation, implementation, problem, device).legal;
  EXPECT_GT(legal.size(), 0U);
  return legal[legal.size() - 1];
}

// One implementation on one problem.
struct Call {
  const Operation* operation = nullptr;
  std::string implementation = {};
  Problem problem = {};
  std::optional<Configuration> given = {};  // none: what a look-up gives
  RuntimeOptions options = {};              // with the manifest, and with what is given
};

Bundle bundle_of(const Call& call, const Device& device) {
  const FolderOfFiles folder;
  BundleMaker maker(call.options);
  maker.add({call.implementation, call.problem.values, device});
  return Bundle(folder.write("one.bundle", maker.bytes()));
}

void expect_what_was_given(const Answer& answer, const Call& call) {
  EXPECT_EQ(answer.problem, call.problem);
  if (call.given) {
    EXPECT_EQ(answer.configuration, *call.given);
  }
}

// With what a look-up gives, then with `last`.
void for_both_configurations(Call& call, const Configuration& last, const auto& visit) {
  visit(call);
  SCOPED_TRACE("with " + tilewright::to_text(last.values));
  call.given = last;
  call.options.catalog.overrides = {{call.implementation, {}, last}};
  visit(call);
}

// Each implementation of the manifest with each problem and both configurations. Skips, with a
// line, what the device is too old for.
void for_each_call(const std::filesystem::path& manifest, const RuntimeOptions& options,
                   const Device& device, const auto& visit) {
  std::size_t known = 0;
  for (const Family& family : load_families(manifest, Library{}))
    for (const Problem& problem : problems_of(family.operation))
      for (const Implementation& implementation : family.implementations) {
        ++known;
        Call call{&family.operation, implementation.full_name(), problem, {}, options};
        call.options.catalog.manifests = {manifest};
        SCOPED_TRACE(call.implementation + " on " + tilewright::to_text(problem.values));
        if (architecture_for(implementation, architecture_of(device)))
          for_both_configurations(call, last_of(family.operation, implementation, problem, device),
                                  visit);
        else
          std::cout << "skips " << call.implementation << ": it needs "
                    << implementation.requires_architecture << '\n';
      }
  EXPECT_GT(known, 0U) << manifest;
}

}  // namespace

void prove_launches(const std::filesystem::path& manifest, const LaunchBench& bench) {
  const Device& device = local_device(bench.device).device;
  for_each_call(manifest, bench.options, device, [&](const Call& call) {
    const Operands operands(*call.operation, call.problem, bench);
    const auto prove = [&](const std::string& from, const Kernel& kernel) {
      SCOPED_TRACE("from a " + from);
      kernel.prepare();
      EXPECT_EQ(kernel.answer().passed_over, "");
      expect_what_was_given(kernel.answer(), call);
      operands.prove(kernel);
    };
    const Settings& problem = call.problem.values;
    prove("runtime", Runtime(call.options).kernel({call.implementation, problem, bench.device}));
    prove("bundle", bundle_of(call, device).kernel({call.implementation, problem, bench.device}));
  });
}

void prove_bundles(const std::filesystem::path& manifest, const RuntimeOptions& options,
                   const Device& device) {
  for_each_call(manifest, options, device, [&](const Call& call) {
    const std::vector<BundleKernel> kernels = bundle_of(call, device).kernels();
    ASSERT_EQ(kernels.size(), 1U);
    expect_what_was_given(kernels.front().answer, call);
  });
}

void prove_refused(const std::filesystem::path& manifest, const LaunchBench& bench,
                   const std::string& why) {
  const Device& device = local_device(bench.device).device;
  const auto expect_refused = [&](const auto& work) {
    try {
      work();
      ADD_FAILURE() << "nothing was refused";
    } catch (const MachineError& error) {
      EXPECT_NE(std::string(error.what()).find(why), std::string::npos) << error.what();
    }
  };
  for_each_call(manifest, bench.options, device, [&](const Call& call) {
    expect_refused([&] {
      Runtime(call.options)
          .kernel({call.implementation, call.problem.values, bench.device})
          .prepare();
    });
    expect_refused([&] { bundle_of(call, device); });
  });
}

}  // namespace tilewright::test
