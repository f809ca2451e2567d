#include <nlohmann/json.hpp>

#include "definition/json/codec.hpp"
#include "tests/fuzz/target.hpp"
#include "tuner/worker/messages.hpp"

using namespace tilewright;

namespace {

template <class Message>
void read_as(const nlohmann::json& json) {
  try {
    const auto message = json.get<Message>();
    const nlohmann::json written = message;
    fuzz::expect(nlohmann::json(written.get<Message>()) == written,
                 "write, read, write gives the same message");
  } catch (const nlohmann::json::exception&) {
  }
}

}  // namespace

// What crosses a pipe to a worker, and what an entry of the cache of compiled code holds.
TILEWRIGHT_FUZZ_TARGET(message) {
  const auto json = parse_cbor(fuzz::text_of(data, size));
  if (!json) return 0;
  read_as<CompileRequest>(*json);
  read_as<CompileResult>(*json);
  read_as<SessionPlan>(*json);
  read_as<KernelPlan>(*json);
  read_as<SampleRequest>(*json);
  read_as<Resources>(*json);
  read_as<Verification>(*json);
  read_as<Timing>(*json);
  read_as<Failure>(*json);
  return 0;
}
