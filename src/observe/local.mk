# sources of src/observe
