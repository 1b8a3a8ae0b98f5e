//! Command lines of Windows. A program there receives one text and splits it by itself; almost all use the rules of
//! Microsoft's C library. Batch files are the exception: `cmd.exe` reads their line by rules of its own.

use std::fmt::Write as _;

/// Characters of an argument to a batch file that need no quotes.
const PLAIN: &str = r"#$*+-./:?@\_";

/// Returns the command line of a program with these arguments.
pub(super) fn command_line(name: &str, arguments: &[String]) -> String {
    let mut line = String::new();
    // The name is not unescaped: it ends at the next quotation mark, which no path contains.
    let _ = write!(line, "\"{}\"", name.replace('"', ""));
    for argument in arguments {
        line.push(' ');
        push_argument(&mut line, argument);
    }
    line
}

fn push_argument(line: &mut String, argument: &str) {
    if !argument.is_empty() && !argument.contains([' ', '\t', '\n', '\u{b}', '"']) {
        return line.push_str(argument);
    }
    line.push('"');
    push_escaped(line, argument, "\\\"", |_, _| false);
    line.push('"');
}

/// Writes the inside of a quoted argument. Backslashes are doubled only in front of a quotation mark, the last one included.
fn push_escaped(
    line: &mut String,
    argument: &str,
    quotation_mark: &str,
    mut special: impl FnMut(&mut String, char) -> bool,
) {
    let mut backslashes = 0;
    for c in argument.chars() {
        match c {
            '\\' => backslashes += 1,
            '"' => {
                line.extend(std::iter::repeat_n('\\', backslashes));
                backslashes = 0;
                line.push_str(quotation_mark);
                continue;
            }
            _ => backslashes = 0,
        }
        if !special(line, c) {
            line.push(c);
        }
    }
    line.extend(std::iter::repeat_n('\\', backslashes));
}

/// Returns the command line of `cmd.exe` that runs a batch file; `None` if an argument cannot be passed on unchanged.
///
/// Everything that `cmd.exe` would act on is inside quotation marks. Two things act there too: a quotation mark is doubled,
/// and `%` gets an empty substring of a variable in front, so that no name of a variable is formed.
pub(super) fn batch_command_line(shell: &str, script: &str, arguments: &[String]) -> Option<String> {
    if script.contains(['"', '%', '\n', '\r']) || script.ends_with('\\') {
        return None;
    }
    let mut line = format!("\"{shell}\" /e:ON /v:OFF /d /c \"\"{script}\"");
    for argument in arguments {
        if argument.contains(['\n', '\r', '\0']) {
            return None;
        }
        line.push(' ');
        let is_plain = |c: char| c.is_ascii_alphanumeric() || PLAIN.contains(c);
        if !argument.is_empty() && !argument.ends_with('\\') && argument.chars().all(is_plain) {
            line.push_str(argument);
            continue;
        }
        line.push('"');
        push_escaped(&mut line, argument, "\"\"", |line, c| {
            if c == '%' {
                line.push_str("%%cd:~,%");
            }
            c == '%'
        });
        line.push('"');
    }
    line.push('"');
    Some(line)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Splits a command line as Microsoft's C library does.
    fn split(line: &str) -> Vec<String> {
        let mut found = Vec::new();
        let mut rest = line.chars().peekable();
        // The name: everything between the first quotation marks.
        rest.next();
        found.push(rest.by_ref().take_while(|c| *c != '"').collect());
        while rest.next_if(|c| *c == ' ').is_some() {
            let (mut argument, mut quoted) = (String::new(), false);
            loop {
                let mut backslashes = 0;
                while rest.next_if_eq(&'\\').is_some() {
                    backslashes += 1;
                }
                if rest.peek() == Some(&'"') {
                    argument.extend(std::iter::repeat_n('\\', backslashes / 2));
                    rest.next();
                    if backslashes % 2 == 1 {
                        argument.push('"');
                    } else {
                        quoted = !quoted;
                    }
                    continue;
                }
                argument.extend(std::iter::repeat_n('\\', backslashes));
                match rest.peek() {
                    Some(' ' | '\t') if !quoted => break,
                    None => break,
                    Some(c) => argument.push(*c),
                }
                rest.next();
            }
            found.push(argument);
        }
        found
    }

    fn line(arguments: &[&str]) -> String {
        command_line("p", &arguments.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>())
    }

    #[test]
    fn c3_2_arguments_are_quoted_only_where_needed() {
        assert_eq!(line(&["a", "b c", ""]), r#""p" a "b c" """#);
        assert_eq!(line(&[r#"say "hi""#]), r#""p" "say \"hi\"""#);
        assert_eq!(line(&[r"C:\a b\"]), r#""p" "C:\a b\\""#);
        assert_eq!(line(&[r#"a\"b"#]), r#""p" "a\\\"b""#);
        assert_eq!(line(&[r"C:\a\b"]), r#""p" C:\a\b"#);
    }

    proptest! {
        #[test]
        fn c3_2_a_program_receives_the_arguments_it_was_given(
            arguments in prop::collection::vec(r#"[ -~\t\\"é]{0,12}"#, 0..6)
        ) {
            let found = split(&command_line(r"C:\my programs\p.exe", &arguments));
            prop_assert_eq!(&found[0], r"C:\my programs\p.exe");
            prop_assert_eq!(&found[1..], &arguments[..]);
        }

        #[test]
        fn c3_2_nothing_of_a_batch_argument_is_outside_quotation_marks(
            argument in r#"[ -~\\"%&|<>^]{0,16}"#
        ) {
            let line = batch_command_line("cmd", "x.bat", &[argument]).unwrap();
            // What stands between the name of the script and the last quotation mark.
            let inside = line.strip_prefix(r#""cmd" /e:ON /v:OFF /d /c ""x.bat" "#).unwrap();
            let inside = inside.strip_suffix('"').unwrap();
            let mut quoted = false;
            for c in inside.chars() {
                quoted ^= c == '"';
                prop_assert!(quoted || !"&|<>^() ".contains(c), "{}", line);
            }
            prop_assert!(!quoted, "{}", line);
        }
    }

    #[test]
    fn c3_2_a_batch_file_cannot_be_given_a_second_command() {
        let line = |argument: &str| batch_command_line("cmd", "x.bat", &[argument.to_owned()]);
        assert_eq!(line(r#""&calc.exe"#).unwrap(), r#""cmd" /e:ON /v:OFF /d /c ""x.bat" """&calc.exe"""#);
        assert_eq!(line("%PATH%").unwrap(), r#""cmd" /e:ON /v:OFF /d /c ""x.bat" "%%cd:~,%PATH%%cd:~,%"""#);
        assert_eq!(line("a\nb"), None);
        assert_eq!(batch_command_line("cmd", "100%.bat", &[]), None);
    }
}
