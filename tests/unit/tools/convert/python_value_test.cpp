#include "tools/convert/python_value.hpp"

#include <gtest/gtest.h>

#include "tilewright/error.hpp"

namespace tilewright::tools {
namespace {

std::string refusal_of_list(const std::string& text) {
  try {
    python_list(text);
    return "accepted";
  } catch (const InputError& error) {
    return error.what();
  }
}

TEST(PythonList, OfTheFormsThatProblemsHave) {
  EXPECT_EQ(python_list("[16, 32]"), (PythonList{16, 32}));
  EXPECT_EQ(python_list("(1, 2,)"), (PythonList{1, 2}));
  EXPECT_EQ(python_list("[]"), PythonList{});
  EXPECT_EQ(python_list("list(range(1, 4))"), (PythonList{1, 2, 3}));
  EXPECT_EQ(python_list("range(7, 0, -3)"), (PythonList{7, 4, 1}));
  EXPECT_EQ(python_list("[1, 2] + list(range(32, 96+1, 32))"), (PythonList{1, 2, 32, 64, 96}));
  EXPECT_EQ(python_list("[2**i for i in range(0, 4)]"), (PythonList{1, 2, 4, 8}));
  EXPECT_EQ(python_list("[i for i in range(9) if i % 2 == 0 and i > 2]"), (PythonList{4, 6, 8}));
  EXPECT_EQ(python_list("[True, False]"), (PythonList{1, 0}));
  EXPECT_EQ(python_list("[-7 // 2, -7 % 2, 7 // -2, 3 if 1 < 2 < 3 else 4]"),
            (PythonList{-4, 1, -4, 3}));
}

TEST(PythonInteger, OverNames) {
  const PythonValues names = {{"ProblemSize", PythonList{100, 20}}, {"width", PythonList{3, 15}}};
  EXPECT_EQ(python_integer("(ProblemSize[0]+max(width)-1) * ProblemSize[-1]", names), 114 * 20);
  EXPECT_EQ(python_integer("sum(width) + len(width) + min(4, 5) + int(2)", names), 18 + 2 + 4 + 2);
}

TEST(PythonList, RefusesInOneSentence) {
  EXPECT_EQ(refusal_of_list("[1, 2"), "'[1, 2' is no expression of Python: ',' is missing");
  EXPECT_EQ(refusal_of_list("[0.5]"), "'[0.5]': 0.5 is no integer");
  EXPECT_EQ(refusal_of_list("['a']"), "'['a']': ''a'' is not known here");
  EXPECT_EQ(refusal_of_list("3"), "'3' is no list");
  EXPECT_EQ(refusal_of_list("[[1]]"), "'[[1]]': '[1]' is a list");
  EXPECT_EQ(refusal_of_list("[x]"), "'[x]': 'x' is not known here");
  EXPECT_EQ(refusal_of_list("[1 // 0]"), "'[1 // 0]': it divides by zero");
  EXPECT_EQ(refusal_of_list("[9 ** 64]"), "'[9 ** 64]': it needs more than 64 bits");
  EXPECT_EQ(refusal_of_list("[2 ** -1]"), "'[2 ** -1]': an exponent is negative");
  EXPECT_EQ(refusal_of_list("[99999999999999999999]"),
            "'[99999999999999999999]': it needs more than 64 bits");
  EXPECT_EQ(refusal_of_list("range(0, 9, 0)"), "'range(0, 9, 0)': the step of a range is zero");
  EXPECT_EQ(refusal_of_list("[range(3)[5]]"), "'[range(3)[5]]': 'range(3)[5]' is beyond the list");
  EXPECT_NE(refusal_of_list("__import__('os').system('x')").find("is not known here"),
            std::string::npos);
  EXPECT_NE(refusal_of_list("open('x')").find("is not known here"), std::string::npos);
}

TEST(PythonList, IsLimited) {
  EXPECT_NE(refusal_of_list("range(10**9)").find("more than 4096 elements"), std::string::npos);
  EXPECT_NE(refusal_of_list("[1] * 3").find("not known"), std::string::npos);
  EXPECT_NE(refusal_of_list("[sum([k for k in range(4000)]) for i in range(4000)]")
                .find("too many steps"),
            std::string::npos);
}

}  // namespace
}  // namespace tilewright::tools
