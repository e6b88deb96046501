# sources of src/mapping
