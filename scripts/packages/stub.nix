# stub.nix - as much of nixpkgs as the derivation of Sectile uses, on the tools and libraries of this machine:
# stdenv.mkDerivation configures, builds and installs with CMake, with absolute folders as that of nixpkgs does.
let
  here = name: { inherit name; };
in
{
  cmake = here "cmake";
  ninja = here "ninja";
  pkg-config = here "pkg-config";
  jansson = here "jansson";
  openblas = here "openblas";
  openmpi = here "openmpi";
  zlib = here "zlib";
  lib.licenses.bsd3 = { spdxId = "BSD-3-Clause"; };
  lib.platforms.linux = [ "x86_64-linux" "aarch64-linux" ];
  stdenv.mkDerivation = { pname, version, src, nativeBuildInputs, buildInputs, cmakeFlags, meta }:
    derivation {
      name = "${pname}-${version}";
      system = builtins.currentSystem;
      builder = "/bin/sh";
      inherit src;
      description = meta.description;
      inputs = map (input: input.name) (nativeBuildInputs ++ buildInputs);
      PATH = "/usr/bin:/bin";
      args = [
        "-euc"
        ''
          tar -xf $src --strip-components=1
          cmake -S . -B build -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_INSTALL_PREFIX=$out \
              -DCMAKE_INSTALL_BINDIR=$out/bin -DCMAKE_INSTALL_LIBDIR=$out/lib \
              -DCMAKE_INSTALL_INCLUDEDIR=$out/include -DCMAKE_INSTALL_MANDIR=$out/share/man \
              -DCMAKE_INSTALL_DOCDIR=$out/share/doc/sectile ${toString cmakeFlags}
          cmake --build build
          cmake --install build
        ''
      ];
    };
}
