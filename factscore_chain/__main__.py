"""`python -m factscore_chain` is the command `factscore`."""

import sys

from factscore_chain.cli.main import main

sys.exit(main())
