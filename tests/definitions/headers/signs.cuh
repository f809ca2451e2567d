#pragma once
// Included in <…>, from a folder of -I.
#define IS_POSITIVE(number) ((number) > 0.0f)
