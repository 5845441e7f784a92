/* solve.c - eliminates variables.
 *
 * This is bucket elimination. To eliminate a variable, all factors that contain it are added up,
 * and for each combination of their other variables the best value of this one is kept. The result
 * is a factor of those other variables, which replaces the factors that were added up. When no
 * variable is left, the best values are read back in reverse order. */
#include "products/solve.h"

#include "base/checked.h"
#include "base/memory.h"
#include "base/status.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

enum { MOST_VARS = 6, MOST_FACTORS = 256 };
/* Values of a factor: 1 GB with what is best. */
static const int64_t most_places = 1 << 26;

typedef struct sct_solver_factor {
    int vars, var[MOST_VARS];
    int64_t stride[MOST_VARS];
    const double *value;
    double *own; /* value, if it was made here */
    bool gone;
} sct_solver_factor;

/* How a variable is eliminated. */
typedef struct sct_step_back {
    int var;
    sct_solver_factor scope; /* without values */
    unsigned short *best;
} sct_step_back;

/* The factors that depend on the variable that is eliminated, their strides along it and along the
 * scope, and the places at which they are read. */
typedef struct sct_elimination {
    int count;
    const double *value[MOST_FACTORS];
    int64_t along[MOST_FACTORS], stride[MOST_FACTORS][MOST_VARS], offset[MOST_FACTORS];
} sct_elimination;

typedef struct sct_solver {
    const sct_sum *sum;
    int factors, steps;
    int64_t room;
    sct_solver_factor *factor;
    sct_step_back *step;
    bool *eliminated;
    sct_elimination *elimination; /* of the current variable */
} sct_solver;

static int find_var(const sct_solver_factor *factor, int var) {
    int i = factor->vars - 1;
    while (i >= 0 && factor->var[i] != var)
        i--;
    return i;
}

static sct_status add_factor(sct_solver *solver, sct_solver_factor factor) {
    sct_solver_factor *list =
        sct_memory_grow(solver->factor, solver->factors, &solver->room, sizeof *list);
    if (!list)
        return sct_no_memory("a factor");
    solver->factor = list;
    list[solver->factors++] = factor;
    return SCT_OK;
}

/* A variable that is in a table twice has both strides. */
static sct_solver_factor factor_of(const sct_sum *sum, const sct_table *table) {
    sct_solver_factor factor = {.value = table->value};
    int64_t stride = 1;
    for (int i = SCT_TABLE_VARS - 1; i >= 0; i--) {
        int at = find_var(&factor, table->var[i]);
        if (at < 0) {
            at = factor.vars++;
            factor.var[at] = table->var[i];
        }
        factor.stride[at] += stride;
        stride *= sum->count[table->var[i]];
    }
    return factor;
}

/* The other variables of all factors of this one, and their places; false if they are too many. */
static bool find_scope(const sct_solver *solver, int var, sct_solver_factor *scope,
                       int64_t *places) {
    *scope = (sct_solver_factor){.vars = 0};
    *places = 1;
    for (int i = 0; i < solver->factors; i++) {
        const sct_solver_factor *factor = &solver->factor[i];
        if (factor->gone || find_var(factor, var) < 0)
            continue;
        for (int j = 0; j < factor->vars; j++) {
            int other = factor->var[j];
            if (other == var || find_var(scope, other) >= 0)
                continue;
            if (scope->vars == MOST_VARS)
                return false;
            scope->var[scope->vars] = other;
            scope->stride[scope->vars++] = *places;
            *places *= solver->sum->count[other];
            if (*places > most_places)
                return false;
        }
    }
    return true;
}

/* The variable whose elimination makes the smallest factor; -1: all make too large ones. */
static int next_var(const sct_solver *solver) {
    int best = -1;
    int64_t least = INT64_MAX;
    for (int var = 0; var < solver->sum->vars; var++) {
        sct_solver_factor scope;
        int64_t places;
        if (solver->eliminated[var] || !find_scope(solver, var, &scope, &places))
            continue;
        best = places < least ? var : best;
        least = sct_min(least, places);
    }
    return best;
}

static bool meet(sct_solver *solver, int var, const sct_solver_factor *scope) {
    sct_elimination *elimination = solver->elimination;
    elimination->count = 0;
    for (int i = 0; i < solver->factors; i++) {
        sct_solver_factor *factor = &solver->factor[i];
        int at = factor->gone ? -1 : find_var(factor, var), index = elimination->count;
        if (at < 0)
            continue;
        if (elimination->count == MOST_FACTORS)
            return false;
        factor->gone = true;
        elimination->value[index] = factor->value;
        elimination->along[index] = factor->stride[at];
        elimination->offset[index] = 0;
        for (int j = 0; j < scope->vars; j++) {
            int other = find_var(factor, scope->var[j]);
            elimination->stride[index][j] = other < 0 ? 0 : factor->stride[other];
        }
        elimination->count++;
    }
    return true;
}

