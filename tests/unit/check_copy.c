#include "unit.h"

#include <string.h>

#include "base/copy.h"

/* Every length around what copies by lines, from and to every place in a line: the bytes arrive, those beside them
 * stay. */
START_TEST(as_memcpy)
{
    enum { ROOM = 5000, LINE = 64 };
    static unsigned char from[ROOM], to[ROOM], expected[ROOM];
    static const size_t lengths[] = {0, 1, 63, 64, 1023, 1024, 1025, 1087, 1088, 1151, 2048, 4097};
    for (int i = 0; i < ROOM; i++)
        from[i] = (unsigned char)(i * 7 + i / 251);
    for (size_t k = 0; k < sizeof lengths / sizeof *lengths; k++)
        for (int target = 0; target < LINE; target++)
            for (int source = 0; source < LINE; source += 7) {
                bool stream = (target + source) % 2;
                memset(to, 0xee, sizeof to);
                memset(expected, 0xee, sizeof expected);
                memcpy(expected + target, from + source, lengths[k]);
                topo_copy(to + target, from + source, lengths[k], stream);
                ck_assert_msg(!memcmp(to, expected, sizeof to), "%zu bytes from %d to %d, stream %d", lengths[k],
                              source, target, stream);
            }
}
END_TEST

UNIT_MAIN("copy", {as_memcpy})
