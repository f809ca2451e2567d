#include <gtest/gtest.h>

#include "tests/cli/run_program.hpp"

namespace tilewright::test {
namespace {

struct Bad {
  const char* name;
  std::vector<std::string> arguments;
  std::vector<std::string> says;  // parts of the message
};

void PrintTo(const Bad& bad, std::ostream* out) {
  *out << bad.name;
}

class BadInput : public ::testing::TestWithParam<Bad> {};

// One sentence on standard error, nothing on standard output, nothing written, status 2.
TEST_P(BadInput, IsRefusedInOneSentence) {
  const TemporaryFolder home;
  const Finished finished = run_tilewright(home.path(), GetParam().arguments);
  EXPECT_EQ(finished.status, 2) << finished.err;
  EXPECT_EQ(finished.out, "");
  for (const std::string& part : GetParam().says)
    EXPECT_NE(finished.err.find(part), std::string::npos) << finished.err;
  EXPECT_TRUE(is_untouched(home.path()));
}

INSTANTIATE_TEST_SUITE_P(
    All, BadInput,
    ::testing::Values(
        Bad{"subcommand", {"swep"}, {"command 'swep'", "sweep"}},
        Bad{"global_option", {"--versoin"}, {"--versoin", "--version"}},
        Bad{"option", {"plan", "gemm", "--ach", "sm_90"}, {"--ach", "--arch"}},
        Bad{"option_abbreviated", {"plan", "gemm", "--comp", "1"}, {"--comp"}},
        Bad{"option_of_another", {"best", "gemm", "--budget", "3"}, {"--budget"}},
        Bad{"option_without_value", {"plan", "gemm", "--arch"}, {"arch"}},
        Bad{"option_twice", {"plan", "gemm", "--seed", "1", "--seed", "2"}, {"--seed", "once"}},
        Bad{"operation", {"plan", "gem"}, {"'gem'", "gemm"}},
        Bad{"operation_before_value", {"plan", "gem", "--seed", "7a"}, {"'gem'", "gemm"}},
        Bad{"implementation_before_value",
            {"best", "gemm/tild", "--format", "jsn"},
            {"'tild'", "tiled"}},
        Bad{"no_operation", {"plan"}, {"kernels"}},
        Bad{"empty_word", {"import", ""}, {"tilewright: an argument is empty"}},
        Bad{"limit_and_all",
            {"results", "--limit", "1", "--all"},
            {"--limit shows some and --all shows all; give one of them"}},
        Bad{"implementation", {"plan", "gemm/tild"}, {"'tild'", "tiled"}},
        Bad{"dimension", {"sweep", "gemm", "L=4"}, {"'L'", "M, N, K"}},
        Bad{"dimension_nearest", {"sweep", "conv1d", "lenght=4"}, {"'lenght'", "'length'"}},
        Bad{"dimension_missing", {"sweep", "gemm", "512"}, {"'512'", "NAME=VALUE"}},
        Bad{"dimension_without_value", {"best", "gemm", "M="}, {"'M='", "NAME=VALUE"}},
        Bad{"zero", {"sweep", "gemm", "M=0"}, {"M=0", "1 to 1073741824"}},
        Bad{"negative", {"sweep", "gemm", "M=-5"}, {"M=-5", "1 to 1073741824"}},
        Bad{"fraction", {"sweep", "gemm", "M=1.5"}, {"M=1.5", "whole number"}},
        Bad{"overflow",
            {"sweep", "gemm", "M=99999999999999999999"},
            {"M=99999999999999999999", "1 to 1073741824"}},
        Bad{"too_many_elements",
            {"plan", "gemm", "M=N=K=2000000"},
            {"'a'", "4000000000000 elements", "1099511627776"}},
        Bad{"dimension_twice", {"sweep", "gemm", "M=1", "M=2"}, {"M"}},
        Bad{"label", {"sweep", "conv1d", "boundary=reflct"}, {"reflct", "reflect"}},
        Bad{"snippet", {"sweep", "gemm", "epilogue=bias_gleu"}, {"bias_gleu", "'bias_gelu'"}},
        Bad{"snippet_file", {"sweep", "gemm", "epilogue=/nowhere/x.toml"}, {"/nowhere/x.toml"}},
        Bad{"snippet_of_another_hook",
            {"sweep", "gemm", "epilogue=channel_bias_relu"},
            {"channel_bias_relu.toml", "'channel'", "gemm"}},
        Bad{"no_snippet_to_print", {"best", "gemm", "--format", "hook"}, {"epilogue=NAME"}},
        Bad{"time", {"sweep", "gemm", "--time-limit", "60x"}, {"--time-limit", "60x", "5m"}},
        Bad{"time_zero", {"sweep", "gemm", "--time-limit", "0s"}, {"--time-limit"}},
        Bad{"time_too_short", {"sweep", "gemm", "--time-limit", "0.0001s"}, {"0.0001s", "0.5s"}},
        Bad{"target", {"sweep", "gemm", "--target", "1.5m"}, {"--target", "1.5m", "1.5ms"}},
        Bad{"budget", {"sweep", "gemm", "--budget", "12.5"}, {"--budget", "12.5"}},
        Bad{"budget_negative", {"sweep", "gemm", "--budget", "-1"}, {"from 1", "all"}},
        Bad{"budget_name", {"sweep", "gemm", "--budget", "al"}, {"from 1", "all"}},
        Bad{"seed_huge",
            {"sweep", "gemm", "--seed", "99999999999999999999"},
            {"--seed", "0 to 2^64 - 1"}},
        Bad{"empty_file", {"best", "gemm", "--db", ""}, {"--db has an empty value", "FILE"}},
        Bad{"empty_shapes", {"sweep", "gemm", "--shapes", ""}, {"--shapes has an empty value"}},
        Bad{"blank_like", {"sweep", "gemm", "--like", " "}, {"--like has an empty value"}},
        Bad{"empty_output", {"export", "--output", ""}, {"--output has an empty value"}},
        Bad{"empty_folder", {"plan", "gemm", "--kernels", ""}, {"--kernels has an empty value"}},
        Bad{"where_without_result",
            {"plan", "gemm/naive", "--where", "1/0"},
            {"division of 1 by zero at character 2\n"}},
        Bad{"kernels_without_any",
            {"kernels", "--kernels", TILEWRIGHT_SOURCE_DIR "/tests/definitions"},
            {"tests/definitions'", "operation.toml"}},
        Bad{"device_without_results",
            {"best", "gemm", "--device", "nonesuch"},
            {"--device 'nonesuch'", "no device with results of gemm"}},
        Bad{"explain_parameter",
            {"explain", "gemm/naive", "FOO=1"},
            {"'FOO'", "BLOCK_X, BLOCK_Y, M"}},
        Bad{"problem_of_an_export", {"export", "gemm", "M=5"}, {"'M=5'", "--format defines"}},
        Bad{"merge_folder", {"merge", "/tmp", "--into", "all.db"}, {"/tmp", "not that of a job"}},
        Bad{"trials_without_sweep", {"results", "--sort", "time"}, {"--sort", "--sweep ID"}},
        Bad{"no_export", {"import", TILEWRIGHT_SOURCE_DIR "/README.md"}, {"neither a database"}},
        Bad{"budget_zero", {"sweep", "gemm", "--budget", "0"}, {"--budget"}},
        Bad{"seed", {"sweep", "gemm", "--seed", "7a"}, {"--seed", "7a"}},
        Bad{"floor", {"sweep", "gemm", "--occupancy-floor", "1.5"}, {"--occupancy-floor"}},
        Bad{"policy", {"sweep", "gemm", "--policy", "hot"}, {"--policy", "hot"}},
        Bad{"strategy", {"sweep", "gemm", "--strategy", "randm"}, {"--strategy", "random"}},
        Bad{"strategy_of_before",
            {"sweep", "gemm", "--strategy", "genetic"},
            {"--strategy 'genetic' is not known; known: exhaustive, random, model"}},
        Bad{"where_syntax", {"sweep", "gemm", "--where", "BLOCK_X >"}, {"--where", "column"}},
        Bad{"where_name", {"sweep", "gemm/tiled", "--where", "BLOK_X > 4"}, {"BLOK_X", "BLOCK_X"}},
        Bad{"where_name_of_none",
            {"sweep", "gemm", "--where", "TILE_WIDHT > 4"},
            {"--where uses 'TILE_WIDHT'", "gemm/blocked", "'TILE_WIDTH'"}},
        Bad{"where_plan_name_of_none",
            {"plan", "gemm", "--where", "TILE_WIDHT > 4"},
            {"--where uses 'TILE_WIDHT'", "gemm/blocked", "'TILE_WIDTH'"}},
        Bad{"where_names_of_two",
            {"sweep", "gemm", "--where", "TILE_WIDTH > 4 && DEPENDENT == 'no'"},
            {"--where names DEPENDENT, which gemm/blocked", "no implementation has them all"}},
        Bad{"device_form", {"sweep", "gemm", "--device", "gpu0"}, {"gpu0", "cuda:N"}},
        Bad{"compile_count", {"plan", "gemm", "--compile", "some"}, {"--compile", "some"}},
        Bad{"manifest_missing", {"plan", "/nowhere/kernel.toml"}, {"/nowhere/kernel.toml"}},
        Bad{"kernels_folder", {"kernels", "--kernels", "/nowhere"}, {"/nowhere"}},
        Bad{"kernels_words", {"kernels", "gemm", "conv1d"}, {"conv1d"}},
        Bad{"root_as_target", {"plan", "/"}, {"'/'", "folder", "OPERATION/IMPLEMENTATION"}},
        Bad{"folder_as_target", {"plan", "/tmp"}, {"/tmp", "folder", "--kernels"}},
        Bad{"no_implementation", {"plan", "gemm/"}, {"gemm/", "OPERATION/IMPLEMENTATION"}},
        Bad{"spill", {"sweep", "gemm", "--max-spill", "-1"}, {"--max-spill", "-1"}},
        Bad{"compile_memory", {"sweep", "gemm", "--compile-memory", "8X"}, {"8X", "8G"}},
        Bad{"verify_limit",
            {"sweep", "gemm", "--verify-limit", "fast"},
            {"--verify-limit", "fast"}},
        Bad{"compile_limit", {"plan", "gemm", "--compile-limit", "0s"}, {"--compile-limit", "0s"}},
        Bad{"fresh_and_retry", {"sweep", "gemm", "--fresh", "--retry"}, {"--fresh", "--retry"}},
        Bad{"devices_words", {"devices", "extra"}, {"extra"}},
        Bad{"version_words", {"--version", "extra"}, {"extra"}},
        Bad{"help_words", {"help", "sweep", "extra"}, {"extra"}},
        Bad{"help_subcommand", {"help", "swep"}, {"'swep'", "sweep"}},
        Bad{"format", {"best", "gemm", "--format", "jsn"}, {"jsn", "json"}},
        Bad{"require", {"best", "gemm", "--require", "exakt"}, {"exakt", "exact"}},
        Bad{"limit", {"results", "--limit", "-1"}, {"limit"}},
        Bad{"results_words", {"results", "gemm", "conv1d"}, {"conv1d"}},
        Bad{"export_format", {"export", "--format", "xml"}, {"xml"}},
        Bad{"import_nothing", {"import"}, {"file"}},
        Bad{"import_missing", {"import", "/nowhere/x.json"}, {"/nowhere/x.json"}},
        Bad{"import_folder", {"import", "/tmp"}, {"/tmp", "folder"}}),
    [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace tilewright::test
