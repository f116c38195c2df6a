"""
Print the missing texts of the document: ``python -m service.api.openapi --undescribed``.

Each line names a file, a type and a member without a description.
"""

import sys

from service.api.openapi import made

if __name__ == "__main__":
    if sys.argv[1:] != ["--undescribed"]:
        sys.exit(__doc__)
    sys.stdout.writelines(
        f"{module.replace('.', '/')}.py: {struct}.{member}\n"
        for module, struct, member in made().undescribed
    )
