"""A PostgreSQL server of the tests' own, in a folder that goes away, reached by a socket."""

import glob
import os
import shutil
import subprocess
import tempfile
from contextlib import contextmanager


def find_server():
    """Return the folder of the newest server's programs, or None."""
    on_path = shutil.which("initdb")
    folders = glob.glob("/usr/lib/postgresql/*/bin/initdb")
    found = [on_path] if on_path else sorted(folders, key=lambda path: int(path.split("/")[4]))
    return os.path.dirname(found[-1]) if found else None


@contextmanager
def running_server():
    """Yield a connection to a fresh server."""
    import psycopg2

    programs = find_server()
    # the server refuses to run as root
    user = {"user": "postgres"} if os.getuid() == 0 else {}
    folder = tempfile.mkdtemp(prefix="calmgam-postgres-", dir="/tmp")
    try:
        if user:
            shutil.chown(folder, "postgres", "postgres")
        data = os.path.join(folder, "data")
        options = f"-c listen_addresses= -c unix_socket_directories={folder} -c fsync=off"

        def run(program, *arguments):
            command = [os.path.join(programs, program), *arguments]
            subprocess.run(command, check=True, cwd=folder, stdout=subprocess.DEVNULL, **user)

        run("initdb", "-D", data, "-U", "test", "-A", "trust", "-E", "UTF8", "--no-sync")
        log = os.path.join(folder, "log")
        run("pg_ctl", "-D", data, "-l", log, "-w", "-o", options, "start")
        try:
            connection = psycopg2.connect(host=folder, user="test", dbname="postgres")
            connection.autocommit = True
            yield connection
            connection.close()
        finally:
            run("pg_ctl", "-D", data, "-w", "-m", "immediate", "stop")
    finally:
        shutil.rmtree(folder, ignore_errors=True)
