"""Values of elementary functions where a common C library is off by a unit in the last place."""

import math
import numpy as np

of_math = (math.exp(401.71786677122896), math.sin(-8583.046574172255), math.tanh(0.8543851829909723))  #= (2.9097308638739866e+174, -0.2137817366552768, 0.6933534540564904)
of_numpy = [float(x) for x in np.tanh(np.array([-0.20462299807494233, 0.8543851829909723]))]  #= [-0.20181413819357663, 0.6933534540564904]
powers = (10.0 ** -5, math.pow(2.0, 0.5), 3 ** -3)  #= (1e-05, 1.4142135623730951, 0.037037037037037035)
