#!/bin/sh
# SPDX-FileCopyrightText: 2026 The tilewright authors
# SPDX-License-Identifier: MIT
# How many places name a type of elements, at a commit or in the working tree: count_types.sh [COMMIT]
# Lines of code outside the table itself, without comments, tests, benchmarks, kernels and examples.
cd "$(dirname "$0")/../.." || exit 1
types='b?float(16|32|64)|float8_e[45]m[23]|u?int(8|16|32|64)|complex64'
count() {
  git grep -hE "$1" $2 -- '*.cpp' '*.hpp' '*.h' '*.py' ':!tests' ':!bench' ':!kernel_templates' \
    ':!docs' ':!examples' ':!include/tilewright/element_type.hpp' | grep -cvE '^[[:space:]]*(//|\*|/\*|#|""")'
}
echo "lines that name a type:  $(count "\\b($types)\\b|\\b(TW|TYPE)_(B?FLOAT|U?INT|COMPLEX)[0-9]" "$1")"
echo "lines that name uint8:   $(count '\b(uint8|TW_UINT8|TYPE_UINT8)\b' "$1")"
