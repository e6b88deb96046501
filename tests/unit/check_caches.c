#include "unit.h"

#include <string.h>

#include "machine/caches.h"

/* The kernel's word for it; 0: it has none. */
static size_t of_kernel(int level)
{
    size_t bytes = 0;
    for (int index = 0; index < 8; index++) {
        char path[100], type[32] = "", size[32] = "", unit = 'K';
        int found = 0;
        long number = 0;
        const char *const fields[] = {"level", "type", "size"};
        for (int f = 0; f < 3; f++) {
            snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu0/cache/index%d/%s", index, fields[f]);
            FILE *file = fopen(path, "r");
            if (!file)
                continue;
            if (f == 0 ? fscanf(file, "%d", &found) != 1 : fscanf(file, "%31s", f == 1 ? type : size) != 1)
                found = 0;
            fclose(file);
        }
        if (found == level && strcmp(type, "Instruction") && sscanf(size, "%ld%c", &number, &unit) >= 1)
            bytes = (size_t)number << (unit == 'M' ? 20 : 10);
    }
    return bytes;
}

/* hwloc may know what the kernel does not say, never something else. */
START_TEST(as_the_kernel_says)
{
    struct topo_caches caches = {1, 1, 1};
    topo_caches_read(&caches);
    const size_t read[] = {caches.l1, caches.l2, caches.l3};
    for (int level = 1; level <= 3; level++) {
        size_t kernel = of_kernel(level);
        ck_assert_msg(!kernel || read[level - 1] == kernel, "L%d: %zu bytes, the kernel says %zu", level,
                      read[level - 1], kernel);
        ck_assert_msg(read[level - 1] != 1, "L%d is known or 0", level);
    }
    ck_assert(!caches.l1 || !caches.l2 || caches.l1 <= caches.l2);
}
END_TEST

START_TEST(hwloc_says_its_version)
{
    static const char *const formats[] = {"hwloc API %u.%u.%u", "hwloc %u.%u.%u"};
    for (int release = 0; release < 2; release++) {
        struct topo_text out = {0};
        unsigned major = 0, minor = 0, last = 0;
        topo_hwloc_about(release, &out);
        ck_assert_msg(sscanf(out.text, formats[release], &major, &minor, &last) == 3 && major >= 2, "%s", out.text);
        topo_text_free(&out);
    }
}
END_TEST

UNIT_MAIN("caches", {as_the_kernel_says}, {hwloc_says_its_version})
