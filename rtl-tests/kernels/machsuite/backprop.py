"""One training step of a network with two layers: forward, loss, backward, update."""

from allo import f32, kernel

INPUTS = 6
HIDDEN = 5
OUTPUTS = 3
RATE = 0.0625


@kernel
def relu(x: f32) -> f32:
    return max(x, 0.0)


@kernel
def forward(
    w1: "f32[INPUTS, HIDDEN]", w2: "f32[HIDDEN, OUTPUTS]", x: "f32[INPUTS]", h: "f32[HIDDEN]", y: "f32[OUTPUTS]"
):
    for j in range(HIDDEN):
        total: f32 = 0.0
        for i in range(INPUTS):
            total += w1[i, j] * x[i]
        h[j] = relu(total)
    for k in range(OUTPUTS):
        total: f32 = 0.0
        for j in range(HIDDEN):
            total += w2[j, k] * h[j]
        y[k] = total


@kernel
def backprop(
    w1: "f32[INPUTS, HIDDEN]", w2: "f32[HIDDEN, OUTPUTS]", x: "f32[INPUTS]", target: "f32[OUTPUTS]", y: "f32[OUTPUTS]"
) -> f32:
    h: "f32[HIDDEN]"
    delta_out: "f32[OUTPUTS]"
    delta_hidden: "f32[HIDDEN]"
    forward(w1, w2, x, h, y)

    loss: f32 = 0.0
    for k in range(OUTPUTS):
        difference: f32 = y[k] - target[k]
        delta_out[k] = difference
        loss += 0.5 * difference * difference

    for j in range(HIDDEN):
        total: f32 = 0.0
        for k in range(OUTPUTS):
            total += w2[j, k] * delta_out[k]
        delta_hidden[j] = total if h[j] > 0.0 else 0.0

    for j in range(HIDDEN):
        for k in range(OUTPUTS):
            w2[j, k] -= RATE * delta_out[k] * h[j]
    for i in range(INPUTS):
        for j in range(HIDDEN):
            w1[i, j] -= RATE * delta_hidden[j] * x[i]
    return loss
