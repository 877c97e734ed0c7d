//! Which step answers a request. Steps stand in a list, and a function may choose before the list is asked.

use std::fmt;

use super::request::Request;
use super::step::Step;
use super::usage::Usage;

type Chooser = Box<dyn FnMut(&Request) -> Option<Step> + Send>;

/// What a request without tools gets: short, and cheap in a way that is told apart in a sum.
const SIDE: Usage = Usage { input: 5, output: 2, cache_read: 0, cache_write: 0 };

pub struct Script {
    steps: Vec<Step>,
    chooser: Option<Chooser>,
    otherwise: Step,
    beside: Step,
    answers_toolless: bool,
}

/// Who answers.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Choice {
    /// By its place in the list.
    Listed(usize, Step),
    Chosen(Step),
    /// Nothing in the script is for this request.
    Otherwise(Step),
    Beside(Step),
}

/// Without the function, which shows nothing.
impl fmt::Debug for Script {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Script")
            .field("steps", &self.steps)
            .field("otherwise", &self.otherwise)
            .field("beside", &self.beside)
            .field("answers_toolless", &self.answers_toolless)
            .finish_non_exhaustive()
    }
}

impl Default for Script {
    fn default() -> Self {
        Script::new()
    }
}

impl Script {
    pub fn new() -> Script {
        // Refused, so that an agent which asks once more than the script knows does not pass for one that is done.
        let kind = "invalid_request_error";
        let otherwise = Step::status(400).error(kind, "the script has no step for this request");
        Script {
            steps: Vec::new(),
            chooser: None,
            otherwise,
            beside: Step::text("Beside the script.").usage(SIDE),
            answers_toolless: false,
        }
    }

    /// A request gets the first step of the list that is for it and has times left.
    pub fn step(mut self, step: Step) -> Script {
        self.steps.push(step);
        self
    }

    pub fn steps(mut self, steps: impl IntoIterator<Item = Step>) -> Script {
        self.steps.extend(steps);
        self
    }

    /// Is asked first; where it gives nothing, the list is asked. What a step says of times and conditions does not count here.
    pub fn choose(
        mut self,
        chooser: impl FnMut(&Request) -> Option<Step> + Send + 'static,
    ) -> Script {
        self.chooser = Some(Box::new(chooser));
        self
    }

    /// For requests that nothing else is for. Without it they are refused with status 400.
    pub fn otherwise(mut self, step: Step) -> Script {
        self.otherwise = step;
        self
    }

    /// For requests without tools.
    pub fn beside(mut self, step: Step) -> Script {
        self.beside = step;
        self
    }

    /// Requests without tools are answered like the others, for an agent that works without any.
    pub fn toolless_too(mut self) -> Script {
        self.answers_toolless = true;
        self
    }

    pub(super) fn answer(&mut self, request: &Request) -> Choice {
        if !request.has_tools() && !self.answers_toolless {
            return Choice::Beside(self.beside.clone());
        }
        if let Some(step) = self.chooser.as_mut().and_then(|choose| choose(request)) {
            return Choice::Chosen(step);
        }
        let fits = |step: &&mut Step| step.times > 0 && step.is_for(request);
        let mut listed = self.steps.iter_mut().enumerate();
        let found = listed.find(|(_, step)| fits(step));
        let Some((index, step)) = found else { return Choice::Otherwise(self.otherwise.clone()) };
        step.times -= 1;
        Choice::Listed(index, step.clone())
    }
}
