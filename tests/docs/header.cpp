#include <string_view>

int main() {
  EXAMPLE
  return std::string_view(answer.implementation->name).starts_with("gemm/") &&
                 answer.value("BLOCK_M") > 0 && answer.distance > 0
             ? 0
             : 1;
}
