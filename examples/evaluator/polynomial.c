// y = p(x) by Horner's rule, UNROLL elements in one trip.
void polynomial(const double* x, double* y, long n) {
  static const double c[8] = {0.5, -1.25, 2.0, 0.75, -0.5, 1.5, -2.25, 1.0};
  long i = 0;
  for (; i + UNROLL <= n; i += UNROLL)
    for (int j = 0; j < UNROLL; ++j) {
      double sum = c[0];
      for (int k = 1; k < 8; ++k) sum = sum * x[i + j] + c[k];
      y[i + j] = sum;
    }
  for (; i < n; ++i) {
    double sum = c[0];
    for (int k = 1; k < 8; ++k) sum = sum * x[i] + c[k];
    y[i] = sum;
  }
}
