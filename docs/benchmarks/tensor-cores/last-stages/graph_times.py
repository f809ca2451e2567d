#!/usr/bin/env python3
"""Makes a reproducer time CUDA graphs instead of checking: graph_times.py REPRODUCER.cu OUTPUT.cu [CALLS]

    tilewright show gemm/wgmma M=N=K=2048 type_a=bfloat16 --config '…' --reproducer -o a.cu
    graph_times.py a.cu b.cu && nvcc -O3 -arch=sm_90a -std=c++17 b.cu -o b && ./b

Warm: CALLS calls (100 by default) in a graph. Cold: 20 calls, before each of which a kernel reads
and writes 128 MiB, less the time of a graph of that kernel alone. Medians of seven, in µs.
"""

import pathlib
import re
import sys

TIMES = """
__global__ void flush(float4* all, int count) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) {
    float4 value = all[i];
    value.x += 1;
    all[i] = value;
  }
}

struct Graph {
  cudaGraphExec_t graph;
  int calls;
};

template <class Launches>
Graph graph_of(cudaStream_t stream, int calls, const Launches& launches) {
  cudaGraph_t graph;
  cudaGraphExec_t made;
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal);
  for (int i = 0; i < calls; ++i) launches();
  cudaStreamEndCapture(stream, &graph);
  check(cudaGraphInstantiate(&made, graph, 0), "making a graph");
  return {made, calls};
}

inline double time_of(const Graph& graph, cudaStream_t stream) {
  static cudaEvent_t begin, end;
  if (begin == nullptr) cudaEventCreate(&begin), cudaEventCreate(&end);
  cudaEventRecord(begin, stream);
  cudaGraphLaunch(graph.graph, stream);
  cudaEventRecord(end, stream);
  check(cudaEventSynchronize(end), "running a graph");
  float milliseconds;
  cudaEventElapsedTime(&milliseconds, begin, end);
  return 1000.0 * milliseconds / graph.calls;
}

template <class Call>
void print_graph_times(const std::vector<Argument>& arguments, const Workspace& workspace,
                       const Call& call) {
  const Operands operands(arguments);
  operands.prepare();
  constexpr int kCount = 8 << 20;
  float4* all;
  check(cudaMalloc(&all, kCount * sizeof *all), "allocating memory");
  cudaMemset(all, 0, kCount * sizeof *all);
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  call(operands, workspace, stream);
  cudaStreamSynchronize(stream);
  const auto cool = [&] { flush<<<264, 512, 0, stream>>>(all, kCount); };
  const auto run = [&] { call(operands, workspace, stream); };
  const Graph warm = graph_of(stream, GRAPH_CALLS, run);
  const Graph cold = graph_of(stream, 20, [&] { cool(), run(); });
  const Graph only_cool = graph_of(stream, 20, cool);
  std::vector<double> of_warm, of_cold;
  for (int i = 0; i < 8; ++i) {
    const double first = time_of(warm, stream);
    const double second = time_of(cold, stream) - time_of(only_cool, stream);
    if (i > 0) of_warm.push_back(first), of_cold.push_back(second);
  }
  std::sort(of_warm.begin(), of_warm.end());
  std::sort(of_cold.begin(), of_cold.end());
  std::printf("TIMES warm %.3f cold %.3f\\n", of_warm[3], of_cold[3]);
}

"""
CHECK = """  const bool right = is_right(arguments, rules, scratch, call, reference);
  print_time(arguments, scratch, call, calls);
  return right;
"""


def main():
    calls = sys.argv[3] if len(sys.argv) > 3 else "100"
    source = pathlib.Path(sys.argv[1]).read_text()
    mark = "// How many calls the command line asks"
    assert mark in source and CHECK in source
    source = source.replace(mark, TIMES.replace("GRAPH_CALLS", calls) + mark, 1)
    source = source.replace(CHECK, "  print_graph_times(arguments, scratch, call);\n  return true;\n", 1)
    source = re.sub(r"  right = problem_[1-9]\(0.*\n", "", source)  # the other problems of its checks
    pathlib.Path(sys.argv[2]).write_text("#include <algorithm>\n" + source)


if __name__ == "__main__":
    main()
