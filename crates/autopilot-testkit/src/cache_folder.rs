//! The folder outside the repository where tools and agents of pinned versions live. Everything in it can be had again.

use std::path::PathBuf;

/// `None` where the environment names no place for it.
pub fn cache_folder() -> Option<PathBuf> {
    let set =
        |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    // A relative XDG_CACHE_HOME is to be ignored, says its specification.
    let caches = set("XDG_CACHE_HOME").filter(|folder| folder.is_absolute());
    let caches = caches.or_else(|| set("HOME").map(|home| home.join(".cache")));
    Some(caches?.join("autopilot-dev"))
}
