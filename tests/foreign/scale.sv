// Three quarters, rounded down, in three cycles in which ce is 1.
module scale_core (
    input  logic               clk,
    input  logic               ce,
    input  logic signed [15:0] v,
    output logic signed [15:0] result
);
  logic signed [17:0] times;
  logic signed [15:0] quarter;
  always_ff @(posedge clk) begin
    if (ce) begin
      times   <= 18'(v) + (18'(v) <<< 1);
      quarter <= 16'(times >>> 2);
      result  <= quarter;
    end
  end
endmodule
