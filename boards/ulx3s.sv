// ULX3S (v2 and v3): 25 MHz, 115,200 baud by the USB connector US1; button PWR resets, the first light is the
// interrupt.
module ulx3s (
    input  logic       clk_25mhz,
    input  logic [0:0] btn,
    input  logic       ftdi_txd,
    output logic       ftdi_rxd,
    output logic [7:0] led,
    output logic       wifi_gpio0
);
    // Keeps the ESP32 from taking the board over.
    assign wifi_gpio0 = 1'b1;
    assign led[7:1]   = '0;
    saxpy_uart #(.DIVISOR(217)) system (
        .clk(clk_25mhz), .reset(!btn[0]), .rx(ftdi_txd), .tx(ftdi_rxd), .interrupt(led[0]));
endmodule
