template <int threads>
static void launch() {}

int main() {
  const auto gpu = tilewright_best::devices[0];
  EXAMPLE
  return answer.value("THREADS") > 0 ? 0 : 1;
}
