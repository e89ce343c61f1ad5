//! Hand-written modules and manifests for the tests of the Verilator driver.

use allo_hls::rtl::interface::manifest::*;
use allo_hls::sim::verilator::Verilator;

pub fn verilator() -> Option<Verilator> {
    if std::env::var_os("ALLO_HLS_SKIP_VERILATOR").is_some() {
        return None;
    }
    match Verilator::find() {
        Ok(found) => Some(found),
        Err(error) => panic!(
            "{:?}\nset ALLO_HLS_SKIP_VERILATOR to skip the tests that need it",
            error.to_diagnostic()
        ),
    }
}

pub fn scalar(name: Option<&str>, ty: &str, width: u32, port: &str) -> Port {
    let kind = PortKind::Scalar {
        ty: ty.into(),
        width,
        port: port.into(),
    };
    Port {
        name: name.map(str::to_string),
        kind,
    }
}

/// An array without partition; each port is (reads, writes).
pub fn array(name: &str, width: u32, shape: &[u64], ports: &[(bool, bool)]) -> Port {
    let port = |(k, &(reads, writes)): (usize, &(bool, bool))| MemoryPort {
        address: format!("{name}_address{k}"),
        ce: format!("{name}_ce{k}"),
        q: reads.then(|| format!("{name}_q{k}")),
        we: writes.then(|| format!("{name}_we{k}")),
        d: writes.then(|| format!("{name}_d{k}")),
    };
    let bank = Bank {
        bank: 0,
        depth: shape.iter().product(),
        ports: ports.iter().enumerate().map(port).collect(),
    };
    Port {
        name: Some(name.into()),
        kind: PortKind::Array {
            tile: None,
            ty: format!("u{width}"),
            width,
            shape: shape.to_vec(),
            access: Access::ReadWrite,
            latency: 1,
            partition: None,
            banks: vec![bank],
        },
    }
}

pub fn manifest(module: &str, args: Vec<Port>, returns: Vec<Port>) -> Manifest {
    Manifest {
        version: 1,
        top: module.into(),
        module: module.into(),
        interface: "ap".into(),
        clock: "ap_clk".into(),
        reset: Reset {
            port: "ap_rst".into(),
            active: "high".into(),
            sync: true,
        },
        control: Control {
            start: "ap_start".into(),
            done: "ap_done".into(),
            idle: "ap_idle".into(),
            ready: "ap_ready".into(),
        },
        args,
        returns,
        latency: Latency {
            min: None,
            max: None,
        },
        loops: vec![],
        checked: String::new(),
        sources: Vec::new(),
    }
}

pub const HEAD: &str = "input logic ap_clk, input logic ap_rst, input logic ap_start,
  output logic ap_ready, output logic ap_done, output logic ap_idle";

/// `b[i] = a[i] + x` for 5 elements, one a cycle. `LAST`, `DONE` and `READY` are replaced.
pub const COPY: &str = "module copy (HEAD, input logic [7:0] x,
    output logic [2:0] a_address0, output logic a_ce0, input logic [7:0] a_q0,
    output logic [2:0] b_address0, output logic b_ce0, output logic b_we0, output logic [7:0] b_d0);
  logic busy, valid; logic [2:0] i, j; logic [7:0] xr;
  always_ff @(posedge ap_clk) begin
    if (ap_rst) begin busy <= 0; valid <= 0; i <= 0; end
    else begin
      valid <= a_ce0; j <= i;
      if (ap_idle && ap_start) begin busy <= 1; xr <= x; end
      if (a_ce0) i <= i + 1;
      if (ap_done) begin busy <= 0; i <= 0; end
    end
  end
  assign ap_idle = !busy;
  assign a_ce0 = busy && i < LAST;
  assign a_address0 = i;
  assign b_ce0 = valid; assign b_we0 = valid; assign b_address0 = j; assign b_d0 = a_q0 + xr;
  assign ap_done = DONE;
  assign ap_ready = READY;
endmodule";

/// The text and manifest of [`COPY`].
pub fn copy_module(last: &str, done: &str, ready: &str) -> (String, Manifest) {
    let text = COPY
        .replace("HEAD", HEAD)
        .replace("LAST", last)
        .replace("DONE", done)
        .replace("READY", ready);
    let args = vec![
        scalar(Some("x"), "u8", 8, "x"),
        array("a", 8, &[5], &[(true, false)]),
        array("b", 8, &[5], &[(false, true)]),
    ];
    (text, manifest("copy", args, vec![]))
}

/// When [`COPY`] is done.
pub const DONE: &str = "valid && j == 4";
