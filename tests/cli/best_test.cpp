#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/cli/copy_kernel.hpp"
#include "tests/cli/run_program.hpp"
#include "tests/cli/sample_store.hpp"

namespace tilewright::test {
namespace {

class Best : public ::testing::Test {
 protected:
  Finished best(std::vector<std::string> words) const {
    words.insert(words.begin(), "best");
    return run_tilewright(home_.path(), words);
  }
  // The same on the sample's device, whatever this machine has.
  Finished best_there(std::vector<std::string> words) const {
    words.insert(words.end(), {"--device", "test 9000"});
    return best(words);
  }
  TemporaryFolder home_;
};

TEST_F(Best, ServesTheDefaultWithoutADatabase) {
  const auto best_here = [this](std::vector<std::string> more) {
    more.insert(more.begin(), {"gemm/tiled", "M=N=K=512", "--device", "host"});
    return best(more);
  };
  const Finished finished = best_here({});
  EXPECT_EQ(finished.status, 0);
  EXPECT_NE(finished.out.find("default"), std::string::npos) << finished.out;
  EXPECT_NE(finished.out.find("gemm_tiled grid 32x32, block 16x16"), std::string::npos)
      << finished.out;
  EXPECT_NE(finished.err.find("no database"), std::string::npos) << finished.err;
  EXPECT_TRUE(is_untouched(home_.path()));
  EXPECT_EQ(best_here({"--require", "exact"}).status, 1);
  EXPECT_EQ(best_here({"--require", "device"}).status, 1);
}

// As plan and show, whose status is 1, too.
TEST_F(Best, FindsNothingWhereNoDefaultFits) {
  for (const std::string command : {"best", "show"}) {
    const Finished finished =
        run_tilewright(home_.path(), {command, "gemm/thin", "M=N=K=100", "--device", "host"});
    EXPECT_EQ(finished.status, 1) << command;
    EXPECT_NE(finished.err.find("no implementation's default fits this problem"), std::string::npos)
        << finished.err;
  }
}

TEST_F(Best, ServesTheStoredWinnerExactly) {
  add_sample_sweep(database_in(home_.path()));
  const Finished finished = best_there({"gemm", "M=N=K=512", "--format", "json"});
  ASSERT_EQ(finished.status, 0) << finished.err;
  const auto json = nlohmann::json::parse(finished.out);
  EXPECT_EQ(json.at("rung"), 2);
  EXPECT_EQ(json.at("rung_name"), "exact");
  EXPECT_EQ(json.at("implementation"), "gemm/naive");
  EXPECT_EQ(json.at("configuration"), (nlohmann::json{{"BLOCK_X", 128}, {"BLOCK_Y", 4}}));
  EXPECT_DOUBLE_EQ(json.at("result").at("timing").at("median_us"), 100);
  EXPECT_DOUBLE_EQ(json.at("result").at("default_median_us"), 200);
  EXPECT_NEAR(json.at("gflops"), 2.0 * 512 * 512 * 512 / 100 / 1e3, 1e-6);
  EXPECT_EQ(best_there({"gemm", "M=N=K=512", "--require", "exact"}).status, 0);
}

TEST_F(Best, ANearAnswerGivesWayUnlessAMeasuredOneIsRequired) {
  add_sample_sweep(database_in(home_.path()));
  const auto rung = [this](std::vector<std::string> more) {
    more.insert(more.begin(), {"gemm", "M=520", "N=K=512", "--format", "json"});
    const Finished finished = best_there(more);
    EXPECT_EQ(finished.status, 0) << finished.err;
    return nlohmann::json::parse(finished.out).at("rung");
  };
  EXPECT_EQ(rung({"--shipped", "none"}), 7) << "blocks are expected to be far faster";
  EXPECT_EQ(rung({"--shipped", "none", "--require", "device"}), 4);
}

TEST_F(Best, TellsPeopleTheMarginOverTheDefault) {
  add_sample_sweep(database_in(home_.path()));
  const Finished finished = best_there({"gemm", "M=N=K=512"});
  for (const char* part :
       {"gemm/naive", "exact", "100 µs", "default 2.0x slower", "runner-up 150 µs, 1.5x slower",
        "2.68 TFLOP/s", "NVIDIA Test 9000", "just now"})
    EXPECT_NE(finished.out.find(part), std::string::npos) << part << " in\n" << finished.out;
}

// Nothing is known of the power limit of a device that is only named.
TEST_F(Best, OfTwoPowerLimitsTheNewestResultAnswersForANamedDevice) {
  add_limited_sweeps(database_in(home_.path()));
  for (const std::vector<std::string>& more : {std::vector<std::string>(), {"--frozen"}}) {
    std::vector<std::string> words = {"gemm", "M=N=K=512", "--db",
                                      database_in(home_.path()).string()};
    words.insert(words.end(), more.begin(), more.end());
    const Finished text = best_there(words);
    ASSERT_EQ(text.status, 0) << text.err;
    EXPECT_NE(text.out.find("BLOCK_X=32 BLOCK_Y=8"), std::string::npos) << text.out;
    EXPECT_NE(text.out.find("limited to 400 W"), std::string::npos) << text.out;
    EXPECT_EQ(text.out.find("stale"), std::string::npos) << text.out;
    words.insert(words.end(), {"--format", "json"});
    const auto json = nlohmann::json::parse(best_there(words).out);
    EXPECT_EQ(json.at("result").at("environment").at("power_limit_w"), 400);
    EXPECT_FALSE(json.contains("power_limit_w"));
  }
}

TEST_F(Best, PrintsDefinesForACompiler) {
  add_sample_sweep(database_in(home_.path()));
  const Finished finished = best_there({"gemm", "M=N=K=512", "--format", "defines"});
  EXPECT_EQ(finished.status, 0);
  EXPECT_EQ(
      finished.out,
      "-DACCUMULATE_NO=0 -DACCUMULATE_YES=1 -DBLOCK_X=128 -DBLOCK_Y=4 "
      "-DPRECISION_FLOAT16=3 -DPRECISION_FLOAT32=0 -DPRECISION_FLOAT64=1 -DPRECISION_INT32=4 "
      "-DPRECISION_TF32=2 "
      "-DPROBLEM_ACCUMULATE=0 -DPROBLEM_PRECISION=0 -DPROBLEM_TRANSPOSE_A=0 "
      "-DPROBLEM_TRANSPOSE_B=0 "
      "-DPROBLEM_TYPE_A=0 -DPROBLEM_TYPE_B=0 -DPROBLEM_TYPE_C=0 "
      "-DTRANSPOSE_A_NO=0 -DTRANSPOSE_A_YES=1 -DTRANSPOSE_B_NO=0 -DTRANSPOSE_B_YES=1 "
      "-DTYPE_A=float -DTYPE_A_BFLOAT16=3 -DTYPE_A_FLOAT16=2 -DTYPE_A_FLOAT32=0 -DTYPE_A_FLOAT64=1 "
      "-DTYPE_A_FLOAT8_E4M3=4 -DTYPE_A_FLOAT8_E5M2=5 -DTYPE_A_INT8=6 "
      "-DTYPE_B=float -DTYPE_B_BFLOAT16=3 -DTYPE_B_FLOAT16=2 -DTYPE_B_FLOAT32=0 -DTYPE_B_FLOAT64=1 "
      "-DTYPE_B_FLOAT8_E4M3=4 -DTYPE_B_FLOAT8_E5M2=5 -DTYPE_B_INT8=6 "
      "-DTYPE_C=float -DTYPE_C_BFLOAT16=3 -DTYPE_C_FLOAT16=2 -DTYPE_C_FLOAT32=0 "
      "-DTYPE_C_FLOAT64=1 -DTYPE_C_FLOAT8_E4M3=5 -DTYPE_C_FLOAT8_E5M2=6 -DTYPE_C_INT32=4 "
      "-DTYPE_C_INT8=7\n");
  EXPECT_EQ(finished.err, "macros of gemm/naive\n");
}

TEST_F(Best, TheMacrosOfALaunchAreAmongTheDefines) {
  const std::string file = write_copy_kernel(
      home_.path(), {{"entry = \"copy\"", "entry = \"copy\"\nmacros = { width = \"2 * BLOCK\" }"}});
  const auto best_of = [&](const std::string& format) {
    return best({file, "--device", "host", "--require", "any", "--format", format});
  };
  const Finished defines = best_of("defines");
  EXPECT_EQ(defines.status, 0) << defines.err;
  EXPECT_EQ(defines.out, "-DBLOCK=32 -Dwidth=64\n");
  const Finished header = best_of("header");
  EXPECT_NE(header.out.find("    {\"copy\", {128, 1, 1}"), std::string::npos) << header.out;
  EXPECT_NE(header.out.find("// compiled with -Dwidth=64\n"), std::string::npos) << header.out;
}

TEST_F(Best, RefusesDefinesForLaunchesWithDifferentMacros) {
  const std::string file = TILEWRIGHT_SOURCE_DIR "/tests/definitions/two_stage.toml";
  const auto best_of = [&](const std::string& format) {
    return best({file, "--device", "host", "--require", "any", "--format", format});
  };
  const Finished defines = best_of("defines");
  EXPECT_EQ(defines.status, 2);
  EXPECT_EQ(defines.out, "");
  EXPECT_NE(defines.err.find("the launches of two_stage/stages are compiled with different macros"),
            std::string::npos)
      << defines.err;
  const Finished header = best_of("header");
  EXPECT_EQ(header.status, 0) << header.err;
  for (const char* part :
       {"    {\"reduce\", {16, 1, 1}, {128, 1, 1}",
        "// compiled with -DSTAGE=1 -DTHREADS=128 -DVECTOR=4\n", "    {\"reduce\", {1, 1, 1}",
        "// compiled with -DSTAGE=2 -DTHREADS=32 -DVECTOR=1\n"})
    EXPECT_NE(header.out.find(part), std::string::npos) << part << " in\n" << header.out;
}

TEST_F(Best, AHeaderSaysWhichLaunchesPrepareAnInput) {
  const std::string file = TILEWRIGHT_SOURCE_DIR "/tests/definitions/prepared.toml";
  const Finished header = best({file + "/ring_filter/reordered", "filter=prepared", "--device",
                                "host", "--require", "any", "--format", "header"});
  EXPECT_EQ(header.status, 0) << header.err;
  for (const char* part : {"    {\"reorder\", {1, 1, 1}, {32, 1, 1}, {1, 1, 1}, 0},  // prepares\n",
                           "workspace_bytes = 12000;\n", "prepared_bytes = 40;\n"})
    EXPECT_NE(header.out.find(part), std::string::npos) << part << " in\n" << header.out;
}

TEST_F(Best, AHeaderHasTheValuesOfParametersInAnEntry) {
  const std::string file = write_copy_kernel(
      home_.path(), {{"entry = \"copy\"", "entry = \"mine::copy<BLOCK, 2 * BLOCK>\""}});
  const Finished header =
      best({file, "--device", "host", "--require", "any", "--format", "header"});
  EXPECT_NE(header.out.find("{\"mine::copy<32, 2 * 32>\", "), std::string::npos) << header.out;
}

TEST_F(Best, AParameterIsNoPartOfAProblem) {
  const std::string file = write_copy_kernel(home_.path());
  const Finished refused = best({file, "n=4_000", "BLOCK=64"});
  EXPECT_EQ(refused.status, 2);
  EXPECT_NE(refused.err.find("BLOCK=64: 'BLOCK' is a parameter of copy/plain, and not of the "
                             "problem; plan and sweep take --where 'BLOCK == 64'"),
            std::string::npos)
      << refused.err;
}

TEST_F(Best, ServesWhatASweepThatIsNotFinishedHasMeasured) {
  const std::string uuid = add_unfinished_sweep(database_in(home_.path()));
  const std::string so_far = "not finished, 1 of 3 tried";
  Finished finished = best_there({"gemm/naive", "M=N=K=512"});
  EXPECT_EQ(finished.status, 0) << finished.err;
  EXPECT_NE(finished.out.find("NVIDIA Test 9000 | " + so_far), std::string::npos) << finished.out;
  EXPECT_NE(finished.out.find("200 µs"), std::string::npos) << finished.out;
  EXPECT_EQ(finished.err, "the best so far: the sweep is " + so_far + "\n");
  finished = best_there({"gemm/naive", "M=N=K=512", "--format", "defines"});
  EXPECT_EQ(finished.status, 0) << finished.err;
  EXPECT_NE(finished.out.find("-DBLOCK_X="), std::string::npos) << finished.out;
  EXPECT_NE(finished.err.find(so_far), std::string::npos) << finished.err;
  const auto json =
      nlohmann::json::parse(best_there({"gemm/naive", "M=N=K=512", "--format", "json"}).out);
  EXPECT_EQ(json.at("note"), "the sweep is " + so_far);
  EXPECT_EQ(json.at("result").at("unfinished"), (nlohmann::json{{"tried", 1}, {"total", 3}}));
  finished = best_there({"gemm/naive", "M=N=K=512", "--require", "exact"});
  EXPECT_EQ(finished.status, 1);
  EXPECT_NE(finished.err.find("accepts: the sweep is " + so_far), std::string::npos)
      << finished.err;
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"export", "gemm/naive", "M=N=K=512", "--format", "defines",
                                 "--shipped", "none"},
        {"results"},
        {"results", "--sweep", uuid}}) {
    finished = run_tilewright(home_.path(), words);
    EXPECT_NE(finished.out.find(so_far), std::string::npos) << finished.out << finished.err;
  }
  add_sample_sweep(database_in(home_.path()));
  EXPECT_NE(best_there({"gemm/naive", "M=N=K=512"}).out.find("| exact"), std::string::npos);
}

