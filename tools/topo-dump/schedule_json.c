/* A schedule as JSON; the keys are described in docs/ALLTOALLV.md. */
#include "common/json.h"
#include "topo-dump/schedule.h"

static json_t *messages(const struct topo_matrix *matrix)
{
    json_t *list = json_array();
    for (int64_t e = 0; e < matrix->messages; e++)
        json_array_append_new(
            list, json_pack("[i,i,I]", matrix->sender[e], matrix->receiver[e], (json_int_t)matrix->weight[e]));
    return list;
}

/* A list of steps, each a list of [sender, receiver, offset, weight]. */
static json_t *steps(const struct topo_schedule *schedule)
{
    json_t *list = json_array();
    for (int t = 0; t < schedule->steps; t++) {
        json_t *step = json_array();
        for (int64_t p = schedule->first[t]; p < schedule->first[t + 1]; p++) {
            const struct topo_piece *piece = &schedule->piece[p];
            json_array_append_new(step, json_pack("[i,i,I,I]", piece->sender, piece->receiver,
                                                  (json_int_t)piece->offset, (json_int_t)piece->weight));
        }
        json_array_append_new(list, step);
    }
    return list;
}

static json_t *redistribution(const struct dump_schedule_view *view, int dimension)
{
    const struct topo_redistribution *r = &view->array.dimension[dimension];
    const struct topo_redistribution_facts *p = &view->periods[dimension];
    return json_pack("{sI si sI si s[I,I,I,I] sI sI sI sI sI sI sI si si}", "y", (json_int_t)r->y, "nq", r->nq, "x",
                     (json_int_t)r->x, "np", r->np, "access", (json_int_t)r->a1, (json_int_t)r->b1, (json_int_t)r->a2,
                     (json_int_t)r->b2, "length", (json_int_t)(r->length ? r->length : p->iterations), "period_a",
                     (json_int_t)p->period_a, "period_s", (json_int_t)p->period_s, "iterations",
                     (json_int_t)p->iterations, "M", (json_int_t)p->address, "m", (json_int_t)p->m, "n",
                     (json_int_t)p->n, "s", p->s, "t", p->t);
}

static json_t *figures(const struct dump_schedule_view *view)
{
    json_t *all = json_object();
    for (int scheduler = 0; scheduler < DUMP_SCHEDULERS; scheduler++) {
        const struct dump_scheduled *result = &view->result[scheduler];
        const struct topo_schedule_figures *f = &result->figures;
        json_t *one;
        if (!result->schedule) {
            json_object_set_new(all, dump_scheduler_name(scheduler), json_pack("{ss}", "left_out", result->why));
            continue;
        }
        one = json_pack("{si sI sI sI sI sI si sf}", "steps", f->steps, "pieces", (json_int_t)f->pieces, "duration",
                        (json_int_t)f->duration, "bound", (json_int_t)f->bound, "conflicts", (json_int_t)f->conflicts,
                        "contention", (json_int_t)result->contention, "uneven", f->uneven, "seconds", result->seconds);
        if (one && view->tree) {
            json_object_set_new(one, "link_duration", json_integer(result->links.duration));
            json_object_set_new(one, "link_bound", json_integer(result->links.bound));
            json_object_set_new(one, "model_seconds", json_real(result->model_seconds));
        }
        if (one && scheduler == DUMP_SCHEDULER_css) {
            json_object_set_new(one, "form", json_string(topo_css_form_text(view->css.form)));
            json_object_set_new(one, "beyond", json_integer(view->css.beyond));
        }
        json_object_set_new(all, dump_scheduler_name(scheduler), one);
    }
    return all;
}

void dump_schedule_json(const void *context, struct topo_text *out)
{
    const struct dump_schedule_view *view = context;
    const struct topo_matrix *matrix = view->matrix;
    json_t *root =
        json_pack("{si si sI sI si ss so}", "senders", matrix->senders, "receivers", matrix->receivers, "total",
                  (json_int_t)view->facts.total, "messages", (json_int_t)matrix->messages, "degree", view->facts.degree,
                  "scheduler", dump_scheduler_name(view->request->shown), "figures", figures(view));
    if (root && !view->request->summary) {
        json_object_set_new(root, "com", messages(matrix));
        json_object_set_new(root, "cs", steps(view->result[view->request->shown].schedule));
    }
    if (root && view->unit)
        json_object_set_new(root, "unit", json_integer(view->unit));
    if (root && view->redistributed && view->array.dimensions == 1) {
        json_object_set_new(root, "redistribution", redistribution(view, 0));
    } else if (root && view->redistributed) {
        json_t *dimensions = json_array();
        for (int d = 0; d < view->array.dimensions; d++)
            json_array_append_new(dimensions, redistribution(view, d));
        json_object_set_new(root, "dimensions", dimensions);
    }
    cli_json(out, root, JSON_COMPACT);
}
