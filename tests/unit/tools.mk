# unit tests of tools
