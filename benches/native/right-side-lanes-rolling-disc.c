#include "lanes.h"

#define SYSTEM "rolling-disc"
#define N 12
#include "rolling-disc.h"

#include "right-side-lanes.h"
