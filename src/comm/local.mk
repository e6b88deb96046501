# sources of src/comm
