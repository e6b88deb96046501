#include "topo-bench/native_form.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* MPI_T, once and until the process ends: handles of variables live no longer. */
static bool have_variables(void)
{
    static int state;
    int provided;
    if (!state)
        state = MPI_T_init_thread(MPI_THREAD_SINGLE, &provided) == MPI_SUCCESS ? 1 : -1;
    return state > 0;
}

static int find_variable(const char *name)
{
    int index = -1;
    return have_variables() && MPI_T_cvar_get_index(name, &index) == MPI_SUCCESS ? index : -1;
}

#ifdef OPEN_MPI

int bench_native_find(enum topo_operation operation, const char *name)
{
    struct topo_text variable = {0};
    (void)operation;
    topo_text_addf(&variable, "coll_%s_priority", name);
    int found = !variable.failed && find_variable(variable.text) >= 0;
    topo_text_free(&variable);
    return found;
}

void bench_native_words(enum topo_operation operation, struct topo_text *out)
{
    (void)operation;
    topo_text_add(out, " native:COMPONENT (ompi_info shows them: MCA coll)");
}

MPI_Comm bench_native_comm(const char *name, MPI_Comm comm)
{
    MPI_Info info;
    /* The coll framework reads this key when it fills a communicator's table. */
    PMPI_Info_create(&info);
    PMPI_Info_set(info, "ompi_comm_coll_preference", name);
    PMPI_Comm_dup_with_info(comm, info, &comm);
    PMPI_Info_free(&info);
    return comm;
}

void bench_native_enter(enum topo_operation operation, int form)
{
    (void)operation, (void)form;
}

void bench_native_leave(enum topo_operation operation, int form)
{
    (void)operation, (void)form;
}

#else

/* MPICH's variables of this kind are ints whose values are counted as their description lists them: "auto - ...",
 * "brucks - Force ...". In 4.0 the description has lost its line feeds, and words hang together with what stands before
 * them ("algorithmbrucks  - Force"): these are the words by which they are cut. */
static const char *const words[] = {
    "all",
    "auto",
    "binomial",
    "brucks",
    "dissemination",
    "nb",
    "none",
    "noncommutative",
    "pairwise",
    "percoll",
    "pairwise_sendrecv_replace",
    "recursive_doubling",
    "recursive_halving",
    "reduce_scatter_allgather",
    "reduce_scatter_gather",
    "ring",
    "scatter_recursive_doubling_allgather",
    "scatter_ring_allgather",
    "scattered",
    "smp",
};

/* The longest of the words that ends where `length` characters of text end; NULL: none of them. */
static const char *word_at(const char *text, size_t length)
{
    const char *found = NULL;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        size_t letters = strlen(words[i]);
        if (letters <= length && !strncmp(text + length - letters, words[i], letters) &&
            (!found || letters > strlen(found)))
            found = words[i];
    }
    return found;
}

/* The value of `name` in a description, -1 where it has none; with `list` all its words but the first, "auto". */
static int value_of(const char *description, const char *name, struct topo_text *list)
{
    int value = 0, found = -1;
    for (const char *at = description; (at = strstr(at, " - ")); at += 3, value++) {
        size_t length = (size_t)(at - description);
        while (length && description[length - 1] == ' ')
            length--;
        const char *word = word_at(description, length);
        if (word && list && value)
            topo_text_addf(list, " native:%s", word);
        if (word && name && !strcmp(word, name))
            found = value;
    }
    return found;
}

static int value_in(const char *variable, const char *name, struct topo_text *list)
{
    char description[4096] = "", named[256];
    int length = sizeof description, name_length = sizeof named, verbosity, binding, scope,
        index = find_variable(variable);
    MPI_Datatype type;
    MPI_T_enum values;
    if (index < 0 || MPI_T_cvar_get_info(index, named, &name_length, &verbosity, &type, &values, description, &length,
                                         &binding, &scope) != MPI_SUCCESS)
        return -1;
    return value_of(description, name, list);
}

static const char device[] = "MPIR_CVAR_DEVICE_COLLECTIVES";

/* "MPIR_CVAR_ALLGATHER_INTRA_ALGORITHM". */
static void variable_of(enum topo_operation operation, char *name, size_t size)
{
    snprintf(name, size, "MPIR_CVAR_%s_INTRA_ALGORITHM", topo_operation_name(operation));
    for (; *name; name++)
        *name = (char)toupper((unsigned char)*name);
}

int bench_native_find(enum topo_operation operation, const char *name)
{
    char variable[100];
    variable_of(operation, variable, sizeof variable);
    int value = value_in(variable, name, NULL);
    return value > 0 && value_in(device, "none", NULL) >= 0 ? value : 0;
}

void bench_native_words(enum topo_operation operation, struct topo_text *out)
{
    char variable[100];
    variable_of(operation, variable, sizeof variable);
    value_in(variable, NULL, out);
}

MPI_Comm bench_native_comm(const char *name, MPI_Comm comm)
{
    (void)name;
    return comm;
}

/* One variable: what it was, and how it is written. */
struct control {
    bool open;
    MPI_T_cvar_handle handle;
    int before;
};

static void set(struct control *control, const char *variable, int value)
{
    int count;
    if (!control->open) {
        control->open =
            MPI_T_cvar_handle_alloc(find_variable(variable), NULL, &control->handle, &count) == MPI_SUCCESS &&
            MPI_T_cvar_read(control->handle, &control->before) == MPI_SUCCESS;
        if (!control->open)
            return;
    }
    MPI_T_cvar_write(control->handle, &value);
}

static struct control device_control, control[TOPO_OPERATION_COUNT];

void bench_native_enter(enum topo_operation operation, int form)
{
    static int none;
    char variable[100];
    if (!form)
        return;
    if (!none)
        none = value_in(device, "none", NULL);
    variable_of(operation, variable, sizeof variable);
    set(&device_control, device, none);
    set(&control[operation], variable, form);
}

void bench_native_leave(enum topo_operation operation, int form)
{
    if (!form)
        return;
    set(&device_control, device, device_control.before);
    set(&control[operation], "", control[operation].before);
}

#endif
