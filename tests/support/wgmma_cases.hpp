#pragma once

#include <string>
#include <vector>

#include "tests/support/gemm_cases.hpp"

namespace tilewright::test {

// For gemm/wgmma: every type with every transpose, on ragged and smooth sizes with C added or not,
// with gaps, batches and a shared matrix, by every schedule, store, cluster and way to share K.
// Each pair of these occurs; not all together do. There are kWgmmaRounds rounds of one case for
// each set of types, and then some whose parts of K the last block adds up. Sizes of which a
// persistent block must have several tiles come in a batch of at least `batch`.
inline constexpr std::size_t kWgmmaTypes = 14, kWgmmaRounds = 4;
std::vector<GemmCase> wgmma_cases(std::size_t batch);

// As "float8_e4m3_float8_e5m2_float16_3", for the name of a test.
std::string name_of(const GemmCase& gemm_case, std::size_t number);

// The case for every snippet of the hook.
GemmCase wgmma_snippet_case();
// For a device of five multiprocessors, which leave tiles for a last round.
std::vector<GemmCase> stream_k_cases();

// For kernels with warp groups: without the constraints that keep configurations out of sweeps on
// this device, where they would only be slow, whatever its number of cores.
Implementation on_any_device(Implementation implementation);

// Fewer values of parameters that only multiply the space.
Implementation with_fewer_wgmma_values(const Implementation& implementation);

}  // namespace tilewright::test
