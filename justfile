# What people run by hand; CI runs .ci/run.

# The suite of this repository.
rag *ARGS:
    cargo test --test rag {{ARGS}}

# Everything that a change must pass, without installing anything.
check:
    cargo fmt --all --check
    cargo clippy --workspace --all-targets -- -D warnings
    RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps
    cargo test --workspace --no-fail-fast

# Accept the snapshots of the last run, after reading them.
review:
    cargo insta review

# The pull-request selection.
smoke:
    RAGTEST_PROFILE=smoke cargo test --test rag

# Speed, with the peers' figures beside it.
bench:
    cargo bench -p ragtest-benches
