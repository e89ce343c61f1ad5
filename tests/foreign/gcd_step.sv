// The larger number without the smaller one, by handshakes: one operation in three cycles.
module step_core (
    input  logic       clk,
    input  logic       valid,
    output logic       ready,
    input  logic [7:0] a,
    input  logic [7:0] b,
    output logic       result_valid,
    input  logic       result_ready,
    output logic [7:0] result
);
  logic [1:0] busy;
  logic [7:0] larger, smaller;
  initial busy = 2'd0;
  assign ready = busy == 2'd0;
  always_ff @(posedge clk) begin
    if (busy == 2'd0) begin
      result_valid <= 1'b0;
      if (valid) begin
        larger  <= a > b ? a : b;
        smaller <= a > b ? b : a;
        busy    <= 2'd1;
      end
    end else if (busy == 2'd1) begin
      busy <= 2'd2;
    end else if (!result_valid || result_ready) begin
      result       <= larger - smaller;
      result_valid <= 1'b1;
      busy         <= 2'd0;
    end
  end
endmodule
