#include "common/script.h"

#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/memory.h"
#include "common/cli.h"

extern char **environ;

/* The input as a file to be read, so that a script that ends early breaks no pipe; NULL: errno says why. */
static FILE *file_of(const struct topo_text *input)
{
    FILE *file = tmpfile();
    if (file && input && input->length && fwrite(input->text, 1, input->length, file) != input->length) {
        fclose(file);
        return NULL;
    }
    if (file)
        rewind(file);
    return file;
}

static int run(const char *tool, char *const *argv, int input)
{
    posix_spawn_file_actions_t actions;
    pid_t child;
    int status, code = posix_spawn_file_actions_init(&actions);
    if (!code)
        code = posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
    if (!code)
        code = posix_spawnp(&child, argv[0], &actions, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (code == ENOENT)
        return cli_fail(tool, CLI_FAILED, "python3 is missing, which makes reports and charts (Debian: python3)");
    if (code)
        return cli_fail(tool, CLI_FAILED, "python3: %s", strerror(code));
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return cli_fail(tool, CLI_FAILED, "python3: %s", strerror(errno));
    if (!WIFEXITED(status))
        return cli_fail(tool, CLI_FAILED, "python3 was ended by signal %d", WTERMSIG(status));
    return WEXITSTATUS(status);
}

int cli_script(const char *tool, const char *script, const char *const *arguments, const struct topo_text *input)
{
    /* -I: no module of the folder that the user happens to be in, no variable of Python's. */
    const char *const begin[] = {"python3", "-I", "-c", script};
    enum { BEGIN = sizeof begin / sizeof *begin };
    int count = 0, status;
    while (arguments[count])
        count++;
    TOPO_SCOPED const char **argv = topo_calloc((size_t)count + BEGIN + 1, sizeof *argv);
    if (!argv || (input && input->failed))
        return cli_fail(tool, CLI_FAILED, "out of memory");
    memcpy(argv, begin, sizeof begin);
    memcpy(argv + BEGIN, arguments, (size_t)count * sizeof *argv);
    FILE *file = file_of(input);
    fflush(stdout);
    status = file ? run(tool, (char *const *)argv, fileno(file))
                  : cli_fail(tool, CLI_FAILED, "a temporary file: %s", strerror(errno));
    if (file)
        fclose(file);
    return status;
}
