//! The travel desk under test.

use std::process::ExitCode;

use adopter::TravelDesk;
use ragtest::{Hit, Question, RagSystem, Response, SystemError};

struct Bot(TravelDesk);

impl RagSystem for Bot {
    async fn ask(&self, question: &Question) -> Result<Response, SystemError> {
        let found = self.0.search(&question.query);
        let hits = found.iter().map(|(file, text, score)| Hit::text(*text).source_id(*file).score(*score)).collect();
        let answer = match found.first() {
            Some((_, text, score)) if *score >= 0.4 => (*text).to_owned(),
            _ => "I do not have enough information to answer that.".to_owned(),
        };
        Ok(Response::answer(answer).with_chunks(hits))
    }
}

fn main() -> ExitCode {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("golden/trains");
    let bot = Bot(TravelDesk::open(&folder).expect("the documents are there"));
    ragtest::harness!().system("bot", bot).run()
}
