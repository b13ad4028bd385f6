"""The command line: tables and model files come in; texts, JSON and pages go out.

    calmgam fit bikes.csv --target rentals --out model.json --report report.html
    calmgam summary model.json

Results go to standard output, notes and progress to standard error. Exit codes: 0 done, 1 failed,
2 wrongly called.
"""


def main() -> None:
    """Run the command line."""
    try:
        from calmgam.cli.exact import app  # with the commands that come before it
    except ModuleNotFoundError as error:
        raise SystemExit(f"calmgam needs {error.name} here: pip install 'calmgam[cli]'") from None
    app()
