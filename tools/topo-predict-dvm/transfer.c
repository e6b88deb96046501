#include "topo-predict-dvm/transfer.h"

#include <math.h>

int topo_transfer_processors(const struct topo_transfer_machine *machine)
{
    int product = 1;
    for (int d = 0; d < machine->dimensions; d++)
        product *= machine->size[d];
    return product;
}

int topo_transfer_distance(const struct topo_transfer_machine *machine, int p, int q)
{
    int distance = 0;
    for (int d = machine->dimensions - 1; d >= 0; d--) {
        int difference = p % machine->size[d] - q % machine->size[d];
        distance += difference < 0 ? -difference : difference;
        p /= machine->size[d];
        q /= machine->size[d];
    }
    return distance;
}

static double with_packet(double start, double byte, int distance, int64_t bytes, int64_t packet)
{
    return (double)(distance - 1 + (bytes + packet - 1) / packet) * (start + byte * (double)packet);
}

double topo_transfer_pipelined(double start, double byte, int distance, int64_t bytes)
{
    double best, ideal;
    int64_t packet;
    if (bytes <= 0 || distance <= 0)
        return 0;
    if (distance == 1)
        return start + byte * (double)bytes;
    if (byte <= 0) /* a packet costs the same at any size: one packet */
        return distance * start;
    ideal = sqrt((double)bytes * start / ((distance - 1) * byte));
    packet = ideal < 1 ? 1 : ideal > (double)bytes ? bytes : (int64_t)ideal;
    best = with_packet(start, byte, distance, bytes, packet);
    /* Whole packets make small steps of the curve; walk while it falls. */
    for (int64_t step = 1; step >= -1; step -= 2)
        for (int64_t next = packet + step; next >= 1 && next <= bytes; next += step) {
            double seconds = with_packet(start, byte, distance, bytes, next);
            if (seconds >= best)
                break;
            best = seconds;
        }
    return best;
}

double topo_transfer_cost(const struct topo_transfer_machine *machine, const int64_t *bytes)
{
    int n = topo_transfer_processors(machine), farthest = 0;
    int64_t longest = 0;
    double seconds = 0;
    for (int from = 0; from < n; from++)
        for (int to = 0; to < n; to++) {
            int64_t here = bytes[(int64_t)from * n + to];
            if (from == to || here <= 0)
                continue;
            if (machine->network == TOPO_NETWORK_BUS) {
                seconds += machine->start + machine->byte * (double)here;
                continue;
            }
            int distance = topo_transfer_distance(machine, from, to);
            if (distance > farthest || (distance == farthest && here > longest)) {
                farthest = distance;
                longest = here;
            }
        }
    if (machine->network == TOPO_NETWORK_BUS)
        return seconds;
    return topo_transfer_pipelined(machine->start, machine->byte, farthest, longest);
}

double topo_transfer_reduction(const struct topo_transfer_machine *machine, int64_t bytes, const _Bool *divided,
                               const int *first, const int *holds)
{
    double message = machine->start + machine->byte * (double)bytes;
    int n = topo_transfer_processors(machine), product = 1, centre = 0, corner = 0;
    for (int d = 0; d < machine->dimensions; d++) {
        int before = first[d], behind = machine->size[d] - first[d] - holds[d];
        if (divided[d]) {
            product *= holds[d];
            centre += holds[d] / 2; /* ceil((holds - 1) / 2): from the middle one to the far end */
        }
        corner += before > behind ? before : behind;
    }
    return machine->network == TOPO_NETWORK_BUS ? message * (product + n - 2) : message * (2 * centre + corner);
}
