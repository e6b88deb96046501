/* Numbers, bytes, and topo-bench's lists of sizes. */
#include "readers/readers.h"

#include "topo-bench/sizes.h"

READER(sizes)
{
    char *text = reader_text(data, size), written[40];
    struct topo_error error = {""};
    struct bench_sizes sizes;
    size_t bytes, again = 0;
    long value, same = 0;
    enum topo_status status = bench_sizes_read(text, &sizes, &error);
    reader_status(status, &error);
    MUST(status != TOPO_OK || sizes.count > 0, "no size");
    for (int i = 0; status == TOPO_OK && i < sizes.count; i++)
        MUST(sizes.bytes[i] > (i ? sizes.bytes[i - 1] : 0) && sizes.bytes[i] <= (size_t)1 << 30, "%zu bytes",
             sizes.bytes[i]);
    bench_sizes_free(&sizes);
    if (topo_parse_size(text, &bytes)) {
        topo_format_size(bytes, written, sizeof written);
        MUST(topo_parse_size(written, &again) && again == bytes, "%zu is written as %s", bytes, written);
    }
    if (topo_parse_long(text, -1000, 1000, &value)) {
        snprintf(written, sizeof written, "%ld", value);
        MUST(topo_parse_long(written, value, value, &same) && same == value && value >= -1000 && value <= 1000,
             "%ld is written as %s", value, written);
    }
    reader_scarce(data, size);
    bench_sizes_read(text, &sizes, &error);
    reader_plenty();
    bench_sizes_free(&sizes);
    free(text);
    return 0;
}
