#include <gtest/gtest.h>

#include <iterator>
#include <sstream>

#include "definition/library/library.hpp"
#include "definition/problem.hpp"
#include "tilewright/error.hpp"
#include "tools/show/subject.hpp"

namespace tilewright::tools {
namespace {

class ShownConfiguration : public ::testing::Test {
 protected:
  Configuration read(const std::string& text) const {
    std::istringstream words(text);
    return read_configuration("--config", {std::istream_iterator<std::string>(words), {}},
                              implementation_);
  }

  // What is wrong with it, empty if nothing is.
  std::string error_of(const std::string& text) const {
    try {
      const Configuration configuration = read(text);
      check_configuration("--config", implementation_, configuration,
                          make_problem(family_.operation, Settings{}, Device{}), Device{});
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  }

  const Library library_ = Library::load({TILEWRIGHT_SOURCE_DIR "/kernel_templates"});
  const Family& family_ = library_.family("conv1d");
  const Implementation& implementation_ = family_.implementation("halo");
};

TEST_F(ShownConfiguration, IsTheDefaultWithTheValuesGiven) {
  Configuration expected = default_configuration(implementation_);
  EXPECT_EQ(read(""), expected);
  expected.values["BLOCK"] = std::int64_t{128};
  expected.values["LOADING"] = std::string("cache");
  EXPECT_EQ(read(" BLOCK=128  LOADING=cache"), expected);
  EXPECT_EQ(error_of("BLOCK=128 LOADING=cache"), "");
}

TEST_F(ShownConfiguration, NamesWhatIsWrong) {
  EXPECT_EQ(error_of("BLOCK"), "--config: 'BLOCK' is not NAME=VALUE");
  EXPECT_EQ(error_of("BLOCK=32 BLOCK=64"), "--config: BLOCK is given twice");
  EXPECT_EQ(error_of("BLOCK=33"),
            "--config: BLOCK = '33' is none of its values: 4, 32, 64, 128, 256, 512, 1024");
  EXPECT_NE(error_of("BLOC=32").find("conv1d/halo has no parameter 'BLOC'"), std::string::npos);
}

TEST_F(ShownConfiguration, NamesTheRuleThatItBreaks) {
  const std::string constraint = error_of("BLOCK=4");
  EXPECT_NE(constraint.find("a block has at least 32 threads, unless the signal is short"),
            std::string::npos)
      << constraint;
  EXPECT_NE(constraint.find("BLOCK=4"), std::string::npos) << constraint;
  const std::string inactive = error_of("ARRANGEMENT=contiguous");
  EXPECT_NE(inactive.find("parameter ARRANGEMENT"), std::string::npos) << inactive;
}

TEST_F(ShownConfiguration, OfAStoreMustHaveTheParametersOfNow) {
  Configuration stored = default_configuration(implementation_);
  stored.values.erase("BLOCK");
  const Problem problem = make_problem(family_.operation, Settings{}, Device{});
  EXPECT_THROW(check_configuration("trial", implementation_, stored, problem, Device{}),
               InputError);
  stored = default_configuration(implementation_);
  stored.values["MORE"] = std::int64_t{1};
  EXPECT_THROW(check_configuration("trial", implementation_, stored, problem, Device{}),
               InputError);
}

}  // namespace
}  // namespace tilewright::tools
