"""Partition MCMC: DAGs drawn from the posterior where there are too many columns to add up over all DAGs.

Kuipers & Moffa (2017): a Markov chain over ordered partitions of the columns, each DAG belonging to exactly
one, so that the prior is uniform over DAGs. It is here to be compared with resamples, and not part of the
package.
"""