TEST_F(Best, ADefaultThatGaveWrongAnswersIsNoAnswer) {
  const std::string file = write_copy_kernel(home_.path());
  std::string source = content_of(home_ / "copy.cu");
  const std::string right = "if (i < n) out[i] = in[i];";
  write_text(home_ / "copy.cu", source.replace(source.find(right), right.size(),
                                               "if (i % 7 && i < n) out[i] = in[i];"));
  const auto run = [&](std::vector<std::string> words) {
    words.insert(words.begin() + 1, {file, "n=1000"});
    return run_tilewright(home_.path(), words);
  };
  run({"sweep", "--device", "host"});
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"best", "--device", "host"},
        {"best", "--device", "host", "--require", "any", "--format", "defines"},
        {"show", "--device", "host"},
        {"bundle", "--arch", "host", "--output", home_ / "copy.bundle"}}) {
    const Finished finished = run(words);
    EXPECT_EQ(finished.status, 1) << words.front() << ": " << finished.out;
    EXPECT_NE(finished.err.find("copy/plain gave wrong answers for n=1000 on "), std::string::npos)
        << finished.err;
    EXPECT_NE(finished.err.find("(2 of 2 tried were wrong)"), std::string::npos) << finished.err;
  }
  EXPECT_FALSE(std::filesystem::exists(home_ / "copy.bundle"));
  EXPECT_EQ(run_tilewright(home_.path(), {"best", file, "n=77", "--device", "host"}).status, 1);
}

