#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "definition/definition.hpp"

namespace tilewright::test {

// A problem, and the conditions of the configurations that prove an implementation on it. Each
// condition gives one set of configurations.
struct GemmCase {
  std::vector<std::string> problem;
  std::vector<std::string> wheres;
};

// The assignments of both, one after the other.
std::vector<std::string> joined(std::vector<std::string> first,
                                const std::vector<std::string>& second);

// For gemm/blocked: every transpose with every way from global to shared memory and every way to
// share K, on ragged and smooth sizes, with gaps between rows, batches, and C added or not.
std::vector<GemmCase> blocked_cases();

// For gemm/blocked on a device with tensor maps: every transpose with tiles that are copied as
// boxes, every depth of a tile and every way to share K, on ragged sizes whose leading dimensions
// are multiples of four.
std::vector<GemmCase> boxed_cases();

// For gemm/blocked: every transpose with copies of one matrix or both, on ragged sizes, with gaps,
// a batch that shares one matrix, and C added or not.
std::vector<GemmCase> packed_cases();

// For gemm/blocked on a device with clusters: every transpose with K shared by the blocks of a
// cluster, on ragged and smooth sizes, with gaps and a batch.
std::vector<GemmCase> clustered_cases();

// For gemm/thin: every transpose with both thin sides, from one to sixteen rows or columns.
std::vector<GemmCase> thin_cases();

// For gemm/mma: every transpose with every width of an access to each matrix, both ways from global
// to shared memory and every way to share K, on ragged and smooth sizes, with gaps, batches, and C
// added or not.
std::vector<GemmCase> mma_cases();

// The cases for every snippet of the hook: sums that are written at once, and sums that are added
// up first.
GemmCase blocked_snippet_case();
GemmCase thin_snippet_case();
GemmCase mma_snippet_case();

// The implementation with no other values of these parameters.
Implementation with_values(Implementation implementation,
                           const std::map<std::string, std::set<Value>>& kept);

// Fewer values of parameters that only multiply the space, because enumerating the whole space for
// each problem takes longer than the proofs.
Implementation with_fewer_gemm_values(Implementation implementation);

// The same for boxed_cases().
Implementation with_boxes(Implementation implementation);

}  // namespace tilewright::test
