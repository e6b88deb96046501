/^FUNCTION(Comm_call_errhandler)/i\
FUNCTION(Cart_shift)\
FUNCTION(Cartdim_get)
/^FUNCTION(Type_commit)/i\
FUNCTION(Topo_test)
