//! A plan may be any text: reading it neither panics nor hangs.
#![no_main]

libfuzzer_sys::fuzz_target!(|text: &str| {
    let _ = autopilot_core::phase_id::PhaseId::scan(text);
});
