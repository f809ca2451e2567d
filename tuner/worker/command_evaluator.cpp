#include "tuner/worker/command_evaluator.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "definition/command.hpp"
#include "definition/json/codec.hpp"
#include "definition/text/escape.hpp"
#include "tilewright/error.hpp"
#include "tilewright/statistics.hpp"
#include "tuner/worker/channel.hpp"
#include "tuner/worker/evaluator_process.hpp"
#include "tuner/worker/process.hpp"

namespace tilewright {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kLongestPart = std::size_t{1} << 16;  // of a line that is searched
constexpr std::size_t kMostTimes = std::size_t{1} << 12;    // of a run

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, CloseFile>;

double microseconds_since(Clock::time_point begin) {
  return std::chrono::duration<double, std::micro>(Clock::now() - begin).count();
}

// A configuration that cannot be used, as the protocol says it.
struct Refused {
  const char* kind;
  std::string text;
};

// One run of the program.
struct Run {
  std::vector<double> times_us;
  bool has_expected = false;
  std::string unclear;  // why a time cannot be read
};

class CommandServer {
 public:
  explicit CommandServer(Command command) : command_(std::move(command)) {
    if (!command_.time.empty()) time_.emplace(command_.time);
  }

  nlohmann::json answer(const nlohmann::json& request) {
    const std::string verb = request.at("verb");
    nlohmann::json answer = {{"id", request.at("id")}};
    try {
      answer["ok"] = verb == "hello"     ? begin(request)
                     : verb == "prepare" ? prepare(request.at("configuration"))
                     : verb == "check"   ? check()
                                         : measure(request);
    } catch (const Refused& refused) {
      answer["error"] = {{"kind", refused.kind}, {"text", refused.text}};
    }
    return answer;
  }

 private:
  nlohmann::json begin(const nlohmann::json& hello) {
    problem_ = hello.at("problem");
    problem_["device"] = hello.at("device").at("index");
    return {{"protocol", kEvaluatorProtocol}};
  }

  nlohmann::json prepare(const nlohmann::json& configuration) {
    nlohmann::json values = problem_;
    values.update(configuration);
    line_ = "exec";
    for (const std::string& word : command_.words)
      line_ += ' ' + shell_word(filled(word, [&](const std::string& name) {
                 const nlohmann::json& value = values.at(name);
                 return value.is_string() ? value.get<std::string>() : value.dump();
               }));
    return nlohmann::json::object();
  }

  nlohmann::json check() const {
    if (run().has_expected) return {{"correct", true}, {"checked", 1}};
    return {{"correct", false}, {"text", "its output lacks '" + command_.expect + "'"}};
  }

  nlohmann::json measure(const nlohmann::json& request) const {
    const auto least = request.at("least").get<std::size_t>();
    const auto most = request.at("most").get<std::size_t>();
    std::vector<double> times;
    for (const auto begin = Clock::now();;) {
      const Run one = run();
      times.insert(times.end(), one.times_us.begin(), one.times_us.end());
      const bool may_be_few =
          least < most && times.size() >= 2 && median(times) > request.at("long_us").get<double>();
      const bool is_enough = times.size() >= least || may_be_few;
      if (is_enough && (times.size() >= most || may_be_few ||
                        microseconds_since(begin) >= request.at("budget_us").get<double>()))
        break;
    }
    times.resize(std::min(times.size(), most));
    return {{"times_us", std::move(times)}};
  }

  Run run() const {
    std::fflush(nullptr);
    const auto begin = Clock::now();
    std::FILE* const output = popen(line_.c_str(), "re");
    if (output == nullptr) throw Refused{"broken", "no process can be started"};
    Run result;
    result.has_expected = command_.expect.empty();
    std::array<char, kLongestPart> part;
    while (std::fgets(part.data(), part.size(), output) != nullptr) {
      std::fputs(part.data(), stdout);
      read_line(part.data(), result);
    }
    const int status = pclose(output);
    std::fflush(stdout);
    if (status != 0) throw Refused{"launch", "the command ended with " + ending(status)};
    if (!result.unclear.empty()) throw Refused{"broken", result.unclear};
    if (!time_) result.times_us.push_back(microseconds_since(begin));
    if (result.times_us.empty())
      throw Refused{"launch", "no line of its output has a time as in '" + command_.time + "'"};
    return result;
  }

  void read_line(std::string_view line, Run& result) const {
    if (line.ends_with('\n')) line.remove_suffix(1);
    result.has_expected |= line.find(command_.expect) != std::string_view::npos;
    if (!time_ || result.times_us.size() >= kMostTimes) return;
    try {
      if (const auto time = time_->find(line)) result.times_us.push_back(*time);
    } catch (const InputError& error) {
      result.unclear = error.what();
    }
  }

  static std::string ending(int status) {
    ExitStatus end;
    if (WIFSIGNALED(status))
      end.signal = WTERMSIG(status);
    else
      end.code = WEXITSTATUS(status);
    return to_text(end);
  }

  Command command_;
  std::optional<TimePattern> time_;
  nlohmann::json problem_;
  std::string line_;  // for sh
};

}  // namespace

bool serve_command(const std::vector<std::string>& words, int requests, int answers) {
  std::vector<std::string> all = words;
  all.insert(all.begin(), kOwnEvaluator);
  auto command = command_in(all);
  if (!command) return false;
  CommandServer server(*std::move(command));
  for (const int descriptor : {requests, answers}) fcntl(descriptor, F_SETFD, FD_CLOEXEC);
  const File input(fdopen(requests, "r"));
  char* line = nullptr;
  std::size_t size = 0;
  while (input && getline(&line, &size, input.get()) > 0) {
    const std::string answer = json_text(server.answer(parse_sorted(line))) + '\n';
    Deadline never{Deadline::Milliseconds(0)};
    if (!write_bytes(answers, answer, never)) break;
  }
  std::free(line);
  return true;
}

}  // namespace tilewright
