/* The interface of FMI 3.0 to the functions above: Model Exchange and Co-Simulation.

   States are the coordinates, then the velocities. Value references: 0 the time, then states, their derivatives,
   parameters and inputs, outputs, event indicators. */

#include <float.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef FMI3_FUNCTION_PREFIX
#define PASTE(a, b) a##b
#define PREFIXED(a, b) PASTE(a, b)
#define FMI(name) PREFIXED(FMI3_FUNCTION_PREFIX, name)
#else
#define FMI(name) name
#endif
#if defined(_WIN32)
#define SHOWN __declspec(dllexport)
#elif defined(__GNUC__)
#define SHOWN __attribute__((visibility("default")))
#else
#define SHOWN
#endif

typedef uint32_t Reference;
typedef enum { OK, WARNING, DISCARD, ERROR, FATAL } Status;
typedef void (*LogMessage)(void *environment, Status status, const char *category, const char *message);
typedef void (*IntermediateUpdate)(void *environment, double time, bool set, bool get, bool finished, bool early,
                                   bool *return_early, double *return_at);

enum {
    FIRST_STATE = 1,
    FIRST_RATE = FIRST_STATE + STATES,
    FIRST_PARAMETER = FIRST_RATE + STATES,
    FIRST_OUTPUT = FIRST_PARAMETER + PARAMETERS,
    FIRST_INDICATOR = FIRST_OUTPUT + OUTPUTS,
    STAGES_OF_A_STEP = sizeof nodes / sizeof *nodes
};

/* What is kept and given back: all that a motion goes on from. */
typedef struct {
    double t, y[STATES], p[PARAMETERS + 1];
    /* The stop conditions as they were last looked at, and whether one was met. */
    double gaps[INDICATORS + 1];
    double length, rtol;
    bool stopped, jumped, looked;
    /* Whether the motion has begun, and which states were set before: what is set follows no parameter. */
    bool begun, set[STATES];
} Kept;

typedef struct {
    Kept kept;
    void *environment;
    LogMessage log;
} Instance;

static Status said(Instance *m, Status status, const char *words, double t) {
    char text[400];
    snprintf(text, sizeof text, "%s (t = %.17g)", words, t);
    const char *categories[] = {"", "logStatusWarning", "logStatusDiscard", "logStatusError", "logStatusError"};
    if (m->log) m->log(m->environment, status, categories[status], text);
    return status;
}

static bool all_finite(const double *x, int n) {
    for (int i = 0; i < n; i++)
        if (!isfinite(x[i])) return false;
    return true;
}

/* Rates of the state; no value where the equations are singular. */
static bool rates(double t, const double *y, const double *p, double *rate) {
    return equations(t, y, p, rate) == 0 && all_finite(rate, STATES);
}

/* The tolerance of a component. */
static double allowed(double rtol, double y) { return ATOL + rtol * fabs(y); }

/* The length of a correction of so many components in units of the tolerance. */
static double measured(int n, double rtol, const double *moved, const double *y) {
    double sum = 0.0;
    for (int i = 0; i < n; i++) {
        const double x = moved[i] / allowed(rtol, y[i]);
        sum += x * x;
    }
    return sqrt(sum / n);
}

/* What a correction keeps beside the constraints: nothing, what is held, or this and the equations of [initial] as well. */
typedef struct {
    const bool *held;
    bool starting;
} Keeping;

static const Keeping FREE = {NULL, false};

/* A step of Newton's method to the constraints, of the place (stage 0) or of the velocities (1). */
static bool correction(int stage, double t, const double *y, const double *p, Keeping keeping, double *moved) {
    const int n = STATES / 2;
    if (!keeping.held) return (stage == 0 ? to_places(t, y, p, moved) : to_velocities(t, y, p, moved)) == 0 && all_finite(moved, n);
    double own[PARAMETERS + STATES / 2 + 1];
    memcpy(own, p, sizeof(double) * PARAMETERS);
    for (int i = 0; i < n; i++) own[PARAMETERS + i] = keeping.held[stage * n + i] ? 0.0 : 1.0;
    if (keeping.starting)
        return (stage == 0 ? to_starting_places(t, y, own, moved) : to_starting_velocities(t, y, own, moved)) == 0 && all_finite(moved, n);
    return (stage == 0 ? freely_to_places(t, y, own, moved) : freely_to_velocities(t, y, own, moved)) == 0 && all_finite(moved, n);
}

/* Newton's method to the constraints of the place or of the velocities: the least change in the units of the start of
   what is not held. Returns how far the state was from them, in units of the tolerance; negative where it fails. */
static double settle_part(int stage, double t, double *y, const double *p, double rtol, Keeping keeping) {
    const int more = stage == 0 ? EQUATIONS_OF_PLACE : EQUATIONS_OF_VELOCITIES, n = STATES / 2;
    const int rows = (stage == 0 ? POSITION_ROWS : VELOCITY_ROWS) + (keeping.starting ? more : 0);
    double moved[STATES / 2 + 1], *w = y + stage * n, whole = 0.0, last = INFINITY;
    for (int pass = 0; rows > 0 && pass < 50; pass++) {
        if (!correction(stage, t, y, p, keeping, moved)) return -1.0;
        const double length = measured(n, rtol, moved, w);
        if (pass == 0) whole = length;
        /* What no longer falls is rounding, or there is no solution near. */
        if (!(length < last)) break;
        last = length;
        if (length < 1e-13) break;
        for (int i = 0; i < n; i++) w[i] += moved[i];
    }
    return rows > 0 && last > 1.0 ? -1.0 : whole;
}

