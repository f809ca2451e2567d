#include "tuner/cuda/compile/nvrtc.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <system_error>

#include "definition/text/errors.hpp"
#include "tuner/backend/notes.hpp"
#include "tuner/backend/standard_headers.hpp"
#include "tuner/backend/units.hpp"
#include "tuner/cuda/compile/cubin.hpp"
#include "tuner/cuda/compile/nvrtc_api.hpp"
#include "tuner/cuda/compile/ptxas_log.hpp"
#include "tuner/plan/compile_request.hpp"

namespace tilewright::cuda {
namespace {

namespace fs = std::filesystem;

enum class Form { cubin, ptx };

constexpr const char* kPrelude = "tilewright_prelude.h";
// Headers of the toolkit with nothing that NVRTC does not know by itself.
constexpr std::array kBuiltIn = {"cuda_runtime.h", "cuda_runtime_api.h",
                                 "device_launch_parameters.h", "vector_types.h"};

// Faults of the machine: NVRTC cannot make a program, or cannot open its own library.
bool is_machine_fault(nvrtcResult status) {
  return status == NVRTC_ERROR_PROGRAM_CREATION_FAILURE ||
         status == NVRTC_ERROR_BUILTIN_OPERATION_FAILURE;
}

// Whether something else than the source decided.
bool may_pass(nvrtcResult status) {
  return is_machine_fault(status) || status == NVRTC_ERROR_OUT_OF_MEMORY ||
         status == NVRTC_ERROR_INTERNAL_ERROR;
}

// One NVRTC program, from creation to destruction.
class NvrtcProgram {
 public:
  NvrtcProgram(const NvrtcApi& api, const CudaHeaders& headers, const CompileRequest& request)
      : api_(api), headers_(headers), request_(request) {
    const std::map<std::string, std::string> all = all_headers();
    std::vector<const char*> names, texts;
    for (const auto& [name, text] : all) {
      names.push_back(name.c_str());
      texts.push_back(text.c_str());
    }
    status_ = api_.create(&program_, request.source.c_str(), request.source_name.c_str(),
                          static_cast<int>(names.size()), texts.data(), names.data());
  }
  NvrtcProgram(const NvrtcProgram&) = delete;
  NvrtcProgram& operator=(const NvrtcProgram&) = delete;
  ~NvrtcProgram() {
    if (program_ != nullptr) api_.destroy(&program_);
  }

  nvrtcResult status() const { return status_; }

  CompileResult compile(Form form) {
    for (const std::string& entry : request_.entries)
      if (status_ == NVRTC_SUCCESS && is_name_expression(entry))
        status_ = api_.add_name(program_, entry.c_str());
    for (const std::string& constant : request_.constants)
      if (status_ == NVRTC_SUCCESS)
        status_ = api_.add_name(program_, constant_key(constant, "").c_str());
    const std::vector<std::string> options = all_options();
    std::vector<const char*> pointers;
    pointers.reserve(options.size());
    for (const std::string& option : options) pointers.push_back(option.c_str());
    if (status_ == NVRTC_SUCCESS)
      status_ = api_.compile(program_, static_cast<int>(pointers.size()), pointers.data());

    CompileResult result;
    const std::string log = read_log();
    result.log = stable_log(log);
    if (status_ == NVRTC_SUCCESS) read_code(form, result);
    if (status_ == NVRTC_SUCCESS) read_entries(parse_ptxas_log(log), result);
    if (status_ == NVRTC_SUCCESS) read_constants(result);
    if (status_ != NVRTC_SUCCESS) fail(result);
    return result;
  }

 private:
  // With the standard headers, if the sources may ask for any. Those of C++ are libcu++'s.
  std::map<std::string, std::string> all_headers() {
    std::map<std::string, std::string> all = request_.headers;
    const StandardHeaders standard = standard_headers(request_);
    has_prelude_ = !standard.prelude.empty();
    if (has_prelude_) all.emplace(kPrelude, standard.prelude);
    if (!has_prelude_ && !includes_others(request_)) return all;
    all.insert(standard.texts.begin(), standard.texts.end());
    std::error_code error;
    for (const std::string& name : standard.cpp)
      if (std::filesystem::exists(headers_.cccl / "cuda/std" / name, error))
        all.emplace(name, fmt::format("#pragma once\n#include <cuda/std/{}>\n"
                                      "namespace std {{ using namespace cuda::std; }}\n",
                                      name));
    if (headers_.cuda.empty())
      for (const char* name : kBuiltIn) all.emplace(name, "");
    return all;
  }

