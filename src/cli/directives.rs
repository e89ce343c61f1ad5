//! Flags for directives: one for each entry of [`FLAGS`], in any order and as often as wanted.

use allo_hls::codes;
use allo_hls::diagnostics::Diagnostic;
use allo_hls::directives::{self, Directive, FLAGS, Flag};
use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches, value_parser};
use std::path::PathBuf;

const HEADING: &str = "Directives";
const FILE: &str = "directives";
const STRICT: &str = "strict";

/// What the user says about the hardware of a kernel.
#[derive(Clone)]
pub struct DirectiveArgs {
    file: Option<PathBuf>,
    /// In the order of the command line.
    flags: Vec<Directive>,
    /// An initiation interval that is not possible is an error.
    pub strict: bool,
}

impl DirectiveArgs {
    /// All of them, those of the file first. Errors: a file that cannot be read or understood.
    pub fn all(&self) -> Result<Vec<Directive>, Diagnostic> {
        let mut all = match &self.file {
            None => Vec::new(),
            Some(path) => {
                let text = std::fs::read_to_string(path).map_err(|e| e.to_string());
                let read = text.and_then(|text| directives::read(&text));
                read.map_err(|why| {
                    let message = format!("cannot read '{}': {why}", path.display());
                    Diagnostic::global(codes::DIRECTIVE, message)
                })?
            }
        };
        all.extend(self.flags.iter().cloned());
        Ok(all)
    }
}

fn flag(flag: &'static Flag) -> Arg {
    Arg::new(flag.name)
        .long(flag.name)
        .value_name(flag.value)
        .help(flag.help)
        .action(ArgAction::Append)
        .value_parser(flag.parse)
        .help_heading(HEADING)
}

impl Args for DirectiveArgs {
    fn augment_args(command: Command) -> Command {
        let file = Arg::new(FILE)
            .long(FILE)
            .value_name("FILE")
            .help("TOML file of directives, which come before those of the command line")
            .value_parser(value_parser!(PathBuf))
            .help_heading(HEADING);
        let strict = Arg::new(STRICT)
            .long(STRICT)
            .help("An initiation interval that is not possible is an error instead of a warning")
            .action(ArgAction::SetTrue)
            .help_heading(HEADING);
        command.args(FLAGS.iter().map(flag)).arg(file).arg(strict)
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for DirectiveArgs {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let mut flags: Vec<(usize, Directive)> = Vec::new();
        for flag in FLAGS {
            let places = matches.indices_of(flag.name).into_iter().flatten();
            let values = matches.get_many::<Directive>(flag.name);
            flags.extend(places.zip(values.into_iter().flatten().cloned()));
        }
        flags.sort_by_key(|(place, _)| *place);
        Ok(DirectiveArgs {
            file: matches.get_one::<PathBuf>(FILE).cloned(),
            flags: flags.into_iter().map(|(_, directive)| directive).collect(),
            strict: matches.get_flag(STRICT),
        })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}
