#include "schedule/css.h"

#include "base/memory.h"
#include "schedule/blocks.h"
#include "schedule/near_shift.h"
#include "schedule/numbers.h"

const char *topo_css_form_text(enum topo_css_form form)
{
    static const char *const texts[] = {TOPO_CSS_MAP(TOPO_WORD)};
    return texts[form];
}

/* Algorithm 1: row 0 of CS is 0, 1, 2, ...; in its step j sender m k sends to
 * receiver j + n k, k = 0 .. senders-1. So message (i, j) with i = m k is in step
 * j - n k. `exchanged`: the same with senders and receivers exchanged. */
static void single(const struct topo_matrix *matrix, struct topo_shift shift, bool exchanged, int *step_of)
{
    int rows = exchanged ? matrix->receivers : matrix->senders;
    int columns = exchanged ? matrix->senders : matrix->receivers;
    int m = exchanged ? shift.n : shift.m, n = exchanged ? shift.m : shift.n;
    int64_t inverse = topo_inverse(m, rows);
    for (int64_t e = 0; e < matrix->messages; e++) {
        int i = exchanged ? matrix->receiver[e] : matrix->sender[e];
        int j = exchanged ? matrix->sender[e] : matrix->receiver[e];
        int64_t k = topo_mul_mod(i, inverse, rows);
        step_of[e] = (int)topo_mod(j - topo_mul_mod(n, k % columns, columns), columns);
    }
}

static bool is_single_exchanged(const struct topo_matrix *matrix, struct topo_shift shift)
{
    return topo_gcd(shift.n, matrix->receivers) == 1 &&
           matrix->senders / topo_gcd(shift.m, matrix->senders) >= matrix->receivers;
}

/* The table without its empty rows and columns. Messages keep their numbers. */
static enum topo_status compress(const struct topo_matrix *matrix, struct topo_matrix **compressed,
                                 struct topo_error *error)
{
    TOPO_SCOPED int *sender = topo_alloc((size_t)matrix->senders, sizeof *sender);
    int senders = 0, receivers = 0;
    TOPO_SCOPED int *receiver = topo_alloc((size_t)matrix->receivers, sizeof *receiver);
    TOPO_SCOPED struct topo_message *messages = topo_alloc((size_t)matrix->messages, sizeof *messages);
    enum topo_status status;
    *compressed = NULL;
    if (sender && receiver && messages) {
        for (int i = 0; i < matrix->senders; i++)
            sender[i] = matrix->row[i + 1] > matrix->row[i] ? senders++ : -1;
        for (int j = 0; j < matrix->receivers; j++)
            receiver[j] = matrix->column[j + 1] > matrix->column[j] ? receivers++ : -1;
        for (int64_t e = 0; e < matrix->messages; e++)
            messages[e] =
                (struct topo_message){sender[matrix->sender[e]], receiver[matrix->receiver[e]], matrix->weight[e]};
        status = topo_matrix_new(senders ? senders : 1, receivers ? receivers : 1, messages, matrix->messages,
                                 compressed, error);
    } else {
        status = topo_fail(error, TOPO_NOMEM, "out of memory for css of %lld messages", (long long)matrix->messages);
    }
    return status;
}

/* The shift to use, and the table in which it holds (the matrix, or *compressed):
 * the given one if algorithm 1 can use it, else one found for algorithm 1, else
 * the given one, else the one found. */
static enum topo_status find_shift(const struct topo_matrix *matrix, const struct topo_shift *given,
                                   struct topo_css_result *result, struct topo_matrix **compressed,
                                   struct topo_error *error)
{
    struct topo_matrix *transposed = NULL;
    struct topo_shift found, exchanged;
    bool holds = given && (given->m || given->n) && topo_shift_holds(matrix, *given), single = false;
    enum topo_status status = TOPO_OK;
    if (holds) {
        result->shift = *given;
        result->given = true;
        if (topo_shift_is_single(matrix, *given) || is_single_exchanged(matrix, *given))
            return TOPO_OK;
    }
    status = compress(matrix, compressed, error);
    if (status == TOPO_OK)
        status = topo_shift_find(*compressed, &found, error);
    if (status != TOPO_OK)
        return status;
    single = topo_shift_is_single(*compressed, found);
    if (!single) {
        status = topo_matrix_transpose(*compressed, &transposed, error);
        if (status == TOPO_OK)
            status = topo_shift_find(transposed, &exchanged, error);
        if (status == TOPO_OK && topo_shift_is_single(transposed, exchanged)) {
            found = (struct topo_shift){exchanged.n, exchanged.m};
            single = true;
        }
        topo_matrix_free(transposed);
    }
    if (status == TOPO_OK && (single || !holds)) {
        result->shift = found;
        result->given = false;
    } else {
        topo_matrix_free(*compressed);
        *compressed = NULL;
    }
    return status;
}

/* Algorithm 2 looks through the messages once per step: no more than this is spent on it. */
static const int64_t blocks_work_max = 1 << 27;

