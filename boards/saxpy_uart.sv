// What both boards have: the block `saxpy`, whose arrays are behind its control slave, at the end of a serial line, and
// a reset.
module saxpy_uart #(
    parameter int DIVISOR = 217
) (
    input  logic clk,
    input  logic reset,
    input  logic rx,
    output logic tx,
    output logic interrupt
);
    // In reset at first, and for some cycles after the button.
    logic [3:0] held;
    logic [1:0] button;
    logic       rst_n;
    assign rst_n = &held;
    initial held = '0;
    always_ff @(posedge clk) begin
        button <= {button[0], reset};
        held   <= button[1] ? 4'd0 : held + 4'(!rst_n);
    end

    logic [31:0] address, wdata, rdata;
    logic        awvalid, wvalid, arvalid, awready, wready, arready, bvalid, rvalid;
    uart_bridge #(.DIVISOR(DIVISOR)) bridge (.*);

    saxpy block (
        .ap_clk(clk), .ap_rst_n(rst_n), .interrupt(interrupt),
        .s_axi_control_awaddr(address[7:0]), .s_axi_control_awvalid(awvalid), .s_axi_control_awready(awready),
        .s_axi_control_wdata(wdata), .s_axi_control_wstrb(4'b1111), .s_axi_control_wvalid(wvalid),
        .s_axi_control_wready(wready), .s_axi_control_bresp(), .s_axi_control_bvalid(bvalid),
        .s_axi_control_bready(1'b1), .s_axi_control_araddr(address[7:0]), .s_axi_control_arvalid(arvalid),
        .s_axi_control_arready(arready), .s_axi_control_rdata(rdata), .s_axi_control_rresp(),
        .s_axi_control_rvalid(rvalid), .s_axi_control_rready(1'b1));
endmodule
