/* The ranks' reports along a binomial tree, so that each keeps one, of all that are behind it. */
#include <limits.h>
#include <stdint.h>

#include "base/memory.h"
#include "job/channel.h"
#include "job/job.h"
#include "job/recovery.h"
#include "observe/stats.h"
#include "report/report.h"

/* Parts of one message, as counts are int. */
enum { PART = 1 << 30 };

static int tag(void)
{
    return topo_channel_job.tag + TOPO_TAG_CALL;
}

/* No bytes: memory is out. */
static void send_report(const struct topo_report *report, int to)
{
    char *bytes;
    size_t count;
    topo_report_pack(report, &bytes, &count);
    const uint64_t length = bytes ? count : 0;
    int code = PMPI_Send(&length, sizeof length, MPI_BYTE, to, tag(), topo_channel_job.comm);
    for (size_t at = 0; at < length && code == MPI_SUCCESS; at += PART)
        code = PMPI_Send(bytes + at, length - at < PART ? (int)(length - at) : PART, MPI_BYTE, to, tag(),
                         topo_channel_job.comm);
    topo_free(bytes);
}

static void receive_report(struct topo_report *report, int from)
{
    uint64_t length = 0;
    int code = PMPI_Recv(&length, sizeof length, MPI_BYTE, from, tag(), topo_channel_job.comm, MPI_STATUS_IGNORE);
    char *bytes = length > 0 && code == MPI_SUCCESS ? topo_alloc((size_t)length, 1) : NULL;
    char in_vain[1];
    for (size_t at = 0; at < length && code == MPI_SUCCESS; at += PART)
        /* Where memory is out the message is cut, which is an error of the receive alone. */
        code = PMPI_Recv(bytes ? bytes + at : in_vain,
                         !bytes               ? 1
                         : length - at < PART ? (int)(length - at)
                                              : PART,
                         MPI_BYTE, from, tag(), topo_channel_job.comm, MPI_STATUS_IGNORE);
    if (bytes && code == MPI_SUCCESS)
        topo_report_add_packed(report, bytes, (size_t)length);
    topo_free(bytes);
}

void topo_stats_gather(struct topo_report *report)
{
    const int rank = topo_job.rank, ranks = topo_job.ranks;
    if (topo_recovers) /* some may not come */
        return;
    for (int64_t far = 1; far < ranks; far *= 2) {
        if (rank & far) {
            send_report(report, rank - (int)far);
            return;
        }
        if (rank + far < ranks)
            receive_report(report, rank + (int)far);
    }
}
