"""How far servers on PostgreSQL go: measured costs, put together by arithmetic and by a simulation.

python3 bench/scale.py                 tables for 1,000, 100,000 and 10 million labels per second
python3 bench/scale.py --figure FILE   the figure of docs/guide/how-far.md, as SVG

A call records a label and asks for the next item. A campaign decides all calls that wait as one batch, and a
batch is one commit. Its way: a processor of its server, a processor of its database, then the log of the
database, which writes all commits that wait in one flush. Campaigns are independent of each other, so
they can be spread over servers, and over databases by name.
"""

from __future__ import annotations

import argparse
import heapq
import math
import random
from dataclasses import dataclass, replace


@dataclass(frozen=True)
class Costs:
    """Times in microseconds, as `bench/load --cluster` prints them."""

    server_call: float = 127.0
    server_batch: float = 713.0
    database_call: float = 62.0
    database_batch: float = 1923.0
    log_call: float = 805.0  # bytes
    flush: float = 1000.0  # one flush of the log
    connections: int = 15  # of one server to its database


@dataclass(frozen=True)
class Machines:
    """What there is. A database machine has its own disk."""

    servers: int = 1
    databases: int = 1
    campaigns: int = 1
    server_processors: int = 8
    database_processors: int = 32
    log_bytes_per_second: float = 1e9
    most_connections: int = 500


def batch_size(load_of_campaign: float, costs: Costs) -> float:
    """Calls per commit of a campaign that gets so many per second.

    While a batch is on its way, which takes T(n) = fixed + n * call, those that arrive wait for the next one:
    n = rate * T(n), at least 1.
    """
    fixed = (costs.server_batch + costs.database_batch + costs.flush) * 1e-6
    call = (costs.server_call + costs.database_call) * 1e-6
    if load_of_campaign * call >= 1:
        return math.inf
    return max(1.0, load_of_campaign * fixed / (1 - load_of_campaign * call))


def shares(load: float, machines: Machines, costs: Costs) -> dict[str, float]:
    """The share of each resource that the load takes; above 1 it does not suffice."""
    of_campaign = load / machines.campaigns
    size = batch_size(of_campaign, costs)
    commits = load / size if math.isfinite(size) else 0.0
    of_server, of_database = 1 / machines.servers, 1 / machines.databases
    return {
        "one campaign": of_campaign * (costs.server_call + costs.database_call) * 1e-6,
        "server processors": of_server * (load * costs.server_call + commits * costs.server_batch) * 1e-6
        / machines.server_processors,
        "database processors": of_database * (load * costs.database_call + commits * costs.database_batch) * 1e-6
        / machines.database_processors,
        "database log": of_database * load * costs.log_call / machines.log_bytes_per_second,
        "database connections": math.ceil(machines.servers * of_database) * costs.connections
        / machines.most_connections,
    }


def bottleneck(load: float, machines: Machines, costs: Costs) -> tuple[str, float]:
    """The resource that is used most, and its share."""
    return max(shares(load, machines, costs).items(), key=lambda share: share[1])


def enough(load: float, costs: Costs, most: float = 0.7, campaign_load: float = 50.0) -> Machines:
    """The fewest databases and servers that keep every share below `most`. Each campaign gets `campaign_load`."""
    machines = Machines(campaigns=max(1, round(load / campaign_load)))
    while True:
        used = shares(load, machines, costs)
        grown = machines
        if used["server processors"] > most:
            grown = replace(grown, servers=max(machines.servers + 1, math.ceil(machines.servers * used["server processors"] / most)))
        worst = max(used["database processors"], used["database log"])
        if worst > most:
            grown = replace(grown, databases=max(machines.databases + 1, math.ceil(machines.databases * worst / most)))
        if used["database connections"] > 1:
            grown = replace(grown, databases=machines.databases + 1)
        if grown == machines:
            return machines
        machines = grown


class Station:
    """Processors that serve one after the other who comes."""

    def __init__(self, processors: int):
        self.free = [0.0] * processors
        self.busy = 0.0

    def serve(self, now: float, time: float) -> float:
        """When work that arrives now is done."""
        begin = max(now, heapq.heappop(self.free))
        heapq.heappush(self.free, begin + time)
        self.busy += time
        return begin + time


