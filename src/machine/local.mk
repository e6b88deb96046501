# sources of src/machine
