"""Writes a wheel: VERSION SUMMARY TAGS NAME PROGRAM WHEEL. The same input gives the same bytes."""
import base64, hashlib, sys, zipfile

version, summary, platforms, name, program, wheel = sys.argv[1:]
info = f"toolsmith-{version}.dist-info"
tags = "".join(f"Tag: py3-none-{platform}\n" for platform in platforms.split("."))
texts = ("LICENSE-MIT", "LICENSE-APACHE", "crates/cli/THIRD-PARTY-NOTICES")
licences = {f"{info}/licenses/{path.split('/')[-1]}": open(path, "rb").read() for path in texts}
files = {
    f"toolsmith-{version}.data/scripts/{name}": open(program, "rb").read(),
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
    for path, content in files.items():
        entry = zipfile.ZipInfo(path)
        entry.compress_type = zipfile.ZIP_DEFLATED
        entry.external_attr = (0o100755 if "/scripts/" in path else 0o100644) << 16
        archive.writestr(entry, content)
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        lines.append(f"{path},sha256={digest},{len(content)}\n")
    entry = zipfile.ZipInfo(record)
    entry.external_attr = 0o100644 << 16
    archive.writestr(entry, "".join(lines) + f"{record},,\n")
