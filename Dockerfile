# The image of the GitHub Action: Debian's Python and git, the locked dependencies, and Prompt Gate itself.

FROM docker.io/library/debian:trixie-slim AS runtime
# Debian's archive keeps only the newest version of a package: a pin (DL3008) would break with the next security fix.
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install --yes --no-install-recommends ca-certificates git libgomp1 libstdc++6 python3 \
    && rm -rf /var/lib/apt/lists/* \
    && dpkg-query --show --showformat '${Package}\t${Version}\t${Architecture}\n' > /usr/share/debian-packages.tsv
# The runner's workspace does not belong to the container's root, and the runner sets HOME.
RUN git config --system --add safe.directory /github/workspace
ENV PATH=/opt/gate/bin:$PATH PYTHONUNBUFFERED=1


FROM runtime AS dependencies
# The build backend comes from Debian, so that the build downloads only locked packages.
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install --yes --no-install-recommends python3-hatchling python3-pip \
    && rm -rf /var/lib/apt/lists/*
WORKDIR /build
COPY requirements.lock ./
# Modules are compiled here and never checked again, because no file of the image changes afterwards.
RUN python3 -m venv --without-pip /opt/gate \
    && pip --python /opt/gate/bin/python install --no-cache-dir --no-compile --only-binary :all: --require-hashes \
        --requirement requirements.lock \
    && python3 -m compileall -q -j 0 --invalidation-mode unchecked-hash /opt/gate


FROM dependencies AS project
COPY LICENSE README.md pyproject.toml release/sbom.py ./
COPY gate gate
# The bill of materials lists all Python packages and the Debian packages of the runtime image.
RUN pip wheel --no-cache-dir --no-build-isolation --no-deps --wheel-dir dist . \
    && pip --python /opt/gate/bin/python install --no-cache-dir --no-compile --no-deps \
        --no-index --no-warn-script-location --root /staged dist/*.whl \
    && python3 -m compileall -q -j 0 --invalidation-mode unchecked-hash /staged \
    && mkdir /staged/opt/gate/share \
    && python3 sbom.py --debian /usr/share/debian-packages.tsv \
        /opt/gate/lib/python3*/site-packages /staged/opt/gate/lib/python3*/site-packages \
        > /staged/opt/gate/share/sbom.cdx.json


FROM runtime
COPY --from=dependencies /opt/gate /opt/gate
COPY --from=project /staged /
ARG VERSION=0.1.0
LABEL org.opencontainers.image.title="Prompt Gate" \
    org.opencontainers.image.description="Compares a prompt before and after a change, per slice, and gates it." \
    org.opencontainers.image.licenses="Apache-2.0" \
    org.opencontainers.image.version="${VERSION}" \
    org.opencontainers.image.base.name="docker.io/library/debian:trixie-slim" \
    sbom="/opt/gate/share/sbom.cdx.json"
# The exec form, because a shell drops inputs whose names have hyphens. No WORKDIR and no USER: the runner mounts the
# workspace and makes it the working directory, and its files belong to a user that the image does not know.
ENTRYPOINT ["/opt/gate/bin/gate", "action"]
