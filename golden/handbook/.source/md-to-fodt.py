#!/usr/bin/env python3
"""Turns the small Markdown subset of the guides into a flat OpenDocument text.

Headings, paragraphs, lists, tables and PNG pictures beside the source only. Usage: md-to-fodt.py IN.md OUT.fodt
"""
import base64
import pathlib
import re
import struct
import sys
from xml.sax.saxutils import escape

HEAD = """<?xml version="1.0" encoding="UTF-8"?>
<office:document office:version="1.2" office:mimetype="application/vnd.oasis.opendocument.text"
 xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0"
 xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0"
 xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0"
 xmlns:style="urn:oasis:names:tc:opendocument:xmlns:style:1.0"
 xmlns:fo="urn:oasis:names:tc:opendocument:xmlns:xsl-fo-compatible:1.0"
 xmlns:meta="urn:oasis:names:tc:opendocument:xmlns:meta:1.0"
 xmlns:dc="http://purl.org/dc/elements/1.1/"
 xmlns:draw="urn:oasis:names:tc:opendocument:xmlns:drawing:1.0"
 xmlns:svg="urn:oasis:names:tc:opendocument:xmlns:svg-compatible:1.0">
<office:meta><dc:title>{title}</dc:title><dc:language>en-GB</dc:language></office:meta>
<office:font-face-decls>
 <style:font-face style:name="Sans" svg:font-family="'Liberation Sans'"/>
 <style:font-face style:name="Serif" svg:font-family="'Liberation Serif'"/>
</office:font-face-decls>
<office:styles>
 <style:default-style style:family="paragraph"><style:paragraph-properties fo:hyphenation-ladder-count="no-limit"/>
  <style:text-properties style:font-name="Serif" fo:font-size="11.5pt" fo:language="en" fo:country="GB" fo:hyphenate="false"/></style:default-style>
 <style:style style:name="Body" style:family="paragraph"><style:paragraph-properties fo:margin-bottom="0.22cm" fo:line-height="125%" fo:orphans="2" fo:widows="2"/></style:style>
 <style:style style:name="Item" style:family="paragraph" style:parent-style-name="Body"><style:paragraph-properties fo:margin-left="0.8cm" fo:text-indent="-0.6cm"/></style:style>
 <style:style style:name="Cell" style:family="paragraph"><style:text-properties style:font-name="Sans" fo:font-size="9pt"/></style:style>
 <style:style style:name="CellHead" style:family="paragraph" style:parent-style-name="Cell"><style:text-properties fo:font-weight="bold"/></style:style>
 <style:style style:name="Edge" style:family="paragraph"><style:text-properties style:font-name="Sans" fo:font-size="8pt" fo:color="#555555"/></style:style>
 <style:style style:name="H1" style:family="paragraph" style:default-outline-level="1"><style:paragraph-properties fo:margin-bottom="0.3cm" fo:keep-with-next="always"/><style:text-properties style:font-name="Sans" fo:font-size="20pt" fo:font-weight="bold"/></style:style>
 <style:style style:name="H2" style:family="paragraph" style:default-outline-level="2"><style:paragraph-properties fo:margin-top="0.5cm" fo:margin-bottom="0.2cm" fo:keep-with-next="always"/><style:text-properties style:font-name="Sans" fo:font-size="14pt" fo:font-weight="bold"/></style:style>
 <style:style style:name="H3" style:family="paragraph" style:default-outline-level="3"><style:paragraph-properties fo:margin-top="0.3cm" fo:margin-bottom="0.15cm" fo:keep-with-next="always"/><style:text-properties style:font-name="Sans" fo:font-size="12pt" fo:font-weight="bold"/></style:style>
</office:styles>
<office:automatic-styles>
 <style:page-layout style:name="A4"><style:page-layout-properties fo:page-width="21cm" fo:page-height="29.7cm" fo:margin-top="1.6cm" fo:margin-bottom="1.6cm" fo:margin-left="2.4cm" fo:margin-right="2.4cm"/>
  <style:header-style><style:header-footer-properties fo:min-height="0.9cm" fo:margin-bottom="0.5cm"/></style:header-style>
  <style:footer-style><style:header-footer-properties fo:min-height="0.9cm" fo:margin-top="0.5cm"/></style:footer-style></style:page-layout>
 <style:style style:name="Grid" style:family="table"><style:table-properties style:width="16.2cm" table:align="left" fo:margin-bottom="0.35cm"/></style:style>
 {columns}
 <style:style style:name="Box" style:family="table-cell"><style:table-cell-properties fo:border="0.5pt solid #999999" fo:padding="0.09cm"/></style:style>
</office:automatic-styles>
<office:master-styles><style:master-page style:name="Standard" style:page-layout-name="A4">
 <style:header><text:p text:style-name="Edge">{title}</text:p></style:header>
 <style:footer><text:p text:style-name="Edge">Larkpay documentation, page <text:page-number text:select-page="current">1</text:page-number> of <text:page-count>1</text:page-count></text:p></style:footer>
</style:master-page></office:master-styles>
<office:body><office:text>
"""
FOOT = "</office:text></office:body></office:document>\n"
WIDTHS = {2: (3.2, 13.0), 3: (3.4, 5.0, 7.8)}


