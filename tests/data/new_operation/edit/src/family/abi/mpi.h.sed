/^#define MPI_COMM_TYPE_SHARED/i\
#define MPI_CART 211
/^int PMPI_Comm_call_errhandler/i\
int PMPI_Cart_shift(MPI_Comm, int, int, int *, int *);\
int PMPI_Cartdim_get(MPI_Comm, int *);
/^int PMPI_Type_commit/i\
int PMPI_Topo_test(MPI_Comm, int *);