class Log:
    """The log of a database: one flush at a time, and all commits that wait are in the next one."""

    def __init__(self, flush: float, bytes_per_second: float):
        self.flush, self.speed = flush, bytes_per_second
        self.end = self.next_end = self.bytes = 0.0

    def write(self, now: float, size: float) -> float:
        self.bytes += size
        if now >= self.next_end:  # nobody is at work: it begins at once
            self.end, self.next_end = now, now + self.flush + size / self.speed
        elif now >= self.end:  # one is on its way: this is in the one after it
            self.end, self.next_end = self.next_end, self.next_end + self.flush + size / self.speed
        else:  # the next flush waits already
            self.next_end += size / self.speed
        return self.next_end


@dataclass
class Run:
    served: float  # calls per second
    p50: float  # milliseconds
    p99: float
    batch: float  # calls per commit
    server_share: float
    database_share: float


def simulate(load: float, machines: Machines, costs: Costs, seconds: float = 1.0, seed: int = 1) -> Run:
    """Calls that arrive at random at random campaigns, event by event."""
    rng = random.Random(seed)
    servers = [Station(machines.server_processors) for _ in range(machines.servers)]
    databases = [Station(machines.database_processors) for _ in range(machines.databases)]
    logs = [Log(costs.flush * 1e-6, machines.log_bytes_per_second) for _ in range(machines.databases)]
    waiting: list[list[float]] = [[] for _ in range(machines.campaigns)]
    at_work = [False] * machines.campaigns
    # Steps of a batch: 0 decided by its server, 1 run by its database, 2 on the log, 3 answered.
    events: list[tuple[float, int, int, int, list[float]]] = [(rng.expovariate(load), 0, -1, 0, [])]
    times: list[float] = []
    commits = count = 0

    def begin(now: float, campaign: int) -> None:
        nonlocal count
        batch, waiting[campaign] = waiting[campaign], []
        at_work[campaign] = True
        time = (costs.server_batch + len(batch) * costs.server_call) * 1e-6
        count += 1
        heapq.heappush(events, (servers[campaign % machines.servers].serve(now, time), count, campaign, 1, batch))

    while events:
        now, _, campaign, step, batch = heapq.heappop(events)
        if now > seconds:
            break
        database = campaign % machines.databases
        if campaign < 0:  # a call arrives, and the next one is drawn
            chosen = rng.randrange(machines.campaigns)
            waiting[chosen].append(now)
            if not at_work[chosen]:
                begin(now, chosen)
            count += 1
            heapq.heappush(events, (now + rng.expovariate(load), count, -1, 0, []))
        elif step == 1:
            time = (costs.database_batch + len(batch) * costs.database_call) * 1e-6
            heapq.heappush(events, (databases[database].serve(now, time), count, campaign, 2, batch))
        elif step == 2:
            heapq.heappush(events, (logs[database].write(now, len(batch) * costs.log_call), count, campaign, 3, batch))
        else:
            commits += 1
            times.extend(now - arrived for arrived in batch)
            at_work[campaign] = False
            if waiting[campaign]:
                begin(now, campaign)
    times.sort()

    def quantile(share: float) -> float:
        return 1000 * times[int(share * (len(times) - 1))] if times else math.inf

    return Run(
        served=len(times) / seconds,
        p50=quantile(0.5),
        p99=quantile(0.99),
        batch=len(times) / max(commits, 1),
        server_share=sum(s.busy for s in servers) / (seconds * machines.servers * machines.server_processors),
        database_share=sum(d.busy for d in databases) / (seconds * machines.databases * machines.database_processors),
    )


def share_of_one(load: float, machines: Machines) -> tuple[float, Machines]:
    """One database of many, with its part of the campaigns and servers: databases do not touch each other."""
    part = replace(machines, databases=1, servers=math.ceil(machines.servers / machines.databases),
                   campaigns=max(1, round(machines.campaigns / machines.databases)))
    return load / machines.databases, part


