"""Packs a folder: FOLDER ZIP. The same content gives the same bytes."""
import os, sys, zipfile

folder, target = sys.argv[1:]
names = sorted(os.path.join(place, name) for place, _, names in os.walk(folder) for name in names)
with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
    for name in names:
        entry = zipfile.ZipInfo(name)
        entry.compress_type = zipfile.ZIP_DEFLATED
        entry.external_attr = (0o100755 if name.endswith(".exe") else 0o100644) << 16
        with open(name, "rb") as file:
            archive.writestr(entry, file.read())
