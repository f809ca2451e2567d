#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>

#include "tests/unit/campaign/scale_request.hpp"

namespace tilewright::test {
namespace {

class TuneInput : public ScaleRequest {
 protected:
  // The request is refused with all these words, before anything is measured or stored.
  void expect_refused(const std::vector<std::string>& words) {
    try {
      tune(request_);
      FAIL() << "accepted";
    } catch (const InputError& error) {
      for (const std::string& word : words)
        EXPECT_NE(std::string(error.what()).find(word), std::string::npos)
            << word << " in: " << error.what();
    }
    expect_untouched();
  }
};

TEST_F(TuneInput, ArrayOfAWrongSizeIsNamed) {
  request_.arrays[0].bytes -= 4;
  expect_refused({"'x'", "3996 bytes", "4000", "1000 of float32"});
}

TEST_F(TuneInput, ArrayOfAnUnknownNameIsNamed) {
  request_.arrays[1].argument = "facto";
  expect_refused({"'facto'", "scale", "did you mean 'factor'"});
}

TEST_F(TuneInput, ArrayTwiceOrWithoutDataOrOfAnOutputIsRefused) {
  request_.arrays.push_back(request_.arrays[0]);
  expect_refused({"'x'", "twice"});
  request_.arrays.back().argument = "y";
  expect_refused({"'y'", "output"});
  request_.arrays.pop_back();
  request_.arrays[0].data = nullptr;
  expect_refused({"'x'", "no data"});
}

TEST_F(TuneInput, OperationThatNobodyCanJudgeIsRefused) {
  request_.reference = nullptr;
  expect_refused({"'scale'", "[operation.reference]"});
}

TEST_F(TuneInput, NamesOfTheRequestAreChecked) {
  request_.strategy = "exhaustiv";
  expect_refused({"strategy 'exhaustiv'", "exhaustive"});
  request_.strategy = "";
  request_.where = "BLOK == 32";
  expect_refused({"where", "'BLOK'", "'BLOCK'"});
  request_.where = "";
  request_.device = "cpu";
  expect_refused({"device 'cpu'", "host"});
  request_.device = "host";
  request_.problem["m"] = std::int64_t{3};
  expect_refused({"'m'"});
  request_.problem.clear();
  request_.cache = CachePolicy::cold;
  expect_refused({"cold", "warm only"});
  for (const int processes : {-1, 1025}) {
    request_.compile_processes = processes;
    expect_refused({"compile_processes"});
  }
}

TEST_F(TuneInput, OperationsOfSingleManifestsAreKnown) {
  const std::string manifest = request_.operation;
  request_.operation = "scale/plain";
  expect_refused({"no operation 'scale'"});
  request_.manifests = {manifest};
  request_.arrays[0].bytes -= 4;
  expect_refused({"'x'", "3996 bytes"});
  request_.manifests.push_back(folder_.path() / "none.toml");
  expect_refused({"none.toml"});
}

TEST_F(TuneInput, DatabaseMustBeNamed) {
  request_.database.clear();
  expect_refused({"database"});
}

TEST_F(TuneInput, WhatTheReferenceThrowsReachesTheCaller) {
  request_.reference = [](const ReferenceCall&) { throw std::domain_error("not today"); };
  EXPECT_THROW(tune(request_), std::domain_error);
  expect_untouched();
}

TEST_F(TuneInput, ReferenceThatLeavesAnOutputUnwrittenIsTold) {
  request_.reference = [](const ReferenceCall& call) {
    scale(call, 1);
    call.output<float>("y")[3] = std::nanf("");
  };
  expect_refused({"reference", "element 3 of 'y'"});
}

TEST_F(TuneInput, ReferenceThatAsksForWhatIsNotThereIsTold) {
  request_.reference = [](const ReferenceCall& call) { call.input<double>("x"); };
  expect_refused({"'x'", "float32", "float64"});
  request_.reference = [](const ReferenceCall& call) { call.input<float>("y"); };
  expect_refused({"'y'", "not an input"});
  request_.reference = [](const ReferenceCall& call) { call.output<float>("x"); };
  expect_refused({"'x'", "not an output"});
}

TEST_F(TuneInput, MissingWorkerIsNamed) {
  request_.worker = folder_.path() / "nothing";
  EXPECT_THROW(tune(request_), MachineError);
}

}  // namespace
}  // namespace tilewright::test
