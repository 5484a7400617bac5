#pragma once
/* What every program here does: it is called with the name of a part, and for each line it reads it
   measures once, prints one JSON object a line, and an empty line at the end of the round. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

/* A round is so many pieces of this length; the fastest counts, for the others were disturbed. */
#define PIECES 12
#define PIECE 2e-3

/* Seconds of processor time. */
static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return t.tv_sec + t.tv_nsec * 1e-9;
}

/* Keeps the compiler from leaving out work whose results lie at p. */
static inline void used(const void *p) { __asm__ volatile("" ::"r"(p) : "memory"); }

typedef void (*work)(long count, void *data);

/* Seconds for one of the works. */
static double seconds(work work, void *data) {
  double best = INFINITY, time = 0;
  long count = 1;
  while (time < PIECE) {
    count *= time < PIECE / 8 ? 4 : 2;
    double start = now();
    work(count, data);
    time = now() - start;
  }
  for (int piece = 0; piece < PIECES; piece++) {
    double start = now();
    work(count, data);
    time = (now() - start) / count;
    if (time < best) best = time;
  }
  return best;
}

/* One result; the state, of n numbers, is what its error is found from. */
static void report(const char *system, const char *quantity, const char *peer, double value, const char *unit,
                   const char *note, int n, const double *state) {
  printf("{\"peer\": \"%s\", \"system\": \"%s\", \"quantity\": \"%s\", \"value\": %.9g, \"unit\": \"%s\", "
         "\"error\": null, \"note\": \"%s\"",
         peer, system, quantity, value, unit, note);
  for (int i = 0; i < n; i++) printf("%s%.17g", i ? ", " : ", \"state\": [", state[i]);
  printf("%s}\n", n ? "]" : "");
}

/* Runs a round for each line of the input. */
static void serve(void (*round)(void)) {
  char line[64];
  while (fgets(line, sizeof line, stdin)) {
    round();
    printf("\n");
    fflush(stdout);
  }
}

static inline int asked(int count, char **arguments, const char *part) {
  return count > 1 && strcmp(arguments[1], part) == 0;
}
