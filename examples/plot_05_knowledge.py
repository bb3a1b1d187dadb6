"""
Saying what is known
====================

The diabetes table has measurements, and the progression of the disease a year later. Sparsity does not tell time: without
knowledge the learned graph has progression as a cause. Tiers say what came first.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_diabetes

import sparsest as sp

patients = load_diabetes(as_frame=True, scaled=False).frame.rename(
    columns={"target": "progression"}
)
blood = ["s1", "s2", "s3", "s4", "s5", "s6"]
known = sp.Knowledge(
    tiers=[["age", "sex"], ["bmi", "bp"], blood, ["progression"]],
    forbidden=[("age", "sex")],
)

without = sp.fit(patients, model="gaussian")
result = sp.fit(patients, model="gaussian", knowledge=known)

figure, axes = plt.subplots(1, 2, figsize=(12, 6), layout="constrained")
without.plot(ax=axes[0], title="from the table alone")
result.plot(ax=axes[1], title="with tiers")

# %%
# Every solver obeys knowledge exactly. The best graph that obeys explains the table a little less well:
print(
    f"objective {without.objective:.4f} without, {result.objective:.4f} with knowledge"
)
assert not result.dag.children("progression")
