# sources of src/coll
