# tests of tests/mpi
