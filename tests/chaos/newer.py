"""``python -m tests.chaos.newer FOLDER command …``: this code as a version with more migrations."""

import sys
from pathlib import Path

from service.base import migrations

if __name__ == "__main__":
    migrations.FOLDER = Path(sys.argv.pop(1))
    from service.cli.main import main

    main()
