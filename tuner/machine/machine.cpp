#include "tuner/machine/machine.hpp"

#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <mutex>
#include <optional>
#include <sstream>
#include <utility>

#include "definition/text/errors.hpp"
#include "definition/text/suggest.hpp"
#include "tilewright/version.hpp"
#include "tuner/host/backend.hpp"
#ifdef TILEWRIGHT_HAS_CUDA
#include "tuner/cuda/backend.hpp"
#endif

namespace tilewright {
namespace {

// A kind of device as this build has it.
struct Built {
  const Backend* backend = nullptr;
  const char* why_not = "";
};

// The only place that knows which backends this build has.
Built built(DeviceKind kind) {
  switch (kind) {
    case DeviceKind::cuda:
#ifdef TILEWRIGHT_HAS_CUDA
      return {&cuda::backend()};
#else
      return {nullptr,
              "this build has no CUDA backend: no CUDA toolkit was found, or TILEWRIGHT_CUDA was "
              "off"};
#endif
    case DeviceKind::host:
      return {&host::backend()};
  }
  return {};
}

struct AskedDevices {
  std::once_flag once;
  DeviceList list;
};

constexpr std::size_t kMostDigits = 5;

constexpr const char* kWithoutGpu =
    "--device host measures on this machine's CPU, and `tilewright plan` shows what a sweep on a "
    "GPU would try";

std::optional<int> index_from(const std::string& digits) {
  if (digits.empty() || digits.size() > kMostDigits) return std::nullopt;
  if (digits.find_first_not_of("0123456789") != std::string::npos) return std::nullopt;
  return std::stoi(digits);
}

// Reads "cuda:1", "cuda", "host" or "auto"; nothing for any other text.
std::optional<DeviceSelector> parse_device(const std::string& text) {
  if (text == "auto") return DeviceSelector{};
  for (const DeviceKind kind : kDeviceKinds) {
    const std::string name(to_text(kind));
    if (text == name) return DeviceSelector{DeviceSelector::Choice::named, kind, 0};
    if (runs_on_cpu(kind) || !text.starts_with(name + ':')) continue;
    if (const auto index = index_from(text.substr(name.size() + 1)))
      return DeviceSelector{DeviceSelector::Choice::named, kind, *index};
  }
  return std::nullopt;
}

const DeviceReport* find(const DeviceList& list, int index) {
  const auto found = std::ranges::find(list.devices, index, &DeviceReport::index);
  return found == list.devices.end() ? nullptr : &*found;
}

// The first device of the first kind that has one.
const DeviceReport& first_present() {
  for (const DeviceKind kind : kDeviceKinds)
    if (const DeviceList& list = devices_of(kind); !list.devices.empty())
      return list.devices.front();
  throw MachineError("there is no device");
}

[[noreturn]] void throw_no_gpu(const std::string& why) {
  throw broken_machine("there is no GPU to measure on: {}; {}", why, kWithoutGpu);
}

bool is_uuid(const std::string& text) {
  return text.starts_with("GPU-") || text.starts_with("MIG-");
}

// The GPU whose UUID begins so.
DeviceReport with_uuid(const std::string& text) {
  const DeviceList gpus = gpus_present();
  if (gpus.devices.empty()) throw_no_gpu(gpus.why);
  std::vector<DeviceReport> found = gpus.devices;
  std::erase_if(found, [&](const DeviceReport& one) { return !one.uuid.starts_with(text); });
  if (found.size() == 1) return found.front();
  throw bad_input("device '{}': {} GPUs of this machine have a UUID that begins so", text,
                  found.size());
}

// One part of a list of devices.
DeviceReport device_named(const std::string& text) {
  if (is_uuid(text)) return with_uuid(text);
  const std::string slot = std::string(to_text(DeviceKind::host)) + ':';
  if (!text.starts_with(slot)) return find_device(text);
  const auto index = index_from(text.substr(slot.size()));
  if (!index) return find_device(text);
  DeviceReport report = local_device(DeviceSelector::host());
  report.id = text;
  report.index = *index;
  return report;
}

class UntilLost : public Evaluator {
 public:
  explicit UntilLost(std::unique_ptr<Evaluator> session) : session_(std::move(session)) {}

  void open(const SessionPlan& plan) override {
    refuse_if_lost();
    session_->open(plan);
  }
  RoutineList list(int device_index, const PlannedRoutine& routine) override {
    refuse_if_lost();
    return session_->list(device_index, routine);
  }
  Attempt<Resources> load(const KernelPlan& kernel) override {
    refuse_if_lost();
    return watched(session_->load(kernel));
  }
  Attempt<Verification> verify() override { return watched(session_->verify()); }
  Attempt<Timing> sample(const SampleRequest& request) override {
    return watched(session_->sample(request));
  }
  std::vector<SimpleAnswer> simple_answers() override { return session_->simple_answers(); }

 private:
  template <class T>
  Attempt<T> watched(Attempt<T> attempt) {
    if (!attempt.ok() && attempt.failure().outcome == Outcome::faulted)
      fault_ = attempt.failure().message;
    return attempt;
  }

  void refuse_if_lost() const {
    if (!fault_.empty())
      throw broken_machine(
          "a kernel destroyed the context of this process: {}; the sweep so far is stored, and the "
          "same request with Isolation::process resumes it",
          fault_);
  }

