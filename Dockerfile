# Two images: the last stage, `action`, is that of the GitHub Action, and `full` has every part of Prompt Gate.
# Both are one Debian root, made small, and a folder with Python packages; `full` adds packages to `action`.

FROM docker.io/library/debian:trixie-slim AS debian
# Debian's archive keeps only the newest version of a package: a pin (DL3008) would break with the next security fix.
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install --yes --no-install-recommends busybox ca-certificates git libgomp1 libstdc++6 python3 \
    && rm -rf /var/lib/apt/lists/*


FROM debian AS root
# What installs packages, logs people in or mounts disks goes, and Perl, which only git's rare commands need. dpkg does
# it, so its list of packages stays true. The tools of the shell are those of busybox. Modules are compiled and need no
# source then: a traceback still names file and line.
WORKDIR /usr/lib
ARG PURGE="dpkg --purge --force-depends --force-remove-essential --force-remove-protected"
RUN $PURGE apt bsdutils debconf debian-archive-keyring git-man hostname init-system-helpers \
        libapt-pkg7.0 libaudit-common libaudit1 libblkid1 libcap-ng0 libdb5.3t64 libdebconfclient0 liberror-perl \
        liblastlog2-2 libmount1 libpam-modules libpam-modules-bin libpam-runtime libpam0g libperl5.40 libseccomp2 \
        libsemanage-common libsemanage2 libsepol2 libsmartcols1 libsystemd0 libudev1 login login.defs mawk mount \
        ncurses-bin openssl openssl-provider-legacy passwd perl perl-base perl-modules-5.40 sqv sysvinit-utils tar util-linux \
    # Of what stays: git as a server, Python's own tests, libraries that nothing here loads, character sets, caches.
    && ln -sf /usr/bin/git git-core/git \
    && rm -rf /var/cache/* /var/log/* /usr/bin/git-shell /usr/bin/scalar /usr/share/gitweb /usr/share/perl* \
        git-core/git-daemon git-core/git-http-* git-core/git-imap-send git-core/git-sh-i18n--envsubst git-core/git-shell \
        git-core/scalar python3.13/test python3.13/pydoc_data python3.13/lib-dynload/_test* \
        ./*-linux-gnu/libbrotlienc.so.* ./*-linux-gnu/libmvec.so.* \
    && find python3.13 -name __pycache__ -prune -exec rm -r {} + \
    && python3 -m compileall -q -j 0 -b --invalidation-mode unchecked-hash python3.13 \
    && find python3.13 -name '*.py' -delete \
    && find . -path '*/gconv/*.so' ! -name 'CP125*' ! -name 'ISO8859*' -delete \
    && find /var/lib/dpkg/info -name '*.symbols' -delete \
    && mkdir /tools && busybox --install -s /tools && export PATH="$PATH:/tools" \
    && $PURGE coreutils debianutils diffutils dpkg findutils grep gzip libc-bin sed \
    && for tool in /tools/*; do \
        [ -e "/usr/bin/${tool#/tools/}" ] || ln -s busybox "/usr/bin/${tool#/tools/}"; \
    done \
    && rm -rf /tools /var/log/*
# The runner's workspace does not belong to the container's root, and the runner sets HOME.
RUN git config --system --add safe.directory /github/workspace


FROM debian AS tools
# The build backend comes from Debian, so that the build downloads only locked packages.
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install --yes --no-install-recommends binutils python3-hatchling python3-pip \
    && rm -rf /var/lib/apt/lists/*
WORKDIR /build


FROM tools AS locked
COPY requirements.lock ./
RUN python3 -m venv --without-pip /opt/gate \
    && pip --python /opt/gate/bin/python install --no-cache-dir --no-compile --only-binary :all: --require-hashes \
        --requirement requirements.lock


FROM locked AS project
COPY LICENSE README.md pyproject.toml ./
COPY gate gate
# Modules are compiled here and never checked again, because no file of the image changes afterwards.
RUN pip wheel --no-cache-dir --no-build-isolation --no-deps --wheel-dir dist . \
    && pip --python /opt/gate/bin/python install --no-cache-dir --no-compile --no-deps \
        --no-index --no-warn-script-location --root /staged dist/*.whl \
    && python3 -m compileall -q -j 0 --invalidation-mode unchecked-hash /staged \
    && mkdir /staged/opt/gate/share


FROM locked AS small-packages
WORKDIR /opt/gate/lib
# Without tests, stubs, headers and symbols, and without what the gate never imports: RECORD still lists it.
RUN find . -type d \( -name tests -o -path '*/numpy/f2py' -o -path '*/pygments/lexers' -o -path '*/sqlalchemy/testing' \) \
        -prune -exec rm -r {} + \
    && find . -type f \( -name '*.py[ix]' -o -name '*.px[di]' -o -name '*.[ach]' -o -name '*_tests.*.so' \
        -o -name '_simd.*.so' -o -name '*_avx2.*.so' -o -path '*/rapidfuzz/[fp]*_cpp*.so' \) -delete \
    && find . -name '*.so' ! -path '*.libs/*' -exec strip --strip-unneeded {} + \
    && python3 -m compileall -q -j 0 -b --invalidation-mode unchecked-hash . \
    && find . -name '*.py' -delete


# What the full image has beyond that of the action.
FROM small-packages AS full-packages
COPY requirements-full.lock /build/
RUN touch /build/before \
    && pip --python /opt/gate/bin/python install --no-cache-dir --no-compile --only-binary :all: --require-hashes \
        --requirement /build/requirements-full.lock \
    && mkdir /extra \
    && find /opt/gate ! -type d ! -path '*/tests/*' -newer /build/before \
        -exec cp --archive --link --parents --target-directory /extra {} + \
    && python3 -m compileall -q -j 0 --invalidation-mode unchecked-hash /extra


# The bills of materials list all Python packages and the Debian packages of the root.
FROM small-packages AS small
COPY release/sbom.py /build/
COPY --from=project /staged /staged
COPY --from=root /var/lib/dpkg/status /build/
RUN python3 /build/sbom.py --debian /build/status /opt/gate/lib/python3*/site-packages \
        /staged/opt/gate/lib/python3*/site-packages > /staged/opt/gate/share/sbom.cdx.json


FROM full-packages AS everything
COPY release/sbom.py /build/
COPY --from=project /staged /staged
COPY --from=root /var/lib/dpkg/status /build/
RUN python3 /build/sbom.py --debian /build/status /opt/gate/lib/python3*/site-packages \
        /staged/opt/gate/lib/python3*/site-packages > /build/sbom.cdx.json


FROM scratch AS base
# The files that were removed from the root would else stay in its layers.
# hadolint ignore=DL3067
COPY --from=root / /
ENV PATH=/opt/gate/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin PYTHONUNBUFFERED=1
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
COPY --from=small-packages /opt/gate /opt/gate
COPY --from=small /staged /


FROM base AS full
COPY --from=full-packages /extra /
COPY --from=everything /build/sbom.cdx.json /opt/gate/share/


FROM base AS action