  std::vector<std::string> all_options() const {
    std::vector<std::string> options = {"--gpu-architecture=" + request_.architecture,
                                        "--ptxas-options=-v", "-default-device"};
    if (!sets_standard(request_.options)) options.emplace_back("-std=c++17");
    // With the driver's cache, compile times and the log would depend on earlier compiles.
    if (api_.major * 100 + api_.minor >= 1209) options.emplace_back("--no-cache");
    if (has_prelude_) options.push_back(fmt::format("--pre-include={}", kPrelude));
    options.insert(options.end(), request_.options.begin(), request_.options.end());
    // Behind those of the manifest, which are searched first.
    if (includes_others(request_))
      for (const std::filesystem::path& folder : headers_.folders())
        options.push_back("--include-path=" + folder.string());
    return options;
  }

  std::string read_log() const {
    std::size_t size = 0;
    if (program_ == nullptr || api_.log_size(program_, &size) != NVRTC_SUCCESS || size == 0)
      return {};
    std::string log(size, '\0');
    if (api_.log(program_, log.data()) != NVRTC_SUCCESS) return {};
    log.resize(std::min(log.find('\0'), log.size()));
    return log;
  }

  void read_code(Form form, CompileResult& result) {
    const bool is_ptx = form == Form::ptx;
    std::size_t size = 0;
    status_ = (is_ptx ? api_.ptx_size : api_.cubin_size)(program_, &size);
    if (status_ != NVRTC_SUCCESS) return;
    std::vector<std::uint8_t>& code = result.code;
    code.resize(size);
    status_ = (is_ptx ? api_.ptx : api_.cubin)(program_, reinterpret_cast<char*>(code.data()));
    while (is_ptx && !code.empty() && code.back() == '\0') code.pop_back();
    if (!is_ptx && status_ == NVRTC_SUCCESS) result.code_hash = cubin_hash(code);
  }

  void read_entries(const std::map<std::string, Resources>& found, CompileResult& result) {
    for (const std::string& entry : request_.entries) {
      std::vector<std::string> meant;
      if (!is_name_expression(entry)) {
        meant = symbols_meant(entry, found);
      } else {
        const char* lowered = nullptr;
        status_ = api_.lowered_name(program_, entry.c_str(), &lowered);
        if (status_ != NVRTC_SUCCESS) return;
        if (found.contains(lowered)) meant = {lowered};
      }
      add_entry(entry, meant, found, result);
    }
  }

  void read_constants(CompileResult& result) {
    for (const std::string& constant : request_.constants) {
      const std::string key = constant_key(constant, "");
      const char* lowered = nullptr;
      status_ = api_.lowered_name(program_, key.c_str(), &lowered);
      if (status_ != NVRTC_SUCCESS) return;
      result.entries[key] = {lowered, Resources{}};
    }
  }

  void fail(CompileResult& result) const {
    result.outcome =
        status_ == NVRTC_ERROR_OUT_OF_MEMORY ? Outcome::compile_timed_out : Outcome::compile_failed;
    result.code.clear();
    result.code_hash.clear();
    result.entries.clear();
    std::string why;
    if (result.log.find("unrecognized option") != std::string::npos)
      why =
          "NVRTC does not know an option of 'options' in the manifest; leave it out, or say "
          "compiler = \"nvcc\" there\n";
    why += static_shared_note(result.log) + missing_header_note(result.log, headers_) +
           missing_constant_note(result.log, request_.constants);
    if (!why.empty()) result.log.insert(0, "error: " + why);  // it leads, as the cause
    if (result.log.find_first_not_of(" \n") == std::string::npos)
      result.log = fmt::format("{}: {}\n", request_.source_name, api_.error_string(status_));
  }

