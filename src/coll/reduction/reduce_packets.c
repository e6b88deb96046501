#include "coll/reduction/reduce_steps.h"

#include "base/memory.h"
#include "coll/base/scratch.h"
#include "coll/base/transport.h"
#include "patterns/limits.h"
#include "base/align.h"

/* Receives that are posted at a time: many of short packets, as those of a direct step come from as many ranks, and one
 * that is posted late may wait a latency; of long ones two, which stay in a cache. */
enum { RECEIVES = 32, RECEIVES_LEAST = 2, RECEIVES_BYTES = 128 << 10 };

enum { SENDS = 4, REQUESTS = RECEIVES + SENDS };

/* A place in a list of steps: packet by packet. */
struct cursor {
    int step;
    size_t done; /* elements of that step's block */
};

/* A packet on its way in, and one on its way out. */
struct arriving {
    int step;
    struct topo_block block;
    char *landing;
};

struct leaving {
    struct topo_block block;
    bool from_result;
};

/* One list of steps in progress. Packets are received, and combined, in order. */
struct chain {
    const struct topo_allreduce_steps *steps;
    int tag;
    struct cursor posted;         /* next packet to post a receive for */
    struct cursor combined;       /* everything before has arrived and is added in */
    struct cursor sent;           /* next packet to send */
    int first_replacing;          /* first step that overwrites the result */
    struct arriving in[RECEIVES]; /* oldest at `oldest`, `receiving` of them */
    int oldest, receiving;
    struct leaving out[SENDS];
    char *waiting[RECEIVES]; /* buffers of one packet each */
    MPI_Request *request;    /* [REQUESTS], its part of one array: receives, then sends */
};

struct engine {
    const struct topo_run *run;
    const struct topo_vector *vector;
    struct chain *chains; /* [active] */
    int receives;         /* posted at a time: RECEIVES_LEAST to RECEIVES */
    MPI_Request *requests;
    int *indices;
    bool *finished; /* [lists] */
};

/* The packet of `block` that a cursor stands at. */
static struct topo_block next_packet(const struct engine *engine, const struct topo_block *block,
                                     const struct cursor *cursor)
{
    size_t left = block->count - cursor->done;
    return (struct topo_block){block->at + cursor->done, left < engine->run->packet ? left : engine->run->packet};
}

static const struct topo_block *received_block(const struct topo_allreduce_steps *steps, int step)
{
    static const struct topo_block nothing;
    const struct topo_allreduce_step *at = &steps->list[step];
    return at->from < 0 ? &nothing : &at->receive;
}

static const struct topo_block *sent_block(const struct topo_allreduce_steps *steps, int step)
{
    static const struct topo_block nothing;
    const struct topo_allreduce_step *at = &steps->list[step];
    return at->to < 0 ? &nothing : &at->send;
}

/* Moves a cursor past blocks that are finished or empty. */
static void skip(const struct topo_allreduce_steps *steps, struct cursor *cursor,
                 const struct topo_block *(*block_of)(const struct topo_allreduce_steps *, int))
{
    while (cursor->step < steps->count && cursor->done == block_of(steps, cursor->step)->count) {
        cursor->step++;
        cursor->done = 0;
    }
}

static void chain_start(struct chain *chain, const struct topo_allreduce_steps *steps, int tag)
{
    chain->steps = steps;
    chain->tag = tag;
    chain->posted = chain->combined = chain->sent = (struct cursor){0, 0};
    chain->oldest = chain->receiving = 0;
    chain->first_replacing = 0;
    while (chain->first_replacing < steps->count &&
           (steps->list[chain->first_replacing].flags & TOPO_ALLREDUCE_STEP_ADD ||
            steps->list[chain->first_replacing].from < 0))
        chain->first_replacing++;
    for (int i = 0; i < REQUESTS; i++)
        chain->request[i] = MPI_REQUEST_NULL;
    skip(steps, &chain->posted, received_block);
    skip(steps, &chain->combined, received_block);
    skip(steps, &chain->sent, sent_block);
}

static bool chain_finished(const struct chain *chain)
{
    for (int i = RECEIVES; i < REQUESTS; i++)
        if (chain->request[i] != MPI_REQUEST_NULL)
            return false;
    return chain->combined.step == chain->steps->count && chain->sent.step == chain->steps->count;
}

static bool overlap(struct topo_block a, struct topo_block b)
{
    return a.at < b.at + b.count && b.at < a.at + a.count;
}

