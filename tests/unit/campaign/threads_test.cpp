// Eight threads use everything at once. ThreadSanitizer runs this test: docs/tests.md.
#include <atomic>
#include <memory>
#include <thread>

#include "tests/unit/campaign/scale_request.hpp"
#include "tilewright/runtime.hpp"

namespace tilewright::test {
namespace {

constexpr int kThreads = 8;
constexpr int kRounds = 6;

class Threads : public ScaleRequest {
 protected:
  Threads() { add_reference(); }

  RuntimeOptions options() const {
    RuntimeOptions options;
    options.catalog.database = request_.database;
    options.catalog.manifests = {request_.operation};
    options.cache = request_.cache_folder;
    options.host_compiler = request_.host_compiler;
    options.scratch = scratch();
    return options;
  }

  // What the kernel for `n` numbers gives is right.
  bool launches(const Runtime& runtime, std::int64_t n) const {
    const Kernel kernel = runtime.kernel({"scale", {{"n", n}}, DeviceSelector::host()});
    std::vector<float> y(static_cast<std::size_t>(n));
    kernel.launch(nullptr, {{x_.data(), factor_, y.data()}}, {});
    return y.back() == factor_ * x_[y.size() - 1];
  }

  bool tunes() const {
    const TuneResult result = tune(request_);
    return result.implementation == "scale/plain";
  }
};

TEST_F(Threads, LookUpLaunchTuneAndCloseAtOnce) {
  const Runtime shared(options());
  std::atomic<int> wrong = 0;
  {
    std::vector<std::jthread> threads;
    for (int thread = 0; thread < kThreads; ++thread)
      threads.emplace_back([&, thread] {
        for (int round = 0; round < kRounds; ++round) {
          const std::int64_t n = 100 + 50 * ((thread + round) % 3);
          if (thread == 0 && round < 2 && !tunes()) ++wrong;
          if (!launches(shared, n)) ++wrong;
          if (thread % 2 == 0 && !launches(Runtime(options()), n)) ++wrong;
          if (thread == 7) shared.trim();
        }
      });
  }
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace tilewright::test
