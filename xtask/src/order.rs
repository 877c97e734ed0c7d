//! The command line of xtask, read into one value. Says in one line what is wrong with it.

pub(crate) const HELP: &str = "\
What a contributor runs, from anywhere in the repository.

Usage: cargo xtask <command>

  test     everything a change must pass: checks what this needs, installs the rest into a cache
           folder, then format, clippy, tests, documentation, tidy, licences
  check    the quick half: format, clippy, tests; downloads nothing
  help     this text

The cache folder is $XDG_CACHE_HOME/autopilot-dev, or ~/.cache/autopilot-dev; it can be deleted.
Exit codes: 0 all passed, 1 something failed, 2 wrong usage, 6 this machine lacks something.
";

const COMMANDS: &str = "test, check, help";

#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Order {
    Help,
    Test,
    Check,
}

impl Order {
    pub(crate) fn read(arguments: &[String]) -> Result<Order, String> {
        let mut words = arguments.iter().map(String::as_str);
        let order = match words.next() {
            None | Some("help" | "--help" | "-h") => return Ok(Order::Help),
            Some("test") => Order::Test,
            Some("check") => Order::Check,
            Some(other) => return Err(format!("no command `{other}`; there are: {COMMANDS}")),
        };
        match words.next() {
            None => Ok(order),
            Some("--help" | "-h") => Ok(Order::Help),
            Some(extra) => Err(format!("`{}` takes no `{extra}`", arguments[0])),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> Result<Order, String> {
        Order::read(&line.split_whitespace().map(str::to_string).collect::<Vec<_>>())
    }

    #[test]
    fn orders_are_read() {
        assert_eq!(read(""), Ok(Order::Help));
        assert_eq!(read("--help"), Ok(Order::Help));
        assert_eq!(read("test"), Ok(Order::Test));
        assert_eq!(read("check"), Ok(Order::Check));
        assert_eq!(read("test --help"), Ok(Order::Help));
    }

    #[test]
    fn mistakes_are_named() {
        assert_eq!(read("tset"), Err(format!("no command `tset`; there are: {COMMANDS}")));
        assert_eq!(read("test now"), Err("`test` takes no `now`".into()));
    }
}
