#!/usr/bin/env python3
"""Checks `tauto sim vectors` against docs/simulator.md, "How a host is chosen", from which alone it was written.

usage: tauto sim vectors | placement.py      or: placement.py vectors.json
Prints how many vectors were checked, and each difference; exits with 1 if there is any.
"""
import json
import re
import sys
from math import isqrt

MILLION = 1_000_000
LIMITS = {"peak": None, "mean": None, "best-effort": None}


def read_policy(text):
    """Reads the YAML that tauto writes: maps by indentation of two, numbers, words, and [lists]."""
    def value(word):
        if word == "none":
            return None
        if word[:1] == "[":
            return [item.strip() for item in word[1:-1].split(",")]
        if word[:1] == "{":
            # Commas in the list of levels do not part fields.
            items = re.split(r",(?![^\[]*\])", word[1:-1])
            return {key.strip(): value(rest.strip()) for key, _, rest in (item.partition(":") for item in items)}
        return word

    root, stack = {}, []
    stack.append((-1, root))
    for line in filter(str.strip, text.split("\n")):
        indent = len(line) - len(line.lstrip())
        key, _, rest = line.strip().partition(":")
        while stack[-1][0] >= indent:
            stack.pop()
        if rest.strip():
            stack[-1][1][key] = value(rest.strip())
        else:
            stack[-1][1][key] = child = {}
            stack.append((indent, child))
    return root


def permille(share):
    """0.8 is 800 thousandths; exact, so no floats."""
    whole, _, digits = str(share).partition(".")
    return int(whole) * 1000 + int((digits + "000")[:3])


def part(a, b):
    return MILLION if a >= b else MILLION * a // b


