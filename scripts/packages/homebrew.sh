# homebrew.sh - the formula: rubocop finds nothing, and it installs and tests what it builds, with stub.rb for
# Homebrew.
set -eu
. scripts/packages/common.sh
if ! lacks 'a check by rubocop' rubocop; then
    logged rubocop rubocop --config scripts/packages/rubocop.yml "$dist/sectile.rb"
fi
lacks 'the formula' ruby cmake && exit

unpack_source
stub=$root/scripts/packages/stub.rb
logged build sh -c "cd '$out/sectile-$version' &&
    ruby '$stub' '$dist/sectile.rb' '$dist/sectile-$version.tar.gz' '$out/prefix'"
use "$out/prefix"
