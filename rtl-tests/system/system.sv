// A processor, a RAM, and a block of ours: 0x0000_0000 RAM, 0x4000_0000 the block's control slave, 0x8000_0000 a word
// that ends the simulation when it is written.
`default_nettype none

// AXI4-Lite from one master to three slaves, by the two highest bits of the address. One access at a time.
module lite_switch (
    input  wire logic        clk, rst_n,
    input  wire logic [31:0] awaddr, araddr,
    input  wire logic        awvalid, wvalid, bready, arvalid, rready,
    output logic             awready, wready, bvalid, arready, rvalid,
    output logic [31:0]      rdata,
    output logic [2:0]       s_awvalid, s_wvalid, s_bready, s_arvalid, s_rready,
    input  wire logic [2:0]  s_awready, s_wready, s_bvalid, s_arready, s_rvalid,
    input  wire logic [31:0] s_rdata [3]
);
    // The slave of the access under way, and which of its channels are through.
    logic [1:0] write_slave, read_slave;
    logic       writing, reading, address_sent, data_sent, read_sent;
    assign s_awvalid = 3'(writing && awvalid && !address_sent) << write_slave;
    assign s_wvalid  = 3'(writing && wvalid && !data_sent) << write_slave;
    assign s_bready  = 3'(writing && bready) << write_slave;
    assign s_arvalid = 3'(reading && arvalid && !read_sent) << read_slave;
    assign s_rready  = 3'(reading && rready) << read_slave;
    assign awready   = writing && !address_sent && s_awready[write_slave];
    assign wready    = writing && !data_sent && s_wready[write_slave];
    assign bvalid    = writing && s_bvalid[write_slave];
    assign arready   = reading && !read_sent && s_arready[read_slave];
    assign rvalid    = reading && s_rvalid[read_slave];
    assign rdata     = s_rdata[read_slave];

    always_ff @(posedge clk) begin
        if (!rst_n) begin
            {writing, reading, address_sent, data_sent, read_sent} <= '0;
        end else begin
            if (!writing && awvalid) begin
                writing     <= 1'b1;
                write_slave <= awaddr[31:30];
                {address_sent, data_sent} <= '0;
            end
            if (awvalid && awready) address_sent <= 1'b1;
            if (wvalid && wready) data_sent <= 1'b1;
            if (bvalid && bready) writing <= 1'b0;
            if (!reading && arvalid) begin
                reading    <= 1'b1;
                read_slave <= araddr[31:30];
                read_sent  <= 1'b0;
            end
            if (arvalid && arready) read_sent <= 1'b1;
            if (rvalid && rready) reading <= 1'b0;
        end
    end
endmodule

// 64 KiB in words of 64 bits: an AXI4-Lite slave of 32 bits for the processor, an AXI4 slave for blocks.
module ram (
    input  wire logic        clk, rst_n,
    input  wire logic [31:0] lite_awaddr, lite_araddr, lite_wdata,
    input  wire logic [3:0]  lite_wstrb,
    input  wire logic        lite_awvalid, lite_wvalid, lite_bready, lite_arvalid, lite_rready,
    output logic             lite_awready, lite_wready, lite_bvalid, lite_arready, lite_rvalid,
    output logic [31:0]      lite_rdata,
    input  wire logic [63:0] awaddr, araddr, wdata,
    input  wire logic [7:0]  awlen, arlen, wstrb,
    input  wire logic        awvalid, wvalid, wlast, bready, arvalid, rready,
    output logic             awready, wready, bvalid, arready, rvalid, rlast,
    output logic [1:0]       bresp, rresp,
    output logic [63:0]      rdata
);
    logic [63:0] mem [8192];
    initial $readmemh("program.hex", mem);

    // The processor: a write when address and data are both there, a read at once.
    assign lite_awready = lite_awvalid && lite_wvalid && !lite_bvalid;
    assign lite_wready  = lite_awready;
    assign lite_arready = !lite_rvalid;
    // A block: one burst of each kind at a time. Addresses beyond the RAM get DECERR.
    logic        writing, reading, write_bad, read_bad;
    logic [12:0] write_word, read_word;
    logic [7:0]  read_left;
    assign awready = !writing && !bvalid;
    assign wready  = writing;
    assign arready = !reading;
    assign bresp   = write_bad ? 2'b11 : 2'b00;
    assign rresp   = read_bad ? 2'b11 : 2'b00;
    assign rvalid  = reading;
    assign rlast   = read_left == 0;
    assign rdata   = mem[read_word];

    always_ff @(posedge clk) begin
        if (!rst_n) begin
            {lite_bvalid, lite_rvalid, writing, reading, bvalid} <= '0;
        end else begin
            if (lite_awready) begin
                for (int i = 0; i < 4; i++)
                    if (lite_wstrb[i])
                        mem[lite_awaddr[15:3]][{lite_awaddr[2], 5'(8 * i)} +: 8] <= lite_wdata[8 * i +: 8];
            end
            lite_bvalid <= lite_awready || (lite_bvalid && !lite_bready);
            if (lite_arvalid && lite_arready) lite_rdata <= mem[lite_araddr[15:3]][{lite_araddr[2], 5'b0} +: 32];
            lite_rvalid <= (lite_arvalid && lite_arready) || (lite_rvalid && !lite_rready);

            if (awvalid && awready) begin
                writing    <= 1'b1;
                write_word <= awaddr[15:3];
                write_bad  <= awaddr[63:16] != 0;
            end
            if (wvalid && wready) begin
                for (int i = 0; i < 8; i++)
                    if (wstrb[i] && !write_bad) mem[write_word][8 * i +: 8] <= wdata[8 * i +: 8];
                write_word <= write_word + 1'b1;
                writing    <= !wlast;
            end
            bvalid <= (wvalid && wready && wlast) || (bvalid && !bready);
            if (arvalid && arready) begin
                reading   <= 1'b1;
                read_word <= araddr[15:3];
                read_left <= arlen;
                read_bad  <= araddr[63:16] != 0;
            end
            if (rvalid && rready) begin
                read_word <= read_word + 1'b1;
                read_left <= read_left - 1'b1;
                reading   <= !rlast;
            end
        end
    end
endmodule

module system (
    input wire logic clk, rst_n
);
    logic        trap, interrupt;
    logic [31:0] awaddr, wdata, araddr, rdata;
    logic [3:0]  wstrb;
    logic        awvalid, awready, wvalid, wready, bvalid, bready, arvalid, arready, rvalid, rready;
    logic [2:0]  s_awvalid, s_awready, s_wvalid, s_wready, s_bvalid, s_bready;
    logic [2:0]  s_arvalid, s_arready, s_rvalid, s_rready;
    logic [31:0] s_rdata [3];

    // Interrupts are levels, and none is masked but by the program.
    picorv32_axi #(.ENABLE_IRQ(1), .LATCHED_IRQ(0), .ENABLE_MUL(1), .BARREL_SHIFTER(1)) cpu (
        .clk, .resetn(rst_n), .trap,
        .mem_axi_awvalid(awvalid), .mem_axi_awready(awready), .mem_axi_awaddr(awaddr), .mem_axi_awprot(),
        .mem_axi_wvalid(wvalid), .mem_axi_wready(wready), .mem_axi_wdata(wdata), .mem_axi_wstrb(wstrb),
        .mem_axi_bvalid(bvalid), .mem_axi_bready(bready),
        .mem_axi_arvalid(arvalid), .mem_axi_arready(arready), .mem_axi_araddr(araddr), .mem_axi_arprot(),
        .mem_axi_rvalid(rvalid), .mem_axi_rready(rready), .mem_axi_rdata(rdata),
        .pcpi_valid(), .pcpi_insn(), .pcpi_rs1(), .pcpi_rs2(),
        .pcpi_wr(1'b0), .pcpi_rd('0), .pcpi_wait(1'b0), .pcpi_ready(1'b0),
        .irq({28'b0, interrupt, 3'b0}), .eoi(), .trace_valid(), .trace_data());

    lite_switch switch (.*);

    logic [63:0] m_awaddr, m_wdata, m_araddr, m_rdata;
    logic [7:0]  m_awlen, m_arlen, m_wstrb;
    logic [1:0]  m_bresp, m_rresp;
    logic        m_awvalid, m_awready, m_wvalid, m_wready, m_wlast, m_bvalid, m_bready;
    logic        m_arvalid, m_arready, m_rvalid, m_rready, m_rlast;

    ram memory (
        .clk, .rst_n, .lite_awaddr(awaddr), .lite_araddr(araddr), .lite_wdata(wdata), .lite_wstrb(wstrb),
        .lite_awvalid(s_awvalid[0]), .lite_wvalid(s_wvalid[0]), .lite_bready(s_bready[0]),
        .lite_arvalid(s_arvalid[0]), .lite_rready(s_rready[0]),
        .lite_awready(s_awready[0]), .lite_wready(s_wready[0]), .lite_bvalid(s_bvalid[0]),
        .lite_arready(s_arready[0]), .lite_rvalid(s_rvalid[0]), .lite_rdata(s_rdata[0]),
        .awaddr(m_awaddr), .araddr(m_araddr), .wdata(m_wdata), .awlen(m_awlen), .arlen(m_arlen), .wstrb(m_wstrb),
        .awvalid(m_awvalid), .wvalid(m_wvalid), .wlast(m_wlast), .bready(m_bready), .arvalid(m_arvalid),
        .rready(m_rready), .awready(m_awready), .wready(m_wready), .bvalid(m_bvalid), .arready(m_arready),
        .rvalid(m_rvalid), .rlast(m_rlast), .bresp(m_bresp), .rresp(m_rresp), .rdata(m_rdata));

    blend block (
        .ap_clk(clk), .ap_rst_n(rst_n), .interrupt,
        .s_axi_control_awaddr(awaddr[$bits(block.s_axi_control_awaddr)-1:0]), .s_axi_control_awvalid(s_awvalid[1]),
        .s_axi_control_awready(s_awready[1]), .s_axi_control_wdata(wdata), .s_axi_control_wstrb(wstrb),
        .s_axi_control_wvalid(s_wvalid[1]), .s_axi_control_wready(s_wready[1]), .s_axi_control_bresp(),
        .s_axi_control_bvalid(s_bvalid[1]), .s_axi_control_bready(s_bready[1]),
        .s_axi_control_araddr(araddr[$bits(block.s_axi_control_araddr)-1:0]), .s_axi_control_arvalid(s_arvalid[1]),
        .s_axi_control_arready(s_arready[1]), .s_axi_control_rdata(s_rdata[1]), .s_axi_control_rresp(),
        .s_axi_control_rvalid(s_rvalid[1]), .s_axi_control_rready(s_rready[1]),
        .m_axi_gmem_awaddr(m_awaddr), .m_axi_gmem_awlen(m_awlen), .m_axi_gmem_awsize(), .m_axi_gmem_awburst(),
        .m_axi_gmem_awvalid(m_awvalid), .m_axi_gmem_awready(m_awready), .m_axi_gmem_wdata(m_wdata),
        .m_axi_gmem_wstrb(m_wstrb), .m_axi_gmem_wlast(m_wlast), .m_axi_gmem_wvalid(m_wvalid),
        .m_axi_gmem_wready(m_wready), .m_axi_gmem_bresp(m_bresp), .m_axi_gmem_bvalid(m_bvalid),
        .m_axi_gmem_bready(m_bready), .m_axi_gmem_araddr(m_araddr), .m_axi_gmem_arlen(m_arlen),
        .m_axi_gmem_arsize(), .m_axi_gmem_arburst(), .m_axi_gmem_arvalid(m_arvalid), .m_axi_gmem_arready(m_arready),
        .m_axi_gmem_rdata(m_rdata), .m_axi_gmem_rresp(m_rresp), .m_axi_gmem_rlast(m_rlast),
        .m_axi_gmem_rvalid(m_rvalid), .m_axi_gmem_rready(m_rready));

    // The word that ends it.
    assign s_awready[2] = 1'b1;
    assign s_wready[2]  = 1'b1;
    assign s_bvalid[2]  = 1'b0;
    assign s_arready[2] = 1'b0;
    assign s_rvalid[2]  = 1'b0;
    assign s_rdata[2]   = '0;

    int cycles = 0;
    always_ff @(posedge clk) begin
        cycles <= cycles + 1;
        if (s_wvalid[2]) begin
            $display("the program ended with %0d after %0d cycles", wdata, cycles);
            $finish;
        end
        if (trap) $fatal(1, "the processor stopped at a trap");
        if (cycles == 400_000) $fatal(1, "the program does not end");
    end
endmodule
`default_nettype wire
