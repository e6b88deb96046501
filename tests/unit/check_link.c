#include "unit.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "machine/link.h"
#include "model/params.h"

static char root[32];

static void make_root(void)
{
    strcpy(root, "/tmp/check_link.XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(root));
}

static void remove_root(void)
{
    char command[128];
    snprintf(command, sizeof command, "chmod -R u+rwx '%s'; rm -rf '%s'", root, root);
    ck_assert_int_eq(system(command), 0);
}

/* A file of the made-up system, and its folders. */
static void put(const char *path, const char *text)
{
    char full[700];
    snprintf(full, sizeof full, "%s/%s", root, path);
    for (char *slash = strchr(full + strlen(root) + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(full, 0700);
        *slash = '/';
    }
    FILE *file = fopen(full, "w");
    ck_assert_ptr_nonnull(file);
    fputs(text, file);
    fclose(file);
}

/* An interface; `device`: it belongs to one. */
static void interface(const char *name, const char *type, const char *state, const char *speed, bool device)
{
    const struct {
        const char *file, *text;
    } files[] = {{"type", type}, {"operstate", state}, {"speed", speed}, {"device/vendor", device ? "0x15b3" : NULL}};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        char path[256];
        snprintf(path, sizeof path, "class/net/%s/%s", name, files[i].file);
        if (files[i].text)
            put(path, files[i].text);
    }
}

static void port(const char *device, const char *number, const char *layer, const char *state, const char *rate)
{
    const char *const texts[][2] = {{"link_layer", layer}, {"state", state}, {"rate", rate}};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        char path[256];
        snprintf(path, sizeof path, "class/infiniband/%s/ports/%s/%s", device, number, texts[i][0]);
        put(path, texts[i][1]);
    }
}

/* What the made-up system says: `rate` in Gbit/s of `path`; 0: nothing. */
static void is(double rate, enum topo_link_kind kind, const char *path)
{
    struct topo_system_link link;
    ck_assert_int_eq(topo_link_read(root, &link), rate > 0);
    ck_assert_msg(link.rate == rate * 1e9, "%g", link.rate);
    if (rate > 0) {
        ck_assert_int_eq(link.kind, kind);
        ck_assert_msg(!strncmp(link.path, root, strlen(root)) && !strcmp(link.path + strlen(root), path), "%s",
                      link.path);
    }
}

START_TEST(ethernet)
{
    make_root();
    is(0, 0, "");
    interface("lo", "772\n", "unknown\n", "", false);
    is(0, 0, "");
    interface("eth0", "1\n", "up\n", "25000\n", true);
    is(25, TOPO_LINK_ETHERNET, "/class/net/eth0");
    /* The fastest of several, and of equal ones the one whose name comes first. */
    interface("eth1", "1\n", "up\n", "100000\n", true);
    is(100, TOPO_LINK_ETHERNET, "/class/net/eth1");
    interface("ens2", "1\n", "up\n", "100000\n", true);
    is(100, TOPO_LINK_ETHERNET, "/class/net/ens2");
    /* None that is down, or of another kind. */
    interface("eth2", "1\n", "down\n", "200000\n", true);
    interface("ib0", "32\n", "up\n", "200000\n", true);
    is(100, TOPO_LINK_ETHERNET, "/class/net/ens2");
    remove_root();
}
END_TEST

START_TEST(unknown)
{
    static const char *const speeds[] = {
        "-1\n", "", "0\n", "fast\n", "25000 Mb/s\n", "1e5\n", "99999999999999999999\n", "0x10\n"};
    make_root();
    interface("docker0", "1\n", "up\n", "10000\n", false);
    interface("veth1", "1\n", "up\n", "10000\n", false);
    interface("bond0", "1\n", "up\n", "50000\n", false);
    is(0, 0, "");
    for (size_t i = 0; i < sizeof speeds / sizeof *speeds; i++) {
        interface("eth0", "1\n", "up\n", speeds[i], true);
        is(0, 0, "");
    }
    interface("eth0", "a\n", "up\n", "1000\n", true);
    is(0, 0, "");
    interface("eth0", "1\n", "up\n", "1000\n", true);
    is(1, TOPO_LINK_ETHERNET, "/class/net/eth0");
    remove_root();
}
END_TEST

