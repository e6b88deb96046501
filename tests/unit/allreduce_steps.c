#include "allreduce_steps.h"

#include <stdio.h>
#include <stdlib.h>

static char trouble[200];

static uint64_t next_random(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *state ^ *state >> 29;
}

struct play *play_new(int ranks, size_t elements, bool ordered)
{
    struct play *play = calloc(1, sizeof *play);
    uint64_t state = 17;
    play->ranks = ranks;
    play->elements = elements;
    play->ordered = ordered;
    play->steps = calloc((size_t)ranks, sizeof *play->steps);
    play->input = calloc((size_t)ranks * elements + 1, sizeof *play->input);
    play->result = calloc((size_t)ranks * elements + 1, sizeof *play->result);
    for (size_t i = 0; i < (size_t)ranks * elements; i++) {
        play->input[i] = (struct value){next_random(&state), next_random(&state)};
        play->result[i] = (struct value){next_random(&state), next_random(&state)};
    }
    return play;
}

void play_free(struct play *play)
{
    for (int rank = 0; rank < play->ranks; rank++)
        topo_allreduce_steps_free(&play->steps[rank]);
    free(play->steps);
    free(play->input);
    free(play->result);
    free(play);
}

static struct value combine(const struct play *play, struct value left, struct value right)
{
    if (!play->ordered)
        return (struct value){left.a + right.a, left.b + right.b};
    return (struct value){left.a * right.a, left.a * right.b + left.b};
}

struct value play_expected(const struct play *play, size_t element)
{
    struct value value = play->input[element];
    for (int rank = 1; rank < play->ranks; rank++)
        value = combine(play, value, play->input[(size_t)rank * play->elements + element]);
    return value;
}

static struct value *cell(const struct play *play, struct value *base, int rank, size_t element)
{
    return &base[(size_t)rank * play->elements + element];
}

/* What `rank` sends of an element in a step. */
static struct value sent(const struct play *play, int rank, const struct topo_allreduce_step *step, size_t element)
{
    return *cell(play, step->flags & TOPO_ALLREDUCE_STEP_SENDS_INPUT ? play->input : play->result, rank, element);
}

static void receive(const struct play *play, int rank, const struct topo_allreduce_step *step, size_t element,
                    struct value incoming)
{
    struct value *here = cell(play, play->result, rank, element), own = *here;
    if (step->flags & TOPO_ALLREDUCE_STEP_MEETS_INPUT)
        own = *cell(play, play->input, rank, element);
    if (!(step->flags & TOPO_ALLREDUCE_STEP_ADD))
        *here = incoming;
    else
        *here = step->flags & TOPO_ALLREDUCE_STEP_INCOMING_LEFT ? combine(play, incoming, own)
                                                                : combine(play, own, incoming);
}

static bool has_send(const struct topo_allreduce_step *step)
{
    return step->to >= 0 && step->send.count > 0;
}

static bool has_receive(const struct topo_allreduce_step *step)
{
    return step->from >= 0 && step->receive.count > 0;
}

struct progress {
    int step;
    bool sent, received;
};

const char *play_blocks(struct play *play)
{
    struct progress *at = calloc((size_t)play->ranks, sizeof *at);
    struct value *held = calloc(play->elements + 1, sizeof *held);
    bool moved = true;
    const char *wrong = NULL;
    while (moved) {
        moved = false;
        for (int to = 0; to < play->ranks; to++) {
            const struct topo_allreduce_step *in = &play->steps[to].list[at[to].step];
            if (at[to].step == play->steps[to].count)
                continue;
            if (!at[to].received && has_receive(in)) {
                int from = in->from;
                const struct topo_allreduce_step *out = &play->steps[from].list[at[from].step];
                if (at[from].step < play->steps[from].count && !at[from].sent && out->to == to && has_send(out)) {
                    if (out->send.at != in->receive.at || out->send.count != in->receive.count)
                        wrong = "sender and receiver disagree about a block";
                    /* Both of an exchange send what they had before. */
                    for (size_t i = 0; i < in->receive.count; i++)
                        held[i] = sent(play, from, out, in->receive.at + i);
                    if (out->from == to && !at[from].received && in->to == from && !at[to].sent && has_receive(out) &&
                        has_send(in)) {
                        for (size_t i = 0; i < out->receive.count; i++)
                            receive(play, from, out, out->receive.at + i, sent(play, to, in, out->receive.at + i));
                        at[from].received = at[to].sent = true;
                    }
                    for (size_t i = 0; i < in->receive.count; i++)
                        receive(play, to, in, in->receive.at + i, held[i]);
                    at[from].sent = at[to].received = moved = true;
                }
            }
            for (int rank = 0; rank < play->ranks; rank++)
                while (at[rank].step < play->steps[rank].count) {
                    const struct topo_allreduce_step *step = &play->steps[rank].list[at[rank].step];
                    if ((has_send(step) && !at[rank].sent) || (has_receive(step) && !at[rank].received))
                        break;
                    at[rank] = (struct progress){at[rank].step + 1, false, false};
                    moved = true;
                }
        }
    }
    for (int rank = 0; rank < play->ranks && !wrong; rank++)
        if (at[rank].step < play->steps[rank].count) {
            snprintf(trouble, sizeof trouble, "rank %d is stuck at move %d of %d", rank, at[rank].step,
                     play->steps[rank].count);
            wrong = trouble;
        }
    free(at);
    free(held);
    return wrong;
}

