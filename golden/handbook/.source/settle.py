#!/usr/bin/env python3
"""Takes the moment of production out of a PDF or docx, in place. Usage: settle.py FILE...

PDF: dates and document identifiers are overwritten with fixed ones of the same length, so that no offset moves.
docx: members are stored in their order with a fixed time, and the dates in docProps/core.xml are fixed.
"""
import re
import sys
import zipfile

MOMENT = "20261101000000"


def pdf(path):
    data = open(path, "rb").read()
    data = re.sub(rb"(/(?:CreationDate|ModDate)\s?\(D:)\d{14}([^)]*)\)", lambda m: m[1] + MOMENT.encode() + (b"Z" + b" " * len(m[2]))[:len(m[2])] + b")", data)
    data = re.sub(rb"(/ID\s*\[\s*)(<[0-9A-Fa-f]*>\s*<[0-9A-Fa-f]*>)", lambda m: m[1] + re.sub(rb"[0-9A-Fa-f]", b"0", m[2]), data)
    data = re.sub(rb"(/DocChecksum\s*/)([0-9A-Fa-f]+)", lambda m: m[1] + b"0" * len(m[2]), data)
    open(path, "wb").write(data)


def docx(path):
    with zipfile.ZipFile(path) as source:
        members = [(info.filename, source.read(info)) for info in source.infolist()]
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as target:
        for name, data in members:
            if name == "docProps/core.xml":
                data = re.sub(rb"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", b"2026-11-01T00:00:00Z", data)
            if name == "docProps/app.xml":
                data = re.sub(rb"<TotalTime>\d+</TotalTime>", b"<TotalTime>0</TotalTime>", data)
            info = zipfile.ZipInfo(name, (2026, 11, 1, 0, 0, 0))
            info.compress_type = zipfile.ZIP_DEFLATED
            target.writestr(info, data)


for file in sys.argv[1:]:
    docx(file) if file.endswith(".docx") else pdf(file)