/* True when elements `leaving` hold what `step` is to send. */
static bool may_send(const struct chain *chain, const struct topo_allreduce_step *step, struct topo_block leaving)
{
    if (chain->combined.step >= step->after)
        return true;
    if (chain->combined.step < step->after - 1)
        return false;
    struct topo_block missing = *received_block(chain->steps, chain->combined.step);
    missing.at += chain->combined.done;
    missing.count -= chain->combined.done;
    return !overlap(leaving, missing);
}

/* True when elements `block` of the result may change by step `step`: no message
 * that carries the old ones still has to leave. Blocks are overwritten (phase 2)
 * only where phase 1 sent them, and added to only by the step that sends them. */
static bool may_change(const struct chain *chain, int step, struct topo_block block)
{
    const struct topo_allreduce_step *changing = &chain->steps->list[step];
    for (int i = 0; i < SENDS; i++)
        if (chain->request[RECEIVES + i] != MPI_REQUEST_NULL && chain->out[i].from_result &&
            overlap(chain->out[i].block, block))
            return false;
    if (!(changing->flags & TOPO_ALLREDUCE_STEP_ADD))
        return chain->sent.step >= chain->first_replacing;
    if (chain->sent.step > step || !overlap(*sent_block(chain->steps, step), block))
        return true;
    return chain->sent.step == step && changing->send.at + chain->sent.done >= block.at + block.count;
}

static int post_receives(struct engine *engine, struct chain *chain, bool *moved)
{
    const struct topo_vector *vector = engine->vector;
    while (chain->receiving < engine->receives && chain->posted.step < chain->steps->count) {
        const struct topo_allreduce_step *step = &chain->steps->list[chain->posted.step];
        int slot = (chain->oldest + chain->receiving) % engine->receives;
        struct arriving *in = &chain->in[slot];
        in->step = chain->posted.step;
        in->block = next_packet(engine, &step->receive, &chain->posted);
        if (!(step->flags & TOPO_ALLREDUCE_STEP_ADD) && !may_change(chain, in->step, in->block))
            return MPI_SUCCESS;
        in->landing = topo_vector_lands(vector, step) ? topo_vector_at(vector, vector->result, in->block.at)
                                                      : chain->waiting[slot];
        int code = topo_irecv_typed(in->landing, (int)in->block.count, vector->type, step->from, chain->tag,
                                    engine->run->channel, &chain->request[slot]);
        if (code != MPI_SUCCESS)
            return code;
        chain->receiving++;
        chain->posted.done += in->block.count;
        skip(chain->steps, &chain->posted, received_block);
        *moved = true;
    }
    return MPI_SUCCESS;
}

static int combine_arrived(struct engine *engine, struct chain *chain, bool *moved)
{
    while (chain->receiving && chain->request[chain->oldest] == MPI_REQUEST_NULL) {
        const struct arriving *in = &chain->in[chain->oldest];
        const struct topo_allreduce_step *step = &chain->steps->list[in->step];
        if ((step->flags & TOPO_ALLREDUCE_STEP_ADD) && !may_change(chain, in->step, in->block))
            return MPI_SUCCESS;
        int code = topo_vector_combine(engine->vector, step, in->block.at, in->block.count, in->landing);
        if (code != MPI_SUCCESS)
            return code;
        chain->combined.done += in->block.count;
        skip(chain->steps, &chain->combined, received_block);
        chain->oldest = (chain->oldest + 1) % engine->receives;
        chain->receiving--;
        *moved = true;
        /* The buffer is free: have the next packet under way before anything else. */
        if ((code = post_receives(engine, chain, moved)) != MPI_SUCCESS)
            return code;
    }
    return MPI_SUCCESS;
}

static int send_ready(struct engine *engine, struct chain *chain, bool *moved)
{
    const struct topo_vector *vector = engine->vector;
    for (int i = 0; i < SENDS && chain->sent.step < chain->steps->count; i++) {
        const struct topo_allreduce_step *step = &chain->steps->list[chain->sent.step];
        struct leaving *out = &chain->out[i];
        MPI_Request *request = &chain->request[RECEIVES + i];
        if (*request != MPI_REQUEST_NULL)
            continue;
        out->block = next_packet(engine, &step->send, &chain->sent);
        out->from_result = topo_vector_sends_result(vector, step);
        if (!may_send(chain, step, out->block))
            break;
        int code = topo_isend_typed(topo_vector_source(vector, step, out->block.at), (int)out->block.count,
                                    vector->type, step->to, chain->tag, engine->run->channel, request);
        if (code != MPI_SUCCESS)
            return code;
        chain->sent.done += out->block.count;
        skip(chain->steps, &chain->sent, sent_block);
        *moved = true;
    }
    return MPI_SUCCESS;
}

