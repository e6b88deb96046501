# unit tests of mapping