/* The best value of a variable at one place. */
static double best_at(const double *unary, int count, const sct_elimination *elimination,
                      unsigned short *best) {
    double least = INFINITY;
    *best = 0;
    for (int d = 0; d < count; d++) {
        double sum = unary[d];
        for (int i = 0; i < elimination->count; i++)
            sum += elimination->value[i][elimination->offset[i] + d * elimination->along[i]];
        if (sum < least) {
            least = sum;
            *best = (unsigned short)d;
        }
    }
    return least;
}

static void fill(const sct_solver *solver, int64_t places, const sct_step_back *step,
                 double *value) {
    sct_elimination *elimination = solver->elimination;
    int at[MOST_VARS] = {0};
    for (int64_t place = 0; place < places; place++) {
        value[place] = best_at(solver->sum->unary[step->var], solver->sum->count[step->var],
                               elimination, &step->best[place]);
        for (int j = 0; j < step->scope.vars; j++) {
            bool wraps = ++at[j] == solver->sum->count[step->scope.var[j]];
            for (int i = 0; i < elimination->count; i++)
                elimination->offset[i] += elimination->stride[i][j] *
                                          (wraps ? 1 - solver->sum->count[step->scope.var[j]] : 1);
            if (!wraps)
                break;
            at[j] = 0;
        }
    }
}

static sct_status eliminate(sct_solver *solver, int var) {
    int64_t places;
    sct_step_back step = {.var = var};
    find_scope(solver, var, &step.scope, &places);
    if (!meet(solver, var, &step.scope))
        return sct_fail(SCT_TOO_LARGE, "more than %d products have one matrix", MOST_FACTORS);
    step.best = malloc((size_t)places * sizeof *step.best);
    double *value = malloc((size_t)places * sizeof *value);
    if (!step.best || !value) {
        free(step.best);
        free(value);
        return sct_no_memory("a factor");
    }
    fill(solver, places, &step, value);
    solver->eliminated[var] = true;
    solver->step[solver->steps++] = step;
    sct_solver_factor made = step.scope;
    made.value = made.own = value;
    sct_status status = add_factor(solver, made);
    if (status)
        free(value);
    return status;
}

/* The factors without variables are what is left. */
static void read_off(const sct_solver *solver, int *value, double *least) {
    *least = 0;
    for (int i = 0; i < solver->factors; i++)
        if (!solver->factor[i].gone)
            *least += solver->factor[i].value[0];
    for (int i = solver->steps - 1; i >= 0; i--) {
        const sct_step_back *step = &solver->step[i];
        int64_t place = 0;
        for (int j = 0; j < step->scope.vars; j++)
            place += step->scope.stride[j] * value[step->scope.var[j]];
        value[step->var] = step->best[place];
    }
}

static void clear(sct_solver *solver) {
    for (int i = 0; i < solver->factors; i++)
        free(solver->factor[i].own);
    for (int i = 0; i < solver->steps; i++)
        free(solver->step[i].best);
    free(solver->factor);
    free(solver->step);
    free(solver->eliminated);
    free(solver->elimination);
}

sct_status sct_sum_minimise(const sct_sum *sum, int *value, double *least) {
    sct_solver solver = {.sum = sum};
    solver.step = calloc((size_t)sum->vars, sizeof *solver.step);
    solver.eliminated = calloc((size_t)sum->vars, sizeof *solver.eliminated);
    solver.elimination = malloc(sizeof *solver.elimination);
    sct_status status = solver.step && solver.eliminated && solver.elimination
                            ? SCT_OK
                            : sct_no_memory("the search of a group");
    for (int i = 0; i < sum->tables && !status; i++)
        status = add_factor(&solver, factor_of(sum, &sum->table[i]));
    for (int i = 0; i < sum->vars && !status; i++) {
        int var = next_var(&solver);
        status = var < 0 ? sct_fail(SCT_TOO_LARGE,
                                    "too many matrices depend on each other; fix some layouts, or "
                                    "let some be equal")
                         : eliminate(&solver, var);
    }
    if (!status)
        read_off(&solver, value, least);
    clear(&solver);
    return status;
}
