#include "tuner/sweep/compile_ahead.hpp"

#include <utility>

namespace tilewright {
namespace {

// How often `stop` is checked.
constexpr std::chrono::milliseconds kQueueAttention(100);

}  // namespace

void CompileAhead::submit(std::size_t ticket, CompileRequest request) {
  submitted_.insert(ticket);
  if (request.compiler == kNoCompiler) {
    const Moment now = std::chrono::steady_clock::now();
    early_.push_back({ticket, {}, now, now});
    return;
  }
  queue_.submit(ticket, std::move(request));
}

std::optional<CompileQueue::Done> CompileAhead::next(std::chrono::milliseconds limit) {
  std::optional<CompileQueue::Done> done;
  if (!early_.empty()) {
    done = std::move(early_.front());
    early_.pop_front();
  } else {
    done = take(limit);
  }
  if (done) submitted_.erase(done->ticket);
  return done;
}

std::optional<CompileResult> CompileAhead::wait_for(std::size_t ticket,
                                                    const std::atomic<bool>& stop) {
  for (auto item = early_.begin(); item != early_.end(); ++item) {
    if (item->ticket != ticket) continue;
    CompileResult result = std::move(item->result);
    early_.erase(item);
    submitted_.erase(ticket);
    return result;
  }
  while (!stop) {
    auto done = take(kQueueAttention);
    if (!done) continue;
    if (done->ticket == ticket) {
      submitted_.erase(ticket);
      return std::move(done->result);
    }
    early_.push_back(std::move(*done));
  }
  return std::nullopt;
}

std::optional<CompileQueue::Done> CompileAhead::take(std::chrono::milliseconds limit) {
  auto done = queue_.next(limit);
  if (!done) return done;
  ++(done->result.from_cache ? counts_.from_cache : counts_.done);
  timeline_.add(Activity::compiling, {done->begun, done->ended});
  return done;
}

void CompileAhead::forget() {
  for (const Moment begun : queue_.withdraw())
    timeline_.add(Activity::compiling, {begun, std::chrono::steady_clock::now()});
  submitted_.clear();
  early_.clear();
}

}  // namespace tilewright
