# The commands on an NVIDIA GPU; the host needs the driver and the NVIDIA Container Toolkit. From the top of the repository:
#
#   docker build -f docs/docker/cuda.Dockerfile -t fpmcts-cuda .
#   docker run --rm --gpus all -p 8000:8000 -v "$PWD/runs:/work" fpmcts-cuda    # the table in a browser
#   docker run --rm --gpus all -v "$PWD/runs:/work" fpmcts-cuda train game=leduc device=cuda budget.minutes=5
#   docker run --rm --gpus all -v "$PWD/runs:/work" fpmcts-cuda evaluate a=policy b=rhcp decks=100 device=cuda
#
# The folder must be writable for user 1000; for another user add --user "$(id -u):$(id -g)".
FROM python:3.11-slim AS wheel
WORKDIR /source
COPY . .
RUN pip wheel --no-cache-dir --no-deps --wheel-dir /wheels .

FROM python:3.11-slim
COPY constraints.txt /tmp/
COPY --from=wheel /wheels /tmp/wheels
# On Linux the torch of PyPI brings the CUDA libraries that it was built with, so no image of NVIDIA's is needed.
RUN pip install --no-cache-dir -c /tmp/constraints.txt "$(ls /tmp/wheels/fpmcts-*.whl)[report,play,models,interop,ray]" && rm -r /tmp/wheels
# RLCard unpacks its tables beside itself when it is first imported, which only root may do here.
RUN python -W ignore -c "import rlcard.games.doudizhu.utils"
# Runs, saved games and compiled kernels lie in /work. Kernels are compiled at the first start, for the processor that is there.
RUN useradd --create-home --uid 1000 player && mkdir /work && chown player /work
USER player
WORKDIR /work
ENV HOME=/work XDG_CACHE_HOME=/work/.cache NVIDIA_VISIBLE_DEVICES=all NVIDIA_DRIVER_CAPABILITIES=compute,utility
EXPOSE 8000
ENTRYPOINT ["fpmcts"]
CMD ["play", "host=0.0.0.0", "port=8000", "browser=false"]
