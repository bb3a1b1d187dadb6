"""NumPy's usual answer to overflow and underflow, whatever the host program has set.

A host that raises at every underflow would otherwise end a fit in which a probability is rounded to 0.
"""

import numpy as np

#: A decorator of what users call.
usual_arithmetic = np.errstate(divide="warn", over="warn", under="ignore", invalid="warn")
