"""`python -m gate`, and the `gate` command."""

from gate.cli.app import main

if __name__ == "__main__":
    main()
