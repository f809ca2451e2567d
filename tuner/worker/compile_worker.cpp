// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#include "tuner/worker/compile_worker.hpp"

#include <fmt/format.h>

#include <csignal>
#include <nlohmann/json.hpp>

#include "tilewright/error.hpp"
#include "tuner/worker/channel.hpp"
#include "tuner/worker/messages.hpp"

namespace tilewright {
namespace {

// Enough for a process that has closed its output to be gone.
constexpr std::chrono::milliseconds kGrace{1000};

// The worker's own status for "cannot work here", and the dynamic linker's.
constexpr int kCannotWork = 3;
constexpr int kCannotStart = 127;

CompileResult lost(Outcome outcome, std::string log) {
  CompileResult result;
  result.outcome = outcome;
  result.log = std::move(log);
  return result;
}

}  // namespace

CompileResult CompileWorker::compile(const CompileRequest& request, const std::stop_token& stop) {
  send(request);
  nlohmann::json reply;
  ReadStatus status = ReadStatus::end_of_file;
  {
    // The process is not reaped before this scope ends, so the number stays its own.
    const std::stop_callback interrupt(stop, [id = process_->id()] { ::kill(id, SIGKILL); });
    status = read_message(process_->output(), reply, options_.time_limit);
  }
  if (stop.stop_requested()) return lost(Outcome::compile_timed_out, "interrupted");
  if (status == ReadStatus::timed_out) return lose_to_limit();
  if (status != ReadStatus::message) return lose_to_death();
  if (reply.contains("machine_error"))
    throw MachineError(reply["machine_error"].get<std::string>());
  return reply.at("result").get<CompileResult>();
}

// A process can be lost while idle; that is not this request's fault, so it gets a new one.
void CompileWorker::send(const CompileRequest& request) {
  const nlohmann::json message = request;
  const bool was_idle = process_.has_value();
  if (!process_)
    process_.emplace(
        ProcessOptions{options_.worker, options_.arguments, options_.memory_limit_bytes});
  if (write_message(process_->input(), message, options_.time_limit) || !was_idle) return;
  process_.reset();
  send(request);
}

CompileResult CompileWorker::lose_to_limit() {
  process_.reset();
  return lost(Outcome::compile_timed_out,
              fmt::format("the compile took longer than its limit of {:.6g} s",
                          static_cast<double>(options_.time_limit.count()) / 1000));
}

CompileResult CompileWorker::lose_to_death() {
  const ExitStatus status = process_->stop(kGrace);
  process_.reset();
  if (status.signal == 0 && (status.code == kCannotWork || status.code == kCannotStart))
    throw MachineError(
        fmt::format("{} cannot work here: {}", options_.worker.string(), to_text(status)));
  // Compilers abort when memory runs out, and the system kills what takes too much.
  if (status.signal == SIGABRT || status.signal == SIGKILL)
    return lost(
        Outcome::compile_timed_out,
        fmt::format("compiler process died: {}; most likely over its memory limit of {} MiB",
                    to_text(status), options_.memory_limit_bytes >> 20));
  return lost(Outcome::compile_failed, fmt::format("compiler process died: {}", to_text(status)));
}

}  // namespace tilewright
