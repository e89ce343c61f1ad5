//! The table of diagnostic codes of the rooms behind the frontend.

use crate::diagnostics::codes;

codes! {
    DEVICE = "E1001": "The device model is unknown, unreadable or malformed.";
    NO_SCHEDULE = "E1002": "No initiation interval up to the limit satisfies the loop's dependences.";
    TOO_LARGE = "E1101": "Inlining the calls of the top kernel gives more operations than the compiler accepts.";
    NO_HARDWARE = "E1102": "The operation is part of the language and runs in software, but has no hardware yet.";
    NOT_EXPANDED = "E1103": "A whole-array operation or call reached the back end: a bug of the compiler, please report it.";
    HWARITH_TEXT = "E1104": "The text of a hwarith graph is malformed, or states a type that is not the inferred one.";
    IR_TEXT = "E1105": "The text of a kernel in its intermediate form is malformed or breaks an invariant.";
    REWRITE = "E1106": "A rewrite of the hardware's operations changed a value on some input: a bug of the compiler; the rewrite was left out.";
    DIRECTIVE = "E1107": "A directive cannot be carried out, for the reason shown.";
    INTERVAL = "E1108": "The initiation interval that a directive asks for is not possible; the least possible one is taken.";
    FACTOR = "E1109": "A directive splits an array into more parts than it has elements; each part gets one.";
    FORECAST = "E1110": "A note of -O3: what the hardware was forecast to take, and what was directed for that.";
    NETWORK = "E1111": "The kernel cannot run as processes that run at the same time, for the reason shown.";
    BLOCK = "E1112": "The kernel cannot have the interface that is asked for, for the reason shown.";
    SIZE = "E1113": "A warning: the hardware needs more of something than the device has.";
    CLOCK = "E1114": "A warning: the device does not reach the clock that is asked for, whatever the kernel.";
    ARGUMENT_FILE = "E1201": "The arguments of a run are missing, of the wrong shape, or out of their type's range.";
    OUT_OF_BOUNDS = "E1202": "An access outside of an array: a warning of the reference, and with --check-bounds an error.";
    ENDLESS_RUN = "E1203": "The reference executed more operations than the limit: the kernel may never end.";
    NO_REFERENCE = "E1204": "The software reference does not have this function yet.";
    MEMORY = "E1205": "The arrays of the run need more memory than the reference allows.";
    VERILATOR = "E1206": "Verilator or the C++ compiler is missing or failed.";
    MANIFEST = "E1207": "The manifest does not describe this kernel.";
    MISMATCH = "E1208": "The hardware does something else than the reference: a bug of the compiler, please report it; or a module of the user's (@operator_ip) is not what its operator says.";
    ENGINE = "E1209": "The engine asked for cannot do what another option asks for.";
    UNDECIDED = "E1210": "The hardware is neither proven nor refuted: the question is too large, or has parts that a proof does not cover.";
    REFUTED = "E1211": "The hardware computes something else than the kernel for the arguments shown: a bug of the compiler, please report it.";
    INTERNAL = "E1212": "The module does something else than its source when it is run after the build: a bug of the compiler, please report it.";
    DEADLOCK = "E1213": "Processes wait for one another: none of them can go on.";
    TIMING = "E1214": "A warning: what the kernel does depends on when elements come and go, so that other schedules may give other results.";
    ASSUMPTION = "E1215": "What the kernel assumes is not so on the arguments given: what the hardware then does is unspecified.";
    LEFT_OVER = "E1216": "A warning of --check-bounds: elements are left in a stream when a run ends, and vanish.";
    INPUT_FILE = "E1301": "The input file cannot be read or is not UTF-8.";
    OUTPUT_FILE = "E1302": "The output cannot be written.";
    NO_ARGUMENTS = "E1303": "The kernel has parameters, and no argument file was given.";
    ONE_RUN_ONLY = "E1304": "An .npz file holds the results of one invocation only.";
    UNKNOWN_CODE = "E1306": "There is no diagnostic of that code.";
    OPERATOR = "E1307": "There is no stand-alone module for this operator on these formats.";
    QUESTION = "E1308": "A question to typeof cannot be understood.";
    NOT_CHECKED = "E1309": "A note of `check`: a kernel of the file is not checked, for the reason shown.";
    CHECKED = "E1310": "A note of `check`: how many kernels of the file were checked.";
    LATENCY = "E1311": "An operator takes more cycles at this clock than it was given.";
}
