# The commands on processors. From the top of the repository:
#
#   docker build -f docker/cpu.Dockerfile -t fpmcts .
#   docker run --rm -p 8000:8000 -v "$PWD/runs:/work" fpmcts    # the table in a browser
#   docker run --rm -v "$PWD/runs:/work" fpmcts train game=leduc budget.minutes=5
#   docker run --rm -v "$PWD/runs:/work" fpmcts evaluate a=policy b=rhcp decks=100
FROM python:3.11-slim AS wheel
WORKDIR /source
COPY . .
RUN pip wheel --no-cache-dir --no-deps --wheel-dir /wheels .

FROM python:3.11-slim
COPY constraints.txt /tmp/
# torch for processors alone is a tenth of what PyPI sends to Linux. It comes first: the constraint then is met.
RUN pip install --no-cache-dir -c /tmp/constraints.txt --index-url https://download.pytorch.org/whl/cpu torch
COPY --from=wheel /wheels /tmp/wheels
RUN pip install --no-cache-dir -c /tmp/constraints.txt "$(ls /tmp/wheels/fpmcts-*.whl)[report,play,models,interop,ray]" && rm -r /tmp/wheels
# Runs, saved games and compiled kernels lie in /work. Kernels are compiled at the first start, for the processor that is there.
RUN useradd --create-home --uid 1000 player && mkdir /work && chown player /work
USER player
WORKDIR /work
ENV XDG_CACHE_HOME=/work/.cache
EXPOSE 8000
ENTRYPOINT ["fpmcts"]
CMD ["play", "host=0.0.0.0", "port=8000", "browser=false"]
