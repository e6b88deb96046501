/* TopoMPI's public interface. A program never needs it: preloading is enough.
 * One that uses it links with -ltopompi or looks the functions up with dlsym(). */
#ifndef TOPOMPI_H
#define TOPOMPI_H

#define TOPOMPI_VERSION "0.1.0"

#ifdef __cplusplus
extern "C" {
#endif

/* The version of the library that is loaded, e.g. "0.1.0"; static, never NULL. */
const char *topompi_version(void);

#ifdef __cplusplus
}
#endif

#endif
