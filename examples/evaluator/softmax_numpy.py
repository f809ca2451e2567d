"""A softmax in NumPy, a block of rows at a time."""

import numpy
from tilewright.evaluator import serve


class Session:
    def prepare(self, problem, configuration):
        rows, columns = problem["rows"], problem["columns"]
        step = configuration["ROWS"]

        def softmax(x, y):
            x, y = x.reshape(rows, columns), y.reshape(rows, columns)
            for i in range(0, rows, step):
                part = numpy.exp(x[i : i + step] - x[i : i + step].max(axis=1, keepdims=True))
                numpy.divide(part, part.sum(axis=1, keepdims=True), out=y[i : i + step])

        return softmax


serve(Session)
