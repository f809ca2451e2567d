#pragma once

#include <chrono>
#include <filesystem>
#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

#include "tilewright/policy.hpp"
#include "tools/input/options.hpp"

namespace tilewright::tools {

// The options that say where things are.
enum Place { kDatabase, kKernels, kLibraries, kShipped, kCache };

// Their values. What was not given is empty.
struct Places {
  std::string database;              // --db
  std::vector<std::string> kernels;  // --kernels
  std::vector<std::string> shipped;  // --shipped
  std::string cache;                 // --cache
  std::string libraries;             // --libraries

  void declare(Options& all, std::initializer_list<Place> options);
};

// Each place comes from an option, else from the environment, else from the user's home.

std::filesystem::path database_file(const Places& places);
std::filesystem::path cache_folder(const Places& places);

// Folders of kernel definitions: those that the user names, else the installed ones, else those of
// the source tree. Empty if there are none.
std::vector<std::filesystem::path> kernel_folders(const Places& places);

// Throws InputError for another value than "on" and "off".
Libraries libraries_of(const Places& places);

// Files and folders of shipped results: those that --shipped names, else those that came with the
// program. `--shipped none` gives an empty list.
std::vector<std::filesystem::path> shipped_places(const Places& places);

// Throws InputError if `output`, the value of --output, names a database, a file of --shipped, or
// one of those that the command reads: what is in it would be lost. To be called before anything is
// done.
void check_output(const std::string& output, const Places& places,
                  const std::vector<std::filesystem::path>& files_read = {});

// Writes to `output`, or on standard output if it is empty.
void write_output(const std::string& output, const std::string& content);

// Where the manual pages and the scripts for shells are: installed, next to the program or in the
// build's folder.
std::filesystem::path texts_folder();

// plotly.min.js: TILEWRIGHT_PLOTLY, else as installed or as set-up fetched it. Empty if it is not
// there.
std::filesystem::path plotly_file();

// TMPDIR, else /tmp. Throws MachineError if it is not there.
std::filesystem::path temporary_folder();

// Of the devices' locks: TILEWRIGHT_LOCKS, which only tests set. Empty: the usual one.
std::filesystem::path lock_folder();

// How long a job of Slurm still has: until a minute before its end. Nothing if this is no such job.
std::optional<std::chrono::seconds> time_left_in_slurm();

// The tilewright-worker program beside this one. Throws MachineError if it is not there.
std::filesystem::path worker_program();

// The first program of this name on PATH. Empty if there is none.
std::filesystem::path program_on_path(const std::string& name);

// The C++ compiler for kernels on the host device: the first of c++, g++, clang++ on PATH. Empty if
// there is none.
std::filesystem::path host_compiler();

// A program of the CUDA toolkit: on PATH, below the folders of CUDAToolkit_ROOT, CUDA_HOME and
// CUDA_PATH, or in /usr/local/cuda/bin. Empty if there is none.
std::filesystem::path toolkit_program(const std::string& name);

// Folders to search for NVRTC, in this order: NVIDIA's wheels beside the program, CONDA_PREFIX, an
// empty path for the loader's own, and those below CUDAToolkit_ROOT, CUDA_HOME and CUDA_PATH.
std::vector<std::filesystem::path> toolkit_folders();

}  // namespace tilewright::tools
