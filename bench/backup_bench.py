"""Times allot backup and allot restore of one campaign; see bench/backup."""

import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request

allot, labels = os.path.abspath(sys.argv[1]), int(sys.argv[2])
items = max(1, labels // 10)


def run(*words):
    """Runs the program; returns its output, the seconds it took and those of the processor."""
    begin, before = time.monotonic(), os.times()
    done = subprocess.run([allot, *words], check=True, capture_output=True, text=True)
    after = os.times()
    processor = after.children_user + after.children_system - before.children_user - before.children_system
    return done.stdout.strip(), time.monotonic() - begin, processor


def make_campaign(data):
    """The file of a new campaign in a data folder."""
    server = subprocess.Popen(
        [allot, "serve", "--data", data, "--listen", "127.0.0.1:0", "--log-level", "off"],
        stdout=subprocess.PIPE, text=True)
    said = ""
    while "Listening" not in said:
        said += server.stdout.readline()
    token = re.search("allot_[0-9a-f_]+", said).group()
    address = re.search("http://[0-9.:]+", said).group()
    body = {"name": "c", "classes": ["no", "yes"], "budget": labels}
    request = urllib.request.Request(
        address + "/api/v1/campaigns", json.dumps(body).encode(), {"Authorization": "Bearer " + token})
    campaign = json.load(urllib.request.urlopen(request))["id"]
    server.send_signal(signal.SIGTERM)
    server.wait()
    return f"{data}/campaigns/{campaign}.db"


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    file = make_campaign("data")
    with open("items.csv", "w") as table:
        table.write("id,text\n")
        table.writelines(f"i{n},some words to label\n" for n in range(items))
    with open("labels.csv", "w") as table:
        table.write("item,worker,label\n")
        table.writelines(f"i{n % items},w{n // items},{'yes' if n % 3 else 'no'}\n" for n in range(labels))
    run("campaign", "add-items", file, "--items", "items.csv")
    run("campaign", "import", file, "labels.csv")
    print(f"{labels} labels of {items} items, {os.path.getsize(file) / 1e6:.0f} MB")
    for words in (["backup", "data", "backups"], ["backup", "data", "backups"],
                  ["check", "data"], ["restore", "backups", "restored"]):
        output, seconds, processor = run(*words)
        print(f"{seconds:7.2f} s, processor {processor:.2f} s  allot {' '.join(words)}: {output.splitlines()[-1]}")
