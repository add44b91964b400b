#!/bin/sh
# Regenerates the rendered documents of the handbook from their sources: all of them, or those named.
# Usage: make-pdfs.sh [settlement-guide] [sdk-reference] [terminal-manual] [pricing-sheet] [data-processing-agreement] [merchant-onboarding]
# Needs: python3 with Pillow (or another interpreter in PYTHON), LibreOffice Writer (soffice), Chromium 131 or newer, pdfLaTeX (texlive-latex-recommended, lmodern), the Liberation fonts.
# reconciliation-report.pdf is rendered from its Markdown by `cargo ragtest docs render`, not here.
set -eu

here=$(CDPATH= cd -- "$(dirname -- "$0")" && pwd)
out=$(dirname -- "$here")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python=${PYTHON:-python3}
export SOURCE_DATE_EPOCH=1793491200 FORCE_SOURCE_DATE=1 TZ=UTC LC_ALL=C.UTF-8

office() { # FORMAT FILE
    soffice -env:UserInstallation="file://$work/profile" --headless \
        --convert-to "$1" --outdir "$out" "$2" >/dev/null
}

guide() { # NAME: Markdown to PDF through a flat OpenDocument text
    "$python" "$here/md-to-fodt.py" "$here/$1.md" "$work/$1.fodt"
    office pdf "$work/$1.fodt"
}

page() { # NAME: HTML to PDF through a browser
    cp "$here/$1.html" "$work/"
    "${CHROMIUM:-chromium}" --headless --disable-gpu --no-sandbox --no-pdf-header-footer \
        --user-data-dir="$work/chromium" \
        --print-to-pdf="$out/$1.pdf" "file://$work/$1.html" 2>/dev/null
}

make_one() {
    case $1 in
    settlement-guide) guide "$1" ;;
    terminal-manual)
        "$python" "$here/draw-terminal.py" "$here/terminal-manual.png"
        guide "$1"
        ;;
    sdk-reference | pricing-sheet) page "$1" ;;
    data-processing-agreement)
        for _ in 1 2; do # the second run resolves the references
            pdflatex -interaction=nonstopmode -halt-on-error -output-directory "$work" "$here/$1.tex" >"$work/tex.log" ||
                { tail -n 30 "$work/tex.log" >&2; exit 1; }
        done
        mv "$work/$1.pdf" "$out/legal/$1.pdf"
        "$python" "$here/settle.py" "$out/legal/$1.pdf"
        return
        ;;
    merchant-onboarding)
        office docx "$here/$1.fodt"
        "$python" "$here/settle.py" "$out/$1.docx"
        return
        ;;
    *) echo "unknown document: $1" >&2; exit 2 ;;
    esac
    "$python" "$here/settle.py" "$out/$1.pdf"
}

[ $# -gt 0 ] || set -- settlement-guide sdk-reference terminal-manual pricing-sheet data-processing-agreement merchant-onboarding
for name; do
    make_one "$name"
done
find "$out" -name '*.pdf' -o -name '*.docx' | sort | xargs ls -l
