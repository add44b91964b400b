#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| ragtest_fuzz::docx(bytes));
