/* A stand-in for the NVIDIA driver's library, of a driver from before the oldest toolkit that eagle takes. */
int cuDriverGetVersion(int* version) {
  *version = 11000;
  return 0;
}
int cuInit(unsigned flags) {
  (void)flags;
  return 0;
}
