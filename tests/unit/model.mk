# unit tests of model
