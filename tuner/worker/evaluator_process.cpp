#include "tuner/worker/evaluator_process.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <span>
#include <utility>

#include "definition/json/codec.hpp"
#include "definition/text/errors.hpp"
#include "definition/text/escape.hpp"
#include "tuner/worker/answers.hpp"
#include "tuner/worker/channel.hpp"

namespace tilewright {
namespace {

constexpr std::size_t kLongestLine = std::size_t{1} << 20;
constexpr std::size_t kMostOfARead = std::size_t{1} << 16;
constexpr std::size_t kKeptLog = std::size_t{1} << 12;
// Answers to earlier requests, such as second ones.
constexpr int kMostIgnored = 1000;
// How long a process that has closed its output may take to end.
constexpr std::chrono::milliseconds kGrace{1000};

// What is there; empty: the other end is closed.
std::string read_some(int fd) {
  std::string bytes(kMostOfARead, '\0');
  ssize_t count = 0;
  do count = read(fd, bytes.data(), bytes.size());
  while (count < 0 && errno == EINTR);
  bytes.resize(static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
  return bytes;
}

bool has_bytes(int fd) {
  pollfd entry = {fd, POLLIN, 0};
  return poll(&entry, 1, 0) > 0 && (entry.revents & POLLIN) != 0;
}

// What each kind of error is to a trial. A process that is broken does not go on.
Outcome outcome_of(const std::string& kind) {
  if (kind == "compile") return Outcome::compile_failed;
  if (kind == "resources") return Outcome::unsupported;
  if (kind == "launch") return Outcome::launch_failed;
  if (kind == "wrong") return Outcome::wrong_answer;
  if (kind == "broken") return Outcome::faulted;
  throw BadAnswer("the kind '" + beginning_of(kind) +
                  "' of an error is none of compile, resources, launch, wrong, broken");
}

Failure failure_in(const nlohmann::json& error) {
  if (!error.is_object() || !error.contains("kind") || !error["kind"].is_string())
    throw BadAnswer("'error' is not an object with a 'kind'");
  const auto text = error.find("text");
  const bool has_text = text != error.end() && text->is_string();
  return {outcome_of(error["kind"]), has_text ? text->get<std::string>() : "it says no more"};
}

}  // namespace

Attempt<nlohmann::json> read_evaluators_answer(const nlohmann::json& answer) {
  if (const auto ok = answer.find("ok"); ok != answer.end()) {
    if (!ok->is_object()) throw BadAnswer("'ok' is not an object");
    return *ok;
  }
  if (!answer.contains("error")) throw BadAnswer("it has neither 'ok' nor 'error'");
  return failure_in(answer["error"]);
}

Resources evaluators_resources(const nlohmann::json& ok) {
  Resources resources;
  const auto given = ok.find("resources");
  if (given == ok.end()) return resources;
  if (!given->is_object()) throw BadAnswer("'resources' is not an object");
  for_each_field(resources, [&](const char* name, auto& value) {
    if (given->contains(name)) as_answer([&] { MessageReader{*given}(name, value); });
  });
  as_answer([&] { require_possible(resources); });
  return resources;
}

void EvaluatorProcess::begin(nlohmann::json hello) {
  if (process_ && hello == hello_) return;
  hello_ = std::move(hello);
  start();
}

void EvaluatorProcess::start() {
  if (!process_) {
    ProcessOptions options{"/usr/bin/env", command_};
    options.wiring = Wiring::evaluator;
    process_.emplace(options);
    unread_.clear();
  }
  const std::string name = fmt::format("the evaluator `{}`", fmt::join(command_, " "));
  const auto answer = exchange("hello", hello_);
  if (!answer.ok()) {
    process_.reset();
    throw broken_machine("{} does not begin: {}", name, answer.failure().message);
  }
  const auto version = answer.value().find("protocol");
  if (version == answer.value().end() || *version != kEvaluatorProtocol) {
    process_.reset();
    throw broken_machine(
        "{} answers hello without \"protocol\": {}, the version that it must speak", name,
        kEvaluatorProtocol);
  }
}

Attempt<nlohmann::json> EvaluatorProcess::ask(const std::string& verb, nlohmann::json request) {
  if (!process_) start();
  return exchange(verb, std::move(request));
}

Attempt<nlohmann::json> EvaluatorProcess::exchange(const std::string& verb,
                                                   nlohmann::json request) {
  request["verb"] = verb;
  request["id"] = ++id_;
  log_.clear();
  Deadline never{Deadline::Milliseconds(0)};
  const std::string line = json_text(request) + '\n';
  // A process that has ended may have said why, so its answer counts even if the write failed.
  write_bytes(process_->input(), std::span(line.data(), line.size()), never);
  try {
    const nlohmann::json answer = next_answer(id_);
    if (answer.is_null()) return lose_to_death(verb);
    const auto read = read_evaluators_answer(answer);
    if (read.ok()) return read;
    Failure failure = read.failure();
    failure.message = with_log(std::move(failure.message));
    if (failure.outcome == Outcome::faulted) process_.reset();
    return failure;
  } catch (const BadAnswer& error) {
    return lose_because_of(verb, error.what());
  }
}

// Null if the process has ended. An answer to an earlier request is ignored: it costs nobody
// anything that one was answered twice.
nlohmann::json EvaluatorProcess::next_answer(int id) {
  for (int ignored = 0; ignored < kMostIgnored; ++ignored) {
    const auto line = next_line();
    if (!line) return nullptr;
    nlohmann::json answer = parse_sorted(*line);
    if (!answer.is_object())
      throw BadAnswer("it is not a JSON object on one line: " + visible_line(beginning_of(*line)));
    const auto given = answer.find("id");
    if (given == answer.end() || !given->is_number_integer())
      throw BadAnswer("'id' is missing or not an integer");
    if (*given == id) return answer;
    if (*given > id) throw BadAnswer("'id' is of a request that was never sent");
  }
  throw BadAnswer("it answers much that it was not asked");
}

std::optional<std::string> EvaluatorProcess::next_line() {
  for (int log = process_->log();;) {
    if (const std::size_t end = unread_.find('\n'); end != std::string::npos) {
      std::string line = unread_.substr(0, end);
      unread_.erase(0, end + 1);
      return line;
    }
    if (unread_.size() > kLongestLine)
      throw BadAnswer(fmt::format("a line is longer than {} MiB", kLongestLine >> 20));
    std::array<pollfd, 2> entries = {pollfd{process_->output(), POLLIN, 0}, pollfd{log, POLLIN, 0}};
    if (poll(entries.data(), entries.size(), -1) < 0 && errno != EINTR) return std::nullopt;
    if ((entries[1].revents & POLLIN) != 0)
      read_log();
    else if (entries[1].revents != 0)
      log = -1;  // the process closed it
    if (entries[0].revents == 0) continue;
    const std::string bytes = read_some(process_->output());
    if (bytes.empty()) return std::nullopt;
    unread_ += bytes;
  }
}

void EvaluatorProcess::read_log() {
  log_ += read_some(process_->log());
  if (log_.size() > kKeptLog) log_.erase(0, log_.size() - kKeptLog);
}

// The text, and below it what the process wrote. No more of it is waited for.
std::string EvaluatorProcess::with_log(std::string text) {
  constexpr int kMostReads = 64;
  for (int i = 0; i < kMostReads && process_ && has_bytes(process_->log()); ++i) read_log();
  while (!log_.empty() && log_.back() == '\n') log_.pop_back();
  if (!log_.empty()) text += '\n' + log_;
  return text;
}

Failure EvaluatorProcess::lose_because_of(const std::string& verb, const std::string& wrong) {
  std::string text = with_log(fmt::format("the evaluator's answer to '{}': {}", verb, wrong));
  process_.reset();
  return {Outcome::faulted, std::move(text)};
}

Failure EvaluatorProcess::lose_to_death(const std::string& verb) {
  const std::string log = with_log("");
  const ExitStatus end = process_->stop(kGrace);
  process_.reset();
  if (end.cause == ExitStatus::Cause::stopped)
    return {Outcome::faulted, fmt::format("the evaluator closed its answers in '{}'{}", verb, log)};
  return {was_killed_from_outside(end) ? Outcome::machine_failed : Outcome::faulted,
          fmt::format("the evaluator died in '{}': {}{}", verb, to_text(end), log)};
}

}  // namespace tilewright
