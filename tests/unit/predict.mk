# unit tests of predict