/* The same first of the place, then of the velocities, with nothing held. */
static double settle(double t, double *y, const double *p, double rtol) {
    const double place = settle_part(0, t, y, p, rtol, FREE);
    const double velocities = place < 0.0 ? -1.0 : settle_part(1, t, y, p, rtol, FREE);
    return velocities < 0.0 ? -1.0 : fmax(place, velocities);
}

/* Whether the constraints of the place or of the velocities hold: nothing would be moved, were nothing held. */
static bool holds(int stage, double t, const double *y, const double *p, double rtol) {
    double moved[STATES / 2 + 1];
    const int n = STATES / 2;
    if ((stage == 0 ? POSITION_ROWS : VELOCITY_ROWS) == 0) return true;
    return correction(stage, t, y, p, FREE, moved) && measured(n, rtol, moved, y + stage * n) <= 1.0;
}

/* The quantities of the stop conditions, then those of switches, which may have no value. */
static bool gaps_at(double t, const double *y, const double *p, double *gap) {
    if (INDICATORS == 0) return true;
    if (conditions(t, y, p, gap) != 0 || !all_finite(gap, STOPS)) return false;
    for (int i = STOPS; i < INDICATORS; i++)
        if (!isfinite(gap[i])) gap[i] = 1.0;
    return true;
}

/* The first stop condition that becomes true from one value of the gaps to another; what is 0 at the start becomes true
   where it goes on to its side. */
static int crossed(const double *from, const double *to) {
    for (int i = 0; i < STOPS; i++) {
        const double x = from[i], y = to[i];
        const bool falls = x >= 0.0 && y < 0.0, rises = x <= 0.0 && y > 0.0;
        const bool vanishes = x != 0.0 && (y == 0.0 || (x < 0.0) == (y > 0.0));
        if (crossings[i] < 0 ? falls : crossings[i] > 0 ? rises : vanishes) return i;
    }
    return -1;
}

/* Notes what became true. The last conditions are places at which the momentum or the energy jumps. */
static void note(Kept *k, int condition) {
    if (condition < 0) return;
    k->stopped = true;
    k->jumped = condition >= STOPS - JUMPS;
}
static const char jumps[] = "the momentum or the potential energy jumps there, and no motion leads through";

/* A step of the method of Dormand and Prince, of order 8: its end, and its error in units of the tolerance, which is
   infinite where the equations have no value. */
static double trial(const Kept *k, double h, const double *first, double *end) {
    double slope[STAGES_OF_A_STEP][STATES], y[STATES];
    memcpy(slope[0], first, sizeof slope[0]);
    for (int s = 1; s < STAGES_OF_A_STEP; s++) {
        for (int i = 0; i < STATES; i++) {
            double sum = 0.0;
            for (int j = 0; j < s; j++) sum += stages[s][j] * slope[j][i];
            y[i] = k->y[i] + h * sum;
        }
        if (!rates(k->t + nodes[s] * h, y, k->p, slope[s])) return INFINITY;
    }
    double sum5 = 0.0, sum3 = 0.0;
    for (int i = 0; i < STATES; i++) {
        double sum = 0.0, e5 = 0.0, e3 = 0.0;
        for (int s = 0; s < STAGES_OF_A_STEP; s++) {
            sum += weights[s] * slope[s][i];
            e5 += fine[s] * slope[s][i];
            e3 += coarse[s] * slope[s][i];
        }
        end[i] = k->y[i] + h * sum;
        const double scale = fmax(allowed(k->rtol, k->y[i]), allowed(k->rtol, end[i]));
        sum5 += e5 / scale * (e5 / scale);
        sum3 += e3 / scale * (e3 / scale);
    }
    const double below = sum5 + 0.01 * sum3;
    return below > 0.0 ? h * sum5 / sqrt(below * STATES) : 0.0;
}

/* A step that ends on the constraints. One that has left them by far more than its error has met a jump of a row. */
static double whole_step(const Kept *k, double h, const double *first, double *end) {
    const double error = trial(k, h, first, end);
    if (!(error <= 1.0)) return isnan(error) ? INFINITY : error;
    const double far = settle(k->t + h, end, k->p, k->rtol);
    return far < 0.0 || far > fmax(10.0, 1e-12 / k->rtol) ? INFINITY : error;
}

/* Places in a step between which stop conditions are compared, and the most steps that are tried at once. */
enum { PLACES = 32, MOST = 1000000 };

/* The state within a step, by the cubic that has the slopes at both ends. */
static void within(const Kept *k, double h, double x, const double *first, const double *end, const double *last, double *y) {
    for (int i = 0; i < STATES; i++) {
        const double whole = end[i] - k->y[i], begins = h * first[i] - whole, ends = whole - h * last[i];
        y[i] = k->y[i] + x * (whole + (1.0 - x) * (begins * (1.0 - x) + ends * x));
    }
}

/* Quantities within a step of which it is to end at the first zero, of switches and narrow functions, and at the first
   place where one is the largest. */
enum { SWITCHES = INDICATORS - STOPS, CROSSED = SWITCHES + ZEROS, PEAKED = CROSSED + ZEROS, QUANTITIES = PEAKED + PEAKS };

