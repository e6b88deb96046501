# unit tests of schedule
