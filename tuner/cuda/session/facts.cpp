// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#include "tuner/cuda/session/facts.hpp"

#include "tuner/cuda/compile/architectures.hpp"
#include "tuner/cuda/session/session.hpp"

namespace tilewright::cuda {

BackendFacts backend_facts(const Device& device) {
  BackendFacts facts;
  facts.architecture = "sm_" + std::to_string(device.compute_capability);
  CompileRequest probe;
  probe.source = probe_source();
  probe.source_name = "service_kernels.cu";
  probe.architecture = facts.architecture;
  probe.entries = probe_entries();
  facts.probe = probe;
  facts.add_occupancy = add_occupancy;
  return facts;
}

}  // namespace tilewright::cuda