/* Algorithm 2, or one length a step where that is shorter. */
static enum topo_status not_single(const struct topo_matrix *matrix, const struct topo_matrix *table, int *step_of,
                                   struct topo_schedule **schedule, struct topo_css_result *result,
                                   struct topo_error *error)
{
    struct topo_css_lengths lengths;
    struct topo_matrix_facts facts;
    struct topo_schedule_figures figures;
    int steps;
    enum topo_status status;
    if (!topo_css_lengths_cost(table, &lengths))
        goto nomem;
    topo_matrix_facts(table, &facts);
    bool best = lengths.duration == facts.heaviest && lengths.steps == facts.degree;
    if (!best && table->messages <= blocks_work_max / facts.degree) {
        if (!topo_css_blocks(table, result->shift, step_of, &steps) || !topo_css_eliminate_step(table, step_of, &steps))
            goto nomem;
        result->form = TOPO_CSS_BLOCKS;
        status = topo_schedule_whole(matrix, step_of, steps, schedule, error);
        if (status == TOPO_OK)
            status = topo_schedule_figures(*schedule, matrix, &figures, error);
        if (status != TOPO_OK || figures.duration < lengths.duration ||
            (figures.duration == lengths.duration && figures.steps <= lengths.steps))
            return status;
        topo_schedule_free(*schedule);
        *schedule = NULL;
    }
    result->form = TOPO_CSS_LENGTHS;
    if (!topo_css_lengths(table, step_of, &steps))
        goto nomem;
    return topo_schedule_whole(matrix, step_of, steps, schedule, error);
nomem:
    return topo_fail(error, TOPO_NOMEM, "out of memory for css of %lld messages", (long long)matrix->messages);
}

/* The schedules of a table without a recurrence, of which the shortest is kept. */
struct contest {
    const struct topo_matrix *matrix; /* as it was given */
    const struct topo_matrix *table;  /* without empty rows and columns: its messages have the same numbers */
    int64_t total;                    /* of its weights */
    struct topo_schedule *best;
    int64_t duration;
    struct topo_css_result *result;
    int *step_of; /* [messages] */
};

/* A schedule of the table enters, with its form and, for `shift`, what is beyond the recurrence. */
static enum topo_status enter(struct contest *contest, int steps, struct topo_css_result result,
                              struct topo_error *error)
{
    struct topo_schedule *schedule = NULL;
    struct topo_schedule_figures figures;
    enum topo_status status;
    if (result.beyond > contest->total / 2) /* not near any recurrence */
        return TOPO_OK;
    if (result.form == TOPO_CSS_GENERAL)
        status = topo_schedule_drc(contest->matrix, &schedule, error);
    else
        status = topo_schedule_whole(contest->matrix, contest->step_of, steps, &schedule, error);
    if (status == TOPO_OK)
        status = topo_schedule_figures(schedule, contest->matrix, &figures, error);
    if (status != TOPO_OK || (contest->best && figures.duration >= contest->duration)) {
        topo_schedule_free(schedule);
        return status;
    }
    topo_schedule_free(contest->best);
    contest->best = schedule;
    contest->duration = figures.duration;
    *contest->result = result;
    return TOPO_OK;
}

/* Algorithm 1 by the table's nearest shift, or its columns'. */
static enum topo_status enter_single(struct contest *contest, bool exchanged, struct topo_error *error)
{
    TOPO_SCOPED_BY(topo_dense_free) struct topo_dense dense = {0};
    TOPO_SCOPED_BY(topo_matrix_end) struct topo_matrix *base = NULL;
    struct topo_css_result result = {.form = exchanged ? TOPO_CSS_COLUMNS : TOPO_CSS_ROWS};
    enum topo_status status = TOPO_OK;
    bool memory = topo_dense_of(contest->table, exchanged, &dense);
    if (memory && dense.cell && topo_near_single(&dense, &result.shift, &memory)) {
        status = topo_near_base(&dense, result.shift, &base, &result.beyond, error);
        if (exchanged)
            result.shift = (struct topo_shift){result.shift.n, result.shift.m};
        if (status == TOPO_OK) {
            single(contest->table, result.shift, exchanged, contest->step_of);
            status = enter(contest, dense.columns, result, error);
        }
    }
    return memory ? status : topo_fail(error, TOPO_NOMEM, "out of memory for css");
}

/* Algorithm 2 and one length a step, both of `base`: the table itself as one block (shift (0, 0)), or one that repeats
 * by result.shift; what it has and the table has not is left out. */
