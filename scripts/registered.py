"""A wrapper with registers at all ports, so that every path of a design lies between registers."""

import json


def registered(source, top, netlist, clock, work, pins=False, oscillator=""):
    """Writes the module again with registers at its ports; returns the new file and module name."""
    ports = json.loads(netlist.read_text())["modules"][top]["ports"]
    ports = {name: (port["direction"], len(port["bits"])) for name, port in ports.items()}
    text, wrapper = wrapped(source.read_text(), top, ports, clock, pins, oscillator)
    path = work / f"{wrapper}.sv"
    path.write_text(text)
    return path, wrapper


def wrapped(text, top, ports, clock, pins, oscillator=""):
    """The text with a wrapper around a module of these ports, direction and bits by name; and the wrapper's name.

    With `pins` there are three: inputs come out of a shift register, outputs go into one by way of an exclusive or. An
    `oscillator` inside, an instance that drives `clk`, takes the place of the pin of the clock.
    """
    if clock not in ports:
        # Combinational: the registers of the wrapper are the only ones.
        clock = None
    head, body, clocked, connections = [] if oscillator else ["input logic clk"], [], [], []
    # Bits that have been shifted in and out so far.
    bits = {"input": 0, "output": 0}
    for index, (name, (direction, count)) in enumerate(ports.items()):
        if name == clock:
            connections.append(f".{name}(clk)")
            continue
        width = f"[{count - 1}:0]"
        if pins:
            place = f"{direction}s[{bits[direction]} +: {count}]"
            bits[direction] += count
            body.append(f"  logic {width} p{index}, r{index};")
            body.append(f"  assign p{index} = {place};" if direction == "input" else f"  assign {place} = p{index};")
        else:
            body.append(f"  logic {width} r{index};")
            head.append(f"{direction} logic {width} p{index}")
        clocked.append(f"r{index} <= p{index};" if direction == "input" else f"p{index} <= r{index};")
        connections.append(f".{name}(r{index})")
    if pins:
        inputs, outputs = (max(count, 1) - 1 for count in bits.values())
        head += ["input logic shift_in", "output logic shift_out"]
        body = [f"  logic [{inputs}:0] inputs;", f"  logic [{outputs}:0] outputs, shifted;", *body]
        clocked += ["inputs <= {inputs, shift_in};", "shifted <= outputs ^ {shifted, inputs[0]};",
                    f"shift_out <= shifted[{outputs}];"]
    if oscillator:
        body = ["  logic clk;", f"  {oscillator}", *body]
    wrapper = f"{top}_registered"
    lines = [text, f"module {wrapper} (", "  " + ",\n  ".join(head), ");", *body,
             f"  {top} dut ({', '.join(connections)});", "  always_ff @(posedge clk) begin",
             *("    " + line for line in clocked), "  end", "endmodule"]
    return "\n".join(lines) + "\n", wrapper
