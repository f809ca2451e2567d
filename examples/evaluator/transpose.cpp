// A program with flags: transposes a matrix in blocks and times it. c++ -O2 transpose.cpp -o
// transpose
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>

using Matrix = std::vector<float>;

void transpose(const Matrix& from, Matrix& to, int n, int rows, int columns) {
  for (int i = 0; i < n; i += rows)
    for (int j = 0; j < n; j += columns)
      for (int y = i; y < std::min(i + rows, n); ++y)
        for (int x = j; x < std::min(j + columns, n); ++x) to[x * n + y] = from[y * n + x];
}

int main(int argc, char** argv) {
  if (argc != 4) {
    std::fputs("usage: transpose N ROWS COLUMNS\n", stderr);
    return 2;
  }
  const int n = std::atoi(argv[1]), rows = std::atoi(argv[2]), columns = std::atoi(argv[3]);
  Matrix from(n * n), to(n * n, -1);
  for (int i = 0; i < n * n; ++i) from[i] = static_cast<float>(i % 1009);
  for (int round = 0; round < 5; ++round) {
    const auto begin = std::chrono::steady_clock::now();
    transpose(from, to, n, rows, columns);
    const std::chrono::duration<double, std::milli> taken =
        std::chrono::steady_clock::now() - begin;
    std::printf("round %d took %.6f ms\n", round, taken.count());
  }
  bool is_right = true;
  for (int i = 0; i < n * n; ++i) is_right &= to[i % n * n + i / n] == from[i];
  std::puts(is_right ? "PASSED" : "FAILED");
}
