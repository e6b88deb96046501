# unit tests of machine
