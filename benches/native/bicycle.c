#define SYSTEM "bicycle"
#define N 18
#include "bicycle.h"

#include "right-side.h"

int main(void) {
  serve(right_side_round);
  return 0;
}
