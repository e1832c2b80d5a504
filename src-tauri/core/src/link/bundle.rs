//! The environment of a packaged app, and the one that other programs of the system should see. Pure.
//!
//! An `AppImage` or a snap points the loader, GTK and Python at its own files. A browser that inherits that loads
//! libraries of another system, and fails or behaves oddly. What is inside of the package is taken out; what the
//! person set stays.
//!
//! Deliberately absent: Flatpak, which starts programs of the system through its portal in their own environment.

use std::collections::BTreeMap;
use std::env::{join_paths, split_paths};
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

/// Variables of an environment.
pub(super) type Variables = BTreeMap<OsString, OsString>;

/// Where a package says that its files are.
const ROOTS: &[&str] = &["APPDIR", "SNAP", "SNAP_USER_DATA", "SNAP_USER_COMMON"];

/// What packages say of themselves, and how they set up toolkits, by the beginning of the name.
const OF_PACKAGES: &[&str] = &[
    "APPDIR", "APPIMAGE", "APPRUN_", "ARGV0", "GDK_", "GIO_", "GST_", "GTK_", "OWD", "PYTHON", "SNAP",
];

/// Exceptions that a person sets: how large things are and how letters are entered.
const OF_PERSONS: &[&str] = &["GDK_DPI_SCALE", "GDK_SCALE", "GTK_IM_MODULE"];

/// The environment without what the package put into it; `None` outside of a package.
pub(super) fn cleaned(variables: Variables) -> Option<Variables> {
    let roots: Vec<PathBuf> = ROOTS
        .iter()
        .filter_map(|name| variables.get(OsStr::new(name)))
        .map(PathBuf::from)
        .filter(|root| root.is_absolute() && root.parent().is_some())
        .collect();
    if roots.is_empty() {
        return None;
    }
    let inside = |path: &Path| roots.iter().any(|root| path.starts_with(root));
    let home = variables.get(OsStr::new("SNAP_REAL_HOME")).cloned();
    let mut cleaned: Variables = variables
        .into_iter()
        .filter_map(|(name, value)| {
            let known = name.to_string_lossy();
            let begins = |list: &[&str]| list.iter().any(|beginning| known.starts_with(beginning));
            if begins(OF_PACKAGES) && !OF_PERSONS.contains(&known.as_ref()) {
                return None;
            }
            if !split_paths(&value).any(|path| inside(&path)) {
                return Some((name, value));
            }
            let left = split_paths(&value).filter(|path| !inside(path) && !path.as_os_str().is_empty());
            let left = join_paths(left).ok().filter(|left| !left.is_empty())?;
            Some((name, left))
        })
        .collect();
    if let Some(home) = home {
        cleaned.insert("HOME".into(), home);
    }
    Some(cleaned)
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    fn variables(pairs: &[(&str, &str)]) -> Variables {
        pairs
            .iter()
            .map(|(name, value)| (name.into(), value.into()))
            .collect()
    }

    fn check(before: &[(&str, &str)], after: Option<&[(&str, &str)]>) {
        assert_eq!(cleaned(variables(before)), after.map(variables), "{before:?}");
    }

    #[test]
    fn outside_of_a_package_nothing_is_touched() {
        check(
            &[("LD_LIBRARY_PATH", "/opt/lib"), ("GTK_THEME", "Adwaita:dark")],
            None,
        );
        check(&[("APPDIR", ""), ("SNAP", "relative")], None);
        check(&[("SNAP", "/"), ("HOME", "/home/ada")], None);
    }

    #[test]
    fn an_app_image_takes_its_files_out_of_the_way_of_the_browser() {
        check(
            &[
                ("APPDIR", "/tmp/.mount_CounteX1"),
                ("APPIMAGE", "/home/ada/Countersign.AppImage"),
                ("ARGV0", "./Countersign.AppImage"),
                ("OWD", "/home/ada"),
                ("LD_LIBRARY_PATH", "/tmp/.mount_CounteX1/usr/lib:"),
                ("LD_PRELOAD", "/tmp/.mount_CounteX1/usr/lib/hook.so"),
                ("PATH", "/tmp/.mount_CounteX1/usr/bin:/usr/bin:/bin"),
                (
                    "XDG_DATA_DIRS",
                    "/tmp/.mount_CounteX1/usr/share:/usr/local/share:/usr/share",
                ),
                ("GDK_BACKEND", "x11"),
                (
                    "GDK_PIXBUF_MODULE_FILE",
                    "/tmp/.mount_CounteX1/usr/lib/loaders.cache",
                ),
                ("GDK_SCALE", "2"),
                ("GIO_MODULE_DIR", "/tmp/.mount_CounteX1/usr/lib/gio/modules"),
                (
                    "GSETTINGS_SCHEMA_DIR",
                    "/tmp/.mount_CounteX1/usr/share/glib-2.0/schemas",
                ),
                ("GTK_IM_MODULE", "ibus"),
                ("GTK_THEME", "Adwaita"),
                ("PYTHONHOME", "/tmp/.mount_CounteX1/usr"),
                ("PYTHONDONTWRITEBYTECODE", "1"),
                ("BROWSER", "firefox"),
                ("HOME", "/home/ada"),
                ("NEAR", "/tmp/.mount_CounteX10/usr"),
                ("DISPLAY", ":0"),
            ],
            Some(&[
                ("PATH", "/usr/bin:/bin"),
                ("XDG_DATA_DIRS", "/usr/local/share:/usr/share"),
                ("GDK_SCALE", "2"),
                ("GTK_IM_MODULE", "ibus"),
                ("BROWSER", "firefox"),
                ("HOME", "/home/ada"),
                ("NEAR", "/tmp/.mount_CounteX10/usr"),
                ("DISPLAY", ":0"),
            ]),
        );
    }

    #[test]
    fn a_snap_gives_the_persons_own_home_back() {
        check(
            &[
                ("SNAP", "/snap/countersign/12"),
                ("SNAP_NAME", "countersign"),
                ("SNAP_USER_DATA", "/home/ada/snap/countersign/12"),
                ("SNAP_REAL_HOME", "/home/ada"),
                ("HOME", "/home/ada/snap/countersign/12"),
                ("XDG_CONFIG_HOME", "/home/ada/snap/countersign/12/.config"),
                (
                    "LD_LIBRARY_PATH",
                    "/snap/countersign/12/usr/lib:/var/lib/snapd/lib/gl",
                ),
                ("PATH", "/snap/countersign/12/usr/bin:/usr/bin"),
            ],
            Some(&[
                ("HOME", "/home/ada"),
                ("LD_LIBRARY_PATH", "/var/lib/snapd/lib/gl"),
                ("PATH", "/usr/bin"),
            ]),
        );
    }
}
