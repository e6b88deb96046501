/^| `TOPOMPI_ALLGATHERV` |/i\
| `TOPOMPI_SCAN` | `auto` `native` `chain` | `auto` | algorithm of `MPI_Scan` |
