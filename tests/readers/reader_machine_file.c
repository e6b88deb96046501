/* Machine files of topo-predict. */
#include "readers/readers.h"

#include <math.h>

#include "predict/mpi/machine_file.h"

READER(machine_file)
{
    char *text = reader_text(data, size);
    struct topo_machine_file file;
    struct topo_error error = {""}, why = {""};
    double speed;
    enum topo_status status = topo_machine_file_parse(text, "f", &file, &error);
    reader_status(status, &error);
    if (status == TOPO_OK) {
        MUST(!file.tree || topo_tree_check(file.tree, &why) == TOPO_OK, "%s", why.text);
        MUST(file.speed > 0 && isfinite(1e18 * file.speed) && isfinite(1e18 / file.speed), "speed %g", file.speed);
    }
    topo_machine_file_free(&file);
    MUST(!topo_machine_speed(text, &speed) || (isfinite(speed) && speed > 0), "speed %g", speed);
    reader_scarce(data, size);
    topo_machine_file_parse(text, "f", &file, &error);
    reader_plenty();
    topo_machine_file_free(&file);
    free(text);
    return 0;
}
