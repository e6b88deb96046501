! Calls of MPI from Fortran, on each rank the same, once as often as the text has them; -Dmpifh, -Dusempi, -Df08. Prints "ok".
#ifdef f08
#define HANDLE(name) type(name)
#define IERROR
#else
#define HANDLE(name) integer
#define IERROR , ierror
#endif
program counted
#if defined(f08)
    use mpi_f08
#elif defined(usempi)
    use mpi
#endif
    implicit none
#ifdef mpifh
    include 'mpif.h'
#endif
    HANDLE(MPI_Info) :: info
    HANDLE(MPI_File) :: file
    HANDLE(MPI_Request) :: request(2)
    character(len=MPI_MAX_PROCESSOR_NAME) :: name
    character(len=8) :: key
    character(len=4096) :: folder
    integer :: rank, ranks, length, ierror, in(3), out(3)
    integer(kind=MPI_OFFSET_KIND) :: bytes
    double precision :: before
    logical :: flag, good
    call MPI_Init(ierror)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank IERROR)
    call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierror)
    before = MPI_Wtime()
    out = rank
    call MPI_Irecv(in, 3, MPI_INTEGER, mod(rank + ranks - 1, ranks), 0, MPI_COMM_WORLD, request(1) IERROR)
    call MPI_Isend(out, 3, MPI_INTEGER, mod(rank + 1, ranks), 0, MPI_COMM_WORLD, request(2) IERROR)
    call MPI_Waitall(2, request, MPI_STATUSES_IGNORE, ierror)
    good = in(1) == mod(rank + ranks - 1, ranks)
    call MPI_Iprobe(rank, 5, MPI_COMM_WORLD, flag, MPI_STATUS_IGNORE, ierror)
    call MPI_Sendrecv(out, 1, MPI_INTEGER, rank, 1, in, 1, MPI_INTEGER, rank, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE IERROR)
    good = good .and. in(1) == rank .and. .not. flag
    call MPI_Get_processor_name(name, length, ierror)
    good = good .and. length > 0 .and. len_trim(name) == length
    call MPI_Info_create(info IERROR)
    call MPI_Info_set(info, "key", "a value" IERROR)
    call MPI_Info_get_nthkey(info, 0, key, ierror)
    good = good .and. key == "key"
    call MPI_Info_free(info, ierror)
    call get_command_argument(1, folder)
    write (name, '(i0)') rank
    call MPI_File_open(MPI_COMM_SELF, trim(folder) // "/f" // trim(name), MPI_MODE_CREATE + MPI_MODE_RDWR, MPI_INFO_NULL, file IERROR)
    call MPI_File_write(file, out, 3, MPI_INTEGER, MPI_STATUS_IGNORE, ierror)
    call MPI_File_get_size(file, bytes IERROR)
    call MPI_File_close(file, ierror)
    good = good .and. bytes == 12
    call MPI_Pcontrol(1)
    call MPI_Allreduce(MPI_IN_PLACE, good, 1, MPI_LOGICAL, MPI_LAND, MPI_COMM_WORLD, ierror)
    good = good .and. MPI_Wtime() >= before
    if (rank == 0 .and. good) print '(a)', "ok"
    call MPI_Finalize(ierror)
end program counted
