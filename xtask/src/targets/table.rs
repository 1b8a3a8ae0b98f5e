//! The systems that the program is made for: how each is checked on a Linux machine, and its names in packages.

use crate::wine;

/// A system.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Target {
    /// As Rust names it.
    pub(crate) triple: &'static str,
    pub(crate) check: Check,
    pub(crate) names: Names,
}

/// How far a system is checked.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Check {
    /// The program is built and passes the smoke test.
    Run {
        /// The emulator; none for programs that run as they are.
        runner: Option<&'static str>,
        /// Arguments of `cargo test`; no tests run if empty.
        tests: &'static [&'static str],
        /// Arguments of clippy, for code that other systems do not compile; it does not run if empty.
        lints: &'static [&'static str],
    },
    /// These packages are compiled. Linking needs libraries that only the system itself has.
    Compile { packages: &'static [&'static str] },
}

/// Names of a system in each kind of package.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Names {
    pub(crate) npm_os: &'static str,
    pub(crate) npm_cpu: &'static str,
    pub(crate) wheel: &'static str,
    /// None for systems without Debian packages.
    pub(crate) debian: Option<&'static str>,
    /// File name of the program.
    pub(crate) program: &'static str,
    /// Ending of archives.
    pub(crate) archive: &'static str,
}

/// The crate with the code for each system.
const HOST: &[&str] = &["--package", "toolsmith-host"];
/// The part of it that is for Windows, without tests that need a Unix.
const WINDOWS_HOST: &[&str] = &["--package", "toolsmith-host", "--lib", "--test", "windows"];
/// The same without a test of two programs that append to one file: Wine looks for the end and then writes there, in two steps.
const WINDOWS_TESTS: &[&str] = &[
    "--package",
    "toolsmith-host",
    "--lib",
    "--test",
    "windows",
    "--",
    "--skip",
    "several_writers_lose_and_mix_no_line_while_files_change",
];

const UNIX: &str = "toolsmith";
const TAR: &str = "tar.gz";

/// Every system.
pub(crate) const TARGETS: [Target; 5] = [
    Target {
        triple: "x86_64-unknown-linux-musl",
        check: Check::Run { runner: None, tests: HOST, lints: &[] },
        names: Names {
            npm_os: "linux",
            npm_cpu: "x64",
            wheel: "manylinux_2_17_x86_64.musllinux_1_1_x86_64",
            debian: Some("amd64"),
            program: UNIX,
            archive: TAR,
        },
    },
    Target {
        triple: "aarch64-unknown-linux-musl",
        check: Check::Run { runner: Some("qemu-aarch64"), tests: &[], lints: &[] },
        names: Names {
            npm_os: "linux",
            npm_cpu: "arm64",
            wheel: "manylinux_2_17_aarch64.musllinux_1_1_aarch64",
            debian: Some("arm64"),
            program: UNIX,
            archive: TAR,
        },
    },
    Target {
        triple: "x86_64-pc-windows-gnu",
        check: Check::Run { runner: Some(wine::RUNNER), tests: WINDOWS_TESTS, lints: WINDOWS_HOST },
        names: Names {
            npm_os: "win32",
            npm_cpu: "x64",
            wheel: "win_amd64",
            debian: None,
            program: "toolsmith.exe",
            archive: "zip",
        },
    },
    Target {
        triple: "aarch64-apple-darwin",
        check: Check::Compile { packages: &["toolsmith-cli"] },
        names: Names {
            npm_os: "darwin",
            npm_cpu: "arm64",
            wheel: "macosx_11_0_arm64",
            debian: None,
            program: UNIX,
            archive: TAR,
        },
    },
    Target {
        triple: "x86_64-apple-darwin",
        check: Check::Compile { packages: &["toolsmith-cli"] },
        names: Names {
            npm_os: "darwin",
            npm_cpu: "x64",
            wheel: "macosx_10_12_x86_64",
            debian: None,
            program: UNIX,
            archive: TAR,
        },
    },
];

impl Target {
    /// Reports if a Linux machine can make the program.
    pub(crate) fn can_be_linked_here(&self) -> bool {
        matches!(self.check, Check::Run { .. })
    }

    /// Returns the program that runs its programs on a Linux machine; `None` if they run as they are.
    pub(crate) fn runner(&self) -> Option<&'static str> {
        match self.check {
            Check::Run { runner, .. } => runner,
            Check::Compile { .. } => None,
        }
    }
}
