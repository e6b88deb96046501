/bcast_chain.c/i\
	src/plan/bcast_binomial.c \\
