//! The entry point.

/// The harness of the package that calls it. Register systems, run it, return its exit code:
///
/// ```no_run
/// use std::process::ExitCode;
///
/// fn main() -> ExitCode {
///     ragtest::harness!().run()
/// }
/// ```
///
/// The macro captures the package's folder and name, and expands insta's assertion in the calling crate, so that snapshots name that
/// crate's file as their source.
#[macro_export]
macro_rules! harness {
    () => {
        $crate::Harness::new($crate::__private::Entry {
            manifest_dir: env!("CARGO_MANIFEST_DIR"),
            package: env!("CARGO_PKG_NAME"),
            assert_snapshot: |folder, description, name, content| {
                let mut settings = $crate::__private::insta::Settings::clone_current();
                settings.set_snapshot_path(folder);
                settings.set_prepend_module_to_snapshot(false);
                settings.set_omit_expression(true);
                settings.set_description(description);
                settings.bind(|| $crate::__private::insta::assert_snapshot!(name, content));
            },
        })
    };
}
