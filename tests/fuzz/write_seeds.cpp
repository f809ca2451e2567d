#include <chrono>
#include <filesystem>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>

#include "db/exchange/exchange.hpp"
#include "db/exchange/winners.hpp"
#include "definition/json/codec.hpp"
#include "runtime/bundle/bundle_file.hpp"
#include "tests/fuzz/foreign_database.hpp"
#include "tests/unit/db/samples.hpp"
#include "tuner/worker/messages.hpp"

using namespace tilewright;
namespace fs = std::filesystem;

namespace {

void write(const fs::path& file, const std::string& bytes) {
  fs::create_directories(file.parent_path());
  test::write_file(file, bytes);
}

void write_cbor(const fs::path& file, const nlohmann::json& json) {
  const std::vector<std::uint8_t> bytes = cbor_bytes(json);
  write(file, {bytes.begin(), bytes.end()});
}

BundledRecipe sample_recipe() {
  using Kind = PlannedArgument::Kind;
  BundledRecipe bundled;
  bundled.build = "build";
  bundled.defaulted = {"K"};
  Recipe& recipe = bundled.recipe;
  recipe.label = "gemm/tiled";
  recipe.device = test::h200();
  recipe.architecture = "sm_90";
  recipe.answer.implementation = "gemm/tiled";
  recipe.answer.configuration = test::tile(16);
  recipe.answer.problem = recipe.answer.measured_problem = test::cube(64);
  recipe.arguments.resize(2);
  recipe.arguments[0].asked = {
      "A", ArgumentKind::buffer, ElementType::float32, ArgumentRole::input, 64 * 64, true};
  recipe.arguments[1].asked = {"alpha", ArgumentKind::scalar};
  recipe.launches.workspace_bytes = 1024;
  PlannedTensorMap map;
  map.dims = {64, 64};
  map.strides = {64};
  map.box = {16, 16};
  PlannedLaunch launch;
  launch.entry = "f";
  launch.arguments = {{Kind::argument, 1, {}},
                      {Kind::bytes, 0, {1, 0, 0, 0}},
                      {Kind::workspace, 0, {}, 512},
                      {Kind::by_value, 0, {}, 0, 4 * 64 * 64},
                      {Kind::tensor_map, 0, {}, 0, 0, map},
                      {Kind::workspace_map, 0, {}, 0, 0, {ElementType::uint8, {64}, {}, {64}}}};
  launch.arguments.push_back({Kind::texture, 0, {}});
  map = {ElementType::float32, {64, 8, 8}, {64, 512}, {16, 9}, 0, 0, {-1}, {0}, {2}, true};
  launch.arguments.push_back({Kind::tensor_map, 0, {}, 0, 0, map});
  launch.dependent_launch = true;
  recipe.launches.launches = {launch};
  recipe.launches.textures = {{0, ElementType::float32, 1, {64, 64}, {64}, {}}};
  return bundled;
}

// A bundle in which nothing is wrong, with one of everything.
BundleContents sample_bundle() {
  BundleContents contents;
  contents.tool = "0.1.0";
  contents.recipes = {sample_recipe()};
  const std::vector<std::uint8_t> code = {1, 2, 3};
  contents.builds["build"] = {code_checksum(code), {{"f", "f"}}};
  contents.codes[code_checksum(code)] = std::make_shared<const std::vector<std::uint8_t>>(code);
  contents.definitions = {{"operation.toml", "kind = \"operation\"\nname = \"gemm\"\n"}};
  BestRow row;
  row.implementation = "gemm/tiled";
  row.configuration = test::tile(16);
  row.trial = test::measured(16, 20);
  row.problem = test::cube(64);
  row.device = test::h200();
  row.finished = 1'700'000'100;
  contents.rows = {row};
  contents.portable = {{test::h200(), "gemm/tiled", 1, test::tile(16), 1.25, 3, 3, 8192}};
  check_bundle(contents);
  return contents;
}

// A whole one, and real ones that are damaged: what follows their two lines.
void write_bundles(const fs::path& folder, const fs::path& attacks) {
  write_cbor(folder / "empty", bundle_to_json(BundleContents{}));
  write_cbor(folder / "whole", bundle_to_json(sample_bundle()));
  for (const auto& entry : fs::directory_iterator(attacks)) {
    if (entry.path().extension() != ".bundle") continue;
    const std::string bytes = test::read_file(entry.path());
    write(folder / entry.path().stem(), bytes.substr(bytes.find('\n', bytes.find('\n') + 1) + 1));
  }
}

void write_winners(const fs::path& file) {
  const test::Folder folder;
  Store store(folder / "one.db");
  store.import_sweeps({fuzz::sample_sweep()});
  write(file, export_winners(store.best({}), "seed"));
}

void write_database(const fs::path& file) {
  fs::create_directories(file.parent_path());
  fuzz::write_sound_database(file);
}

CompileResult compiled() {
  CompileResult result;
  result.outcome = Outcome::measured;
  result.code = {1, 2, 3};
  result.entries["f"] = {};
  return result;
}

void write_messages(const fs::path& folder) {
  CompileRequest request;
  request.source = "__global__ void f() {}";
  request.options = {"-DTILE_WIDTH=16"};
  write_cbor(folder / "request", request);
  write_cbor(folder / "result", compiled());
  SessionPlan session;
  session.problems.emplace_back();
  session.problems.back().buffers.emplace_back();
  write_cbor(folder / "session", session);
  KernelPlan kernel;
  kernel.launches.emplace_back();
  kernel.launches.back().launches.emplace_back();
  kernel.launches.back().launches.back().arguments.emplace_back();
  write_cbor(folder / "kernel", kernel);
  nlohmann::json samples = SampleRequest{};
  write_cbor(folder / "samples", samples);
  samples["minimum_samples"] = -1e308;  // was converted to an integer
  write_cbor(folder / "real_for_integer", samples);
  const Timing timing = *test::measured(16, 20).timing;
  write_cbor(folder / "timing", timing);
  write_cbor(folder / "answer_open", {{"ok", nullptr}});
  write_cbor(folder / "answer_load", {{"ok", Resources{}}});
  write_cbor(folder / "answer_verify", {{"ok", Verification{}}});
  write_cbor(folder / "answer_sample", {{"ok", timing}});
  write_cbor(folder / "answer_simple", {{"ok", std::vector<SimpleAnswer>(1)}});
  write_cbor(folder / "answer_failure", {{"failure", Failure{Outcome::faulted, "why"}}});
  write_cbor(folder / "answer_compile", {{"result", compiled()}});
}

void write_expressions(const fs::path& folder) {
  write(folder / "arithmetic", "ceil_div(M, BLOCK_M) * 2 - -(K % 3) / 4 + abs(-7)");
  write(folder / "logic", "device.kind == 'cuda' && !(M < 3 || N >= 2) ? min(M, N, 3) : max(1, 2)");
}

void write_escapes(const fs::path& folder) {
  write(folder / "marks", "a\r\nint x; \\\n// \"quoted\", 'single' ?\?/ $(touch x) \x1b[2J =1+1");
}

void write_records(const fs::path& folder) {
  write(folder / "cache.json",
        R"({"device_name": "A100", "kernel_name": "k", "tune_params_keys": ["x"],
 "tune_params": {"x": [1, 2]}, "cache": {"1": {"x": 1, "time": 2.5}, "2": {"x": 2, "time": "InvalidConfig"}}})");
  write(folder / "t4.json",
        R"({"kernel_name": "k", "device_name": "A100", "results": [{"configuration": {"x": 1},
 "invalidity": "correct", "measurements": [{"name": "time", "value": 2.5, "unit": "ms"}]}]})");
  write(folder / "ktt.json",
        R"({"Metadata": {"Device": "A100", "KttVersion": "2.2.0", "TimeUnit": "Microseconds"},
 "Results": [{"KernelName": "k", "Status": "Ok", "TotalDuration": 2.5, "Configuration": [{"Name": "x", "Value": 1.0}]},
 {"KernelName": "k", "Status": "Ok", "TotalDuration": NaN, "Configuration": [{"Name": "x", "Value": 2}]}]})");
  write(folder / "k.wisdom",
        R"({"version": "1.0", "objective": "time", "tunable_parameters": ["x"], "key": "k"}
{"config": [1], "problem_size": [64, 2], "time": 2.5, "environment": {"device_name": "A100"}}
)");
}

}  // namespace

