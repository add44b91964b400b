#![no_main]

// The reader turns panics of the PDF libraries into errors: only those that it lets through count, and they end the process all the same.
libfuzzer_sys::fuzz_target!(init: std::panic::set_hook(Box::new(|panic| eprintln!("{panic}"))), |bytes: &[u8]| ragtest_fuzz::pdf(bytes));
