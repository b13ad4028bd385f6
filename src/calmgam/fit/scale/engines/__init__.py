"""Who runs through the rows: threads, Dask or Spark."""
