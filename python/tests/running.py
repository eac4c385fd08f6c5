"""A real server in its own folder, and a proxy that loses answers."""

from __future__ import annotations

import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
from pathlib import Path
from typing import List, Optional

HERE = Path(__file__).resolve().parent
# Behind PYTHONPATH, which can name the package with its compiled module.
sys.path.append(str(HERE.parent))
sys.path.append(str(HERE.parent / "examples"))


def program() -> str:
    return os.environ.get("ALLOT_PROGRAM", str(HERE.parents[1] / "build" / "release" / "allot"))


class Server:
    """``allot serve`` on a free port, and on the same port after a restart."""

    def __init__(self, *flags: str) -> None:
        self.folder = tempfile.mkdtemp(prefix="allot-client-")
        self.flags = flags
        self.address = "127.0.0.1:0"
        self.token = ""
        self.start()

    def start(self) -> None:
        words = [program(), "serve", "--data", self.folder, "--listen", self.address]
        self.process = subprocess.Popen(
            [*words, "--log", os.devnull, *self.flags], stdout=subprocess.PIPE, text=True
        )
        said = ""
        assert self.process.stdout is not None
        for line in self.process.stdout:
            said += line
            where = re.search(r"Listening on http://(\S+)", line)
            if where:
                self.address = where[1]
                break
        else:
            raise RuntimeError(f"allot serve did not start: {said}")
        token = re.search(r"allot_\w+", said)
        if token:
            self.token = token[0]

    @property
    def url(self) -> str:
        return f"http://{self.address}"

    def kill(self) -> None:
        """Kills the server, as a power failure would."""
        self.process.kill()
        self.process.wait()
        assert self.process.stdout is not None
        self.process.stdout.close()

    def end(self) -> None:
        self.process.terminate()
        self.process.wait()
        assert self.process.stdout is not None
        self.process.stdout.close()
        shutil.rmtree(self.folder)

    def verify(self) -> str:
        """Runs ``allot campaign verify`` on each campaign and raises if one fails."""
        said = ""
        for file in sorted(Path(self.folder, "campaigns").glob("*.db")):
            done = subprocess.run(
                [program(), "campaign", "verify", str(file)], capture_output=True, text=True
            )
            if done.returncode != 0:
                raise AssertionError(f"{done.stdout}{done.stderr}")
            said += done.stdout
        return said


class Proxy:
    """Forwards bytes, and sometimes closes the connection instead of forwarding an answer.

    ``drop`` has one entry per answer: True loses it. The last entry holds for all later answers.
    """

    def __init__(self, server: Server, drop: List[bool]) -> None:
        self.server = server
        self.drop = drop
        self.answers = 0
        self.lost = 0
        self.connections = 0
        self.lock = threading.Lock()
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self.listener.getsockname()[1]}"
        threading.Thread(target=self._accept, daemon=True).start()

    def end(self) -> None:
        self.listener.close()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            with self.lock:
                self.connections += 1
            threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client: socket.socket) -> None:
        host, port = self.server.address.rsplit(":", 1)
        try:
            server = socket.create_connection((host, int(port)))
        except OSError:
            client.close()
            return
        threading.Thread(target=self._pass_on, args=(client, server), daemon=True).start()
        self._pass_back(server, client)

    @staticmethod
    def _pass_on(source: socket.socket, to: socket.socket) -> None:
        try:
            while data := source.recv(65536):
                to.sendall(data)
        except OSError:
            pass
        finally:
            _shut(to)

    def _pass_back(self, source: socket.socket, to: socket.socket) -> None:
        try:
            while data := source.recv(65536):
                if data.startswith(b"HTTP/1.1 ") and self._loses():
                    break
                to.sendall(data)
        except OSError:
            pass
        finally:
            _shut(to)
            _shut(source)

    def _loses(self) -> bool:
        with self.lock:
            lose = self.drop[min(self.answers, len(self.drop) - 1)]
            self.answers += 1
            self.lost += lose
            return lose


def _shut(end: Optional[socket.socket]) -> None:
    if end is None:
        return
    try:
        end.shutdown(socket.SHUT_RDWR)
    except OSError:
        pass
    end.close()
