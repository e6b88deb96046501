/^BCAST(leader,/i\
BCAST(binomial, NONE, ANY, "every textbook", "as leader, along a binomial tree of nodes")
