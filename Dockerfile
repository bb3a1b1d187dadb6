# docker build -t sparsest .
# docker run --rm --user "$(id -u):$(id -g)" -v "$PWD:/data" sparsest fit table.csv -o result
FROM python:3.12-slim

ENV NUMBA_CACHE_DIR=/var/cache/numba MPLCONFIGDIR=/tmp/matplotlib OMP_NUM_THREADS=1 PYTHONDONTWRITEBYTECODE=1
WORKDIR /source
COPY pyproject.toml README.md LICENSE CITATION.cff ./
COPY src ./src
RUN pip install --no-cache-dir ".[excel,stats]" \
    && useradd --create-home learner \
    && mkdir -p /var/cache/numba /data \
    && chown learner /var/cache/numba /data
USER learner
# Whoever runs it may use, and add to, what was compiled here.
RUN sparsest warm-up && chmod -R a+rwX /var/cache/numba
WORKDIR /data
ENTRYPOINT ["sparsest"]
CMD ["--help"]
