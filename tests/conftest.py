"""What every test runs under: repeatable examples, no time limits, one thread of torch."""

import signal

import hypothesis
import torch

# Examples follow from the test alone. A first call compiles kernels, so no deadline.
hypothesis.settings.register_profile("repeatable", derandomize=True, deadline=None, database=None)
hypothesis.settings.load_profile("repeatable")

# Small networks run no faster on two threads, and the sums of one thread are the same on every machine.
torch.set_num_threads(1)

# A shell that starts the suite in the background has it ignore Ctrl-C, which some tests send.
signal.signal(signal.SIGINT, signal.default_int_handler)