  const NvrtcApi& api_;
  const CudaHeaders& headers_;
  const CompileRequest& request_;
  bool has_prelude_ = false;
  nvrtcProgram program_ = nullptr;
  nvrtcResult status_ = NVRTC_SUCCESS;
};

// What stops NVRTC once may have passed; it is asked again.
CompileResult compile_program(const NvrtcApi& api, const CudaHeaders& headers,
                              const CompileRequest& request, Form form) {
  for (const bool is_last : {false, true}) {
    NvrtcProgram program(api, headers, request);
    CompileResult result = program.compile(form);
    if (is_last && is_machine_fault(program.status()))
      throw broken_machine("NVRTC cannot compile on this machine: {}: {}",
                           api.error_string(program.status()), result.log);
    if (is_last || !may_pass(program.status())) return result;
  }
  return {};
}

// Each set of headers has a file that the other one lacks.
constexpr const char* kCudaFile = "cuda_fp16.h";
constexpr const char* kCcclFile = "cub/cub.cuh";

// From a folder of libraries. A toolkit has lib64, targets/x86_64-linux/lib or lib. The wheels of
// CUDA 12 have a folder for each part, beside that of NVRTC. Debian has lib/x86_64-linux-gnu.
constexpr std::array kPlaces = {"../include", "../include/cccl", "../../cuda_runtime/include",
                                "../../cuda_cccl/include", "../../include"};

bool has_file(const fs::path& folder, const char* name) {
  std::error_code error;
  return fs::is_regular_file(folder / name, error);
}

std::string listed(const std::vector<fs::path>& folders) {
  std::vector<std::string> texts;
  for (const fs::path& folder : folders) texts.push_back(folder.string());
  return fmt::format("{}", fmt::join(texts, ", "));
}

std::string stamp(const fs::path& file) {
  std::error_code error;
  const auto time = fs::last_write_time(file, error);
  return fmt::format("{} {}\n", file.string(), error ? 0 : time.time_since_epoch().count());
}

}  // namespace

Nvrtc::Nvrtc(const std::vector<std::filesystem::path>& folders)
    : api_(std::make_unique<const NvrtcApi>(folders)), headers_(find_headers(api_->folders)) {}

Nvrtc::~Nvrtc() = default;

CompileResult Nvrtc::compile(const CompileRequest& request) {
  const auto begin = std::chrono::steady_clock::now();
  CompileResult result = compile_units(request, [this](const CompileRequest& unit) {
    return compile_program(*api_, headers_, unit, Form::cubin);
  });
  const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - begin;
  result.milliseconds = took.count();
  return result;
}

CompileResult Nvrtc::compile_to_ptx(const CompileRequest& request) {
  return compile_units_to_text(request, [this](const CompileRequest& unit) {
    return compile_program(*api_, headers_, unit, Form::ptx);
  });
}

std::string Nvrtc::version() const {
  return fmt::format("NVRTC {}.{}", api_->major, api_->minor);
}

std::vector<int> Nvrtc::architectures() const {
  int count = 0;
  if (api_->architecture_count(&count) != NVRTC_SUCCESS)
    throw MachineError("NVRTC does not list its architectures");
  std::vector<int> list(static_cast<std::size_t>(count));
  if (api_->architectures(list.data()) != NVRTC_SUCCESS)
    throw MachineError("NVRTC does not list its architectures");
  std::sort(list.begin(), list.end());
  return list;
}

std::vector<fs::path> CudaHeaders::folders() const {
  std::vector<fs::path> all;
  if (!cuda.empty()) all.push_back(cuda);
  if (!cccl.empty() && cccl != cuda) all.push_back(cccl);
  return all;
}

std::string CudaHeaders::identity() const {
  std::string text;
  if (!cuda.empty()) text += stamp(cuda / kCudaFile);
  if (!cccl.empty()) text += stamp(cccl / kCcclFile);
  return text;
}

CudaHeaders find_headers(const std::vector<fs::path>& library_folders) {
  CudaHeaders found;
  for (const fs::path& libraries : library_folders)
    for (const char* place : kPlaces) {
      const fs::path folder = (libraries / place).lexically_normal();
      if (std::ranges::find(found.searched, folder) != found.searched.end()) continue;
      found.searched.push_back(folder);
      if (found.cuda.empty() && has_file(folder, kCudaFile)) found.cuda = folder;
      if (found.cccl.empty() && has_file(folder, kCcclFile)) found.cccl = folder;
    }
  return found;
}

std::string missing_header_note(const std::string& log, const CudaHeaders& headers) {
  // Behind "cannot" or, without any folder, "could not".
  constexpr std::string_view kWords = " open source file \"";
  const std::size_t words = log.find(kWords);
  if (words == std::string::npos) return "";
  const std::size_t begin = words + kWords.size();
  const std::string name = log.substr(begin, log.find('"', begin) - begin);
  if (headers.cuda.empty() || headers.cccl.empty())
    return fmt::format(
        "the header {} was not found, because {} headers are not beside NVRTC (looked in {}): "
        "install the CUDA toolkit or NVIDIA's wheels nvidia-cuda-runtime and nvidia-cuda-cccl, or "
        "give its folder in 'include'\n",
        name, headers.cuda.empty() ? "CUDA's" : "CCCL's", listed(headers.searched));
  return fmt::format(
      "the header {} was not found in the folders of 'include', nor in {}; NVRTC has no headers of "
      "the host's compiler: say compiler = \"nvcc\" if the kernel needs them\n",
      name, listed(headers.folders()));
}

}  // namespace tilewright::cuda
