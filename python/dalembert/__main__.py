"""The program: python3 -m dalembert run four-bar.yaml -o four-bar.html"""

import sys

from . import _core


def main() -> int:
    """What `dalembert` does with the words of the command line; its exit code."""
    return _core.program(["dalembert", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
