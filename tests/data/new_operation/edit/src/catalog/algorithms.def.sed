/^#define ALLGATHER(/i\
#define SCAN(name, ...) ALGORITHM(scan, name, __VA_ARGS__)
/^#undef NATIVE/i\
#ifdef SCAN\
NATIVE(scan)\
SCAN(chain, NONE, ANY, "a template", "each rank adds its operands to what the one before it sends, and sends the sum on")\
#endif\

/^#undef ALLGATHER$/i\
#undef SCAN
