// A libnvidia-ml.so.1 of a machine with four GPUs: GPU-a is limited to 399.9 W, GPU-b to 700 W,
// GPU-c does not tell, and GPU-d tells nonsense. It has only what a power limit takes.
#include <cstdio>
#include <cstring>

namespace {

constexpr int kNotSupported = 3;
constexpr int kNotFound = 6;
int devices[4];  // a handle is the address of one

}  // namespace

extern "C" {

int nvmlInit_v2() {
  return 0;
}
int nvmlShutdown() {
  return 0;
}
const char* nvmlErrorString(int result) {
  return result == kNotSupported ? "Not Supported" : "Not Found";
}
int nvmlSystemGetDriverVersion(char* version, unsigned int length) {
  std::snprintf(version, length, "999.1");
  return 0;
}
int nvmlDeviceGetHandleByUUID(const char* uuid, int** device) {
  for (int i = 0; i < 4; ++i) {
    const char name[] = {'G', 'P', 'U', '-', static_cast<char>('a' + i), '\0'};
    if (std::strcmp(uuid, name) != 0) continue;
    *device = &devices[i];
    return 0;
  }
  return kNotFound;
}
int nvmlDeviceGetEnforcedPowerLimit(const int* device, unsigned int* milliwatts) {
  if (device == &devices[2]) return kNotSupported;
  *milliwatts = device == &devices[0] ? 399'900 : device == &devices[1] ? 700'000 : 0;
  return 0;
}

}  // extern "C"
