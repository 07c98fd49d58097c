#!/usr/bin/python3
"""What a call from Python costs beside C: bench/python.py BATCH_PROGRAM. Forward dynamics of chain7, in a batch of 10^6 and one by one."""

import os
import subprocess
import sys
import tempfile
import time

import numpy as np

import dalembert as dal


def least(function, rounds):
    """The least time of some rounds, s."""
    best = float("inf")
    for _ in range(rounds):
        begin = time.perf_counter()
        function()
        best = min(best, time.perf_counter() - begin)
    return best


def main(program, n=1_000_000):
    program = os.path.abspath(program)
    os.chdir(tempfile.mkdtemp(prefix="dalembert-"))
    in_c = min(float(subprocess.run([program, "chain7", str(n)], capture_output=True, text=True, check=True).stdout.split()[0]) for _ in range(3))
    tree = dal.load("chain7.yaml").tree()
    rng = np.random.default_rng(1)
    q, v, tau = (rng.standard_normal((n, tree.nv)) for _ in range(3))
    out = np.empty_like(q)
    batch = 1e9 * least(lambda: tree.forward_dynamics(q, v, tau, out=out), 5) / n
    two = 1e9 * least(lambda: tree.forward_dynamics(q, v, tau, out=out, threads=2), 5) / n
    one_q, one_v, one_tau, one = q[0].copy(), v[0].copy(), tau[0].copy(), out[0].copy()
    call, many = tree.forward_dynamics, range(20000)

    def with_out():
        for _ in many:
            call(one_q, one_v, one_tau, out=one)

    def without():
        for _ in many:
            call(one_q, one_v, one_tau)

    def nothing():
        for _ in many:
            pass

    empty = least(nothing, 10)
    single, fresh = (1e9 * (least(function, 30) - empty) / len(many) for function in (with_out, without))
    print(f"C, one call                {in_c:8.0f} ns")
    print(f"batch of {n}, a row   {batch:8.0f} ns   {batch / in_c:.2f} x C")
    print(f"the same on two threads    {two:8.0f} ns   {batch / two:.2f} times as fast")
    print(f"one call with out=         {single:8.0f} ns   {single - in_c:+.0f} ns")
    print(f"one call without           {fresh:8.0f} ns   {fresh - in_c:+.0f} ns")


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit("usage: bench/python.py BATCH_PROGRAM [N]")
    main(sys.argv[1], *map(int, sys.argv[2:3]))