/* The exponential function of less is 0; a part of a step that is too short to end there; where an argument changes by
   less from one place to the next, a step sees the function. */
static const double lowest = -750.0, shortest = 1e-9, seen = 0.03;

/* The least step that leads across a switch. */
static double across(const Kept *k) { return 8.0 * DBL_EPSILON * fmax(fabs(k->t), 1e-3); }

/* A step that was taken, with the slopes at its ends. */
typedef struct {
    const Kept *k;
    double h;
    const double *first, *end, *last;
} Taken;

/* The quantities at a part of a step; those without a value count as what changes nothing. */
static bool quantities_at(Taken s, double x, double *q) {
    double y[STATES], gap[INDICATORS + 1];
    within(s.k, s.h, x, s.first, s.end, s.last, y);
    const double t = s.k->t + x * s.h;
    if (!gaps_at(t, y, s.k->p, gap) || narrow_functions(t, y, s.k->p, q + SWITCHES) != 0) return false;
    memcpy(q, gap + STOPS, sizeof(double) * SWITCHES);
    for (int i = 0; i < QUANTITIES; i++)
        if (isnan(q[i])) q[i] = i < PEAKED ? 1.0 : -INFINITY;
    return true;
}

/* The place of a sign change of a quantity between two places, just before it. */
static double zero_between(Taken s, int i, double low, double high, double before) {
    double q[QUANTITIES + 1];
    for (int pass = 0; pass < 60; pass++) {
        const double middle = 0.5 * (low + high);
        if (!quantities_at(s, middle, q) || q[i] * before <= 0.0) high = middle;
        else low = middle;
    }
    return low;
}

/* The place between two others at which a quantity is the largest, by golden sections; negative where it is never felt. */
static double peak_between(Taken s, int i, double low, double high) {
    const double golden = 0.6180339887498949;
    double q[QUANTITIES + 1];
    for (int pass = 0; pass < 60; pass++) {
        const double left = high - golden * (high - low), right = low + golden * (high - low);
        if (!quantities_at(s, left, q)) return -1.0;
        const double at_left = q[i];
        if (!quantities_at(s, right, q)) return -1.0;
        if (at_left < q[i]) low = left;
        else high = right;
    }
    return quantities_at(s, low, q) && q[i] > lowest ? low : -1.0;
}

/* The length of the part of a step after which it is to end, so that nothing narrow within it is passed over, else 0; negative
   where a switch lies at its start. */
static double narrow_within(const Kept *k, double h, const double *first, const double *end) {
    double last[STATES], q[3][QUANTITIES + 1];
    if (QUANTITIES == 0 || !rates(k->t + h, end, k->p, last)) return 0.0;
    const Taken s = {k, h, first, end, last};
    if (!quantities_at(s, 0.0, q[1])) return 0.0;
    memcpy(q[0], q[1], sizeof q[0]);
    for (int place = 1; place <= PLACES; place++) {
        const double x = (double)place / PLACES, before = x - 1.0 / PLACES;
        double nearest = 2.0;
        if (!quantities_at(s, x, q[2])) return 0.0;
        for (int i = 0; i < QUANTITIES; i++) {
            double found = 2.0;
            const bool crosses = i < CROSSED && q[1][i] * q[2][i] < 0.0;
            const bool is_wide = i >= SWITCHES && i < CROSSED && fabs(q[2][i + ZEROS] - q[1][i + ZEROS]) < seen;
            if (crosses && !is_wide) found = zero_between(s, i, before, x, q[1][i]);
            const bool tops = i >= PEAKED && place > 1 && q[1][i] > q[0][i] && q[1][i] >= q[2][i];
            if (tops && q[1][i] - fmin(q[0][i], q[2][i]) > seen) found = peak_between(s, i, before - 1.0 / PLACES, x);
            if (i < SWITCHES && found <= 1.0 && found * h <= across(k)) return -1.0;
            if ((i < SWITCHES || found > shortest) && found < nearest) nearest = found;
        }
        if (nearest < 1.0) return nearest < 1.0 - shortest ? nearest * h : 0.0;
        memcpy(q[0], q[1], sizeof q[0]);
        memcpy(q[1], q[2], sizeof q[1]);
    }
    return 0.0;
}

/* Whether a stop condition has become true after a step of this length, and the state there. */
static bool met_after(const Kept *k, double h, const double *first, double *end, double *gaps) {
    return whole_step(k, h, first, end) < INFINITY && gaps_at(k->t + h, end, k->p, gaps) && crossed(k->gaps, gaps) >= 0;
}

/* Looks for a stop condition that becomes true within the step. Where there is one, the step is made to end there, by
   bisection; its length then, else 0. */
static double condition_met(const Kept *k, double h, const double *first, double *end, double *gaps) {
    double last[STATES], y[STATES], before[INDICATORS + 1], now[INDICATORS + 1], there[STATES], found[INDICATORS + 1];
    if (STOPS == 0 || !rates(k->t + h, end, k->p, last)) return 0.0;
    memcpy(before, k->gaps, sizeof before);
    for (int place = 1; place <= PLACES; place++) {
        const double x = (double)place / PLACES;
        within(k, h, x, first, end, last, y);
        if (!gaps_at(k->t + x * h, y, k->p, now)) return 0.0;
        if (crossed(before, now) >= 0 && met_after(k, x * h, first, there, found)) {
            double low = (x - 1.0 / PLACES) * h, high = x * h;
            memcpy(end, there, sizeof there);
            memcpy(gaps, found, sizeof found);
            while (high - low > 1e-15 * (fabs(k->t) + high)) {
                const double middle = 0.5 * (low + high);
                if (middle <= low || middle >= high) break;
                if (met_after(k, middle, first, there, found)) {
                    high = middle;
                    memcpy(end, there, sizeof there);
                    memcpy(gaps, found, sizeof found);
                } else low = middle;
            }
            return high;
        }
        memcpy(before, now, sizeof before);
    }
    return 0.0;
}

