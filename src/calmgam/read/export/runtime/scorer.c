/* A model as one C99 file: no allocation, no state; see the tables at its top.
 *
 * A row is an array of MODEL_N_INPUTS doubles in the order of MODEL_inputs: numbers, and for labels
 * what MODEL_code returns; NAN is missing. There are MODEL_N_OUTPUTS scores, more than one only if
 * there are more than two classes. */

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct { int input, first, n_inside, missing, yes, no, leaf; } MODEL_branch;
typedef struct { int input, branch, rule, edge, n_edges, value; } MODEL_lookup;
typedef struct { const char *name; int is_numeric, label, n_labels, number, n_numbers; } MODEL_input;

// tables

// code

/* The code of a label of a column; NULL is missing. */
double MODEL_code(int input, const char *label) {
    const MODEL_input *column = &MODEL_inputs[input];
    if (label == NULL) return NAN;
    for (int k = 0; k < column->n_labels; k++) {
        const char *known = MODEL_labels[column->label + k];
        if (known != NULL && strcmp(known, label) == 0) return k;
    }
    if (label[strspn(label, "0123456789.eE+- \t\n\v\f\r")] == '\0') {
        char *end;
        double number = strtod(label, &end);
        int is_number = end != label && end[strspn(end, " \t\n\v\f\r")] == '\0';
        for (int k = column->number; is_number && k < column->number + column->n_numbers; k++)
            if (MODEL_numbers[k] == number) return MODEL_codes[k];
    }
    return column->n_labels;
}

static int MODEL_leaf(const MODEL_lookup *lookup, const double *row) {
    const MODEL_branch *branch = &MODEL_branches[lookup->branch];
    while (branch->leaf < 0) {
        double value = row[branch->input];
        int holds = isnan(value) ? branch->missing : 0;
        for (int k = branch->first; !holds && k < branch->first + branch->n_inside; k++)
            holds = MODEL_inside[k][0] < value && value <= MODEL_inside[k][1];
        branch = &MODEL_branches[lookup->branch + (holds ? branch->yes : branch->no)];
    }
    return branch->leaf;
}

static const double *MODEL_values_of(const MODEL_lookup *lookup, const double *row) {
    double value = row[lookup->input];
    int low = 0, high = lookup->n_edges;
    while (low < high && !isnan(value)) {
        int middle = (low + high) / 2;
        if (MODEL_edges[lookup->edge + middle] < value)
            low = middle + 1;
        else
            high = middle;
    }
    if (isnan(value)) low = lookup->n_edges + 1;
    low += MODEL_leaf(lookup, row) * (lookup->n_edges + 2);
    return &MODEL_values[lookup->value + low * MODEL_N_OUTPUTS];
}

/* What every column adds to every score: MODEL_N_INPUTS times MODEL_N_OUTPUTS numbers. */
void MODEL_contributions(const double *row, double *parts) {
    for (int i = 0; i < MODEL_N_INPUTS; i++) {
        const double *values = MODEL_values_of(&MODEL_lookups[i], row);
        for (int k = 0; k < MODEL_N_OUTPUTS; k++) parts[i * MODEL_N_OUTPUTS + k] = values[k];
    }
}

/* Intercept + offset + contributions: MODEL_N_OUTPUTS numbers. */
void MODEL_score(const double *row, double offset, double *scores) {
    for (int k = 0; k < MODEL_N_OUTPUTS; k++) scores[k] = MODEL_intercepts[k] + offset;
    for (int i = 0; i < MODEL_N_INPUTS; i++) {
        const double *values = MODEL_values_of(&MODEL_lookups[i], row);
        for (int k = 0; k < MODEL_N_OUTPUTS; k++) scores[k] += values[k];
    }
}

/* The mean, the probability of the second class, or of every class: MODEL_N_OUTPUTS numbers. */
void MODEL_predict(const double *row, double offset, double *means) {
    MODEL_score(row, offset, means);
    if (MODEL_LINK == 1) means[0] = 1 / (1 + exp(-means[0]));
    if (MODEL_LINK == 2) means[0] = exp(means[0]);
    if (MODEL_LINK == 3) {
        double highest = means[0], total = 0;
        for (int k = 1; k < MODEL_N_OUTPUTS; k++) highest = fmax(highest, means[k]);
        for (int k = 0; k < MODEL_N_OUTPUTS; k++) total += means[k] = exp(means[k] - highest);
        for (int k = 0; k < MODEL_N_OUTPUTS; k++) means[k] /= total;
    }
}

/* The number of the most probable class. */
int MODEL_classify(const double *row, double offset) {
    double scores[MODEL_N_OUTPUTS];
    int best = 0;
    MODEL_score(row, offset, scores);
    if (MODEL_N_OUTPUTS == 1) return scores[0] > 0;
    for (int k = 1; k < MODEL_N_OUTPUTS; k++)
        if (scores[k] > scores[best]) best = k;
    return best;
}

/* The most probable class and the next one; without classes 0 and 0. */
static void MODEL_pair(const double *row, int *pair) {
    double scores[MODEL_N_OUTPUTS];
    pair[0] = pair[1] = 0;
    if (MODEL_N_OUTPUTS == 1) return;
    MODEL_score(row, 0, scores);
    for (int k = 1; k < MODEL_N_OUTPUTS; k++)
        if (scores[k] > scores[pair[0]]) pair[0] = k;
    pair[1] = pair[0] == 0;
    for (int k = 0; k < MODEL_N_OUTPUTS; k++)
        if (k != pair[0] && scores[k] > scores[pair[1]]) pair[1] = k;
}

/* The inputs with the n largest contributions that are not 0; returns how many there are. Of several
 * classes they are contributions to the most probable class minus those to the next one. */
int MODEL_reasons(const double *row, int n, int *inputs) {
    double sizes[MODEL_N_INPUTS];
    int found = 0, pair[2];
    MODEL_pair(row, pair);
    for (int i = 0; i < MODEL_N_INPUTS; i++) {
        const double *values = MODEL_values_of(&MODEL_lookups[i], row);
        sizes[i] = fabs(MODEL_N_OUTPUTS == 1 ? values[0] : values[pair[0]] - values[pair[1]]);
    }
    while (found < n) {
        int best = 0;
        for (int i = 1; i < MODEL_N_INPUTS; i++)
            if (sizes[i] > sizes[best]) best = i;
        if (sizes[best] <= 0) break;
        sizes[best] = 0;
        inputs[found++] = best;
    }
    return found;
}

/* The rule that chose the curve of an input. */
const char *MODEL_rule(const double *row, int input) {
    return MODEL_rules[MODEL_lookups[input].rule + MODEL_leaf(&MODEL_lookups[input], row)];
}