/* Whatever can be done without waiting. */
static int chain_advance(struct engine *engine, struct chain *chain)
{
    bool moved = true;
    int code = MPI_SUCCESS;
    while (moved && code == MPI_SUCCESS) {
        moved = false;
        code = post_receives(engine, chain, &moved);
        if (code == MPI_SUCCESS)
            code = combine_arrived(engine, chain, &moved);
        if (code == MPI_SUCCESS)
            code = send_ready(engine, chain, &moved);
    }
    return code;
}

/* Two ranks may be at different lists at a time, so lists have tags of their own; one begins when the one before it
 * with its tag is through. */
enum { TAGS = 2 * TOPO_STREAMS };

static bool may_start(const struct engine *engine, int list)
{
    return list < TAGS || engine->finished[list - TAGS];
}

/* Starts what a chain has to do, and does what it can; *moved: it is through with a list. */
static int chain_work(struct engine *engine, struct chain *chain, const struct topo_allreduce_steps *lists, int count,
                      int *started, bool *moved)
{
    if (!chain->steps && *started < count && may_start(engine, *started)) {
        chain_start(chain, &lists[*started], TOPO_TAG_STREAM + *started % TAGS);
        ++*started;
    }
    if (!chain->steps)
        return MPI_SUCCESS;
    int code = chain_advance(engine, chain);
    if (code == MPI_SUCCESS && chain_finished(chain)) {
        engine->finished[chain->steps - lists] = *moved = true;
        chain->steps = NULL;
    }
    return code;
}

static int run_all(struct engine *engine, const struct topo_allreduce_steps *lists, int count, int active)
{
    int started = 0, code = MPI_SUCCESS, completed;
    for (bool running = true; running && code == MPI_SUCCESS;) {
        bool moved = false;
        running = false;
        for (int i = 0; i < active && code == MPI_SUCCESS; i++) {
            code = chain_work(engine, &engine->chains[i], lists, count, &started, &moved);
            running |= engine->chains[i].steps || moved;
        }
        if (running && !moved && code == MPI_SUCCESS)
            code = PMPI_Waitsome(active * REQUESTS, engine->requests, &completed, engine->indices, MPI_STATUSES_IGNORE);
    }
    return code;
}

int topo_run_packets(const struct topo_run *run, const struct topo_vector *vector,
                     const struct topo_allreduce_steps *lists, int count, int active)
{
    struct engine engine = {.run = run, .vector = vector};
    char *block = NULL;
    int code = MPI_ERR_NO_MEM;
    size_t room = 0, bytes; /* of a buffer, elements: packets may be longer than all blocks */
    for (int i = 0; i < count; i++) {
        size_t longest = topo_vector_longest_waiting(vector, &lists[i]);
        room = longest > room ? longest : room;
    }
    room = room < run->packet ? room : run->packet;
    /* Each begins behind the last byte of the one before, which may lie far behind its last element's extent. */
    MPI_Aint offset = topo_vector_span(vector, room, &bytes);
    bytes = topo_align(bytes, TOPO_CACHE_LINE);
    engine.receives = bytes * RECEIVES <= RECEIVES_BYTES         ? RECEIVES
                      : bytes * RECEIVES_LEAST >= RECEIVES_BYTES ? RECEIVES_LEAST
                                                                 : (int)(RECEIVES_BYTES / bytes);
    size_t slots = (size_t)engine.receives;
    if (active > count)
        active = count;
    engine.chains = topo_calloc((size_t)active, sizeof *engine.chains);
    engine.requests = topo_calloc((size_t)active * REQUESTS, sizeof *engine.requests);
    engine.indices = topo_calloc((size_t)active * REQUESTS, sizeof *engine.indices);
    engine.finished = topo_calloc((size_t)count, sizeof *engine.finished);
    if (!engine.chains || !engine.requests || !engine.indices || !engine.finished ||
        (room && !(block = topo_scratch_take((size_t)active * slots * bytes))))
        goto out;
    for (int i = 0; i < active; i++) {
        engine.chains[i].request = engine.requests + i * REQUESTS;
        for (size_t slot = 0; slot < slots && room; slot++)
            engine.chains[i].waiting[slot] = topo_data_moved(block + ((size_t)i * slots + slot) * bytes, offset);
    }
    code = run_all(&engine, lists, count, active);
out:
    /* After a failure messages may still be on their way into the buffers: those are left to them. */
    if (code == MPI_SUCCESS || !block)
        topo_scratch_give(block);
    topo_free_all(engine.chains, engine.requests, engine.indices, engine.finished);
    return code;
}
