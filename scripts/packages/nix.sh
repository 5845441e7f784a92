# nix.sh - the derivation: nix-build evaluates and builds it, with stub.nix for nixpkgs, in a store of its own.
set -eu
. scripts/packages/common.sh
lacks 'the derivation' nix-build && exit

export NIX_STORE_DIR=$out/store NIX_STATE_DIR=$out/var NIX_LOG_DIR=$out/log NIX_CONF_DIR=$out
logged build nix-build --option sandbox false --option build-users-group '' -o "$out/result" \
    -E "import $dist/default.nix { pkgs = import $root/scripts/packages/stub.nix; }"
use "$(readlink "$out/result")"
