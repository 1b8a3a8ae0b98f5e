//! The directories of the guide are those that are searched.

use std::{collections::BTreeSet, fs, path::Path};

use super::PROVIDERS;

#[test]
fn c2_2_the_guide_lists_every_directory_that_is_searched_and_no_other() {
    let guide = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/tools.md");
    let guide = fs::read_to_string(guide).unwrap();
    let rows = guide.lines().skip_while(|line| !line.contains("| provider | in the project |")).skip(2);
    let listed: Vec<Vec<&str>> = rows
        .map_while(|line| line.trim().strip_prefix('|'))
        .map(|row| row.split('|').map(str::trim).collect())
        .collect();
    let ids: Vec<String> = PROVIDERS.iter().map(|provider| format!("`{}`", provider.id)).collect();
    assert_eq!(listed.iter().map(|row| row[0]).collect::<Vec<_>>(), ids);
    for (row, provider) in listed.iter().zip(PROVIDERS) {
        let Some((project, user)) = provider.folders else { continue };
        let expected = |folder: &str| -> BTreeSet<String> {
            provider.tools.iter().map(|tools| format!("`{folder}/{tools}`")).collect()
        };
        let shown = |cell: &str| cell.split(", ").map(str::to_owned).collect::<BTreeSet<_>>();
        assert_eq!(shown(row[1]), expected(project), "{}", provider.id);
        assert_eq!(shown(row[2]), expected(&format!("~/{user}")), "{}", provider.id);
    }
    for super::super::plugin_folders::Root { folder: root, .. } in super::super::plugin_folders::ROOTS {
        assert!(guide.contains(&format!("`~/{root}`")), "{root}");
    }
}
