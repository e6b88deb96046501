/^#define ALLGATHER(/i\
#define NEIGHBOR_ALLGATHER(name, ...) ALGORITHM(neighbor_allgather, name, __VA_ARGS__)
/^#undef NATIVE/i\
#ifdef NEIGHBOR_ALLGATHER\
NATIVE(neighbor_allgather)\
NEIGHBOR_ALLGATHER(direct, NONE, ANY, "a template", "every block by itself, on Cartesian communicators")\
#endif\

/^#undef ALLGATHER$/i\
#undef NEIGHBOR_ALLGATHER
