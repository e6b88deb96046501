#include "intercept/guard.h"

_Thread_local int topo_depth __attribute__((tls_model("initial-exec")));
