/* A schedule as text: the tables COM and CS, and the figures of all schedulers. */
#include <inttypes.h>
#include <stdio.h>

#include "topo-dump/schedule.h"

/* Larger tables are counted, not shown. */
enum { WIDEST = 160, TALLEST = 64, CELL_MAX = 40 };

static void add_head(const struct dump_schedule_view *view, struct topo_text *out)
{
    const struct topo_matrix *matrix = view->matrix;
    topo_text_addf(out, "%d senders, %d receivers, %" PRId64 " messages, %" PRId64 " %s\n", matrix->senders,
                   matrix->receivers, matrix->messages, view->facts.total, view->redistributed ? "elements" : "bytes");
    topo_text_addf(out,
                   "largest message %" PRId64 "; busiest sender or receiver %" PRId64
                   " (no schedule is shorter), %d messages (none has fewer steps)\n",
                   view->facts.largest, view->facts.heaviest, view->facts.degree);
    for (int d = 0; view->redistributed && d < view->array.dimensions; d++) {
        const struct topo_redistribution *r = &view->array.dimension[d];
        const struct topo_redistribution_facts *p = &view->periods[d];
        if (view->array.dimensions > 1)
            topo_text_addf(out, "dimension %d: ", d + 1);
        topo_text_addf(out,
                       "B cyclic(%" PRId64 ") on %d -> A cyclic(%" PRId64 ") on %d, A(%" PRId64 " i + %" PRId64
                       ") = B(%" PRId64 " i + %" PRId64 "), %" PRId64 " iterations\n",
                       r->y, r->nq, r->x, r->np, r->a1, r->b1, r->a2, r->b2, r->length ? r->length : p->iterations);
        topo_text_addf(out,
                       "period of A %" PRId64 ", of both %" PRId64 " (%" PRId64 " iterations); recurrence M=%" PRId64
                       " m=%" PRId64 " n=%" PRId64 " s=%d t=%d\n",
                       p->period_a, p->period_s, p->iterations, p->address, p->m, p->n, p->s, p->t);
    }
}

static int digits(int64_t number)
{
    int count = 1;
    for (; number > 9; number /= 10)
        count++;
    return count;
}

static void add_com(const struct dump_schedule_view *view, struct topo_text *out)
{
    const struct topo_matrix *matrix = view->matrix;
    int width = digits(view->facts.largest), label = digits(matrix->senders) + 1;
    if (digits(matrix->receivers) > width)
        width = digits(matrix->receivers);
    topo_text_add(out, "\nCOM (rows send, columns receive)\n");
    if (matrix->senders > TALLEST || label + matrix->receivers * (width + 1) > WIDEST) {
        topo_text_addf(out, "  %d x %d: --format json has it\n", matrix->senders, matrix->receivers);
        return;
    }
    topo_text_addf(out, "  %*s", label, "");
    for (int j = 0; j < matrix->receivers; j++)
        topo_text_addf(out, " %*d", width, j);
    for (int i = 0; i < matrix->senders; i++) {
        topo_text_addf(out, "\n  Q%-*d", label - 1, i);
        for (int j = 0; j < matrix->receivers; j++) {
            int64_t weight = topo_matrix_at(matrix, i, j);
            if (weight)
                topo_text_addf(out, " %*" PRId64, width, weight);
            else
                topo_text_addf(out, " %*s", width, ".");
        }
    }
    topo_text_add(out, "\n");
}

/* Receivers of sender i in step t, "0,2"; an empty text when it sends nothing. */
static void cell(const struct topo_schedule *schedule, int i, int t, char *out, size_t size)
{
    size_t length = 0;
    *out = '\0';
    for (int64_t p = schedule->first[t]; p < schedule->first[t + 1] && length < size; p++)
        if (schedule->piece[p].sender == i)
            length +=
                (size_t)snprintf(out + length, size - length, "%s%d", length ? "," : "", schedule->piece[p].receiver);
}