static enum topo_status enter_blocks(struct contest *contest, const struct topo_matrix *base,
                                     struct topo_css_result result, struct topo_error *error)
{
    const struct topo_matrix *table = contest->table;
    struct topo_css_lengths lengths;
    struct topo_matrix_facts facts;
    TOPO_SCOPED int *step_of = topo_alloc((size_t)base->messages, sizeof *step_of);
    int steps = 0;
    enum topo_status status = TOPO_OK;
    bool done = step_of && topo_css_lengths_cost(base, &lengths);
    topo_matrix_facts(base, &facts);
    for (int form = TOPO_CSS_BLOCKS; form <= TOPO_CSS_LENGTHS && done && status == TOPO_OK; form++) {
        result.form = (enum topo_css_form)form;
        if (form == TOPO_CSS_BLOCKS && base->messages > blocks_work_max / facts.degree)
            continue;
        /* Never the shortest. */
        if (form == TOPO_CSS_LENGTHS && lengths.duration / 2 > facts.heaviest)
            continue;
        if (form == TOPO_CSS_BLOCKS)
            done =
                topo_css_blocks(base, result.shift, step_of, &steps) && topo_css_eliminate_step(base, step_of, &steps);
        else
            done = topo_css_lengths(base, step_of, &steps);
        for (int64_t e = 0; done && e < table->messages; e++)
            contest->step_of[e] = step_of[topo_matrix_find(base, table->sender[e], table->receiver[e])];
        if (done)
            status = enter(contest, steps, result, error);
    }
    return done ? status : topo_fail(error, TOPO_NOMEM, "out of memory for css");
}

static enum topo_status enter_near(struct contest *contest, struct topo_error *error)
{
    TOPO_SCOPED_BY(topo_dense_free) struct topo_dense dense = {0};
    TOPO_SCOPED_BY(topo_matrix_end) struct topo_matrix *base = NULL;
    struct topo_css_result result = {0};
    enum topo_status status = TOPO_OK;
    if (!topo_dense_of(contest->table, false, &dense))
        return topo_fail(error, TOPO_NOMEM, "out of memory for css");
    if (dense.cell)
        result.shift = topo_near_shift(&dense);
    if (result.shift.m || result.shift.n) {
        status = topo_near_base(&dense, result.shift, &base, &result.beyond, error);
        if (status == TOPO_OK)
            status = enter_blocks(contest, base, result, error);
    }
    return status;
}

/* No shift leaves the table alone: it has one but for a remainder, or algorithm 2 takes it as one block, or drc. */
static enum topo_status without_recurrence(struct contest *contest, struct topo_schedule **schedule,
                                           struct topo_error *error)
{
    struct topo_matrix_facts facts;
    enum topo_status status = TOPO_OK;
    topo_matrix_facts(contest->matrix, &facts);
    contest->total = facts.total;
    for (int form = 0; form < 5 && status == TOPO_OK && (!contest->best || contest->duration > facts.heaviest);
         form++) {
        if (form < 2 && facts.total > 0)
            status = enter_single(contest, form == 1, error);
        else if (form == 2 && facts.total > 0)
            status = enter_near(contest, error);
        else if (form == 3 && facts.total > 0)
            status = enter_blocks(contest, contest->table, (struct topo_css_result){0}, error);
        else if (form == 4)
            status = enter(contest, 0, (struct topo_css_result){.form = TOPO_CSS_GENERAL}, error);
    }
    *schedule = contest->best;
    return status;
}

enum topo_status topo_schedule_css(const struct topo_matrix *matrix, const struct topo_shift *shift,
                                   struct topo_schedule **schedule, struct topo_css_result *result,
                                   struct topo_error *error)
{
    struct topo_css_result unused;
    TOPO_SCOPED_BY(topo_matrix_end) struct topo_matrix *compressed = NULL;
    TOPO_SCOPED int *step_of = topo_alloc((size_t)matrix->messages, sizeof *step_of);
    int steps;
    enum topo_status status;
    *schedule = NULL;
    if (!result)
        result = &unused;
    *result = (struct topo_css_result){.form = TOPO_CSS_GENERAL};
    if (!step_of)
        goto nomem;
    status = find_shift(matrix, shift, result, &compressed, error);
    if (status != TOPO_OK)
        goto out;
    const struct topo_matrix *table = compressed ? compressed : matrix;
    if (topo_shift_is_single(table, result->shift)) {
        result->form = TOPO_CSS_ROWS;
        single(table, result->shift, false, step_of);
        steps = table->receivers;
    } else if (is_single_exchanged(table, result->shift)) {
        result->form = TOPO_CSS_COLUMNS;
        single(table, result->shift, true, step_of);
        steps = table->senders;
    } else if (result->shift.m || result->shift.n) {
        status = not_single(matrix, table, step_of, schedule, result, error);
        goto out;
    } else {
        struct contest contest = {.matrix = matrix, .table = table, .result = result, .step_of = step_of};
        status = without_recurrence(&contest, schedule, error);
        goto out;
    }
    status = topo_schedule_whole(matrix, step_of, steps, schedule, error);
    goto out;
nomem:
    status = topo_fail(error, TOPO_NOMEM, "out of memory for css of %lld messages", (long long)matrix->messages);
out:
    if (status != TOPO_OK) {
        topo_schedule_free(*schedule);
        *schedule = NULL;
    }
    return status;
}
