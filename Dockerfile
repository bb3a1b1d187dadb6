# docker build -t sparsest . && docker run --rm -v "$PWD:/data" sparsest fit /data/table.csv -o /data/result
FROM python:3.12-slim

ENV NUMBA_CACHE_DIR=/var/cache/numba OMP_NUM_THREADS=1 PYTHONDONTWRITEBYTECODE=1
WORKDIR /source
COPY pyproject.toml README.md LICENSE CITATION.cff ./
COPY src ./src
RUN pip install --no-cache-dir ".[excel,stats]" \
    && useradd --create-home learner \
    && mkdir -p /var/cache/numba /data \
    && chown learner /var/cache/numba /data
USER learner
RUN sparsest warm-up
WORKDIR /data
ENTRYPOINT ["sparsest"]
CMD ["--help"]
