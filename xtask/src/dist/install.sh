#!/bin/sh
# Installs Toolsmith VERSION for this user: sh install.sh [FOLDER]
# Archives and SHA256SUMS are taken from the folder of this script, or from TOOLSMITH_RELEASES (a URL).
set -eu

version=VERSION
folder=${1:-${HOME:?is not set}/.local/bin}
case "$(uname -s) $(uname -m)" in
    "Linux x86_64") target=x86_64-unknown-linux-musl ;;
    "Linux aarch64" | "Linux arm64") target=aarch64-unknown-linux-musl ;;
    "Darwin arm64") target=aarch64-apple-darwin ;;
    "Darwin x86_64") target=x86_64-apple-darwin ;;
    *) echo "error: there is no archive for $(uname -s) on $(uname -m); build from source" >&2; exit 1 ;;
esac
name=toolsmith-$version-$target
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

for file in SHA256SUMS "$name.tar.gz"; do
    if [ -f "$here/$file" ]; then
        cp "$here/$file" "$work/$file"
    elif [ -n "${TOOLSMITH_RELEASES:-}" ]; then
        curl --fail --silent --show-error --location --output "$work/$file" "$TOOLSMITH_RELEASES/$file"
    else
        echo "error: $file is not in $here; set TOOLSMITH_RELEASES to the URL of its folder" >&2
        exit 1
    fi
done

cd "$work"
# macOS has another name for the program that checks sums.
check="sha256sum"
command -v sha256sum > /dev/null || check="shasum -a 256"
if ! grep " $name.tar.gz\$" SHA256SUMS > sum || ! $check -c sum > /dev/null 2>&1; then
    echo "error: $name.tar.gz does not have the checksum that SHA256SUMS has; nothing was installed" >&2
    exit 1
fi
tar xzf "$name.tar.gz"
mkdir -p "$folder"
# A rename replaces a program that is running.
cp "$name/toolsmith" "$folder/.toolsmith.new"
chmod 755 "$folder/.toolsmith.new"
mv -f "$folder/.toolsmith.new" "$folder/toolsmith"
echo "installed $folder/toolsmith"
case ":$PATH:" in
    *":$folder:"*) ;;
    *) echo "add $folder to PATH to run it as toolsmith" ;;
esac