def table(rows):
    n = len(rows[0])
    out = ['<table:table table:style-name="Grid">']
    out += [f'<table:table-column table:style-name="C{n}x{i}"/>' for i in range(n)]
    for r, row in enumerate(rows):
        if r == 0:
            out.append("<table:table-header-rows>")
        out.append("<table:table-row>")
        style = "CellHead" if r == 0 else "Cell"
        out += [f'<table:table-cell table:style-name="Box"><text:p text:style-name="{style}">{escape(c)}</text:p></table:table-cell>' for c in row]
        out.append("</table:table-row>")
        if r == 0:
            out.append("</table:table-header-rows>")
    return "".join(out) + "</table:table>\n"


def picture(caption, file, height=10.5):
    data = file.read_bytes()
    pixels = struct.unpack(">II", data[16:24])
    width = height * pixels[0] / pixels[1]
    return (f'<text:p text:style-name="Body"><draw:frame draw:name="{escape(file.stem)}" text:anchor-type="as-char" svg:width="{width:.2f}cm" svg:height="{height}cm">'
            f'<draw:image><office:binary-data>{base64.b64encode(data).decode()}</office:binary-data></draw:image></draw:frame></text:p>'
            f'<text:p text:style-name="Body">{escape(caption)}</text:p>\n')


def main(source, target):
    lines = open(source, encoding="utf-8").read().splitlines()
    title = lines[0].lstrip("# ")
    columns = "".join(
        f'<style:style style:name="C{n}x{i}" style:family="table-column"><style:table-column-properties style:column-width="{w}cm"/></style:style>'
        for n, widths in WIDTHS.items() for i, w in enumerate(widths))
    out, rows = [HEAD.format(title=escape(title), columns=columns)], []
    for line in lines + [""]:
        if line.startswith("|"):
            cells = [c.strip() for c in line.strip("|").split("|")]
            if not set("".join(cells)) <= set("-: "):
                rows.append(cells)
            continue
        if rows:
            out.append(table(rows))
            rows = []
        image = re.fullmatch(r"!\[(.+)\]\((.+)\)", line)
        if image:
            out.append(picture(image[1], pathlib.Path(source).parent / image[2]))
        elif line.startswith("#"):
            level = len(line) - len(line.lstrip("#"))
            out.append(f'<text:h text:style-name="H{level}" text:outline-level="{level}">{escape(line.lstrip("# "))}</text:h>\n')
        elif line.strip():
            style = "Item" if line[0].isdigit() and line[1:3] == ". " or line.startswith("- ") else "Body"
            line = "\u2022 " + line[2:] if line.startswith("- ") else line
            out.append(f'<text:p text:style-name="{style}">{escape(line)}</text:p>\n')
    out.append(FOOT)
    open(target, "w", encoding="utf-8").write("".join(out))


main(sys.argv[1], sys.argv[2])