  std::unique_ptr<Evaluator> session_;
  std::string fault_;
};

}  // namespace

const Backend& backend_of(DeviceKind kind) {
  const Built found = built(kind);
  if (found.backend == nullptr) throw MachineError(found.why_not);
  return *found.backend;
}

const DeviceList& devices_of(DeviceKind kind) {
  static auto& all = *new std::array<AskedDevices, kDeviceKinds.size()>;
  AskedDevices& asked = all.at(static_cast<std::size_t>(kind));
  std::call_once(asked.once, [&] {
    const Built found = built(kind);
    asked.list = found.backend ? found.backend->devices() : DeviceList{{}, found.why_not};
  });
  return asked.list;
}

DeviceList gpus_present() {
  DeviceList gpus;
  for (const DeviceKind kind : kDeviceKinds) {
    if (runs_on_cpu(kind)) continue;
    const DeviceList& list = devices_of(kind);
    gpus.devices.insert(gpus.devices.end(), list.devices.begin(), list.devices.end());
    if (!list.why.empty()) gpus.why += (gpus.why.empty() ? "" : "; ") + list.why;
  }
  if (!gpus.devices.empty()) gpus.why.clear();
  return gpus;
}

std::vector<DeviceReport> devices_present() {
  std::vector<DeviceReport> devices = gpus_present().devices;
  devices.push_back(local_device(DeviceSelector::host()));
  return devices;
}

bool is_device_id(const std::string& text) {
  return std::ranges::any_of(kDeviceKinds, [&text](DeviceKind kind) {
    const std::string name(to_text(kind));
    return text == name || (!runs_on_cpu(kind) && text.starts_with(name + ':'));
  });
}

DeviceSelector device_selector(const std::string& text) {
  if (const auto selector = parse_device(text)) return *selector;
  throw bad_input("device '{}': give auto, host, cuda or cuda:N, N from 0", text);
}

const DeviceReport& local_device(DeviceSelector selector) {
  if (selector.choice == DeviceSelector::Choice::automatic) return first_present();
  const DeviceList& list = devices_of(selector.kind);
  if (const DeviceReport* report = find(list, selector.index)) return *report;
  const std::string id = fmt::format("{}:{}", to_text(selector.kind), selector.index);
  if (list.devices.empty()) throw broken_machine("there is no device {}: {}", id, list.why);
  throw broken_machine("there is no device {}; present: {}", id,
                       fmt::join(names_of(list.devices, &DeviceReport::id), ", "));
}

const DeviceReport& find_device(const std::string& name) {
  const auto selector = parse_device(name);
  if (!selector || selector->choice == DeviceSelector::Choice::automatic)
    throw bad_input("device '{}': give host or cuda:N, N as `tilewright devices` lists it", name);
  const DeviceList& list = devices_of(selector->kind);
  if (list.devices.empty()) throw_no_gpu(list.why);
  return local_device(*selector);
}

std::vector<DeviceReport> find_devices(const std::string& list) {
  if (list == "all") {
    DeviceList gpus = gpus_present();
    if (gpus.devices.empty()) throw_no_gpu(gpus.why);
    return std::move(gpus.devices);
  }
  std::vector<DeviceReport> devices;
  std::string kind;  // of the part before
  std::istringstream parts(list + ',');
  for (std::string part; std::getline(parts, part, ',');) {
    if (index_from(part) && !kind.empty()) part = kind + ':' + part;
    DeviceReport device = device_named(part);
    if (std::ranges::find(devices, device.id, &DeviceReport::id) != devices.end())
      throw bad_input("device '{}': {} is named twice", list, device.id);
    kind = to_text(device.device.kind);
    devices.push_back(std::move(device));
  }
  return devices;
}

std::filesystem::path usual_host_compiler() {
  for (const char* program : {"/usr/bin/c++", "/usr/bin/g++", "/usr/bin/clang++"})
    if (access(program, X_OK) == 0) return program;
  return {};
}

std::string compiler_version(DeviceKind kind, const Toolchain& toolchain) {
  return backend_of(kind).make_compiler(toolchain)->version();
}

std::vector<RoutineLibrary> libraries_present(const Toolchain& toolchain) {
  std::vector<RoutineLibrary> all;
  for (const DeviceKind kind : kDeviceKinds)
    if (const Backend* const backend = built(kind).backend)
      std::ranges::move(backend->libraries(toolchain), std::back_inserter(all));
  return all;
}

std::string library_version(const std::string& routine, const Toolchain& toolchain) {
  const std::vector<RoutineLibrary> all = libraries_present(toolchain);
  const auto found = std::ranges::find(all, routine, &RoutineLibrary::routine);
  return found == all.end() ? "" : found->version;
}

Environment environment_of(const DeviceReport& report, const Toolchain& toolchain) {
  Environment environment = report.environment;
  environment.compiler = compiler_version(report.device.kind, toolchain);
  environment.tool = kVersion;
  return environment;
}

std::unique_ptr<Evaluator> until_context_is_lost(std::unique_ptr<Evaluator> session) {
  return std::make_unique<UntilLost>(std::move(session));
}

}  // namespace tilewright