// Writes a corpus for each target that cannot use files of the repository.
int main(int count, char** arguments) {
  if (count != 3) {
    std::cerr << "give the folder of the corpora, and tests/attack\n";
    return 2;
  }
  const fs::path folder = arguments[1];
  write(folder / "export" / "one.json", export_json({fuzz::sample_sweep()}));
  write_bundles(folder / "bundle", arguments[2]);
  write_winners(folder / "winners" / "one.json");
  write_database(folder / "database" / "one.db");
  write_messages(folder / "message");
  write_cbor(folder / "cache" / "compiled", compiled());
  write_expressions(folder / "expression");
  write_escapes(folder / "escape");
  write_records(folder / "record");
  write(folder / "tunable_op" / "product",
        "GemmTunableOp_BFloat16_TN,tn_4096_16_1024_ld_1024_1024_4096");
  write(folder / "tunable_op" / "batch",
        "GemmStridedBatchedTunableOp_double_NN,nn_8_4_2_B_3_ld_8_2_8");
  std::string array = "\x93NUMPY\x01";
  array += {'\0', '\x39', '\0'};
  write(folder / "npy" / "floats",
        array + "{'descr': '<f4', 'fortran_order': False, 'shape': (1,), }\nabcd");
  write(folder / "gzip" / "empty", {"\x1f\x8b\x08\0\0\0\0\0\0\x03\x03\0\0\0\0\0\0\0\0\0", 20});
  return 0;
}
