# sources of src/schedule
