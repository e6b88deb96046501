/* Which rule models which call; intervals, tasks and input/output (docs/REFERENCES.md, Predictor 5 and 6). */
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "topo-predict-dvm/dvm_model_parts.h"

static const struct rule {
    const char *name;
    bool main; /* the main rule gives the time */
    topo_dvm_function *function;
} rules[] = {
    {"eloop_", false, topo_dvm_einter},
    {"enloop_", false, topo_dvm_einter}, /* what later versions of Lib-DVM call eloop_ */
#define MAIN(call) {#call "_", true, topo_dvm_##call},
#define OWN(call) {#call "_", false, topo_dvm_##call},
#include "topo-predict-dvm/dvm_calls.def"
};

/* Calls of Lib-DVM that only take time: known, so not warned of. */
static const char *const ordinary[] = {
    "getlen_", "getamv_", "getrnk_", "getsiz_", "getind_", "locsiz_", "locind_", "setind_", "tstio_",  "tstda_",
    "tstelm_", "rwelm_",  "copelm_", "elmcpy_", "rlocel_", "wlocel_", "clocel_", "blkdiv_", "arrmap_", "amvmap_",
    "delarm_", "delmvm_", "begbl_",  "endbl_",  "saverg_", "saverv_", "delps_",  "tron_",   "troff_",
};

/* Calls that do what the model has no part for: timed as ordinary ones, warned of. */
static const struct {
    const char *name, *what;
} partly[] = {
    {"setelw_", "setelw_: weights of elements are not modelled; blocks stay equal"},
};

/* Input and output calls; `result`: bytes of the result that every processor gets, 0: none. */
static const struct {
    const char *name;
    int result;
} io_calls[] = {
    {"dvm_fopen", 8},        {"dvm_fclose", 4},       {"dvm_freopen", 8},     {"dvm_tmpfile", 8},
    {"dvm_fread", 8},        {"dvm_fwrite", 8},       {"dvm_fgetc", 4},       {"dvm_getc", 4},
    {"dvm_getchar", 4},      {"dvm_fgets", 8},        {"dvm_gets", 8},        {"dvm_fputc", 4},
    {"dvm_putc", 4},         {"dvm_putchar", 4},      {"dvm_fputs", 4},       {"dvm_puts", 4},
    {"dvm_ungetc", 4},       {"dvm_fscanf", 4},       {"dvm_scanf", 4},       {"dvm_vfscanf", 4},
    {"dvm_vscanf", 4},       {"dvm_fprintf", 4},      {"dvm_printf", 4},      {"dvm_vfprintf", 4},
    {"dvm_vprintf", 4},      {"dvm_void_fprintf", 0}, {"dvm_void_printf", 0}, {"dvm_void_vfprintf", 0},
    {"dvm_void_vprintf", 0}, {"dvm_feof", 4},         {"dvm_ferror", 4},      {"dvm_clearerr", 0},
    {"dvm_fflush", 4},       {"dvm_fseek", 4},        {"dvm_ftell", 8},       {"dvm_fgetpos", 4},
    {"dvm_fsetpos", 4},      {"dvm_rewind", 0},       {"dvm_setbuf", 0},      {"dvm_setvbuf", 4},
    {"dvm_remove", 4},       {"dvm_rename", 4},       {"dvm_tmpnam", 0},      {"dvm_open", 4},
    {"dvm_close", 4},        {"dvm_read", 4},         {"dvm_write", 4},       {"dvm_lseek", 8},
    {"dvm_access", 4},       {"dvm_stat", 4},         {"dvm_fstat", 4},       {"dvm_dfread", 4},
    {"dvm_dfwrite", 4},
};

static double call_time(const struct topo_dvm_model *model, const struct topo_dvm_call *call)
{
    return call->call_time * model->power;
}

static double return_time(const struct topo_dvm_model *model, const struct topo_dvm_call *call)
{
    return call->return_time * model->power;
}

/* The processor that reads and writes: the first of the whole machine. */
enum { IO_PROCESSOR = 0 };