/* The length of the first step: it changes the state by a hundredth of itself. */
static double first_length(const Kept *k, const double *rate) {
    const double size = measured(STATES, k->rtol, k->y, k->y), speed = measured(STATES, k->rtol, rate, k->y);
    return size < 1e-5 || !(speed > 1e-5) ? 1e-6 : 0.01 * size / speed;
}

/* Integrates to a time, or to a stop condition; the words of a failure, or nothing. */
static const char *advance(Kept *k, double until) {
    double first[STATES], end[STATES], gaps[INDICATORS + 1];
    int tried = 0;
    if (!gaps_at(k->t, k->y, k->p, k->gaps)) return "a stop condition has no value";
    while (k->t < until && !k->stopped) {
        const double rest = until - k->t;
        if (rest < 1e-14 * fabs(until)) break;
        if (!rates(k->t, k->y, k->p, first)) return "the equations have no value: a singular state";
        if (!(k->length > 0.0)) k->length = first_length(k, first);
        double h = fmin(k->length, rest);
        const double wanted = h;
        double error;
        bool crosses = false;
        while (true) {
            if (++tried > MOST) return "the steps are used up: a force that switches to and fro, or a stiff one";
            error = whole_step(k, h, first, end);
            const bool known = error < INFINITY && gaps_at(k->t + h, end, k->p, gaps);
            const double narrow = known && !crosses ? narrow_within(k, h, first, end) : 0.0;
            if (known && (crosses || (error <= 1.0 && narrow == 0.0))) break;
            /* Where forces jump an error tells nothing. */
            crosses = narrow < 0.0;
            if (crosses) h = 2.0 * across(k);
            else if (narrow > 0.0) h = narrow;
            else h *= error < INFINITY && error > 1.0 ? fmax(0.2, 0.9 * pow(error, -0.125)) : 0.2;
            if (narrow == 0.0 && h < 1e-14 * fmax(fabs(k->t), rest)) return "the steps became too small: a singular state, or a corner";
        }
        const double grown = h * fmin(6.0, 0.9 * pow(fmax(error, 1e-9), -0.125));
        const double met = condition_met(k, h, first, end, gaps);
        if (met > 0.0) note(k, crossed(k->gaps, gaps));
        k->t = k->stopped ? k->t + met : h == rest ? until : k->t + h;
        /* A step that the end of the interval has cut tells nothing against longer ones. */
        k->length = h == rest ? fmax(grown, k->length) : crosses ? wanted : grown;
        memcpy(k->y, end, sizeof end);
        memcpy(k->gaps, gaps, sizeof gaps);
    }
    if (!k->stopped) k->t = until;
    if (k->jumped) return jumps;
    return NULL;
}

/* Computes what follows from the parameters: those that are made of others, and before the motion begins, starts. */
static bool followed(Kept *k) {
    double made_now[MADE + 1] = {0.0}, starts[FOLLOWING + 1] = {0.0};
    if (made_of_parameters(k->t, k->y, k->p, made_now) != 0 || !all_finite(made_now, MADE)) return false;
    for (int i = 0; i < MADE; i++) k->p[made[i]] = made_now[i];
    if (k->begun) return true;
    if (starts_by_parameters(k->t, k->y, k->p, starts) != 0 || !all_finite(starts, FOLLOWING)) return false;
    for (int i = 0; i < FOLLOWING; i++)
        if (!k->set[following[i]]) k->y[following[i]] = starts[i];
    return true;
}

static bool is_made(int parameter) {
    for (int i = 0; i < MADE; i++)
        if (made[i] == parameter) return true;
    return false;
}

static Instance *instantiated(const char *token, void *environment, LogMessage log) {
    if (!token || strcmp(token, TOKEN) != 0) {
        if (log) log(environment, ERROR, "logStatusError", "the instantiation token is not that of this model");
        return NULL;
    }
    Instance *m = calloc(1, sizeof *m);
    if (!m) return NULL;
    m->environment = environment;
    m->log = log;
    m->kept.t = START_TIME;
    m->kept.rtol = RTOL;
    memcpy(m->kept.y, start, sizeof m->kept.y);
    memcpy(m->kept.p, values, sizeof(double) * PARAMETERS);
    return m;
}

SHOWN const char *FMI(fmi3GetVersion)(void) { return "3.0"; }

SHOWN Status FMI(fmi3SetDebugLogging)(Instance *m, bool on, size_t count, const char *const categories[]) {
    (void)m, (void)on, (void)count, (void)categories;
    return OK;
}

SHOWN Instance *FMI(fmi3InstantiateModelExchange)(const char *name, const char *token, const char *resources, bool visible,
                                                  bool logging, void *environment, LogMessage log) {
    (void)name, (void)resources, (void)visible, (void)logging;
    return instantiated(token, environment, log);
}

