// cuDNN's routine with a library that is made for these tests (tests/support/fake_cudnn.cpp). It
// computes in host memory, so no GPU is needed.
#include <gtest/gtest.h>

#include <cstring>

#include "definition/library/library.hpp"
#include "definition/problem.hpp"
#include "tuner/cuda/libraries/routines.hpp"
#include "tuner/space/space.hpp"
#include "tuner/verify/reference.hpp"

namespace tilewright::cuda {
namespace {

const Folders kFakeCudnn = {TILEWRIGHT_FAKE_LIBRARIES};

class LayerRoutines : public testing::Test {
 protected:
  explicit LayerRoutines(const char* operation = "conv_layer")
      : family_(library_.family(operation)) {
    device_.compute_capability = 90;
  }

  Problem problem(const Settings& values) const {
    return make_problem(family_.operation, values, device_);
  }
  Space space(const Problem& asked) const {
    const RoutineList list = list_routine(
        plan_routine(family_.operation, implementation_, full_scope(asked, device_)), kFakeCudnn);
    return listed_space(implementation_, asked, device_, list);
  }
  // The reason why there is no configuration.
  std::string excluded(const Settings& values) const {
    const Problem asked = problem(values);
    const Space open = open_space(implementation_, asked, device_);
    return (open.is_open ? space(asked) : open).cuts.at(0).rule;
  }

  void expect_right(const Settings& values) const {
    const Problem asked = problem(values);
    const std::vector<PlannedBuffer> buffers =
        plan_buffers(family_.operation, full_scope(asked, device_));
    ArgumentData data;
    for (const PlannedBuffer& buffer : buffers) {
      data.emplace_back(static_cast<std::size_t>(buffer.count) * sizeof(float));
      for (std::int64_t i = 0; i < buffer.count; ++i) {
        const auto number =
            static_cast<float>((i * 7 + static_cast<std::int64_t>(data.size())) % 11 - 5);
        std::memcpy(&data.back()[static_cast<std::size_t>(i) * sizeof number], &number,
                    sizeof number);
      }
    }
    const auto reference = make_reference(family_.operation.name, asked, buffers, data);
    const Space found = space(asked);
    ASSERT_EQ(found.legal.size(), 2U);
    for (std::size_t i = 0; i < found.legal.size(); ++i) {
      ArgumentData after = data;
      std::vector<CallArgument> arguments;
      for (std::size_t j = 0; j < after.size(); ++j)
        arguments.push_back(buffers[j].kind == ArgumentKind::scalar
                                ? CallArgument{nullptr, std::as_bytes(std::span(after[j]))}
                                : CallArgument{after[j].data()});
      const LaunchPlan plan = plan_launches(family_.operation, implementation_,
                                            full_scope(asked, found.legal[i], device_));
      make_routine(plan, kFakeCudnn)->call({}, {arguments}, nullptr);
      constexpr std::size_t kOutput = 2;
      for (std::int64_t j = 0; j < buffers[kOutput].count; ++j) {
        float result = 0;
        std::memcpy(&result, &after[kOutput][static_cast<std::size_t>(j) * sizeof result],
                    sizeof result);
        ASSERT_EQ(result, reference->at(kOutput, j)) << j;
      }
    }
  }

  Device device_;
  const Library library_ = Library::load({TILEWRIGHT_SOURCE_DIR "/kernel_templates"});
  const Family& family_;
  const Implementation& implementation_ = family_.implementation("cudnn");
};

TEST_F(LayerRoutines, ComputeLayersInEachLayout) {
  for (const char* layout : {"nhwc", "nchw"})
    for (const char* filter_layout : {"krsc", "kcrs"})
      for (const char* accumulate : {"no", "yes"}) {
        SCOPED_TRACE(std::string(layout) + filter_layout + accumulate);
        const Settings usual = {{"layout", layout},
                                {"filter_layout", filter_layout},
                                {"accumulate", accumulate},
                                {"batch", 2},
                                {"channels_in", 6}};
        const auto with = [&usual](Settings more) {
          more.insert(usual.begin(), usual.end());
          return more;
        };
        expect_right(with({{"width", 5}, {"height", 4}, {"channels_out", 4}}));
        expect_right(with({{"width", 9},
                           {"height", 7},
                           {"channels_out", 9},
                           {"groups", 3},
                           {"stride_x", 2},
                           {"dilation_y", 2},
                           {"filter_height", 2},
                           {"padding_y", 1}}));
        expect_right(with({{"width", 4}, {"height", 3}, {"depth", 3}, {"stride_z", 2}}));
        expect_right(with({{"width", 8}, {"height", 1}, {"channels_out", 2}}));
      }
}

TEST_F(LayerRoutines, WhatTheLibraryDoesNotHaveIsExcludedWithItsReason) {
  EXPECT_EQ(excluded({{"boundary", "wrap"}}), "cuDNN pads with zeros");
  EXPECT_EQ(excluded({{"type", "int8"}}),
            "cuDNN's convolutions that name an algorithm have one type of at least 16 bits");
  EXPECT_EQ(excluded({{"type", "float16"}}),
            "cuDNN: cudnnGetConvolutionForwardWorkspaceSize: CUDNN_STATUS_NOT_SUPPORTED");
  EXPECT_EQ(excluded({{"width", 8}, {"width_out", 7}}),
            "cuDNN: pads both sides alike, which gives another width than 7");
}

class FilterRoutines : public LayerRoutines {
 protected:
  FilterRoutines() : LayerRoutines("conv2d") {}
};

TEST_F(FilterRoutines, ComputeFiltersOfImages) {
  for (const char* flip : {"no", "yes"})
    for (const char* filters : {"one", "per_channel"}) {
      SCOPED_TRACE(std::string(flip) + filters);
      expect_right({{"width", 7},
                    {"height", 6},
                    {"pitch", 9},
                    {"filter_width", 5},
                    {"filter_height", 3},
                    {"channels", 3},
                    {"batch", 2},
                    {"flip", flip},
                    {"filters", filters}});
    }
}

TEST_F(FilterRoutines, WhatTheLibraryDoesNotHaveIsExcludedWithItsReason) {
  EXPECT_EQ(excluded({{"boundary", "mirror"}}), "cuDNN pads with zeros");
  EXPECT_EQ(excluded({{"width", 8}, {"height", 8}, {"filter_width", 4}, {"filter_height", 3}}),
            "cuDNN: pads both sides alike, which gives another width than 8");
  EXPECT_EQ(excluded({{"width", 8}, {"anchor_x", -1}}),
            "cuDNN: pads both sides alike, which gives another width than 8");
}

}  // namespace
}  // namespace tilewright::cuda
