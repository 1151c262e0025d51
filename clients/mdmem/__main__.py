"""``python -m mdmem`` is ``mdmemctl``."""

from mdmem.cli.main import main

if __name__ == "__main__":
    main()
