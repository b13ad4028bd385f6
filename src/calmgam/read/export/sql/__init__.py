"""SQL: the program in the dialects of DuckDB, PostgreSQL and SQLite."""
