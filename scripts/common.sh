# shellcheck shell=bash disable=SC2034
# Shared by the scripts beside it, which source it after set -euo pipefail. Changes into the repository's root.

cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit
root=$PWD

# What Debian 12 and Ubuntu 24.04 call the things we need.
# clang-format and clang-tidy are pinned: another version formats differently, and older ones do not know C++20 well.
build_packages=(cmake ninja-build g++ libeigen3-dev libtbb-dev librandom123-dev libgtest-dev libgmock-dev
  libbenchmark-dev libcli11-dev libfmt-dev nlohmann-json3-dev libhdf5-dev)
plot_packages=(python3-h5py python3-matplotlib)
lint_packages=(git clang-format-16 clang-tidy-16 codespell shellcheck)
docs_packages=(doxygen python3-sphinx furo python3-myst-parser)

say() { printf '==> %s\n' "$*"; }
fail() {
  printf 'error: %s\n' "$*" >&2
  exit 1
}
have() { command -v "$1" >/dev/null 2>&1; }

# Is the installed or available version $1 at least $2?
at_least() { [[ "$(printf '%s\n%s\n' "$2" "$1" | sort -V | head -n 1)" == "$2" ]]; }

is_there() {
  # A tool from elsewhere (pip, a vendor) is as good as its package.
  case $1 in
    cmake) have cmake && at_least "$(cmake --version | awk 'NR == 1 {print $3}')" 3.25 ;;
    ninja-build) have ninja ;;
    g++) have "${CXX:-c++}" ;;
    *) [[ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" == installed ]] ;;
  esac
}

# Installs those of the named packages that are missing, after naming them; quiet when none is.
# With CMAKE_PREFIX_PATH set, the packages lie in that folder and nothing is checked or installed.
require_packages() {
  if [[ -n "${CMAKE_PREFIX_PATH:-}" ]]; then
    return 0
  fi
  if ! have dpkg-query || ! have apt-get; then
    fail "this machine has no apt, so the packages that eagle needs cannot be checked or installed.
Needed, by their Debian names: $*
Install them in this system's own way, then run this again with CMAKE_PREFIX_PATH set to where they are, such as /usr."
  fi
  local missing=() package
  for package in "$@"; do
    is_there "$package" || missing+=("$package")
  done
  if ((${#missing[@]} == 0)); then
    return 0
  fi
  local apt=(env DEBIAN_FRONTEND=noninteractive apt-get)
  say "missing packages: ${missing[*]}"
  if ((EUID != 0)); then
    have sudo || fail "installing needs root, and there is no sudo. As root, run:
  apt-get update && apt-get install ${missing[*]}"
    apt=(sudo "${apt[@]}")
  fi
  say "installing them: ${apt[*]} install"
  "${apt[@]}" update -q || say "the package lists could not be refreshed; going on with those at hand"
  if [[ " ${missing[*]} " == *" cmake "* ]]; then
    local candidate
    candidate=$(apt-cache policy cmake | awk '$1 == "Candidate:" {print $2}')
    at_least "$candidate" 3.25 || fail "eagle needs CMake 3.25 or newer, but this system's package is $candidate.
Use Debian 12 or Ubuntu 24.04 or newer, or install a newer CMake yourself (pip install cmake) and run this again."
  fi
  "${apt[@]}" install -q -y --no-install-recommends "${missing[@]}"
}

# Prints a python3 that can draw the plots: the first on the PATH may be one without the system's packages.
find_python() {
  local python
  for python in python3 /usr/bin/python3; do
    if "$python" -c 'import h5py, matplotlib' >/dev/null 2>&1; then
      printf '%s\n' "$python"
      return 0
    fi
  done
  fail "no python3 here can import h5py and matplotlib (packages ${plot_packages[*]})"
}

has_gpu() { have nvidia-smi && nvidia-smi -L 2>/dev/null | grep -q '^GPU'; }

# configure PRESET [CMake arguments]: the preset with warnings as errors in CI, and for one GPU architecture only: that of
# the GPU at hand, or one that every supported toolkit knows.
configure() {
  local arguments=(--preset "$1" --no-warn-unused-cli -DEAGLE_WERROR=OFF)
  if [[ -n "${CI:-}" ]]; then
    arguments+=(-DEAGLE_WERROR=ON)
  fi
  if has_gpu; then
    arguments+=(-U CMAKE_CUDA_ARCHITECTURES)
  else
    arguments+=(-DCMAKE_CUDA_ARCHITECTURES=90)
  fi
  if have ccache; then
    # Relative paths in the cache's keys: another clone of the repository finds them too.
    export CCACHE_BASEDIR=$root CMAKE_CXX_COMPILER_LAUNCHER=ccache CMAKE_CUDA_COMPILER_LAUNCHER=ccache
  fi
  say "configuring (preset $1)"
  cmake "${arguments[@]}" "${@:2}"
}

# build PRESET [cmake --build arguments]
build() {
  say "building (preset $1)"
  cmake --build --preset "$@"
}