/* A packet between two ranks, in order. */
struct flying {
    struct flying *next;
    struct topo_block block;
    struct value values[];
};

struct place {
    int step;
    size_t done;
};

static bool overlap(struct topo_block a, size_t at, size_t count)
{
    return a.at < at + count && at < a.at + a.count;
}

/* What topo_allreduce_step.after allows. */
static bool complete(const struct topo_allreduce_steps *steps, const struct topo_allreduce_step *step,
                     struct place combined, size_t at, size_t count)
{
    while (combined.step < steps->count && !has_receive(&steps->list[combined.step]))
        combined.step++;
    if (combined.step >= step->after)
        return true;
    if (combined.step < step->after - 1)
        return false;
    struct topo_block missing = steps->list[combined.step].receive;
    missing.at += combined.done;
    missing.count -= combined.done;
    return !overlap(missing, at, count);
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

static bool try_send(struct play *play, int rank, struct place *out, struct place combined, size_t packet,
                     struct flying **queues)
{
    const struct topo_allreduce_steps *steps = &play->steps[rank];
    while (out->step < steps->count && !has_send(&steps->list[out->step]))
        out->step++;
    if (out->step == steps->count)
        return false;
    const struct topo_allreduce_step *step = &steps->list[out->step];
    size_t at = step->send.at + out->done, count = least(packet, step->send.count - out->done);
    if (!complete(steps, step, combined, at, count))
        return false;
    struct flying *flying = malloc(sizeof *flying + count * sizeof *flying->values);
    struct flying **end = &queues[rank * play->ranks + step->to];
    flying->next = NULL;
    flying->block = (struct topo_block){at, count};
    for (size_t i = 0; i < count; i++)
        flying->values[i] = sent(play, rank, step, at + i);
    while (*end)
        end = &(*end)->next;
    *end = flying;
    out->done += count;
    if (out->done == step->send.count)
        *out = (struct place){out->step + 1, 0};
    return true;
}

static bool try_receive(struct play *play, int rank, struct place *in, struct place out, size_t packet,
                        struct flying **queues, const char **wrong)
{
    const struct topo_allreduce_steps *steps = &play->steps[rank];
    while (in->step < steps->count && !has_receive(&steps->list[in->step]))
        in->step++;
    if (in->step == steps->count)
        return false;
    const struct topo_allreduce_step *step = &steps->list[in->step];
    struct flying **queue = &queues[step->from * play->ranks + rank], *flying = *queue;
    if (!flying)
        return false;
    /* An exchange: these elements must have left before they change. */
    if (has_send(step) && out.step <= in->step && overlap(step->send, flying->block.at, flying->block.count) &&
        (out.step < in->step || step->send.at + out.done < flying->block.at + flying->block.count))
        return false;
    if (flying->block.at != step->receive.at + in->done ||
        flying->block.count != least(packet, step->receive.count - in->done))
        *wrong = "a packet is not the one that is waited for";
    for (size_t i = 0; i < flying->block.count && !*wrong; i++)
        receive(play, rank, step, flying->block.at + i, flying->values[i]);
    in->done += flying->block.count;
    if (in->done == step->receive.count)
        *in = (struct place){in->step + 1, 0};
    *queue = flying->next;
    free(flying);
    return true;
}

const char *play_packets(struct play *play, size_t packet, unsigned seed)
{
    size_t ranks = (size_t)play->ranks;
    struct place *out = calloc(ranks, sizeof *out), *in = calloc(ranks, sizeof *in);
    struct flying **queues = calloc(ranks * ranks, sizeof *queues);
    const char *wrong = NULL;
    uint64_t state = seed;
    for (size_t idle = 0; idle < 200 * ranks && !wrong; idle++) {
        int rank = (int)(next_random(&state) >> 33) % play->ranks;
        bool sends = next_random(&state) >> 40 & 1;
        if (sends ? try_send(play, rank, &out[rank], in[rank], packet, queues)
                  : try_receive(play, rank, &in[rank], out[rank], packet, queues, &wrong))
            idle = 0;
    }
    for (size_t rank = 0; rank < ranks && !wrong; rank++)
        if (in[rank].step < play->steps[rank].count && has_receive(&play->steps[rank].list[in[rank].step]))
            wrong = "a rank still waits for a packet";
    for (size_t i = 0; i < ranks * ranks; i++)
        for (struct flying *next; queues[i]; queues[i] = next) {
            next = queues[i]->next;
            free(queues[i]);
            wrong = wrong ? wrong : "a packet was never received";
        }
    free(out);
    free(in);
    free(queues);
    return wrong;
}

const char *play_check(const struct play *play)
{
    for (size_t element = 0; element < play->elements; element++) {
        struct value expected = play_expected(play, element);
        for (int rank = 0; rank < play->ranks; rank++) {
            struct value *got = cell(play, play->result, rank, element);
            if (got->a == expected.a && got->b == expected.b)
                continue;
            snprintf(trouble, sizeof trouble, "rank %d has a wrong element %zu of %zu", rank, element, play->elements);
            return trouble;
        }
    }
    return NULL;
}
