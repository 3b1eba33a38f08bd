#include <utility>

#include "eagle/eagle.h"

namespace {

struct Decay {
  struct State {
    double value;
  };
  struct Params {
    double rate;
  };
  EAGLE_HD eagle::Outcome step(State& state, const Params& params, const eagle::SampleContext&) const {
    state.value *= 1 - params.rate;
    return state.value < 0.5 ? eagle::finished() : eagle::running();
  }
};

}  // namespace

EAGLE_GPU_MODEL(Decay);

// Runs on the GPU if there is one.
bool modelRuns() {
  eagle::Batch<Decay> batch(eagle::Device::automatic(), 10);
  batch.fill([](eagle::Index) { return std::pair{Decay::Params{0.1}, Decay::State{1}}; });
  return eagle::simulate(batch, Decay{}).steps(9) == 7;
}
