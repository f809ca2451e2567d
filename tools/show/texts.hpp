// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "tools/show/reproducer.hpp"
#include "tools/show/subject.hpp"

namespace tilewright::tools {

// What a sweep would compile.
CompileRequest compile_request_of(const ShowSubject& subject);

// The text of the kernel's file with macros and headers in it; on the host device the C++ that the
// host compiler gets.
std::string source_text(const ShowSubject& subject);

// With all problems on which a sweep verifies the configuration, but those that it passes over.
Reproducer reproducer_of(const ShowSubject& subject);

// How `file` is compiled: --source to a cubin or a host library, --reproducer to a program.
// Throws MachineError where the host device has no compiler.
enum class Product { code, program };
std::string command_for(const ShowSubject& subject, Product product, const std::string& file);

// `gemm_tiled` with the ending that fits.
std::string default_file(const ShowSubject& subject);

}  // namespace tilewright::tools
