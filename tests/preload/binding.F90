! Every operation that the library takes over, some collectives that it does not, and MPI_Comm_create from Fortran. Prints "ok"
! on rank 0. Compiled once for each binding: -Dmpifh, -Dusempi, -Df08, the last one with ierror left out where it may be. A test
! counts the calls in the text: rank 0 makes each of them once, but for those marked "others".
#ifdef f08
#define HANDLE(name) type(name)
#define IERROR
#define FINAL_ERROR
#else
#define HANDLE(name) integer
#define IERROR , ierror
#define FINAL_ERROR ierror
#endif
program binding
#if defined(f08)
    use mpi_f08
#elif defined(usempi)
    use mpi
#endif
    implicit none
#ifdef mpifh
    include 'mpif.h'
#endif
    HANDLE(MPI_Group) :: group
    HANDLE(MPI_Comm) :: comm
    HANDLE(MPI_Request) :: request
    integer :: rank, ranks, i, ierror
    integer, allocatable :: all(:)
    integer :: own(2)
    integer, allocatable :: counts(:), places(:), out(:)
    logical :: good
    call MPI_Init(ierror)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
    call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierror)
    allocate(all(2 * ranks))
    own = (/ rank, -rank /)
    good = .true.
    call MPI_Comm_group(MPI_COMM_WORLD, group, ierror)
    call MPI_Comm_create(MPI_COMM_WORLD, group, comm, ierror)
    call MPI_Allgather(own, 2, MPI_INTEGER, all, 2, MPI_INTEGER, comm IERROR)
    do i = 0, ranks - 1
        good = good .and. all(2 * i + 1) == i .and. all(2 * i + 2) == -i
    end do
    all = 0
    all(2 * rank + 1) = rank + 7
    call MPI_Allgather(MPI_IN_PLACE, 0, MPI_INTEGER, all, 2, MPI_INTEGER, comm IERROR)
    do i = 0, ranks - 1
        good = good .and. all(2 * i + 1) == i + 7
    end do
    allocate(counts(ranks), places(ranks), out(2 * ranks))
    counts = 2
    do i = 0, ranks - 1
        places(i + 1) = 2 * i
        out(2 * i + 1) = 100 * rank + i
        out(2 * i + 2) = rank
    end do
    call MPI_Alltoallv(out, counts, places, MPI_INTEGER, all, counts, places, MPI_INTEGER, comm IERROR)
    do i = 0, ranks - 1
        good = good .and. all(2 * i + 1) == 100 * i + rank .and. all(2 * i + 2) == i
    end do
    own = (/ rank + 40, 3 /)
    call MPI_Bcast(own, 2, MPI_INTEGER, ranks - 1, comm IERROR)
    good = good .and. own(1) == ranks + 39 .and. own(2) == 3
    call MPI_Reduce((/ rank, 2 /), own, 2, MPI_INTEGER, MPI_SUM, ranks - 1, comm IERROR)
    good = good .and. (rank /= ranks - 1 .or. own(1) == ranks * (ranks - 1) / 2 .and. own(2) == 2 * ranks)
    own = (/ 1, rank /)
    if (rank == 0) then
        call MPI_Reduce(MPI_IN_PLACE, own, 2, MPI_INTEGER, MPI_MAX, 0, comm IERROR)
    else
        call MPI_Reduce(own, own, 2, MPI_INTEGER, MPI_MAX, 0, comm IERROR) ! others
    end if
    good = good .and. (rank > 0 .or. own(2) == ranks - 1)
    all = (/ (rank + i, i = 1, 2 * ranks) /)
    call MPI_Reduce_scatter_block(all, own, 2, MPI_INTEGER, MPI_SUM, comm IERROR)
    good = good .and. own(2) == ranks * (ranks - 1) / 2 + ranks * (2 * rank + 2)
    call MPI_Reduce_scatter(MPI_IN_PLACE, all, (/ (2, i = 1, ranks) /), MPI_INTEGER, MPI_SUM, comm IERROR)
    good = good .and. all(1) == ranks * (ranks - 1) / 2 + ranks * (2 * rank + 1)
    counts = (/ (1, i = 1, ranks) /)
    counts(1) = 2
    places = (/ (i, i = 1, ranks) /)
    places(1) = 0
    own = (/ rank + 60, 61 /)
    all = -1
    call MPI_Allgatherv(own, counts(rank + 1), MPI_INTEGER, all, counts, places, MPI_INTEGER, comm IERROR)
    good = good .and. all(1) == 60 .and. all(2) == 61
    do i = 1, ranks - 1
        good = good .and. all(i + 2) == i + 60
    end do
    all = -1
    call MPI_Alltoall((/ (100 * rank + i, i = 0, ranks - 1) /), 1, MPI_INTEGER, all, 1, MPI_INTEGER, comm IERROR)
    do i = 0, ranks - 1
        good = good .and. all(i + 1) == 100 * i + rank
    end do
    call MPI_Alltoall(MPI_IN_PLACE, 0, MPI_INTEGER, all, 1, MPI_INTEGER, comm IERROR)
    do i = 0, ranks - 1
        good = good .and. all(i + 1) == 100 * rank + i
    end do
    call MPI_Allreduce((/ rank, 3 /), own, 2, MPI_INTEGER, MPI_SUM, comm IERROR)
    good = good .and. own(1) == ranks * (ranks - 1) / 2 .and. own(2) == 3 * ranks
    call MPI_Allreduce(MPI_IN_PLACE, own, 2, MPI_INTEGER, MPI_MAX, comm IERROR)
    good = good .and. own(2) == 3 * ranks
    call MPI_Scan((/ 1, 2 /), own, 2, MPI_INTEGER, MPI_SUM, comm IERROR)
    good = good .and. own(1) == rank + 1 .and. own(2) == 2 * rank + 2
    own = -1
    call MPI_Exscan((/ 1, 2 /), own, 2, MPI_INTEGER, MPI_SUM, comm IERROR)
    good = good .and. (rank == 0 .or. own(1) == rank .and. own(2) == 2 * rank)
    call MPI_Gather((/ rank + 5 /), 1, MPI_INTEGER, all, 1, MPI_INTEGER, 0, comm IERROR)
    good = good .and. (rank > 0 .or. all(ranks) == ranks + 4)
    call MPI_Scatter(all, 1, MPI_INTEGER, own, 1, MPI_INTEGER, 0, comm IERROR)
    good = good .and. own(1) == rank + 5
    counts = 1
    places = (/ (ranks - i, i = 1, ranks) /)
    own(1) = rank + 9
    call MPI_Gatherv(own, 1, MPI_INTEGER, all, counts, places, MPI_INTEGER, 0, comm IERROR)
    good = good .and. (rank > 0 .or. all(1) == ranks + 8)
    call MPI_Scatterv(all, counts, places, MPI_INTEGER, own, 1, MPI_INTEGER, 0, comm IERROR)
    good = good .and. own(1) == rank + 9
    all = 0
    if (rank == ranks - 1) then
        all(2 * rank + 1:2 * rank + 2) = rank
        call MPI_Gather(MPI_IN_PLACE, 0, MPI_INTEGER, all, 2, MPI_INTEGER, ranks - 1, comm IERROR)
        good = good .and. all(1) == 9 .and. all(2 * ranks) == rank
    else
        own(2) = 0
        call MPI_Gather(own, 2, MPI_INTEGER, all, 2, MPI_INTEGER, ranks - 1, comm IERROR) ! others
    end if
    places = rank + 6
    call MPI_Iallreduce(places, counts, ranks, MPI_INTEGER, MPI_SUM, comm, request IERROR)
    call MPI_Wait(request, MPI_STATUS_IGNORE IERROR)
    good = good .and. counts(1) == ranks * (ranks - 1) / 2 + 6 * ranks
    call MPI_Ibarrier(comm, request IERROR)
    call MPI_Wait(request, MPI_STATUS_IGNORE IERROR)
    call MPI_Barrier(comm IERROR)
    call MPI_Comm_free(comm IERROR)
    call MPI_Finalize(FINAL_ERROR)
    if (rank == 0 .and. good) print '(a)', 'ok'
    if (.not. good) print '(a,i0)', 'wrong on rank ', rank
end program binding
