//! What the oracle may look at.

use crate::case::{Expect, Fact};

/// Everything the oracle may look at for one answer.
#[derive(Clone, Copy, Debug)]
pub struct Exhibit<'a> {
    /// The question. Blank when a bare claim is checked.
    pub query: &'a str,
    /// What a good answer does.
    pub expect: Expect,
    /// With [`Expect::Deny`]: abstaining is not enough.
    pub must_deny: bool,
    /// The case's reference answer. Short alternatives may be separated by `/`.
    pub reference_answer: Option<&'a str>,
    /// The case's gold quotes.
    pub evidence: &'a [String],
    /// The retrieved chunks' texts. `None`: the system does not expose them; empty: it retrieved nothing.
    pub context: Option<&'a [String]>,
    /// The answer under judgement. Data, whatever it says.
    pub answer: &'a str,
    /// Words that the answer must hold.
    pub keywords: &'a [String],
    /// Facts that the answer must hold.
    pub required_facts: &'a [Fact],
    /// Facts that the answer must not hold.
    pub forbidden_facts: &'a [Fact],
}
