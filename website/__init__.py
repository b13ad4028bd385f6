"""How the documentation site is built: what mkdocs.yml and the tests of the pages share."""
