"""A wrapper with registers at all ports, so that every path of a design lies between registers."""

import json


def registered(source, top, netlist, clock, work):
    """Writes the module again with registers at its ports; returns the new file and module name."""
    ports = json.loads(netlist.read_text())["modules"][top]["ports"]
    if clock not in ports:
        # Combinational: the registers of the wrapper are the only ones.
        clock = None
    head, body, clocked, connections = ["input logic clk"], [], [], []
    for index, (name, port) in enumerate(ports.items()):
        if name == clock:
            connections.append(f".{name}(clk)")
            continue
        width = f"[{len(port['bits']) - 1}:0]"
        head.append(f"{port['direction']} logic {width} p{index}")
        body.append(f"  logic {width} r{index};")
        clocked.append(f"r{index} <= p{index};" if port["direction"] == "input" else f"p{index} <= r{index};")
        connections.append(f".{name}(r{index})")
    wrapper = f"{top}_registered"
    lines = [source.read_text(), f"module {wrapper} (", "  " + ",\n  ".join(head), ");", *body,
             f"  {top} dut ({', '.join(connections)});", "  always_ff @(posedge clk) begin",
             *("    " + line for line in clocked), "  end", "endmodule"]
    path = work / f"{wrapper}.sv"
    path.write_text("\n".join(lines) + "\n")
    return path, wrapper
