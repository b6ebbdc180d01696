# The commands on processors. From the top of the repository:
#
#   docker build -f docs/docker/cpu.Dockerfile -t fpmcts .
#   docker run --rm -p 8000:8000 -v "$PWD/runs:/work" fpmcts    # the table in a browser
#   docker run --rm -v "$PWD/runs:/work" fpmcts train game=leduc budget.minutes=5
#   docker run --rm -v "$PWD/runs:/work" fpmcts evaluate a=policy b=rhcp decks=100
#
# The folder must be writable for user 1000; for another user add --user "$(id -u):$(id -g)".
FROM python:3.11-slim AS wheel
WORKDIR /source
COPY . .
RUN pip wheel --no-cache-dir --no-deps --wheel-dir /wheels .

FROM python:3.11-slim
COPY constraints.txt /tmp/
# torch for processors alone is a tenth of what PyPI sends to Linux. It comes first and without what it needs, which PyPI has.
RUN pip install --no-cache-dir --no-deps --index-url https://download.pytorch.org/whl/cpu "$(grep ^torch== /tmp/constraints.txt)"
COPY --from=wheel /wheels /tmp/wheels
RUN pip install --no-cache-dir -c /tmp/constraints.txt "$(ls /tmp/wheels/fpmcts-*.whl)[report,play,models,interop,ray]" && rm -r /tmp/wheels
# RLCard unpacks its tables beside itself when it is first imported, which only root may do here.
RUN python -W ignore -c "import rlcard.games.doudizhu.utils"
# Runs, saved games and compiled kernels lie in /work. Kernels are compiled at the first start, for the processor that is there.
RUN useradd --create-home --uid 1000 player && mkdir /work && chown player /work
USER player
WORKDIR /work
ENV HOME=/work XDG_CACHE_HOME=/work/.cache
EXPOSE 8000
ENTRYPOINT ["fpmcts"]
CMD ["play", "host=0.0.0.0", "port=8000", "browser=false"]
