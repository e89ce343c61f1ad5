// Product and sum in two cycles.
module mac (
    input  logic               clk,
    input  logic signed [15:0] x,
    input  logic signed [15:0] y,
    input  logic signed [31:0] z,
    output logic signed [31:0] result
);
  logic signed [31:0] product, addend;
  always_ff @(posedge clk) begin
    product <= 32'(x) * 32'(y);
    addend  <= z;
    result  <= product + addend;
  end
endmodule
