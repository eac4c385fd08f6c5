"""The arithmetic and the simulation of scale.py, against each other and against hand-made figures."""

import math
import unittest
from dataclasses import replace

from scale import Costs, Log, Machines, batch_size, bottleneck, enough, share_of_one, shares, simulate

ROUND = Costs(server_call=100, server_batch=200, database_call=50, database_batch=400, log_call=1000, flush=1000)


class Arithmetic(unittest.TestCase):
    def test_a_seldom_call_is_a_batch_of_its_own(self):
        self.assertEqual(batch_size(10, ROUND), 1)

    def test_batches_grow_with_the_load(self):
        # 1,000 calls per second: n = 1000 (1.6 ms + n .15 ms), so n = 1.6 / .85
        self.assertAlmostEqual(batch_size(1000, ROUND), 1.6 / 0.85)

    def test_a_campaign_has_a_limit(self):
        self.assertEqual(batch_size(1e6 / 150, ROUND), math.inf)
        name, share = bottleneck(8000, Machines(servers=100, databases=10), ROUND)
        self.assertEqual(name, "one campaign")
        self.assertAlmostEqual(share, 1.2)

    def test_shares_by_hand(self):
        # 100 campaigns with 10 calls per second each, all in batches of one.
        used = shares(1000, Machines(campaigns=100, servers=2, server_processors=4, database_processors=8), ROUND)
        self.assertAlmostEqual(used["server processors"], 1000 * 300e-6 / 8)
        self.assertAlmostEqual(used["database processors"], 1000 * 450e-6 / 8)
        self.assertAlmostEqual(used["database log"], 1000 * 1000 / 1e9)
        self.assertAlmostEqual(used["database connections"], 2 * 15 / 500)

    def test_twice_the_databases_take_half_the_share_each(self):
        one = shares(1e5, Machines(campaigns=2000, servers=10), ROUND)
        two = shares(1e5, Machines(campaigns=2000, servers=10, databases=2), ROUND)
        for name in ("database processors", "database log", "database connections"):
            self.assertAlmostEqual(one[name], 2 * two[name])
        self.assertEqual(one["server processors"], two["server processors"])

    def test_enough_is_enough_and_one_less_is_not(self):
        for load in (1e3, 1e5, 1e7):
            machines = enough(load, ROUND)
            self.assertLessEqual(max(shares(load, machines, ROUND).values()), 1)
            if machines.servers > 1:
                fewer = replace(machines, servers=machines.servers - 1)
                self.assertGreater(shares(load, fewer, ROUND)["server processors"], 0.7)


class Simulation(unittest.TestCase):
    def test_one_call_takes_the_sum_of_its_steps(self):
        run = simulate(1, Machines(campaigns=1000), ROUND, seconds=100)
        self.assertAlmostEqual(run.p50, 0.3 + 0.45 + 1.001, places=6)

    def test_flushes_are_shared(self):
        log = Log(1.0, math.inf)
        self.assertEqual(log.write(0, 1), 1)
        self.assertEqual([log.write(0.1, 1), log.write(0.9, 1)], [2, 2])
        self.assertEqual(log.write(1.5, 1), 3)
        self.assertEqual(log.write(9, 1), 10)

    def test_shares_are_those_of_the_arithmetic(self):
        machines = Machines(campaigns=400, servers=2, server_processors=4, database_processors=8)
        for load in (500, 4000):
            used, run = shares(load, machines, ROUND), simulate(load, machines, ROUND, seconds=5)
            self.assertAlmostEqual(run.served / load, 1, delta=0.05)
            self.assertAlmostEqual(run.server_share / used["server processors"], 1, delta=0.07)
            self.assertAlmostEqual(run.database_share / used["database processors"], 1, delta=0.07)

    def test_a_full_database_serves_what_it_can(self):
        machines = Machines(campaigns=200, servers=8, database_processors=1)
        run = simulate(40_000, machines, ROUND, seconds=2)
        self.assertLess(run.served, 1e6 / ROUND.database_call)
        self.assertGreater(run.database_share, 0.95)

    def test_databases_are_independent(self):
        machines = Machines(campaigns=100, servers=4, databases=4)
        load, one = share_of_one(4000, machines)
        self.assertEqual((load, one.campaigns, one.servers), (1000, 25, 1))
        whole, part = simulate(4000, machines, ROUND, seconds=5), simulate(load, one, ROUND, seconds=5)
        self.assertAlmostEqual(whole.p50 / part.p50, 1, delta=0.05)


if __name__ == "__main__":
    unittest.main()
