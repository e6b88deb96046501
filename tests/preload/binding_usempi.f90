! MPI_Allgather, MPI_Allgatherv, MPI_Alltoall, MPI_Barrier, MPI_Bcast, MPI_Reduce, MPI_Reduce_scatter(_block) and MPI_Comm_create from Fortran, through use mpi. Prints "ok" on rank 0.
program binding_usempi
    use mpi
    implicit none
    integer :: group, comm
    integer :: rank, ranks, i, ierror
    integer, allocatable :: all(:)
    integer, allocatable :: counts(:), places(:)
    integer :: own(2)
    logical :: good
    call MPI_Init(ierror)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
    call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierror)
    allocate(all(2 * ranks))
    own = (/ rank, -rank /)
    good = .true.
    call MPI_Comm_group(MPI_COMM_WORLD, group, ierror)
    call MPI_Comm_create(MPI_COMM_WORLD, group, comm, ierror)
    call MPI_Allgather(own, 2, MPI_INTEGER, all, 2, MPI_INTEGER, comm, ierror)
    do i = 0, ranks - 1
        good = good .and. all(2 * i + 1) == i .and. all(2 * i + 2) == -i
    end do
    all = 0
    all(2 * rank + 1) = rank + 7
    call MPI_Allgather(MPI_IN_PLACE, 0, MPI_INTEGER, all, 2, MPI_INTEGER, comm, ierror)
    do i = 0, ranks - 1
        good = good .and. all(2 * i + 1) == i + 7
    end do
    own = (/ rank + 40, 3 /)
    call MPI_Bcast(own, 2, MPI_INTEGER, ranks - 1, comm, ierror)
    good = good .and. own(1) == ranks + 39 .and. own(2) == 3
    call MPI_Reduce((/ rank, 2 /), own, 2, MPI_INTEGER, MPI_SUM, ranks - 1, comm, ierror)
    good = good .and. (rank /= ranks - 1 .or. own(1) == ranks * (ranks - 1) / 2 .and. own(2) == 2 * ranks)
    own = (/ 1, rank /)
    if (rank == 0) then
        call MPI_Reduce(MPI_IN_PLACE, own, 2, MPI_INTEGER, MPI_MAX, 0, comm, ierror)
    else
        call MPI_Reduce(own, own, 2, MPI_INTEGER, MPI_MAX, 0, comm, ierror)
    end if
    good = good .and. (rank > 0 .or. own(2) == ranks - 1)
    all = (/ (rank + i, i = 1, 2 * ranks) /)
    call MPI_Reduce_scatter_block(all, own, 2, MPI_INTEGER, MPI_SUM, comm, ierror)
    good = good .and. own(2) == ranks * (ranks - 1) / 2 + ranks * (2 * rank + 2)
    call MPI_Reduce_scatter(MPI_IN_PLACE, all, (/ (2, i = 1, ranks) /), MPI_INTEGER, MPI_SUM, comm, ierror)
    good = good .and. all(1) == ranks * (ranks - 1) / 2 + ranks * (2 * rank + 1)
    counts = (/ (1, i = 1, ranks) /)
    counts(1) = 2
    places = (/ (i, i = 1, ranks) /)
    places(1) = 0
    own = (/ rank + 60, 61 /)
    all = -1
    call MPI_Allgatherv(own, counts(rank + 1), MPI_INTEGER, all, counts, places, MPI_INTEGER, comm, ierror)
    good = good .and. all(1) == 60 .and. all(2) == 61
    do i = 1, ranks - 1
        good = good .and. all(i + 2) == i + 60
    end do
    all = -1
    call MPI_Alltoall((/ (100 * rank + i, i = 0, ranks - 1) /), 1, MPI_INTEGER, all, 1, MPI_INTEGER, comm, ierror)
    do i = 0, ranks - 1
        good = good .and. all(i + 1) == 100 * i + rank
    end do
    call MPI_Alltoall(MPI_IN_PLACE, 0, MPI_INTEGER, all, 1, MPI_INTEGER, comm, ierror)
    do i = 0, ranks - 1
        good = good .and. all(i + 1) == 100 * rank + i
    end do
    call MPI_Barrier(comm, ierror)
    call MPI_Comm_free(comm, ierror)
    call MPI_Finalize(ierror)
    if (rank == 0 .and. good) print '(a)', 'ok'
    if (.not. good) print '(a,i0)', 'wrong on rank ', rank
end program binding_usempi
