// OrangeCrab r0.2: 48 MHz, 115,200 baud at the pins 0 (in) and 1 (out) of the header; the button resets, green is the
// interrupt.
module orangecrab (
    input  logic clk48,
    input  logic usr_btn,
    input  logic serial_rx,
    output logic serial_tx,
    output logic led_green
);
    logic interrupt;
    // The lights are on at 0.
    assign led_green = !interrupt;
    saxpy_uart #(.DIVISOR(417)) system (
        .clk(clk48), .reset(!usr_btn), .rx(serial_rx), .tx(serial_tx), .interrupt(interrupt));
endmodule