TEST_F(Best, FallsBackForAnotherProblem) {
  add_sample_sweep(database_in(home_.path()));
  const Finished finished = best_there({"gemm/naive", "M=N=K=513", "--shipped", "none"});
  EXPECT_EQ(finished.status, 0);
  EXPECT_NE(finished.out.find("M=N=K=513 | NVIDIA Test 9000 | default\n"), std::string::npos)
      << finished.out;
  EXPECT_NE(finished.err.find("no finished sweep"), std::string::npos) << finished.err;
}

TEST_F(Best, OffersAnotherPolicyAsAWeakerRung) {
  add_sample_sweep(database_in(home_.path()));
  const auto json = nlohmann::json::parse(
      best_there({"gemm", "M=N=K=512", "--policy", "cold", "--format", "json"}).out);
  EXPECT_EQ(json.at("rung"), 3);
  EXPECT_EQ(best_there({"gemm", "M=N=K=512", "--policy", "cold", "--require", "exact"}).status, 1);
}

TEST_F(Best, AsksWhichDeviceWhereSeveralMatch) {
  add_sample_sweep(database_in(home_.path()), sample_device("NVIDIA Test 9000 A"));
  add_sample_sweep(database_in(home_.path()), sample_device("NVIDIA Test 9000 B"));
  const Finished finished = best_there({"gemm", "M=N=K=512"});
  EXPECT_EQ(finished.status, 2);
  EXPECT_NE(finished.err.find("9000 A"), std::string::npos) << finished.err;
  EXPECT_EQ(best({"gemm", "M=N=K=512", "--device", "9000 b"}).status, 0);
  EXPECT_EQ(best({"gemm", "M=N=K=512", "--device", "9001"}).status, 2);
  EXPECT_EQ(best({"gemm", "M=N=K=512", "--device", "9000"}).status, 2);
  add_sample_sweep(database_in(home_.path()), sample_device("NVIDIA Test 9000"));
  EXPECT_EQ(best({"gemm", "M=N=K=512", "--device", "nvidia test 9000"}).status, 0)
      << "a whole name is no part of another";
}

}  // namespace
}  // namespace tilewright::test
