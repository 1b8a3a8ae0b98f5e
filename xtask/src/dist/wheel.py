"""Writes a wheel: VERSION SUMMARY TAGS PROGRAM WHEEL. The same input gives the same bytes."""
import base64, hashlib, sys, zipfile

version, summary, platforms, program, wheel = sys.argv[1:]
info = f"toolsmith-{version}.dist-info"
tags = "".join(f"Tag: py3-none-{platform}\n" for platform in platforms.split("."))
licences = {f"{info}/licenses/{name}": open(name, "rb").read() for name in ("LICENSE-MIT", "LICENSE-APACHE")}
files = {
    f"toolsmith-{version}.data/scripts/toolsmith": open(program, "rb").read(),
    f"{info}/METADATA": (
        f"Metadata-Version: 2.1\nName: toolsmith\nVersion: {version}\nSummary: {summary}\n"
        "License: MIT OR Apache-2.0\nRequires-Python: >=3.8\n"
    ).encode(),
    f"{info}/WHEEL": f"Wheel-Version: 1.0\nGenerator: toolsmith\nRoot-Is-Purelib: false\n{tags}".encode(),
    **licences,
}
record = f"{info}/RECORD"
lines = []
with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as archive:
    for name, content in files.items():
        entry = zipfile.ZipInfo(name)
        entry.compress_type = zipfile.ZIP_DEFLATED
        entry.external_attr = (0o100755 if "/scripts/" in name else 0o100644) << 16
        archive.writestr(entry, content)
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        lines.append(f"{name},sha256={digest},{len(content)}\n")
    entry = zipfile.ZipInfo(record)
    entry.external_attr = 0o100644 << 16
    archive.writestr(entry, "".join(lines) + f"{record},,\n")