/* Seconds until `bytes` of the I/O processor are on all processors of the current system. */
static double broadcast(struct topo_dvm_model *model, int64_t bytes)
{
    TOPO_SCOPED_BY(topo_dvm_traffic_free) struct topo_dvm_traffic traffic = {0};
    if (topo_dvm_traffic_new(&model->machine, &traffic) != TOPO_OK) {
        model->out_of_memory = true;
        return 0;
    }
    for (int i = 0; i < model->current->count; i++)
        traffic.bytes[(int64_t)IO_PROCESSOR * traffic.processors + model->current->root[i]] = bytes;
    return topo_transfer_cost(&model->machine, traffic.bytes);
}

/* User time in front of an I/O call: inside biof_ .. eiof_ only the I/O processor works. */
static void before_io(struct topo_dvm_model *model, const struct topo_dvm_call *call)
{
    if (model->io_block)
        topo_dvm_model_add(model, IO_PROCESSOR, call_time(model, call), &topo_dvm_model_times(model, IO_PROCESSOR)->io);
    else
        topo_dvm_model_main(model, call_time(model, call), 0);
}

static void do_io(struct topo_dvm_model *model, const struct topo_dvm_call *call, int result)
{
    int64_t bytes = result;
    long size, count;
    before_io(model, call);
    topo_dvm_model_add(model, IO_PROCESSOR, return_time(model, call), &topo_dvm_model_times(model, IO_PROCESSOR)->io);
    model->intervals->current->operations[TOPO_COMM_IO]++;
    /* What is read goes to everybody together with the result, where the trace says how much it is. */
    if (strstr(call->name, "read") && topo_dvm_number(model->trace, call, TOPO_DVM_IN, "Size", 10, &size) &&
        topo_dvm_number(model->trace, call, TOPO_DVM_IN, "Count", 10, &count) && size > 0 && count > 0 &&
        size <= TOPO_DVM_NUMBER_MAX / count)
        bytes += (int64_t)size * count;
    if (result && !model->io_block)
        topo_dvm_model_communicate(model, TOPO_COMM_IO, model->clock[IO_PROCESSOR], broadcast(model, bytes));
}

bool topo_dvm_biof(struct topo_dvm_model *model, const struct topo_dvm_call *call)
{
    (void)call;
    model->intervals->current->operations[TOPO_COMM_IO]++;
    model->io_block = true;
    return true;
}

bool topo_dvm_eiof(struct topo_dvm_model *model, const struct topo_dvm_call *call)
{
    if (!model->io_block)
        return topo_dvm_model_error(model, call, "no biof_ before");
    before_io(model, call);
    model->io_block = false;
    topo_dvm_model_main(model, 0, return_time(model, call));
    return true;
}

/* Memory of the I/O processor is sent to all. */
bool topo_dvm_srmem(struct topo_dvm_model *model, const struct topo_dvm_call *call)
{
    long lengths[64], bytes = 0;
    int count = topo_dvm_numbers(model->trace, call, "LengthArray", 64, lengths);
    for (int i = 0; i < count; i++) {
        if (lengths[i] < 0 || lengths[i] > TOPO_DVM_NUMBER_MAX)
            return topo_dvm_model_error(model, call, "LengthArray[%d]=%ld; allowed: 0 and more", i, lengths[i]);
        bytes += lengths[i];
    }
    if (count <= 0)
        return topo_dvm_model_error(model, call, "no parameter LengthArray[0]");
    before_io(model, call);
    topo_dvm_model_communicate(model, TOPO_COMM_IO, model->clock[IO_PROCESSOR], broadcast(model, bytes));
    return true;
}

static bool enter(struct topo_dvm_model *model, const struct topo_dvm_call *call, enum topo_interval_kind kind)
{
    struct topo_interval_key key = {.kind = kind, .file = call->file, .line = call->line};
    key.has_value = topo_dvm_number(model->trace, call, TOPO_DVM_IN, "index", 10, &key.value);
    /* The time up to here belongs to the interval outside. */
    topo_dvm_model_main(model, call_time(model, call), return_time(model, call));
    if (topo_intervals_enter(model->intervals, &key) != TOPO_OK)
        model->out_of_memory = true;
    return true;
}

