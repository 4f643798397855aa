# The server of environments: agentgym serve. Built from a checkout, without a compiler or pip in what is kept.
#
#   docker build -t agentgym-server .
#   docker run --read-only --tmpfs /tmp --cap-drop ALL --security-opt no-new-privileges -p 8000:8000 \
#       -v "$PWD/tokens:/run/secrets/tokens:ro" -v agentgym-state:/state agentgym-server
#
# BASE is an image of Debian with Python 3.11 to 3.13 and venv. Packages come from the index; a folder `wheels` beside
# this file is looked into first, and with --build-arg PIP_NO_INDEX=1 it is all that is asked. EXTRAS adds worlds, such as
# serve,worlds.
ARG BASE=python:3.13-slim

FROM ${BASE} AS build
ARG EXTRAS=serve
ARG PIP_NO_INDEX
ENV PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_CACHE_DIR=1 PIP_FIND_LINKS=/wheels
WORKDIR /source
COPY pyproject.toml constraints.txt wheels* /wheels/
RUN python3 -m venv --without-pip /opt/agentgym \
    && python3 -m venv /opt/pip \
    && mv /wheels/pyproject.toml /wheels/constraints.txt .
# What is needed, before the code that changes: a package without modules asks for the same.
RUN touch README.md LICENSE THIRD_PARTY.md \
    && /opt/pip/bin/pip --python /opt/agentgym/bin/python install --no-compile -c constraints.txt ".[${EXTRAS}]" \
    && /opt/pip/bin/pip --python /opt/agentgym/bin/python uninstall --yes --quiet agentgym-suite
COPY setup.py README.md LICENSE THIRD_PARTY.md ./
COPY agentgym agentgym
COPY envs envs
COPY wrappers wrappers
COPY assets assets
COPY baselines baselines
RUN /opt/pip/bin/pip --python /opt/agentgym/bin/python install --no-compile --no-deps . \
    && find /opt/agentgym -path '*/numpy/*/tests' -prune -exec rm -r {} + \
    && find /opt/agentgym -path '*/scipy/*/tests' -prune -exec rm -r {} + \
    && /opt/agentgym/bin/python -m compileall -q -j 0 -x '/scipy/' /opt/agentgym/lib

FROM ${BASE}
ENV PATH=/opt/agentgym/bin:$PATH PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1 HOME=/tmp OMP_NUM_THREADS=1
# /tmp is written to (indices of worlds), and /state; nothing else is, so the rest may be read-only.
RUN mkdir /state && chown 61000:61000 /state
COPY --from=build /opt/agentgym /opt/agentgym
USER 61000:61000
WORKDIR /tmp
VOLUME /state
EXPOSE 8000
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --retries=3 \
    CMD ["python", "-c", "from urllib.request import urlopen; urlopen('http://127.0.0.1:8000/health', timeout=4)"]
STOPSIGNAL SIGTERM
ENTRYPOINT ["agentgym"]
CMD ["serve", "--host", "0.0.0.0", "--port", "8000", "--tokens", "/run/secrets/tokens", "--state", "/state"]