class Decision:
    def __init__(self, vector):
        self.policy, self.job, self.hosts = read_policy(vector["policy"]), vector["job"], vector["hosts"]
        self.factor = vector["factor_permille"]
        self.prefer = {key: int(weight) for key, weight in (self.policy.get("prefer") or {}).items()}
        self.limits = LIMITS | {k: v and permille(v) for k, v in (self.policy.get("limits") or {}).items()}
        self.price_max = max(host["price"] for host in self.hosts)

    def promise(self, host):
        pool = (self.policy.get("pools") or {}).get(host["pool"]) or {}
        levels = pool.get("levels", ["strict", "standard", "best-effort"])
        return levels, permille(pool.get("cpu", 1)), permille(pool.get("memory", 1))

    def cores(self, host):
        cpus = -(-self.job["cpu_milli"] // 1000)
        return cpus if self.job["noise_max_permille"] is not None else -(-cpus // host["threads"])

    def with_job(self, host):
        """What the host carries with the job on it."""
        job, load = self.job, dict(host)
        load["used_memory_mib"] += job["memory_mib"]
        if job["level"] == "strict":
            load["strict_milli"] += self.cores(host) * host["threads"] * 1000
        elif job["level"] == "standard":
            load["requested_milli"] += job["cpu_milli"]
            load["mean_milli"] += job["mean_milli"]
            load["variance"] += job["variance"]
        else:
            load["best_effort_requested_milli"] += job["cpu_milli"]
            load["best_effort_milli"] += job["mean_milli"]
        return load

    def peak(self, load):
        return load["mean_milli"] + isqrt(load["variance"]) * self.factor // 1000

    def fails(self, host):
        """The first condition that the host fails, or None. All are up, and no job names pool, cluster or labels."""
        job, load, (levels, cpu, memory) = self.job, self.with_job(host), self.promise(host)
        strict, standard, best_effort = (job["level"] == it for it in ("strict", "standard", "best-effort"))
        if job["level"] not in levels:
            return "level"
        noise_max, noise = job["noise_max_permille"], host["noise_permille"]
        if noise_max is not None and (noise is None or noise > noise_max):
            return "noise"
        if len(host["services"]) >= 100_000:
            return "jobs"
        if load["used_memory_mib"] > host["memory_mib"] * memory // 1000:
            return "memory"
        node_cores = host["cpu_milli"] // 1000 // host["threads"] // host["numa_nodes"]
        shared = max(host["cpu_milli"] - load["strict_milli"], 0)
        if strict and load["strict_milli"] > node_cores * host["numa_nodes"] * host["threads"] * 1000:
            return "cpu"
        if not best_effort and load["requested_milli"] > shared * cpu // 1000:
            return "cpu"
        if strict and self.cores(host) <= node_cores and max(host["free_cores"]) < self.cores(host):
            return "numa-node"

        def exceeds(limit, used):
            return self.limits[limit] is not None and used > shared * self.limits[limit] // 1000

        if not best_effort and exceeds("mean", load["mean_milli"]):
            return "mean"
        if not best_effort and exceeds("peak", self.peak(load)):
            return "peak"
        if best_effort and exceeds("best-effort", load["mean_milli"] + load["best_effort_milli"]):
            return "best-effort"
        if job["apart"] and job["service"] is not None and job["service"] in host["services"]:
            return "apart"
        return None

    def score(self, name, host, load, is_placed):
        _, cpu_promise, memory_promise = self.promise(host)
        strict, best_effort = load["strict_milli"], load["best_effort_milli"]
        shared = max(host["cpu_milli"] - strict, 0)
        requested = strict + load["requested_milli"] + load["best_effort_requested_milli"]
        cpu = part(requested, strict + shared * cpu_promise // 1000)
        memory = part(load["used_memory_mib"], host["memory_mib"] * memory_promise // 1000)
        if name == "free":
            return MILLION - cpu
        if name == "packed":
            return cpu
        if name == "best-fit":
            return (cpu + memory) // 2
        if name == "balance":
            return MILLION - abs(cpu - memory)
        if name == "low-mean":
            return MILLION - part(load["mean_milli"] + best_effort, shared)
        if name == "low-peak":
            return MILLION - part(self.peak(load) + best_effort, shared)
        if name == "quiet":
            noise = host["noise_permille"]
            return 0 if noise is None else max(MILLION - 1000 * noise, 0)
        if name == "cheap":
            return MILLION - part(host["price"], max(self.price_max, 1))
        if not is_placed:  # The other two are about a job.
            return 0
        if name == "few-of-service":
            service = self.job["service"]
            same = 0 if service is None else host["services"].count(service)
            return MILLION // (same + 1)
        if name == "dot-product":
            used = [host["strict_milli"] + host["requested_milli"], host["used_memory_mib"]]
            pairs = zip(["cpu_milli", "memory_mib"], used)
            return sum(part(self.job[k], host[k]) * (MILLION - part(u, host[k])) // MILLION for k, u in pairs) // 2
        raise ValueError(f"unknown score {name}")

    def value(self, host, load, is_placed):
        total = sum(w * self.score(name, host, load, is_placed) for name, w in self.prefer.items())
        return total // max(sum(self.prefer.values()), 1)

    def decide(self):
        """Returns ranking, refusals and choice."""
        ranking, refused, kinds = [], {}, {}
        for at, host in enumerate(self.hosts):
            failed = self.fails(host)
            if failed:
                refused[host["name"]] = failed
                continue
            ranking.append((-self.value(host, self.with_job(host), True), at))
            kind = tuple(host[k] for k in ("cpu_milli", "memory_mib", "numa_nodes", "threads", "pool", "price"))
            kinds.setdefault(kind, []).append((-(self.value(host, host, False) // 1000), at))
        number = self.policy["candidates"]
        number = len(self.hosts) if number == "all" else int(number)
        candidates = {at for kind in kinds.values() for _, at in sorted(kind)[:number]}
        ranking.sort()
        chosen = next((self.hosts[at]["name"] for _, at in ranking if at in candidates), None)
        return {"ranking": [[self.hosts[at]["name"], -value] for value, at in ranking], "refused": refused, "chosen": chosen}


def main():
    document = json.load(open(sys.argv[1]) if len(sys.argv) > 1 else sys.stdin)
    differences = 0
    for at, vector in enumerate(document["vectors"]):
        decision = Decision(vector)
        for key, mine in decision.decide().items():
            if mine != vector[key]:
                differences += 1
                print(f"vector {at} ({decision.policy['policy']}, job '{vector['job']['name']}'): "
                      f"{key} is {vector[key]}, expected {mine}")
    print(f"{len(document['vectors'])} vectors checked, {differences} differences")
    return 1 if differences else 0


if __name__ == "__main__":
    sys.exit(main())
