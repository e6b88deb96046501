! MPI_Cart_create with reorder by use mpi_f08 and, in reorder_f77(), by mpif.h. Rank w is on node w mod 2. Prints "ok" when each
! grid has its shape and crosses fewer edges between the nodes than in the order of the ranks.
subroutine reorder_f77(good)
    implicit none
    include 'mpif.h'
    logical :: good, periods(2), found(2)
    integer :: comm, ierror, rank, before, after, ranks, dims(2), at(2), shape(2)
    call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierror)
    shape = (/ ranks / 2, 2 /)
    periods = .false.
    call MPI_Cart_create(MPI_COMM_WORLD, 2, shape, periods, .true., comm, ierror)
    call MPI_Cart_get(comm, 2, dims, found, at, ierror)
    call MPI_Comm_rank(comm, rank, ierror)
    call MPI_Cart_shift(comm, 1, 1, before, after, ierror)
    good = good .and. ierror == MPI_SUCCESS .and. all(dims == shape) .and. .not. any(found) .and. rank == at(1) * 2 + at(2)
    call MPI_Comm_free(comm, ierror)
end subroutine

program reorder
    use mpi_f08
    implicit none
    type(MPI_Comm) :: comm
    integer :: rank, world, ranks, before, after, other, crossing, sum, i
    logical :: good
    call MPI_Init()
    call MPI_Comm_rank(MPI_COMM_WORLD, world)
    call MPI_Comm_size(MPI_COMM_WORLD, ranks)
    good = .true.
    call reorder_f77(good)
    call MPI_Cart_create(MPI_COMM_WORLD, 2, (/ ranks / 2, 2 /), (/ .false., .false. /), .true., comm)
    call MPI_Comm_rank(comm, rank)
    crossing = 0
    do i = 0, 1
        call MPI_Cart_shift(comm, i, 1, before, after)
        other = -1
        call MPI_Sendrecv(world, 1, MPI_INTEGER, after, 0, other, 1, MPI_INTEGER, before, 0, comm, MPI_STATUS_IGNORE)
        if (other >= 0 .and. mod(other, 2) /= mod(world, 2)) crossing = crossing + 1
    end do
    call MPI_Allreduce(crossing, sum, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
    if (world == 0 .and. good .and. sum < ranks / 2) print '(a)', 'ok'
    call MPI_Comm_free(comm)
    call MPI_Finalize()
end program
