//! `ast_edit` compared with the `ast-grep` command: the same rewrite over a large tree, previewed only.

use std::{fmt::Write as _, fs, path::Path, process::Command};

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use super::{
    peers,
    process::timed,
    program::Program,
    report::Report,
    sample::{Sample, describe, verdict},
};

/// Name in the report.
const SUBJECT: &str = "Structural edits, `ast_edit`";
const FILES: usize = 5_000;
const ROUNDS: usize = 5;
const BUDGET: f64 = 1.1;

/// Name, pattern and replacement. All but the last match in one file of ten.
const CASES: [(&str, &str, &str); 4] = [
    ("a word to look for", "console.log($$$A)", "logger.info($$$A)"),
    ("no word to look for", "$A && $B()", "$A?.($B)"),
    ("the same hole twice", "$A && $A()", "$A?.()"),
    ("nothing matches", "neverCalled($A)", "called($A)"),
];

pub(crate) fn run(report: &mut Report) -> Result<()> {
    let program = Program::find()?;
    let folder = peers::folder()?.join("ast");
    fs::create_dir_all(&folder)?;
    peers::npm_install(&folder, &["@ast-grep/cli@0.51.0", "@ast-grep/cli-linux-x64-gnu@0.51.0"])?;
    let ast_grep = folder.join("node_modules/@ast-grep/cli-linux-x64-gnu/ast-grep");
    ensure!(ast_grep.is_file(), "{} was not installed", ast_grep.display());
    let tree = folder.join("tree");
    let bytes = plant(&tree)?;
    println!(
        "ast: a preview over {FILES} files of {:.1} KB beside ast-grep 0.51.0, {ROUNDS} rounds",
        bytes as f64 / FILES as f64 / 1e3
    );
    for (name, pattern, rewrite) in CASES {
        let arguments = json!({ "ops": [{ "pat": pattern, "out": rewrite }] }).to_string();
        let ours = || {
            let mut command = program.start(&tree);
            command.args(["call", "ast_edit", "--json", "--args", &arguments]);
            command
        };
        let theirs = |json: bool| {
            let mut command = peers::start(&ast_grep, &tree);
            command.args(["run", "--color", "never", "--pattern", pattern, "--rewrite", rewrite]);
            if json {
                command.arg("--json=compact");
            }
            command
        };
        let (found, searched) = our_count(&mut ours())?;
        let expected = their_count(&mut theirs(true))?;
        ensure!(found == expected, "{pattern}: {found} replacements here, {expected} by ast-grep");
        let (mut own, mut diff, mut json) = (Sample::default(), Sample::default(), Sample::default());
        for _ in 0..ROUNDS {
            own.push(timed(&mut ours(), "content")?);
            diff.push(timed_any(&mut theirs(false))?);
            json.push(timed_any(&mut theirs(true))?);
        }
        println!("  {name}: {pattern}, {found} replacements, {searched} files");
        println!("    toolsmith          {}", describe(&own));
        println!("    ast-grep           {}   {}", describe(&diff), verdict(own.ratio(&diff), BUDGET));
        println!("    ast-grep as JSON   {}   {}", describe(&json), verdict(own.ratio(&json), BUDGET));
        report.compare(SUBJECT, format!("preview, {name}"), &own, ("ast-grep", &diff), Some(BUDGET));
        report.compare(SUBJECT, format!("preview, {name}"), &own, ("ast-grep --json", &json), Some(BUDGET));
    }
    Ok(())
}

/// ast-grep exits with 1 if nothing was found.
fn timed_any(command: &mut Command) -> Result<std::time::Duration> {
    let start = std::time::Instant::now();
    let output = command.stdin(std::process::Stdio::null()).output()?;
    let elapsed = start.elapsed();
    ensure!(matches!(output.status.code(), Some(0 | 1)), "{}", String::from_utf8_lossy(&output.stderr));
    Ok(elapsed)
}

fn our_count(command: &mut Command) -> Result<(u64, u64)> {
    let output = command.output()?;
    let said: Value = serde_json::from_slice(&output.stdout)
        .with_context(|| String::from_utf8_lossy(&output.stderr).into_owned())?;
    let field = |name: &str| {
        said.pointer(&format!("/details/{name}")).and_then(Value::as_u64).with_context(|| format!("{said:#}"))
    };
    Ok((field("totalReplacements")?, field("filesSearched")?))
}

fn their_count(command: &mut Command) -> Result<u64> {
    let output = command.output()?;
    let found: Vec<Value> = serde_json::from_slice(&output.stdout)
        .with_context(|| String::from_utf8_lossy(&output.stderr).into_owned())?;
    Ok(found.len() as u64)
}

/// Writes the tree; returns its size in bytes.
fn plant(tree: &Path) -> Result<usize> {
    if tree.exists() {
        // An earlier benchmark may have written another tree.
        fs::remove_dir_all(tree)?;
    }
    let mut bytes = 0;
    for file in 0..FILES {
        let folder = tree.join(format!("package{}/src/part{}", file % 20, file / 20 % 10));
        fs::create_dir_all(&folder)?;
        let text = source(file);
        bytes += text.len();
        fs::write(folder.join(format!("file{file}.ts")), text)?;
    }
    Ok(bytes)
}

/// Returns a realistic file; one in ten contains matches at several positions.
fn source(file: usize) -> String {
    let mut text = format!(
        "import {{ Store, type Options }} from \"../store{file}\";\n\nexport interface Row{file} {{\n"
    );
    for field in 0..8 {
        let _ = writeln!(text, "  field{field}?: Map<string, Array<number | undefined>>;");
    }
    text.push_str("}\n");
    for part in 0..4 {
        let _ = write!(
            text,
            r#"
/** Keeps what part {part} of {file} has seen. */
export async function handle{part}(store: Store<Row{file}>, options: Options = {{}}): Promise<number> {{
  const names = await store.list({{ limit: options.limit ?? {part}, prefix: `part-${{{part}}}` }});
  let total = 0;
  for (const [index, name] of names.entries()) {{
    if (index % 2 === 0 && name.length > {part}) {{
      total += name.split("/").filter((word) => word !== "").length;
    }}
  }}
"#
        );
        if file.is_multiple_of(10) && part % 2 == 0 {
            text.push_str("  console.log(\"handled\", total);\n  options.done && options.done();\n");
        }
        text.push_str("  return total;\n}\n");
    }
    text
}
