#include "eagle/base/types.h"