SHOWN Instance *FMI(fmi3InstantiateCoSimulation)(const char *name, const char *token, const char *resources, bool visible,
                                                 bool logging, bool events, bool early, const Reference required[],
                                                 size_t count, void *environment, LogMessage log,
                                                 IntermediateUpdate update) {
    (void)name, (void)resources, (void)visible, (void)logging, (void)events, (void)early, (void)required, (void)count;
    (void)update;
    return instantiated(token, environment, log);
}

SHOWN Instance *FMI(fmi3InstantiateScheduledExecution)(const char *name, const char *token, const char *resources,
                                                       bool visible, bool logging, void *environment, LogMessage log,
                                                       void (*clock)(void *), void (*lock)(void), void (*unlock)(void)) {
    (void)name, (void)token, (void)resources, (void)visible, (void)logging, (void)clock, (void)lock, (void)unlock;
    if (log) log(environment, ERROR, "logStatusError", "there is no scheduled execution");
    return NULL;
}

SHOWN void FMI(fmi3FreeInstance)(Instance *m) { free(m); }

SHOWN Status FMI(fmi3EnterInitializationMode)(Instance *m, bool has_tolerance, double tolerance, double from, bool has_end,
                                              double end) {
    (void)has_end, (void)end;
    if (!isfinite(from)) return said(m, ERROR, "the start time is no finite number", from);
    if (has_tolerance && !(tolerance > 0.0 && tolerance < 1.0)) return said(m, ERROR, "the tolerance lies between 0 and 1", from);
    m->kept.t = from;
    m->kept.rtol = has_tolerance ? fmax(tolerance, 1e-14) : RTOL;
    return OK;
}

/* Brings the start onto the constraints of the place or of the velocities. What was set and what the file says stays;
   where the constraints do not allow that, what was set and the equations of the file, then what was set; where not even
   that, everything moves. Returns whether it is there. */
static bool settled_start(int stage, const Kept *k, double *y, bool *equations_hold) {
    const size_t n = STATES / 2, from = (size_t)stage * n;
    const bool equations_there = (stage == 0 ? EQUATIONS_OF_PLACE : EQUATIONS_OF_VELOCITIES) > 0;
    for (int kept = 3; kept >= 0; kept--) {
        bool held[STATES + 1];
        for (int i = 0; i < STATES; i++) held[i] = k->set[i] || (kept == 3 && given[i]);
        const bool starting = kept >= 2 && equations_there;
        if (kept == 2 && !equations_there) continue;
        memcpy(y + from, k->y + from, n * sizeof *y);
        const double far = settle_part(stage, k->t, y, k->p, k->rtol, kept > 0 ? (Keeping){held, starting} : FREE);
        if (far >= 0.0 && (kept == 0 || holds(stage, k->t, y, k->p, k->rtol))) {
            *equations_hold = *equations_hold && (!equations_there || starting);
            return true;
        }
    }
    return false;
}

/* Says of each value that was set or given that it has moved; whether there is one. */
static bool tell_moved(Instance *m, const double *y) {
    const Kept *k = &m->kept;
    bool any = false;
    for (int i = 0; i < STATES; i++) {
        if (!(k->set[i] || given[i]) || fabs(y[i] - k->y[i]) <= allowed(k->rtol, y[i])) continue;
        char text[300];
        snprintf(text, sizeof text, "the constraints do not allow %.80s = %.17g, %s: it is %.17g", names[i], k->y[i],
                 k->set[i] ? "which was set" : "which the model gives", y[i]);
        said(m, WARNING, text, k->t);
        any = true;
    }
    return any;
}

SHOWN Status FMI(fmi3ExitInitializationMode)(Instance *m) {
    Kept *k = &m->kept;
    double y[STATES];
    memcpy(y, k->y, sizeof y);
    bool equations_hold = true;
    if (!settled_start(0, k, y, &equations_hold) || !settled_start(1, k, y, &equations_hold))
        return said(m, ERROR, "the start cannot be brought onto the constraints", k->t);
    if (!equations_hold) said(m, WARNING, "the start does not keep all equations of [initial]", k->t);
    const bool moved = tell_moved(m, y) || !equations_hold;
    memcpy(k->y, y, sizeof y);
    k->looked = gaps_at(k->t, k->y, k->p, k->gaps);
    k->begun = true;
    return moved ? WARNING : OK;
}

SHOWN Status FMI(fmi3EnterEventMode)(Instance *m) { return m ? OK : ERROR; }
SHOWN Status FMI(fmi3Terminate)(Instance *m) { return m ? OK : ERROR; }

SHOWN Status FMI(fmi3Reset)(Instance *m) {
    memset(&m->kept, 0, sizeof m->kept);
    m->kept.t = START_TIME;
    m->kept.rtol = RTOL;
    memcpy(m->kept.y, start, sizeof m->kept.y);
    memcpy(m->kept.p, values, sizeof(double) * PARAMETERS);
    return OK;
}

