#include "campaign/caller_data.hpp"

#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <fstream>
#include <memory>

#include "definition/problem.hpp"
#include "definition/text/suggest.hpp"
#include "tilewright/error.hpp"
#include "tuner/backend/launch_plan.hpp"
#include "tuner/machine/machine.hpp"
#include "tuner/verify/fill.hpp"

namespace tilewright {
namespace {

namespace fs = std::filesystem;
using Bytes = std::vector<std::uint8_t>;

constexpr std::uint8_t kUnwritten = 0xFF;  // NaN as a float

std::size_t bytes_of(const PlannedBuffer& buffer) {
  const std::int64_t count = buffer.kind == ArgumentKind::scalar ? 1 : buffer.count;
  return static_cast<std::size_t>(count) * size_of(buffer.type);
}

bool is_read(const PlannedBuffer& buffer) {
  return buffer.role != ArgumentRole::output;
}

bool is_written(const PlannedBuffer& buffer) {
  return buffer.kind == ArgumentKind::buffer && buffer.role != ArgumentRole::input;
}

// The array's position among the operation's arguments.
std::size_t index_of(const TuneArray& array, const Operation& operation) {
  std::vector<std::string> names;
  for (const Argument& argument : operation.arguments) names.push_back(argument.name);
  const auto found = std::ranges::find(names, array.argument);
  if (found == names.end())
    throw InputError(fmt::format("array '{}': operation '{}' has no such argument{}",
                                 array.argument, operation.name,
                                 suggestion(array.argument, names)));
  return static_cast<std::size_t>(found - names.begin());
}

void check_array(const TuneArray& array, const Argument& argument, const PlannedBuffer& buffer) {
  const auto refuse = [&](const std::string& why) {
    throw InputError(fmt::format("array '{}': {}", array.argument, why));
  };
  if (argument.role == ArgumentRole::output)
    refuse("it is an output; kernels write it to memory that the sweep allocates");
  if (buffer.has_value) refuse("its value follows from the problem");
  if (array.data == nullptr) refuse("it has no data");
  if (array.bytes != bytes_of(buffer))
    refuse(fmt::format("it has {} bytes; the problem needs {} ({} of {})", array.bytes,
                       bytes_of(buffer), bytes_of(buffer) / size_of(buffer.type),
                       to_text(buffer.type)));
}

// By argument; null if the caller gave none.
std::vector<const TuneArray*> checked_arrays(const TuneRequest& request, const Operation& operation,
                                             const std::vector<PlannedBuffer>& buffers) {
  std::vector<const TuneArray*> arrays(buffers.size(), nullptr);
  for (const TuneArray& array : request.arrays) {
    const std::size_t index = index_of(array, operation);
    if (arrays[index] != nullptr)
      throw InputError(fmt::format("array '{}': it is given twice", array.argument));
    check_array(array, operation.arguments[index], buffers[index]);
    arrays[index] = &array;
  }
  return arrays;
}

Bytes read(const TuneArray& array) {
  const bool is_here = array.memory == TuneMemory::host;
  Bytes bytes(array.bytes);
  backend_of(is_here ? DeviceKind::host : DeviceKind::cuda)
      .read_memory(array.data, bytes, array.argument);
  return bytes;
}

fs::path write(const fs::path& folder, const std::string& name, const Bytes& bytes) {
  fs::path file = folder / name;
  std::ofstream stream(file, std::ios::binary);
  stream.write(reinterpret_cast<const char*>(bytes.data()),
               static_cast<std::streamsize>(bytes.size()));
  stream.close();
  if (!stream)
    throw MachineError(fmt::format("cannot write the data of '{}' to {}: {}", name, file.string(),
                                   std::strerror(errno)));
  return file;
}

// Hashes names and contents in the order in which they are added.
class DataHash {
 public:
  DataHash() : state_(XXH3_createState()) { XXH3_128bits_reset(state_.get()); }
  void add(const std::string& name, const Bytes& bytes) {
    const std::string head = fmt::format("{}:{};", name, bytes.size());
    XXH3_128bits_update(state_.get(), head.data(), head.size());
    XXH3_128bits_update(state_.get(), bytes.data(), bytes.size());
  }
  std::string text() const {
    const XXH128_hash_t hash = XXH3_128bits_digest(state_.get());
    return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
  }

 private:
  struct Free {
    void operator()(XXH3_state_t* state) const { XXH3_freeState(state); }
  };
  std::unique_ptr<XXH3_state_t, Free> state_;
};

template <class T>
void check_written(const std::string& name, const Bytes& bytes) {
  for (std::size_t i = 0; i < bytes.size() / sizeof(T); ++i) {
    T value;
    std::memcpy(&value, bytes.data() + i * sizeof(T), sizeof(T));
    if (std::isnan(value))
      throw InputError(
          fmt::format("the reference left element {} of '{}' unwritten, or wrote NaN", i, name));
  }
}

std::vector<Bytes> ask_reference(const TuneReference& reference, const Problem& problem,
                                 const std::vector<PlannedBuffer>& buffers,
                                 const std::vector<Bytes>& inputs) {
  std::vector<Bytes> outputs(buffers.size());
  std::map<std::string, ReferenceCall::Argument> arguments;
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    ReferenceCall::Argument& argument = arguments[buffers[i].name];
    argument.type = to_text(buffers[i].type);
    if (is_read(buffers[i])) argument.before = std::as_bytes(std::span(inputs[i]));
    if (!is_written(buffers[i])) continue;
    outputs[i].assign(bytes_of(buffers[i]), kUnwritten);
    argument.after = std::as_writable_bytes(std::span(outputs[i]));
  }
  reference(ReferenceCall(problem, arguments));
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    if (buffers[i].type == ElementType::float32) check_written<float>(buffers[i].name, outputs[i]);
    if (buffers[i].type == ElementType::float64) check_written<double>(buffers[i].name, outputs[i]);
  }
  return outputs;
}

}  // namespace

GivenData write_caller_data(const TuneRequest& request, const Operation& operation,
                            const Problem& problem, const Device& device, const fs::path& folder) {
  GivenData given;
  const bool has_reference = static_cast<bool>(request.reference);
  const Configuration none;
  const std::vector<PlannedBuffer> buffers =
      plan_buffers(operation, full_scope(problem, none, device));
  const std::vector<const TuneArray*> arrays = checked_arrays(request, operation, buffers);
  std::vector<Bytes> inputs(buffers.size());
  DataHash hash;
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    if (!is_read(buffers[i]) || (arrays[i] == nullptr && !has_reference)) continue;
    inputs[i] = arrays[i] != nullptr ? read(*arrays[i])
                                     : fill_buffer(buffers[i], static_cast<int>(i), request.seed);
    hash.add(buffers[i].name, inputs[i]);
    if (!buffers[i].has_value)
      given.inputs[buffers[i].name] = write(folder, buffers[i].name, inputs[i]);
    if (!has_reference) inputs[i] = {};
  }
  if (has_reference) {
    const std::vector<Bytes> outputs = ask_reference(request.reference, problem, buffers, inputs);
    for (std::size_t i = 0; i < buffers.size(); ++i) {
      if (!is_written(buffers[i])) continue;
      hash.add("expected " + buffers[i].name, outputs[i]);
      given.expected[buffers[i].name] = write(folder, buffers[i].name + ".expected", outputs[i]);
    }
  }
  if (!given.empty()) given.hash = hash.text();
  return given;
}

}  // namespace tilewright
