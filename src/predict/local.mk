# sources of src/predict