SHOWN Status FMI(fmi3GetFloat64)(Instance *m, const Reference at[], size_t count, double out[], size_t length) {
    const Kept *k = &m->kept;
    double rate[STATES], answer[ANSWERS + 1], gap[INDICATORS + 1] = {0.0};
    int rates_known = -1, answers_known = -1, gaps_known = -1;
    Status status = OK;
    if (length != count) return said(m, ERROR, "all variables are scalars", k->t);
    for (size_t i = 0; i < count; i++) {
        const Reference r = at[i];
        if (r == 0) out[i] = k->t;
        else if (r < FIRST_RATE) out[i] = k->y[r - FIRST_STATE];
        else if (r < FIRST_PARAMETER) {
            if (rates_known < 0) rates_known = rates(k->t, k->y, k->p, rate);
            out[i] = rates_known ? rate[r - FIRST_RATE] : NAN;
            if (!rates_known) status = DISCARD;
        } else if (r < FIRST_OUTPUT) out[i] = k->p[r - FIRST_PARAMETER];
        else if (r < FIRST_INDICATOR) {
            if (answers_known < 0) answers_known = answers(k->t, k->y, k->p, answer) == 0;
            out[i] = answers_known ? answer[shown[r - FIRST_OUTPUT]] : NAN;
            if (!answers_known) status = DISCARD;
        } else if (r < FIRST_INDICATOR + INDICATORS) {
            if (gaps_known < 0) gaps_known = gaps_at(k->t, k->y, k->p, gap);
            out[i] = gaps_known ? gap[r - FIRST_INDICATOR] : NAN;
            if (!gaps_known) status = DISCARD;
        } else return said(m, ERROR, "there is no variable of this value reference", k->t);
    }
    return status == OK ? OK : said(m, status, "the equations have no value: a singular state", k->t);
}

SHOWN Status FMI(fmi3SetFloat64)(Instance *m, const Reference at[], size_t count, const double in[], size_t length) {
    Kept *k = &m->kept;
    bool changed = false;
    if (length != count) return said(m, ERROR, "all variables are scalars", k->t);
    for (size_t i = 0; i < count; i++) {
        const Reference r = at[i];
        if (!isfinite(in[i])) return said(m, ERROR, "a value is no finite number", k->t);
        if (r >= FIRST_STATE && r < FIRST_RATE) {
            k->y[r - FIRST_STATE] = in[i];
            k->set[r - FIRST_STATE] = true;
        } else if (r >= FIRST_PARAMETER && r < FIRST_OUTPUT) {
            if (is_made(r - FIRST_PARAMETER)) return said(m, ERROR, "a parameter that is made of others cannot be set", k->t);
            if (!(in[i] >= least[r - FIRST_PARAMETER] && in[i] <= most[r - FIRST_PARAMETER]))
                return said(m, ERROR, "a value is outside the limits of its parameter", k->t);
            k->p[r - FIRST_PARAMETER] = in[i];
            changed = true;
        } else return said(m, ERROR, "only states, parameters and inputs can be set", k->t);
    }
    if (changed && (MADE > 0 || FOLLOWING > 0) && !followed(k))
        return said(m, ERROR, "what follows from the parameters has no value", k->t);
    return OK;
}

/* There are no variables of other types. */
#define NONE_OF(Name, Type)                                                                                          \
    SHOWN Status FMI(fmi3Get##Name)(Instance *m, const Reference at[], size_t count, Type out[], size_t length) {    \
        (void)at, (void)out, (void)length;                                                                           \
        return count == 0 ? OK : said(m, ERROR, "all variables are of type Float64", m->kept.t);                     \
    }                                                                                                                \
    SHOWN Status FMI(fmi3Set##Name)(Instance *m, const Reference at[], size_t count, const Type in[], size_t length) { \
        (void)at, (void)in, (void)length;                                                                            \
        return count == 0 ? OK : said(m, ERROR, "all variables are of type Float64", m->kept.t);                     \
    }
NONE_OF(Float32, float)
NONE_OF(Int8, int8_t)
NONE_OF(UInt8, uint8_t)
NONE_OF(Int16, int16_t)
NONE_OF(UInt16, uint16_t)
NONE_OF(Int32, int32_t)
NONE_OF(UInt32, uint32_t)
NONE_OF(Int64, int64_t)
NONE_OF(UInt64, uint64_t)
NONE_OF(Boolean, bool)
typedef const char *String;
NONE_OF(String, String)

SHOWN Status FMI(fmi3GetBinary)(Instance *m, const Reference at[], size_t count, size_t sizes[], const uint8_t *out[],
                                size_t length) {
    (void)at, (void)sizes, (void)out, (void)length;
    return m && count == 0 ? OK : ERROR;
}
SHOWN Status FMI(fmi3SetBinary)(Instance *m, const Reference at[], size_t count, const size_t sizes[],
                                const uint8_t *const in[], size_t length) {
    (void)at, (void)sizes, (void)in, (void)length;
    return m && count == 0 ? OK : ERROR;
}
SHOWN Status FMI(fmi3GetClock)(Instance *m, const Reference at[], size_t count, bool out[]) {
    (void)at, (void)out;
    return m && count == 0 ? OK : ERROR;
}
SHOWN Status FMI(fmi3SetClock)(Instance *m, const Reference at[], size_t count, const bool in[]) {
    (void)at, (void)in;
    return m && count == 0 ? OK : ERROR;
}

SHOWN Status FMI(fmi3GetNumberOfVariableDependencies)(Instance *m, Reference at, size_t *count) {
    (void)at, (void)count;
    return said(m, ERROR, "dependencies are not given", m->kept.t);
}
SHOWN Status FMI(fmi3GetVariableDependencies)(Instance *m, Reference at, size_t elements[], Reference of[], size_t at_of[],
                                              int kinds[], size_t count) {
    (void)at, (void)elements, (void)of, (void)at_of, (void)kinds, (void)count;
    return said(m, ERROR, "dependencies are not given", m->kept.t);
}

