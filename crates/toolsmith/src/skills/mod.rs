//! Skills (CONTRACT 11.3): directories with a file SKILL.md. The model sees names and descriptions and reads the rest when it
//! needs it. A skill is text: nothing of it runs by itself.

mod activation;
mod catalogue;
mod check;
mod files;
mod find;
mod keep;
mod skill;

pub(crate) use activation::activate;
pub(crate) use catalogue::catalogue;
pub use check::check_skill;
pub(crate) use files::SkillFiles;
pub(crate) use find::skills_of_plugin;
pub use find::{Skills, discover_skills};
pub(crate) use keep::KeepSkills;
pub use skill::Skill;

/// Prefix of the name under which `read` opens skills.
pub(crate) const SCHEME: &str = "skill://";
/// Name of the file that makes a directory a skill.
pub const SKILL_FILE: &str = "SKILL.md";
