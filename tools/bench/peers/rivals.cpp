// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#include "tools/bench/peers/rivals.hpp"

#include "tools/bench/peers/cases.hpp"
#include "tools/bench/peers/own_kernel.hpp"

namespace tilewright::bench {
namespace {

Corner make_textbook(const RivalTask& task) {
  const Choice choice = default_choice(task.request, "halo");
  return {task.field, make_own_kernel(task.arena, task.request, choice, task.field)};
}

Corner make_kernel_tuner(const RivalTask& task) {
  const auto problem = kernel_tuner_problem(task.request.problem);
  if (!problem) throw CannotCompete("one image, odd filters from 3 to 33");
  const SweepRequest request = task.arena.request_for(kKernelTuner, *problem);
  const Choice choice = stored_winner(task.arena, request);
  const auto field = task.arena.make_field(request);
  return {field, make_own_kernel(task.arena, request, choice, field)};
}

}  // namespace

std::vector<Rival> rivals_of(const std::string& operation) {
  const Rival cudnn = {"cuDNN", {}, "", make_cudnn};
  const Rival fourier = {"FFT", {}, "", make_fourier};
  const Rival textbook = {"textbook", {}, "", make_textbook};
  if (operation == "conv1d") return {cudnn, fourier, textbook};
  if (operation != "conv2d") return {};
  return {{"NPP",
           {{"boundary", "replicate"}},
           "both sides with boundary = replicate, which NPP has",
           make_npp},
          cudnn,
          fourier,
          textbook,
          {"Kernel Tuner", {}, "reads an image that is padded already", make_kernel_tuner}};
}

}  // namespace tilewright::bench
