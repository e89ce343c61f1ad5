"""The command line of slang, a SystemVerilog compiler, around its Python package pyslang.

Fails after any error or warning that the options turn on.
"""

import sys

import pyslang

driver = pyslang.driver.Driver()
driver.addStandardArgs()
options = pyslang.driver.CommandLineOptions()
parsed = (
    driver.parseCommandLine(" ".join(["slang", *sys.argv[1:]]), options)
    and driver.processOptions()
    and driver.parseAllSources()
)
sys.exit(0 if parsed and driver.runFullCompilation(False) else 1)
