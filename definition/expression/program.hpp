#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "definition/expression/expression.hpp"

namespace tilewright {

// Many expressions over the same names, evaluated together and many times. Equal parts are worked
// out once. Labels are numbers here, so a program does not notice where one is used as a number:
// manifests are checked for that when they are read.
class Program {
  struct Node;

 public:
  using Id = std::uint32_t;
  enum class Changes { seldom, often };  // the values of a name, between evaluations

  // A name that add() and define() may use from now on.
  void declare(const std::string& name, Changes changes);
  // From now on the name stands for the expression.
  void define(const std::string& name, const Expression& expression);
  // REQUIRES that all its names are known.
  Id add(const Expression& expression);
  // Gives a label that a name may have its number, from 0 on.
  std::int64_t add_label(const std::string& label);
  // Nothing for a label that has none.
  std::optional<std::int64_t> number_of(const Value& value) const;
  // The place of a known name among the values.
  Id place_of(const std::string& name) const { return known_.at(name); }

  bool changes_often(Id id) const { return nodes_[id].changes_often; }

  // What is to be worked out for these after names that often change have other values.
  using Steps = std::vector<Id>;
  Steps steps_for(const std::vector<Id>& wanted) const;

  struct Result {
    std::int64_t number = 0;
    bool is_known = false;  // false: there is none, as where Expression::evaluate() throws
  };

  // The values of one thread. The program must outlive it and not change.
  class Evaluation {
   public:
    explicit Evaluation(const Program& program)
        : program_(program), results_(program.nodes_.size()) {}

    void set(Id name, std::int64_t number) { results_[name] = {number, true}; }
    // Works out what depends only on names that seldom change.
    void settle() { work_out(program_.seldom_); }
    void work_out(const Steps& steps);
    const Result& operator[](Id id) const { return results_[id]; }

   private:
    Result result_of(const Node& node) const;

    const Program& program_;
    std::vector<Result> results_;
  };

 private:
  // Lists of more than two operands become several nodes.
  struct Node {
    Operator op = Operator::number;
    std::int64_t number = 0;
    std::array<Id, 3> operands = {};
    bool changes_often = false;

    auto operator<=>(const Node&) const = default;
  };

  Id add(const ExpressionNode& node);
  Id intern(Operator op, const std::vector<Id>& operands);
  Id intern(const Node& node);

  std::vector<Node> nodes_;
  std::map<Node, Id> ids_;
  Steps seldom_;  // all that depends only on names that seldom change
  std::map<std::string, Id> known_;
  std::map<std::string, std::int64_t> labels_;
};

}  // namespace tilewright