SHOWN Status FMI(fmi3GetFMUState)(Instance *m, Kept **state) {
    if (!*state) *state = malloc(sizeof **state);
    if (!*state) return said(m, ERROR, "there is no memory", m->kept.t);
    **state = m->kept;
    return OK;
}
SHOWN Status FMI(fmi3SetFMUState)(Instance *m, const Kept *state) {
    m->kept = *state;
    return OK;
}
SHOWN Status FMI(fmi3FreeFMUState)(Instance *m, Kept **state) {
    (void)m;
    if (state) {
        free(*state);
        *state = NULL;
    }
    return OK;
}
SHOWN Status FMI(fmi3SerializedFMUStateSize)(Instance *m, const Kept *state, size_t *size) {
    (void)m, (void)state;
    *size = sizeof(Kept);
    return OK;
}
SHOWN Status FMI(fmi3SerializeFMUState)(Instance *m, const Kept *state, uint8_t bytes[], size_t size) {
    if (size < sizeof *state) return said(m, ERROR, "there is too little room for the state", m->kept.t);
    memcpy(bytes, state, sizeof *state);
    return OK;
}
SHOWN Status FMI(fmi3DeserializeFMUState)(Instance *m, const uint8_t bytes[], size_t size, Kept **state) {
    if (size != sizeof **state) return said(m, ERROR, "the bytes are no state of this model", m->kept.t);
    const Status status = FMI(fmi3GetFMUState)(m, state);
    if (status == OK) memcpy(*state, bytes, size);
    return status;
}

SHOWN Status FMI(fmi3GetDirectionalDerivative)(Instance *m, const Reference of[], size_t rows, const Reference by[],
                                               size_t columns, const double seed[], size_t seeds, double out[],
                                               size_t length) {
    (void)of, (void)rows, (void)by, (void)columns, (void)seed, (void)seeds, (void)out, (void)length;
    return said(m, ERROR, "directional derivatives are not given", m->kept.t);
}
SHOWN Status FMI(fmi3GetAdjointDerivative)(Instance *m, const Reference of[], size_t rows, const Reference by[],
                                           size_t columns, const double seed[], size_t seeds, double out[], size_t length) {
    (void)of, (void)rows, (void)by, (void)columns, (void)seed, (void)seeds, (void)out, (void)length;
    return said(m, ERROR, "adjoint derivatives are not given", m->kept.t);
}

SHOWN Status FMI(fmi3EnterConfigurationMode)(Instance *m) { return m ? OK : ERROR; }
SHOWN Status FMI(fmi3ExitConfigurationMode)(Instance *m) { return m ? OK : ERROR; }

/* There are no clocks. */
#define NO_CLOCK return m && count == 0 ? OK : ERROR
SHOWN Status FMI(fmi3GetIntervalDecimal)(Instance *m, const Reference at[], size_t count, double x[], int kinds[]) {
    (void)at, (void)x, (void)kinds;
    NO_CLOCK;
}
SHOWN Status FMI(fmi3GetIntervalFraction)(Instance *m, const Reference at[], size_t count, uint64_t x[], uint64_t y[],
                                          int kinds[]) {
    (void)at, (void)x, (void)y, (void)kinds;
    NO_CLOCK;
}
SHOWN Status FMI(fmi3GetShiftDecimal)(Instance *m, const Reference at[], size_t count, double x[]) {
    (void)at, (void)x;
    NO_CLOCK;
}
SHOWN Status FMI(fmi3GetShiftFraction)(Instance *m, const Reference at[], size_t count, uint64_t x[], uint64_t y[]) {
    (void)at, (void)x, (void)y;
    NO_CLOCK;
}
SHOWN Status FMI(fmi3SetIntervalDecimal)(Instance *m, const Reference at[], size_t count, const double x[]) {
    (void)at, (void)x;
    NO_CLOCK;
}
SHOWN Status FMI(fmi3SetIntervalFraction)(Instance *m, const Reference at[], size_t count, const uint64_t x[],
                                          const uint64_t y[]) {
    (void)at, (void)x, (void)y;
    NO_CLOCK;
}
SHOWN Status FMI(fmi3SetShiftDecimal)(Instance *m, const Reference at[], size_t count, const double x[]) {
    (void)at, (void)x;
    NO_CLOCK;
}
SHOWN Status FMI(fmi3SetShiftFraction)(Instance *m, const Reference at[], size_t count, const uint64_t x[],
                                       const uint64_t y[]) {
    (void)at, (void)x, (void)y;
    NO_CLOCK;
}

SHOWN Status FMI(fmi3EvaluateDiscreteStates)(Instance *m) { return m ? OK : ERROR; }

/* Notes whether a stop condition became true since it was last looked at. */
static void look_at_conditions(Kept *k) {
    double now[INDICATORS + 1];
    if (!gaps_at(k->t, k->y, k->p, now)) return;
    if (k->looked) note(k, crossed(k->gaps, now));
    memcpy(k->gaps, now, sizeof now);
    k->looked = true;
}

