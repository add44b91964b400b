//! Where things are: the package's folder and the folder of everything derived.

use std::path::{Path, PathBuf};

/// The package's folder. The run-time variable comes first: an archive may have moved the workspace since it was built.
pub fn package_root(compiled: &str) -> PathBuf {
    std::env::var_os("CARGO_MANIFEST_DIR").map_or_else(|| PathBuf::from(compiled), PathBuf::from)
}

/// The folder of everything derived: `RAGTEST_TARGET_DIR`, else `ragtest` in cargo's target folder. Packages that share a target folder
/// with others have a folder of their own in it; the package that the target folder lies in does not need one.
pub fn derived_folder(root: &Path, package: &str, target: Option<PathBuf>) -> PathBuf {
    if let Some(folder) = std::env::var_os("RAGTEST_TARGET_DIR").filter(|folder| !folder.is_empty()) {
        return PathBuf::from(folder);
    }
    let target = target.unwrap_or_else(|| root.join("target"));
    let shared = target.parent() != Some(root);
    let folder = target.join("ragtest");
    if shared { folder.join(package) } else { folder }
}

/// Cargo's target folder, from the place of the running test binary (`<target>/<profile>/deps/rag-...`).
pub fn target_of_running_binary() -> Option<PathBuf> {
    let binary = std::env::current_exe().ok()?;
    let deps = binary.ancestors().find(|folder| folder.file_name().is_some_and(|name| name == "deps"))?;
    let mut target = deps.parent()?.parent()?;
    // With `--target T` there is one more folder between.
    if !target.join("CACHEDIR.TAG").is_file() && target.parent().is_some_and(|above| above.join("CACHEDIR.TAG").is_file()) {
        target = target.parent()?;
    }
    Some(target.to_path_buf())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_of_a_workspace_have_folders_of_their_own() {
        let root = Path::new("/w");
        assert_eq!(derived_folder(root, "w", Some("/w/target".into())), Path::new("/w/target/ragtest"));
        assert_eq!(derived_folder(Path::new("/w/m"), "m", Some("/w/target".into())), Path::new("/w/target/ragtest/m"));
        assert_eq!(derived_folder(root, "w", None), Path::new("/w/target/ragtest"));
    }
}
