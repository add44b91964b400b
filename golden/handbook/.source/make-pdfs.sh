#!/bin/sh
# Regenerates the two PDF documents of the handbook from their sources.
# Needs: python3, LibreOffice Writer (soffice), Chromium, the Liberation fonts.
set -eu

here=$(CDPATH= cd -- "$(dirname -- "$0")" && pwd)
out=$(dirname -- "$here")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

python3 "$here/md-to-fodt.py" "$here/settlement-guide.md" "$work/settlement-guide.fodt"
soffice -env:UserInstallation="file://$work/profile" --headless \
    --convert-to pdf --outdir "$out" "$work/settlement-guide.fodt" >/dev/null

cp "$here/sdk-reference.html" "$work/"
"${CHROMIUM:-chromium}" --headless --disable-gpu --no-sandbox --no-pdf-header-footer \
    --user-data-dir="$work/chromium" \
    --print-to-pdf="$out/sdk-reference.pdf" "file://$work/sdk-reference.html" 2>/dev/null

ls -l "$out/settlement-guide.pdf" "$out/sdk-reference.pdf"