def print_tables(costs: Costs) -> None:
    print("one database of 32 processors, one server of 8 per 10,000 labels per second, 50 labels per second and campaign")
    print("  labels/s  campaigns  servers  first to run out       its share")
    for load in (1e3, 1e5, 1e7):
        machines = Machines(campaigns=round(load / 50), servers=max(1, round(load / 1e4)))
        name, share = bottleneck(load, machines, costs)
        print(f"{load:>10,.0f} {machines.campaigns:>10,} {machines.servers:>8,}  {name:<22} {share:>9.2f}")
    print("as many databases and servers as keep every share below 0.7, and one database of them simulated")
    print("  labels/s  databases  servers  calls/commit  p50 ms  p99 ms")
    for load in (1e3, 1e5, 1e7):
        machines = enough(load, costs)
        of_one, one = share_of_one(load, machines)
        run = simulate(of_one, one, costs, seconds=min(1.0, 2e5 / of_one))
        print(f"{load:>10,.0f} {machines.databases:>10,} {machines.servers:>8,} {run.batch:>13.1f} {run.p50:>7.1f} {run.p99:>7.1f}")
    print(f"one campaign: at most {1e6 / (costs.server_call + costs.database_call):,.0f} labels per second")
    shared = replace(costs, server_batch=costs.server_batch / 10, database_batch=costs.database_batch / 10)
    changes = (("as it is", costs, 50.0), ("500 labels per second and campaign", costs, 500.0),
               ("ten campaigns share a commit", shared, 50.0))
    print("databases and servers that are enough, after a change")
    for name, changed, campaign_load in changes:
        found = (enough(load, changed, campaign_load=campaign_load) for load in (1e3, 1e5, 1e7))
        print(f"  {name:<36}" + "".join(f"{m.databases:>6,} and {m.servers:<6,}" for m in found).rstrip())


def figure(costs: Costs) -> str:
    """p99 over the load, for one, two and four databases; a line ends where they no longer keep up."""
    width, height, left, right, bottom = 680, 300, 60, 40, 40
    first, last, lowest, highest = 1000, 128_000, 2.0, 50.0

    def x(load: float) -> float:
        return left + (width - left - right) * math.log(load / first) / math.log(last / first)

    def y(time: float) -> float:
        return height - bottom - (height - bottom - 20) * math.log(min(time, highest) / lowest) / math.log(highest / lowest)

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif" font-size="12">',
        "<title>p99 over labels per second, for one, two and four databases</title>",
        f'<rect width="{width}" height="{height}" fill="white"/>',
        f'<text x="{left}" y="14">p99 in ms</text>',
        f'<text x="{width - right}" y="{height - 6}" text-anchor="end">labels per second</text>',
    ]
    for time in (2, 5, 10, 20, 50):
        parts.append(f'<path d="M{left} {y(time):.1f}H{width - right}" stroke="#ddd"/>')
        parts.append(f'<text x="{left - 8}" y="{y(time) + 4:.1f}" text-anchor="end">{time}</text>')
    for power in range(8):
        load = first * 2**power
        parts.append(f'<text x="{x(load):.1f}" y="{height - bottom + 18}" text-anchor="middle">{load:,}</text>')
    for databases, colour in ((1, "#1b6ca8"), (2, "#c05a00"), (4, "#3a7d34")):
        points = []
        for power in range(29):
            load = first * 2 ** (power / 4)
            machines = Machines(databases=databases, servers=32, campaigns=max(8, round(load / 50)))
            of_one, one = share_of_one(load, machines)
            if bottleneck(of_one, one, costs)[1] > 1:
                break
            points.append((x(load), y(simulate(of_one, one, costs, seconds=2e4 / of_one).p99)))
        line = " ".join(f"{h:.1f},{v:.1f}" for h, v in points)
        end_x, end_y = points[-1]
        name = f'{databases} database{"s" if databases > 1 else ""}'
        parts.append(f'<polyline points="{line}" fill="none" stroke="{colour}" stroke-width="2"/>')
        parts.append(f'<circle cx="{end_x:.1f}" cy="{end_y:.1f}" r="3" fill="{colour}"/>')
        parts.append(f'<text x="{end_x - 6:.1f}" y="{end_y - 8:.1f}" text-anchor="end" fill="{colour}">{name}</text>')
    return "\n".join([*parts, "</svg>", ""])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--figure", metavar="FILE", help="write the figure there")
    given = parser.parse_args()
    if given.figure:
        with open(given.figure, "w", encoding="utf-8") as file:
            file.write(figure(Costs()))
    else:
        print_tables(Costs())


if __name__ == "__main__":
    main()
