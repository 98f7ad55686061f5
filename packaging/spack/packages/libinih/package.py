# SPDX-License-Identifier: BSD-3-Clause
# A release of inih. Spack's own libinih has the branch master only.
# Linted (python3 -m py_compile), not built: see ../../repo.yaml.
from spack.package import *

try:  # Spack 1.0 and later
    from spack_repo.builtin.build_systems.meson import MesonPackage
except ImportError:  # earlier versions export it from spack.package
    pass


class Libinih(MesonPackage):
    """A parser of INI files in C."""

    homepage = "https://github.com/benhoyt/inih"
    url = "https://github.com/benhoyt/inih/archive/refs/tags/r58.tar.gz"

    license("BSD-3-Clause")

    version("58", sha256="e79216260d5dffe809bda840be48ab0eec7737b2bb9f02d2275c1b46344ea7b7")

    depends_on("c", type="build")
    depends_on("cxx", type="build")

    def url_for_version(self, version):
        return f"https://github.com/benhoyt/inih/archive/refs/tags/r{version}.tar.gz"

    def meson_args(self):
        return ["-Ddistro_install=true", "-Dwith_INIReader=false"]
