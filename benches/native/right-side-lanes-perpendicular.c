#include "lanes.h"

#define SYSTEM "perpendicular"
#define N 8
#include "perpendicular.h"

#include "right-side-lanes.h"
