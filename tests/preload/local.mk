# tests of tests/preload