bool topo_dvm_binter(struct topo_dvm_model *model, const struct topo_dvm_call *call)
{
    return enter(model, call, TOPO_INTERVAL_USER);
}

bool topo_dvm_bsloop(struct topo_dvm_model *model, const struct topo_dvm_call *call)
{
    return enter(model, call, TOPO_INTERVAL_SEQUENTIAL);
}

bool topo_dvm_bploop(struct topo_dvm_model *model, const struct topo_dvm_call *call)
{
    return enter(model, call, TOPO_INTERVAL_PARALLEL);
}

/* The computation in front of the end is the interval's; the return is outside. */
bool topo_dvm_einter(struct topo_dvm_model *model, const struct topo_dvm_call *call)
{
    enum topo_interval_kind kind = model->intervals->current->kind;
    bool is_user = !strcmp(call->name, "einter_");
    if (kind == TOPO_INTERVAL_PROGRAM || is_user != (kind == TOPO_INTERVAL_USER))
        return topo_dvm_model_error(model, call, "the current interval is of kind %s", topo_interval_kind_name(kind));
    topo_dvm_model_main(model, call_time(model, call), 0);
    topo_intervals_leave(model->intervals);
    topo_dvm_model_main(model, 0, return_time(model, call));
    return true;
}

/* The processors of the task's system go on alone. */
bool topo_dvm_runam(struct topo_dvm_model *model, const struct topo_dvm_call *call)
{
    struct topo_dvm_object *machine = topo_dvm_model_object(model, call, TOPO_DVM_AM, "AMRef");
    enum { MOST = sizeof model->stack / sizeof *model->stack };
    if (!machine)
        return false;
    if (!machine->mapped)
        return topo_dvm_model_error(model, call, "the abstract machine is not mapped to processors");
    if (model->depth == MOST)
        return topo_dvm_model_error(model, call, "more than %d tasks inside each other", (int)MOST);
    topo_dvm_model_main(model, call_time(model, call), 0);
    model->stack[model->depth++].grid = model->current;
    model->current = (struct topo_dvm_grid *)machine->mapped;
    topo_dvm_model_main(model, 0, return_time(model, call));
    return true;
}

bool topo_dvm_stopam(struct topo_dvm_model *model, const struct topo_dvm_call *call)
{
    if (!model->depth)
        return topo_dvm_model_error(model, call, "no task is running");
    topo_dvm_model_main(model, call_time(model, call), return_time(model, call));
    model->current = model->stack[--model->depth].grid;
    return true;
}

void topo_dvm_call(struct topo_dvm_model *model, const struct topo_dvm_call *call)
{
    const struct rule *rule = NULL;
    char unknown[140];
    if (call->returned)
        for (size_t i = 0; i < sizeof rules / sizeof *rules && !rule; i++)
            if (!strcmp(rules[i].name, call->name))
                rule = &rules[i];
    if (rule) {
        bool modelled = rule->function(model, call);
        if (!modelled || rule->main)
            topo_dvm_model_main(model, call_time(model, call), return_time(model, call));
        return;
    }
    for (size_t i = 0; i < sizeof io_calls / sizeof *io_calls; i++)
        if (!strcmp(io_calls[i].name, call->name) && call->returned) {
            do_io(model, call, io_calls[i].result);
            return;
        }
    topo_dvm_model_main(model, call_time(model, call), return_time(model, call));
    for (size_t i = 0; i < sizeof ordinary / sizeof *ordinary; i++)
        if (!strcmp(ordinary[i], call->name))
            return;
    for (size_t i = 0; i < sizeof partly / sizeof *partly; i++)
        if (!strcmp(partly[i].name, call->name)) {
            topo_dvm_model_warn(model, call, call->name, partly[i].what);
            return;
        }
    if (!call->returned)
        return;
    snprintf(unknown, sizeof unknown, "unknown call %.80s; timed as an ordinary one", call->name);
    topo_dvm_model_warn(model, call, call->name, unknown);
}
