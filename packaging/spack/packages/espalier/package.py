# SPDX-License-Identifier: BSD-3-Clause
# Linted (python3 -m py_compile), not built: see repo.yaml.
from spack.package import *

try:  # Spack 1.0 and later
    from spack_repo.builtin.build_systems.autotools import AutotoolsPackage
except ImportError:  # earlier versions export it from spack.package
    pass


class Espalier(AutotoolsPackage):
    """Hyperparameter search for graph convolutional networks, multilayer perceptrons and ridge
    regression in plant genomics and chemistry. Runs on a laptop or on MPI ranks and writes one
    SQLite database."""

    license("BSD-3-Clause", checked_by="the espalier authors")

    # The source is the unpacked tarball: spack develop --path FOLDER espalier@0.2.0
    version("0.2.0")

    depends_on("c", type="build")
    depends_on("gmake", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("cmocka@1.1:", type="build")
    # configure asks pkg-config for ompi-c, which only Open MPI has.
    depends_on("openmpi@4:", type=("build", "link", "run"))
    # LAPACK is part of Spack's OpenBLAS.
    depends_on("openblas")
    depends_on("sqlite@3.38:", type=("build", "link", "run"))
    depends_on("xxhash@0.8:")
    depends_on("zlib")
    depends_on("htslib@1.10:")
    depends_on("libinih@53:")
    depends_on("json-c@0.15:")
    depends_on("pcre2@10.34:")
    depends_on("random123", type="build")
    depends_on("uthash", type="build")

    def configure_args(self):
        # Spack has no Indigo, so data.format = smiles is refused.
        # Nor has it D3, so pages of `espalier report` have static figures only.
        return ["--without-indigo", "--without-d3"]

    def installcheck(self):
        Executable(self.prefix.bin.espalier)("--version")
