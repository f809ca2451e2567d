#include "bench/peers/rivals/rivals.hpp"

#include <limits>

#include "bench/peers/cases/cases.hpp"
#include "bench/peers/rivals/own_kernel.hpp"

namespace tilewright::bench {
namespace {

// The kernel of a teaching text, which is the default of one of our templates.
Corner make_default(const RivalTask& task, const char* implementation) {
  const Choice choice = default_choice(task.request, implementation);
  return {task.field, make_own_kernel(task.arena, task.request, choice, task.field)};
}

Corner make_halo(const RivalTask& task) {
  return make_default(task, "halo");
}

Corner make_tiled(const RivalTask& task) {
  return make_default(task, "tiled");
}

Corner make_two_pass(const RivalTask& task) {
  return make_default(task, "two_pass");
}

Corner make_kernel_tuner(const RivalTask& task) {
  const auto problem = kernel_tuner_problem(task.request.problem);
  if (!problem) throw CannotCompete("one image, odd filters from 3 to 33");
  const SweepRequest request = task.arena.request_for(kKernelTuner, *problem);
  const Choice choice = stored_winner(task.arena, request);
  const auto field = task.arena.make_field(request);
  return {field, make_own_kernel(task.arena, request, choice, field)};
}

Corner make_march(const RivalTask& task) {
  return make_default(task, "march");
}

// The winner among the implementations that launch each step.
Corner make_single_steps(const RivalTask& task) {
  SweepRequest request = task.request;
  std::erase_if(request.implementations,
                [](const Implementation* item) { return item->name != "march"; });
  const Choice choice = stored_winner(task.arena, request);
  return {task.field, make_own_kernel(task.arena, request, choice, task.field)};
}

// The textbook's kernel is for float32, the default of both the types and the precision.
std::vector<Rival> rivals_of_product(const Settings& problem) {
  std::vector<Rival> rivals = {{"cuBLAS", {}, "", make_cublas},
                               {"cublasLt", {}, "", make_cublas_lt}};
  const auto type = problem.find("type_a");
  if (type == problem.end() && !problem.contains("precision"))
    rivals.push_back({"textbook", {}, "", make_tiled});
  else if (type != problem.end() && to_text(type->second).starts_with("float8"))
    rivals.push_back({"cublasLt fast", {}, "", make_cublas_lt_fast});
  return rivals;
}

// What NPP's functions need, and what is said of it.
Rival npp(Corner (*make)(const RivalTask&)) {
  return {"NPP",
          {{"boundary", "replicate"}},
          "both sides with boundary = replicate, which NPP has",
          make};
}

// The libraries' filters of rows and of columns are float32 here.
std::vector<Rival> rivals_of_separable(const Settings& problem) {
  const Rival textbook = {"textbook", {}, "", make_two_pass};
  if (problem.contains("type")) return {textbook};
  return {npp(make_npp_separable), {"cuDNN", {}, "", make_cudnn_separable}, textbook};
}

}  // namespace

std::size_t fastest_of(std::size_t count, const std::function<double(std::size_t)>& time_us) {
  double least_us = std::numeric_limits<double>::infinity();
  std::size_t fastest = count;
  std::string why = "none of its algorithms computes this";
  for (std::size_t i = 0; i < count; ++i) {
    try {
      const double us = time_us(i);
      if (us >= least_us) continue;
      least_us = us;
      fastest = i;
    } catch (const CannotCompete& error) {
      why = error.what();
    }
  }
  if (fastest == count) throw CannotCompete(why);
  return fastest;
}

std::vector<Rival> rivals_of(const Case& item) {
  if (item.operation == "gemm") return rivals_of_product(item.problem);
  if (item.operation == "conv2d_separable") return rivals_of_separable(item.problem);
  const Rival cudnn = {"cuDNN", {}, "", make_cudnn};
  const Rival fourier = {"FFT", {}, "", make_fourier};
  const Rival textbook = {"textbook", {}, "", make_halo};
  if (item.operation == "conv1d") return {cudnn, fourier, textbook};
  if (item.operation == "conv3d") return {cudnn, textbook};
  if (item.operation == "stencil3d")
    return {{"textbook", {}, "", make_march}, {"single steps", {}, "", make_single_steps}};
  if (item.operation != "conv2d") return {};
  return {npp(make_npp),
          cudnn,
          fourier,
          textbook,
          {"Kernel Tuner", {}, "reads an image that is padded already", make_kernel_tuner}};
}

}  // namespace tilewright::bench
