#include "bench/peers/rivals/arena.hpp"

#include <fmt/format.h>

#include <utility>

#include "bench/peers/cases/gemm_problem.hpp"
#include "bench/peers/cases/rounds.hpp"
#include "definition/library/hook.hpp"
#include "definition/problem.hpp"
#include "tilewright/error.hpp"
#include "tools/input/lookup.hpp"
#include "tools/input/target.hpp"
#include "tuner/cuda/session/graph_timer.hpp"
#include "tuner/sweep/prepare/services.hpp"
#include "tuner/sweep/prepare/session_plan.hpp"

namespace tilewright::bench {
namespace {

DeviceReport gpu_of(const std::string& device) {
  DeviceReport report = tools::find_device(device.empty() ? "cuda:0" : device);
  if (report.device.kind != DeviceKind::cuda)
    throw InputError("--device 'host': give a GPU, cuda:N, because other libraries run only there");
  return report;
}

std::unique_ptr<Store> store_of(const tools::Places& places) {
  std::unique_ptr<Store> store = tools::open_for_reading(places);
  if (!store)
    throw InputError(tools::no_database_text(places) +
                     "; tune the cases first, --list-sweeps names them");
  return store;
}

std::map<std::string, Family> own_families(const std::string& definition, const Library& library) {
  std::map<std::string, Family> families;
  const Family family = load_manifest(definition, library);
  families[family.operation.name] = family;
  return families;
}

cuda::Stream stream_on(int device) {
  cuda::check(cudaSetDevice(device), "use the device");
  return cuda::make_stream();
}

// Calls the entrant on each of the field's sets in turn, beginning with `first`.
auto submission(const Field& field, Entrant& entrant, cudaStream_t stream, int first = 0) {
  return [&field, &entrant, stream, first](int call) {
    entrant.call(field.pointers(first + call), stream);
  };
}

}  // namespace

void ArenaGiven::declare(tools::Options& all) {
  all.text(measuring.device, {"device", "cuda:N", "The GPU; cuda:0 by default."});
  all.choice(cache, {CachePolicy::cold, CachePolicy::warm},
             {"policy", "cold|warm", "Cold by default."});
  all.value(heating_s, tools::option::seconds,
            {"heat", "TIME",
             "How long both sides run in turn before their pairs are measured, so that a clock "
             "that falls under load has fallen: '1s'. Not at all by default."});
  all.value(lead_in_s, tools::option::seconds,
            {"lead-in", "TIME",
             "How long each side runs alone before each of its samples, so that its clock is that "
             "of its own load and not of both: '0.2s'. Not at all by default."});
  all.text(definition,
           {"definition", "FILE",
            "Manifest of the user kernel among the rivals, if the built-in path does not exist."});
  measuring.places.declare(all, {tools::kDatabase, tools::kKernels, tools::kCache});
  measuring.declare_jobs(all);
  all.number(seed, tools::kSeedOption);
}

Arena::Arena(const ArenaGiven& given)
    : given_(given),
      report_(gpu_of(given.measuring.device)),
      environment_(environment_of(report_, tools::toolchain())),
      library_(tools::load_library(given.measuring.places)),
      own_(own_families(given.definition, library_)),
      store_(store_of(given.measuring.places)),
      pool_(tools::worker_options(given.measuring), report_.device.kind),
      compilers_(pool_),
      stream_(stream_on(report_.index)) {
  const auto probe = backend_of(device().kind).facts(device()).probe;
  if (!probe) return;
  const CompileResult code = compile(*probe);
  if (!code.ok()) throw MachineError("the clock probe does not compile:\n" + code.log);
  probe_.emplace(code.code, report_.index, stream());
}

const Family& Arena::family(const std::string& operation) const {
  const auto found = own_.find(operation);
  return found == own_.end() ? library_.family(operation) : found->second;
}

// The family with the snippets that the problem names. Their names become labels.
const Family& Arena::family_for(const std::string& operation, Settings& problem) {
  const Family& plain = family(operation);
  if (!name_snippets(plain.operation, problem)) return plain;
  const std::string key = operation + ' ' + to_text(problem);
  Family hooked = with_snippets(plain, problem, library_.snippets());
  return hooked_.try_emplace(key, std::move(hooked)).first->second;
}

SweepRequest Arena::request_for(const std::string& operation, const Settings& problem) {
  Settings values = problem;
  const Family& definitions = family_for(operation, values);
  SweepRequest request;
  for (const Implementation& implementation : definitions.implementations)
    request.implementations.push_back(&implementation);
  request.operation = &definitions.operation;
  request.problem = make_problem(definitions.operation, values, device());
  request.device = device();
  request.device_index = report_.index;
  request.backend = backend_of(device().kind).facts(device());
  request.policy.cache = given_.cache;
  request.seed = given_.seed;
  return request;
}

CompileResult Arena::compile(CompileRequest request) {
  compilers_.submit(++ticket_, std::move(request));
  const std::atomic<bool> never = false;
  return compilers_.wait_for(ticket_, never).value();
}

CompileResult Arena::compile_own(std::string_view source, std::vector<std::string> entries) {
  CompileRequest request;
  request.source = source;
  request.source_name = "tilewright-peers";
  request.architecture = backend_of(device().kind).facts(device()).architecture;
  request.entries = std::move(entries);
  CompileResult code = compile(std::move(request));
  if (!code.ok()) throw MachineError("a kernel of tilewright-peers does not compile:\n" + code.log);
  return code;
}

FieldOptions Arena::field_options() const {
  return {report_.index, given_.cache, given_.seed, stream()};
}

std::shared_ptr<const Field> Arena::make_field(const SweepRequest& request) {
  CompileResult reference;
  if (request.operation->reference.builtin.empty()) {
    reference = compile(reference_request(request));
    if (!reference.ok()) throw InputError("the reference does not compile:\n" + reference.log);
  }
  SessionPlan plan = plan_session(request, {request.problem}, reference, {});
  SessionProblem& problem = plan.problems.front();
  if (request.operation->name == "gemm") set_integer_factors_to_one(problem.buffers);
  return std::make_shared<const Field>(std::move(problem), field_options());
}

Timing Arena::time(const Field& field, Entrant& entrant, const SampleRequest& request) const {
  entrant.call(field.pointers(), stream());  // so that everything that loads lazily is loaded
  cuda::GraphTimer timer(stream(), probe_ ? &*probe_ : nullptr);
  return timer.sample(request, field.sets().count(), submission(field, entrant, stream()));
}

PairedTimings Arena::compare(const Corner& first, const Corner& second) const {
  const cuda::ServiceKernels* probe = probe_ ? &*probe_ : nullptr;
  cuda::GraphTimer timers[] = {{stream(), probe}, {stream(), probe}};
  const auto contender = [&](cuda::GraphTimer& timer, const Corner& corner, int set) {
    const int calls =
        timer.capture_sample(SampleRequest{}, corner.field->sets().count(),
                             submission(*corner.field, *corner.entrant, stream(), set));
    return Contender{calls, [&timer] { return timer.replay(); }};
  };
  // Half a rotation apart: where samples have parts of it, neither finds in the L2 what the other
  // has just read.
  const Contender one = contender(timers[0], first, 0);
  const Contender other = contender(timers[1], second, second.field->sets().count() / 2);
  heat({one, other}, given_.heating_s);
  if (probe != nullptr) probe->mark_start();
  PairedTimings pairs = take_pairs(kPairs, with_lead_in(one, given_.lead_in_s),
                                   with_lead_in(other, given_.lead_in_s));
  if (probe != nullptr) {
    probe->mark_end();
    pairs.first.sm_mhz = pairs.second.sm_mhz = probe->megahertz();
  }
  return pairs;
}

std::vector<std::size_t> Arena::rank(const Field& field, VariedEntrant& entrant,
                                     const Heat& heat) const {
  const int sets = heat.cache == CachePolicy::warm ? 1 : field.sets().count();
  std::vector<std::unique_ptr<cuda::GraphTimer>> timers;
  std::vector<Contender> contenders;
  std::vector<std::size_t> able;
  std::string why = "none of its algorithms computes this";
  for (const std::size_t variant : heat.variants) {
    timers.push_back(std::make_unique<cuda::GraphTimer>(stream(), probe_ ? &*probe_ : nullptr));
    // Neighbours are half a rotation apart, as in compare(). A graph may be captured as late as at
    // its replay.
    const int first = static_cast<int>(able.size() % 2) * (sets / 2);
    const auto submit = [&, variant, first](int call) {
      entrant.choose(variant);
      entrant.call(field.pointers((first + call) % sets), stream());
    };
    try {
      submit(0);  // so that everything that loads lazily is loaded
      const int calls = timers.back()->capture_sample(heat.request, sets, submit);
      contenders.push_back({calls, [timer = timers.back().get()] { return timer->replay(); }});
      able.push_back(variant);
    } catch (const CannotCompete& error) {
      why = error.what();
    } catch (const TrialError& error) {
      if (error.failure().outcome == Outcome::faulted) throw;
      why = error.what();
    }
  }
  if (able.empty()) throw CannotCompete(why);
  bench::heat(contenders, heat.heating_s);
  for (Contender& contender : contenders)
    contender = with_lead_in(std::move(contender), heat.lead_in_s);
  std::vector<std::size_t> ranked = ranked_in_rounds(heat.rounds, contenders);
  for (std::size_t& place : ranked) place = able[place];
  return ranked;
}

}  // namespace tilewright::bench
