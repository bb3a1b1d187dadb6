"""Stored results of two other implementations of GES on small random correlation matrices.

Run in an environment with numpy and one of the peers; it writes `<peer>_<release>.npz` next to itself:

    pip install ges==1.1.1 && python make_ges_peers.py ges
    pip install causal-learn==0.1.4.8 && python make_ges_peers.py causal-learn

Both peers score by BIC, log(n) / 2n a parameter on our scale. causal-learn has no turning phase. `ges` leaves
out some of the turns that Proposition 31 of Hauser & Bühlmann allows; on these datasets that changes nothing.

Contents: `sizes` (nodes), `rows` (sample sizes), `correlations` (above the diagonal, float32, one after the
other), and the CPDAGs after the phases forward and backward (`two`) and turning (`three`): 0/1 matrices,
[i, j] = 1 for i -> j, all entries one after the other, packed to bits.
"""

import sys
from importlib.metadata import version
from pathlib import Path

import numpy as np

DATASETS = 400


def random_correlation(rng):
    """The sample correlations of linear Gaussian data from a random DAG, as float32, and the sample size."""
    p, n = int(rng.integers(3, 11)), int(rng.choice([50, 200, 1000]))
    weights = np.triu(rng.uniform(0.3, 1.5, (p, p)) * rng.choice([-1, 1], (p, p)), 1)
    weights *= rng.random((p, p)) < rng.uniform(0.1, 0.8)
    noise = rng.normal(size=(n, p)) * rng.uniform(0.3, 1.5, p)
    data = noise @ np.linalg.inv(np.eye(p) - weights)
    return np.corrcoef(data[:, rng.permutation(p)], rowvar=False).astype(np.float32), n


def run_ges(correlation, n):
    """The CPDAGs after two and after three phases, each gone through once."""
    from ges import fit
    from ges.scores.gauss_obs_l0_pen import GaussObsL0Pen

    answers = {}
    for name, phases in (("two", ["forward", "backward"]), ("three", ["forward", "backward", "turning"])):
        score = GaussObsL0Pen(np.zeros((2, len(correlation))))
        score._scatter, score.n, score.lmbda = correlation, n, 0.5 * np.log(n)
        answers[name] = fit(score, phases=phases)[0] != 0
    return answers


def run_causal_learn(correlation, n):
    """The CPDAG after two phases."""
    from causallearn.search.ScoreBased.GES import ges

    graph = ges(cov=correlation, n=n, lambda_value=0.5)["G"].graph
    return {"two": graph == -1}  # graph[i, j] is the end at i of the edge i, j: -1 tail, 1 arrow


PEERS = {"ges": run_ges, "causal-learn": run_causal_learn}


def main(peer):
    rng = np.random.default_rng(20240701)
    sizes, rows, upper, answers = [], [], [], []
    for _ in range(DATASETS):
        correlation, n = random_correlation(rng)
        p = len(correlation)
        above = correlation[np.triu_indices(p, 1)]
        exact = np.eye(p)
        exact[np.triu_indices(p, 1)] = above
        exact = exact + exact.T - np.eye(p)
        sizes.append(p)
        rows.append(n)
        upper.append(above)
        answers.append(PEERS[peer](exact, n))
    np.savez_compressed(
        Path(__file__).with_name(f"{peer.replace('-', '_')}_{version(peer)}.npz"),
        sizes=np.array(sizes, dtype=np.uint8),
        rows=np.array(rows, dtype=np.uint16),
        correlations=np.concatenate(upper),
        **{
            name: np.packbits(np.concatenate([answer[name].ravel() for answer in answers]))
            for name in answers[0]
        },
    )


if __name__ == "__main__":
    main(sys.argv[1])
