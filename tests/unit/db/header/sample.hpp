#pragma once

#include <filesystem>
#include <vector>

#include "db/header/header.hpp"
#include "db/store/store.hpp"

namespace tilewright::test {

// Two related GPUs and one that is not.
std::vector<Device> sample_gpus();

// Those that come with tilewright.
const Library& definitions();

// Problems of both operations on sample_gpus(), under both policies, with times that are made up:
// the same on every call. Some are shipped.
std::vector<BestRow> sample_rows();

// A finished sweep of its own for each row; in every other one the default was measured too.
void fill(Store& store, const std::vector<BestRow>& rows);

// The same for those that are not shipped, and then unfinished sweeps that found some of these rows
// to be wrong, and some of their configurations for other problems.
void fill_with_wrong(Store& store, std::vector<BestRow> rows);

// What a store has for the portable rung that is filled with those of the rows that are not
// shipped.
std::vector<PortableRow> sample_portable(const std::vector<BestRow>& rows);

// What a header for these rows is made of.
std::vector<HeaderPart> parts_for(const std::vector<BestRow>& rows,
                                  const std::vector<PortableRow>& portable);

// Of all sample rows, and of what fill_with_wrong() adds to them.
std::vector<HeaderPart> sample_parts();

}  // namespace tilewright::test