START_TEST(infiniband)
{
    make_root();
    port("mlx5_0", "1", "InfiniBand\n", "4: ACTIVE\n", "100 Gb/sec (4X EDR)\n");
    is(100, TOPO_LINK_INFINIBAND, "/class/infiniband/mlx5_0/ports/1");
    interface("eth0", "1\n", "up\n", "100000\n", true); /* no faster */
    is(100, TOPO_LINK_INFINIBAND, "/class/infiniband/mlx5_0/ports/1");
    port("mlx5_1", "2", "InfiniBand\n", "1: DOWN\n", "400 Gb/sec (4X NDR)\n");
    port("mlx5_2", "1", "InfiniBand\n", "5: ACTIVE_DEFER\n", "400 Gb/sec (4X NDR)\n");
    port("mlx5_3", "1", "Ethernet\n", "4: ACTIVE\n", "200 Gb/sec (4X HDR)\n");
    port("mlx5_4", "1", "InfiniBand\n", "4: ACTIVE\n", "much\n");
    is(100, TOPO_LINK_INFINIBAND, "/class/infiniband/mlx5_0/ports/1");
    interface("eth0", "1\n", "up\n", "200000\n", true);
    is(200, TOPO_LINK_ETHERNET, "/class/net/eth0");
    remove_root();
}
END_TEST

/* Files that are folders, and what may not be read. */
START_TEST(not_readable)
{
    char path[256];
    make_root();
    interface("eth0", "1\n", "up\n", "1000\n", true);
    interface("eth1", "1\n", "up\n", NULL, true);
    put("class/net/eth1/speed/file", "2000");
    put("class/infiniband", "");
    is(1, TOPO_LINK_ETHERNET, "/class/net/eth0");
    snprintf(path, sizeof path, "%s/class", root);
    chmod(path, 0);
    if (geteuid() != 0)
        is(0, 0, "");
    remove_root();
    is(0, 0, "");
}
END_TEST

START_TEST(long_names)
{
    char name[200], path[512];
    struct topo_system_link link;
    make_root();
    memset(name, 'e', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    snprintf(path, sizeof path, "class/net/%.150s/speed", name);
    put(path, "1000");
    is(0, 0, "");
    snprintf(path, sizeof path, "/%s/%s", name, name);
    ck_assert(!topo_link_read(path, &link));
    remove_root();
}
END_TEST

START_TEST(parameters)
{
    struct topo_params shipped, params;
    topo_params_default(&shipped);
    params = shipped;
    topo_params_set_links(&params, 25e9, TOPO_LINK_ETHERNET);
    ck_assert(params.link[TOPO_LEVEL_NODE].beta == 8 / 25e9 && params.link[TOPO_LEVEL_SWITCH].beta == 8 / 25e9);
    ck_assert(params.link[TOPO_LEVEL_NODE].alpha == shipped.link[TOPO_LEVEL_NODE].alpha);
    topo_params_set_links(&params, 100e9, TOPO_LINK_INFINIBAND);
    ck_assert(params.link[TOPO_LEVEL_NODE].beta == 8 / 100e9 && params.link[TOPO_LEVEL_NODE].alpha == 4e-6);
    ck_assert(params.link[TOPO_LEVEL_SWITCH].alpha == 6e-6);
    ck_assert(!memcmp(&params.link[TOPO_LEVEL_PACKAGE], &shipped.link[TOPO_LEVEL_PACKAGE], sizeof *params.link));
}
END_TEST

UNIT_MAIN("link", {ethernet}, {unknown}, {infiniband}, {not_readable}, {long_names}, {parameters})
