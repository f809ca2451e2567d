// Writes the header for the sample rows to the file that it is given.
#include <fstream>

#include "tests/unit/db/header/sample.hpp"

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  using namespace tilewright::test;
  std::ofstream out(argv[1], std::ios::binary);
  out << tilewright::export_header(sample_parts());
  return out.flush() ? 0 : 1;
}