/* An event is where a state goes back onto the constraints, and where a stop condition is met. */
SHOWN Status FMI(fmi3UpdateDiscreteStates)(Instance *m, bool *again, bool *terminate, bool *nominals, bool *changed,
                                           bool *has_next, double *next) {
    Kept *k = &m->kept;
    *again = *nominals = *has_next = false;
    *next = 0.0;
    double before[STATES];
    memcpy(before, k->y, sizeof before);
    if (settle(k->t, k->y, k->p, k->rtol) < 0.0)
        return said(m, ERROR, "the state cannot be brought back onto the constraints", k->t);
    *changed = memcmp(before, k->y, sizeof before) != 0;
    look_at_conditions(k);
    *terminate = k->stopped;
    if (k->jumped) return said(m, ERROR, jumps, k->t);
    return OK;
}

SHOWN Status FMI(fmi3EnterContinuousTimeMode)(Instance *m) { return m ? OK : ERROR; }

/* Whoever integrates leaves the constraints by the errors of steps: before that shows, an event brings the state back. */
SHOWN Status FMI(fmi3CompletedIntegratorStep)(Instance *m, bool final, bool *event, bool *terminate) {
    Kept *k = &m->kept;
    double moved[STATES];
    (void)final;
    memcpy(moved, k->y, sizeof moved);
    const double far = settle(k->t, moved, k->p, k->rtol);
    look_at_conditions(k);
    *event = !(far >= 0.0 && far < 10.0) || k->stopped;
    *terminate = false;
    if (k->jumped) return said(m, ERROR, jumps, k->t);
    return OK;
}

SHOWN Status FMI(fmi3SetTime)(Instance *m, double t) {
    m->kept.t = t;
    return isfinite(t) ? OK : said(m, ERROR, "the time is no finite number", t);
}
SHOWN Status FMI(fmi3SetContinuousStates)(Instance *m, const double y[], size_t count) {
    if (count != STATES) return said(m, ERROR, "another number of states is needed", m->kept.t);
    memcpy(m->kept.y, y, sizeof m->kept.y);
    return OK;
}
SHOWN Status FMI(fmi3GetContinuousStateDerivatives)(Instance *m, double rate[], size_t count) {
    const Kept *k = &m->kept;
    if (count != STATES) return said(m, ERROR, "another number of states is needed", k->t);
    return rates(k->t, k->y, k->p, rate) ? OK : said(m, DISCARD, "the equations have no value: a singular state", k->t);
}
SHOWN Status FMI(fmi3GetEventIndicators)(Instance *m, double out[], size_t count) {
    const Kept *k = &m->kept;
    double gap[INDICATORS + 1];
    if (count != INDICATORS) return said(m, ERROR, "another number of event indicators is needed", k->t);
    if (!gaps_at(k->t, k->y, k->p, gap)) return said(m, DISCARD, "a stop condition has no value", k->t);
    memcpy(out, gap, sizeof(double) * INDICATORS);
    return OK;
}
SHOWN Status FMI(fmi3GetContinuousStates)(Instance *m, double y[], size_t count) {
    if (count != STATES) return said(m, ERROR, "another number of states is needed", m->kept.t);
    memcpy(y, m->kept.y, sizeof m->kept.y);
    return OK;
}
SHOWN Status FMI(fmi3GetNominalsOfContinuousStates)(Instance *m, double nominal[], size_t count) {
    if (count != STATES) return said(m, ERROR, "another number of states is needed", m->kept.t);
    for (size_t i = 0; i < count; i++) nominal[i] = 1.0;
    return OK;
}
SHOWN Status FMI(fmi3GetNumberOfEventIndicators)(Instance *m, size_t *count) {
    (void)m;
    *count = INDICATORS;
    return OK;
}
SHOWN Status FMI(fmi3GetNumberOfContinuousStates)(Instance *m, size_t *count) {
    (void)m;
    *count = STATES;
    return OK;
}

SHOWN Status FMI(fmi3EnterStepMode)(Instance *m) { return m ? OK : ERROR; }

SHOWN Status FMI(fmi3GetOutputDerivatives)(Instance *m, const Reference at[], size_t count, const int32_t orders[],
                                           double out[], size_t length) {
    (void)at, (void)orders, (void)out, (void)length;
    return count == 0 ? OK : said(m, ERROR, "derivatives of outputs are not given", m->kept.t);
}

SHOWN Status FMI(fmi3DoStep)(Instance *m, double from, double step, bool final, bool *event, bool *terminate, bool *early,
                             double *reached) {
    Kept *k = &m->kept;
    (void)final;
    *event = *terminate = *early = false;
    *reached = k->t;
    if (!(step > 0.0) || !isfinite(step)) return said(m, ERROR, "the communication step is no number > 0", k->t);
    if (!(fabs(from - k->t) <= 1e-9 * (fabs(k->t) + step))) return said(m, ERROR, "steps must follow each other", k->t);
    if (k->jumped) return said(m, ERROR, jumps, k->t);
    if (k->stopped) {
        *terminate = true;
        return OK;
    }
    /* What was set meanwhile may have moved the constraints. */
    if (settle(k->t, k->y, k->p, k->rtol) < 0.0) return said(m, ERROR, "the state cannot be brought onto the constraints", k->t);
    const char *why = advance(k, from + step);
    *reached = k->t;
    if (why) return said(m, ERROR, why, k->t);
    *terminate = k->stopped;
    return OK;
}

SHOWN Status FMI(fmi3ActivateModelPartition)(Instance *m, Reference clock, double t) {
    (void)clock;
    return said(m, ERROR, "there is no scheduled execution", t);
}