static void add_cs(const struct dump_schedule_view *view, struct topo_text *out)
{
    const struct topo_schedule *schedule = view->result[view->request->shown].schedule;
    int width = digits(schedule->steps), label = digits(schedule->senders) + 1;
    char text[CELL_MAX];
    topo_text_addf(out, "\nCS by %s (rows send, columns are steps, entries receive)%s%s\n",
                   dump_scheduler_name(view->request->shown), view->request->shown == DUMP_SCHEDULER_css ? ": " : "",
                   view->request->shown == DUMP_SCHEDULER_css ? topo_css_form_text(view->css.form) : "");
    if (view->request->shown == DUMP_SCHEDULER_css && view->css.beyond)
        topo_text_addf(out, "the table repeats by (%d, %d) but for %" PRId64 ", which ride along\n", view->css.shift.m,
                       view->css.shift.n, view->css.beyond);
    for (int t = 0; t < schedule->steps && schedule->senders <= TALLEST && schedule->steps <= WIDEST; t++)
        for (int i = 0; i < schedule->senders; i++) {
            cell(schedule, i, t, text, sizeof text);
            for (int length = 0; text[length]; length++)
                if (length + 1 > width)
                    width = length + 1;
        }
    if (schedule->senders > TALLEST || label + (int64_t)schedule->steps * (width + 1) > WIDEST) {
        topo_text_addf(out, "  %d senders, %d steps: --format json or svg has them\n", schedule->senders,
                       schedule->steps);
        return;
    }
    topo_text_addf(out, "  %*s", label, "");
    for (int t = 0; t < schedule->steps; t++)
        topo_text_addf(out, " %*d", width, t + 1);
    for (int i = 0; i < schedule->senders; i++) {
        topo_text_addf(out, "\n  Q%-*d", label - 1, i);
        for (int t = 0; t < schedule->steps; t++) {
            cell(schedule, i, t, text, sizeof text);
            topo_text_addf(out, " %*s", width, *text ? text : ".");
        }
    }
    topo_text_add(out, "\n");
}

static void add_figures(const struct dump_schedule_view *view, struct topo_text *out)
{
    topo_text_addf(out, "\n%-11s %8s %10s %14s %7s %9s %14s %7s %10s", "scheduler", "steps", "pieces", "duration",
                   "/bound", "conflicts", "contention", "uneven", "made in s");
    if (view->tree)
        topo_text_addf(out, " %9s %11s", "links", "model s");
    topo_text_add(out, "\n");
    for (int scheduler = 0; scheduler < DUMP_SCHEDULERS; scheduler++) {
        const struct dump_scheduled *result = &view->result[scheduler];
        const struct topo_schedule_figures *f = &result->figures;
        if (!result->schedule) {
            topo_text_addf(out, "%-11s left out (%s)\n", dump_scheduler_name(scheduler), result->why);
            continue;
        }
        topo_text_addf(out, "%-11s %8d %10" PRId64 " %14" PRId64 " %7.3f %9" PRId64 " %14" PRId64 " %7d %10.6f",
                       dump_scheduler_name(scheduler), f->steps, f->pieces, f->duration,
                       f->bound ? (double)f->duration / (double)f->bound : 1.0, f->conflicts, result->contention,
                       f->uneven, result->seconds);
        if (view->tree)
            topo_text_addf(out, " %9.3f %11.6f",
                           result->links.bound ? (double)result->links.duration / (double)result->links.bound : 1.0,
                           result->model_seconds);
        topo_text_add(out, "\n");
    }
    if (view->others && view->others->messages < view->matrix->messages)
        topo_text_add(out, "what ranks have for themselves is in direct and css alone (--own: in all)\n");
    if (view->unit)
        topo_text_addf(out, "ggp: messages are cut to multiples of %" PRId64 "\n", view->unit);
    topo_text_add(
        out, "duration: sum over the steps of the largest load; /bound: of the busiest sender or receiver;\n"
             "conflicts: messages that meet another one at their receiver in a step;\n"
             "contention: what is sent while another sender sends to the same receiver, if nobody waits for steps;\n"
             "uneven: steps whose senders' loads differ\n");
    if (view->tree)
        topo_text_add(out, "links: sum over the steps of the busiest node's link, of that link's bytes;\n"
                           "model: seconds of the steps one after the other on a default cluster\n");
}

void dump_schedule_text(const void *context, struct topo_text *out)
{
    const struct dump_schedule_view *view = context;
    add_head(view, out);
    if (!view->request->summary) {
        add_com(view, out);
        add_cs(view, out);
    }
    add_figures(view, out);
}
