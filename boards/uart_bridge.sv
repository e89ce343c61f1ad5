// AXI4-Lite by a serial line: `r` and four bytes of address are answered by four bytes of data, `w`, four bytes of
// address and four of data by `k`. All are little-endian; 8 bits, no parity, one stop bit. Other bytes are ignored in between.
module uart_bridge #(
    // Cycles of a bit.
    parameter int DIVISOR = 217
) (
    input  logic        clk,
    input  logic        rst_n,
    input  logic        rx,
    output logic        tx,
    output logic [31:0] address,
    output logic [31:0] wdata,
    output logic        awvalid,
    output logic        wvalid,
    output logic        arvalid,
    input  logic        awready,
    input  logic        wready,
    input  logic        arready,
    input  logic        bvalid,
    input  logic        rvalid,
    input  logic [31:0] rdata
);
    localparam int WIDTH = $clog2(2 * DIVISOR);

    // A byte comes in: its bits are looked at in their middle.
    logic [2:0]       line;
    logic [WIDTH-1:0] rx_wait;
    logic [3:0]       rx_bits;
    logic [7:0]       rx_data;
    logic             came;
    always_ff @(posedge clk) begin
        line <= {line[1:0], rx};
        came <= 1'b0;
        if (!rst_n) begin
            line    <= '1;
            rx_bits <= '0;
        end else if (rx_bits == 0) begin
            rx_wait <= WIDTH'(DIVISOR + DIVISOR / 2 - 1);
            if (!line[2]) rx_bits <= 4'd9;
        end else if (rx_wait != 0) begin
            rx_wait <= rx_wait - 1'b1;
        end else begin
            rx_wait <= WIDTH'(DIVISOR - 1);
            rx_bits <= rx_bits - 1'b1;
            rx_data <= {line[2], rx_data[7:1]};
            // The ninth is the stop bit, which is not kept.
            if (rx_bits == 4'd1) begin
                came    <= line[2];
                rx_data <= rx_data;
            end
        end
    end

    // Bytes go out, the lowest first.
    logic [31:0]      answer;
    logic [2:0]       answer_left;
    logic [WIDTH-1:0] tx_wait;
    logic [9:0]       tx_shift;
    logic [3:0]       tx_bits;
    assign tx = tx_shift[0];

    // Bytes of a command: the address is in the upper half once it is there, and moves down before data.
    logic [63:0] command;
    logic [3:0]  command_left;
    logic        is_write, busy;
    assign address = is_write ? command[31:0] : command[63:32];
    assign wdata   = command[63:32];

    always_ff @(posedge clk) begin
        if (!rst_n) begin
            {awvalid, wvalid, arvalid, busy} <= '0;
            command_left <= '0;
            answer_left  <= '0;
            tx_bits      <= '0;
            tx_shift     <= '1;
        end else begin
            if (came && !busy) begin
                if (command_left != 0) begin
                    command      <= {rx_data, command[63:8]};
                    command_left <= command_left - 1'b1;
                    if (command_left == 4'd1) begin
                        busy    <= 1'b1;
                        awvalid <= is_write;
                        wvalid  <= is_write;
                        arvalid <= !is_write;
                    end
                end else if (rx_data == "r" || rx_data == "w") begin
                    is_write     <= rx_data == "w";
                    command_left <= rx_data == "w" ? 4'd8 : 4'd4;
                end
            end
            if (awvalid && awready) awvalid <= 1'b0;
            if (wvalid && wready) wvalid <= 1'b0;
            if (arvalid && arready) arvalid <= 1'b0;
            if (busy && bvalid) begin
                answer      <= 32'("k");
                answer_left <= 3'd1;
                busy        <= 1'b0;
            end
            if (busy && rvalid) begin
                answer      <= rdata;
                answer_left <= 3'd4;
                busy        <= 1'b0;
            end
            if (tx_bits != 0) begin
                tx_wait <= tx_wait - 1'b1;
                if (tx_wait == 0) begin
                    tx_wait  <= WIDTH'(DIVISOR - 1);
                    tx_bits  <= tx_bits - 1'b1;
                    tx_shift <= {1'b1, tx_shift[9:1]};
                end
            end else if (answer_left != 0) begin
                tx_shift    <= {1'b1, answer[7:0], 1'b0};
                tx_wait     <= WIDTH'(DIVISOR - 1);
                tx_bits     <= 4'd10;
                answer      <= {8'b0, answer[31:8]};
                answer_left <= answer_left - 1'b1;
            end
        end
    end
endmodule
