#pragma once

#include <string>

#include "definition/definition.hpp"
#include "tilewright/error.hpp"

namespace tilewright {

// out[i] = in[i] over `n`, with a choice, a filter by value and a scalar.
inline Operation filter_operation() {
  Operation operation;
  operation.name = "filter";
  Dimension n;
  n.name = "n";
  Dimension taps;
  taps.name = "taps";
  operation.dimensions = {n, taps};
  Choice boundary;
  boundary.name = "boundary";
  boundary.labels = {"zero", "wrap", "mirror"};
  boundary.default_label = "zero";
  operation.choices = {boundary};
  Argument in;
  in.name = "in";
  in.count = Expression::parse("n");
  Argument weights;
  weights.name = "weights";
  weights.kind = ArgumentKind::array;
  weights.capacity = 9;
  weights.count = Expression::parse("taps");
  Argument scale;
  scale.name = "scale";
  scale.kind = ArgumentKind::scalar;
  scale.type = ElementType::int32;
  scale.value = Expression::parse("n * 2");
  Argument out = in;
  out.name = "out";
  out.role = ArgumentRole::output;
  operation.arguments = {in, weights, scale, out};
  return operation;
}

// Whether each call prepares the argument `in`.
inline Choice preparation() {
  Choice choice;
  choice.name = "in";
  choice.labels = {"each_call", "prepared"};
  choice.default_label = choice.absent = "each_call";
  return choice;
}

inline LaunchArgument by_name(const std::string& name) {
  LaunchArgument argument;
  argument.name = name;
  return argument;
}

inline LaunchArgument by_value(const std::string& value, ElementType type) {
  LaunchArgument argument;
  argument.kind = LaunchArgument::Kind::value;
  argument.value = Expression::parse(value);
  argument.type = type;
  return argument;
}

inline LaunchArgument in_workspace(const std::string& offset) {
  LaunchArgument argument;
  argument.kind = LaunchArgument::Kind::workspace;
  argument.value = Expression::parse(offset);
  return argument;
}

// What an InputError says, or "no error".
template <class Action>
std::string input_error(const Action& action) {
  try {
    action();
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

}  // namespace tilewright
