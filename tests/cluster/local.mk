# tests of tests/cluster
