// Writes a database with one finished sweep of gemm/naive to the file that it is given.
#include "tests/cli/sample_store.hpp"

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  tilewright::test::add_sample_sweep(argv[1]);
}
