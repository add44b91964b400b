//! The judge on extractive answers: sentences and table rows of the documents as they stand, the right ones and others.

use rstest::rstest;

use super::{extractive_verdict, literals};
use crate::verdict::Verdict;

const PLANS: &str = "Plans and limits\n\nPlan | Storage | Largest file | Price\nSolo | 200 GB | 5 GB | 4.00 EUR\n\
    Studio | 2 TB | 20 GB | 18.00 EUR\nHouse | 10 TB | 50 GB | 65.00 EUR\n\nStorage is counted after compression. The largest file of the \
    Solo plan is small because uploads over slow lines break off. Deleted files can be restored for 45 days; after that they are gone for \
    good. A restore of more than 500 GB is sent on a disk, which costs 90 EUR. Backups run every six hours unless the schedule says \
    otherwise. The schedule cannot be set below 15 minutes.";
const OPTIONS: &str = "Options of the agent\n\nOption | Type | Default | Meaning\nupload_limit | number | 8 | Megabits per second that the \
    agent may use\nkeep_versions | number | 30 | How many versions of a file are kept, at most 400\nscan_interval | seconds | 600 | Pause \
    between two scans of the folders\nskip_hidden | boolean | true | Leaves out files whose names start with a dot\n\nThe options live in \
    /etc/fernvault/agent.toml and are read at each start. A change of keep_versions takes effect with the next backup. When the agent \
    cannot reach the server it tries again after 20, 60 and 180 seconds and then every ten minutes.\n\nLanguage | Package | Oldest version\n\
    Python | fernvault | 3.9\nRust | fernvault-client | 1.75\nPHP | fernvault/sdk | 8.1";
const TERMS: &str = "4.1 The provider may not disclose stored data to third parties, save where a court of competent jurisdiction has \
    ordered it.\n\n4.2 Cryptocurrency mining, the operation of open relays and the storage of malware are prohibited.\n\n4.3 The customer \
    may terminate with 30 days' notice to the end of a month.\n\n4.4 Where the availability falls below 99.5 per cent, hours of announced \
    maintenance not being counted, the customer may claim a credit of three per cent of the monthly fee for each commenced hour, subject to \
    a maximum of 25 per cent.\n\n4.5 The provider shall not be liable for data that the customer has deleted himself. Invoices are payable \
    within 14 days of receipt. The provider may raise fees once a year by no more than 5 per cent.";
const ERRORS: &str = "Error codes\n\nCode | Status | Meaning | Remedy\nFV-101 | 401 | The access token has expired | Sign in again\n\
    FV-102 | 403 | The token may not write to this vault | Ask the owner for the role Editor\nFV-204 | 413 | The file is larger than the \
    plan allows | Split the file or change the plan\nFV-310 | 429 | Too many requests within one minute | Wait for the seconds named in \
    Retry-After\n\nRequests are limited to 240 a minute for each token. Listings hold 50 entries a page and 250 at most. A request that \
    takes longer than 40 seconds is cut off. Errors of family 3 may be repeated, errors of family 1 must not be repeated without a change.";
const SUPPORT: &str = "Before you call support, have ready:\n\n- the serial number, printed under the handle;\n- a log that is not older \
    than seven days;\n- the version of the agent, which fernvault --version shows;\n- proof of purchase, unless the device was \
    registered.\n\nSupport answers in Danish, English and Polish. The telephone line is open on weekdays from 08:00 to 17:00 CET; outside \
    these hours only calls about data loss are taken. SMS notices have not been sent since 4 May 2025. The warranty is two years for the \
    device and one year for the disks. Devices cannot be exchanged at shops.";

/// The verdict with all documents retrieved.
fn verdict(query: &str, reference: &str, wanted: &[&str], answer: &str) -> Verdict {
    extractive_verdict(&[PLANS, OPTIONS, TERMS, ERRORS, SUPPORT], query, reference, &literals(wanted), answer)
}

#[rstest]
#[case::sentence("how long are deleted files kept", "Deleted files can be restored for 45 days.", &["45 days"], "Deleted files can be restored for 45 days; after that they are gone for good.")]
#[case::row("price of the Studio plan", "The Studio plan costs 18.00 EUR.", &[], "Studio | 2 TB | 20 GB | 18.00 EUR")]
#[case::row_and_sentence("biggest file on Solo", "The largest file on the Solo plan is 5 GB.", &[], "Solo | 200 GB | 5 GB | 4.00 EUR\nThe largest file of the Solo plan is small because uploads over slow lines break off.")]
#[case::row_with_two_values("how many versions of a file does it keep", "The option keep_versions defaults to 30 and may be at most 400.", &[], "keep_versions | number | 30 | How many versions of a file are kept, at most 400")]
#[case::row_and_its_neighbour("what does skip_hidden do", "It leaves out files whose names start with a dot.", &[], "skip_hidden | boolean | true | Leaves out files whose names start with a dot\nscan_interval | seconds | 600 | Pause between two scans of the folders")]
#[case::option_and_neighbour("pause between scans", "The option scan_interval sets the pause, 600 seconds by default.", &[], "scan_interval | seconds | 600 | Pause between two scans of the folders\nkeep_versions | number | 30 | How many versions of a file are kept, at most 400")]
#[case::path("where is the agent configured", "In /etc/fernvault/agent.toml.", &["/etc/fernvault/agent.toml"], "The options live in /etc/fernvault/agent.toml and are read at each start. A change of keep_versions takes effect with the next backup.")]
#[case::number_list("when does the agent try again", "After 20, 60 and 180 seconds, then every ten minutes.", &[], "When the agent cannot reach the server it tries again after 20, 60 and 180 seconds and then every ten minutes.")]
#[case::prohibited("is crypto mining allowed", "No. Clause 4.2 prohibits cryptocurrency mining.", &[], "4.2 Cryptocurrency mining, the operation of open relays and the storage of malware are prohibited.")]
#[case::excluded("which uses are excluded", "Clause 4.2 excludes cryptocurrency mining, open relays and the storage of malware.", &[], "4.2 Cryptocurrency mining, the operation of open relays and the storage of malware are prohibited.")]
#[case::denial_beside("what credit do we get for an outage", "The customer may claim a credit of three per cent of the monthly fee for each commenced hour, subject to a maximum of 25 per cent.", &[], "4.4 Where the availability falls below 99.5 per cent, hours of announced maintenance not being counted, the customer may claim a credit of three per cent of the monthly fee for each commenced hour, subject to a maximum of 25 per cent.")]
#[case::section_number("notice period", "30 days to the end of a month.", &["30 days"], "4.3 The customer may terminate with 30 days' notice to the end of a month.")]
#[case::no_more_than("how much can the fees go up", "Fees may be raised once a year by at most 5 per cent.", &[], "The provider may raise fees once a year by no more than 5 per cent. Invoices are payable within 14 days of receipt.")]
#[case::error_row("FV-204", "FV-204 (413) means that the file is larger than the plan allows. Split the file or change the plan.", &[], "FV-204 | 413 | The file is larger than the plan allows | Split the file or change the plan")]
#[case::error_rows("FV-310 what now", "Wait for the seconds named in Retry-After; too many requests came within one minute.", &[], "FV-310 | 429 | Too many requests within one minute | Wait for the seconds named in Retry-After\nFV-102 | 403 | The token may not write to this vault | Ask the owner for the role Editor")]
#[case::permission("we get FV-102", "FV-102 means that the token may not write to the vault; ask the owner for the role Editor.", &[], "FV-102 | 403 | The token may not write to this vault | Ask the owner for the role Editor")]
#[case::two_values("page size of listings: default and maximum", "A page holds 50 entries by default and at most 250.", &[], "Listings hold 50 entries a page and 250 at most.")]
#[case::sentence_and_neighbour("requests per minute", "240 requests a minute for each token.", &[], "Requests are limited to 240 a minute for each token. Listings hold 50 entries a page and 250 at most.")]
#[case::list("what should I have ready for support", "The serial number, a recent log, the version of the agent and proof of purchase.", &["serial number", "log", "proof of purchase"], "- the serial number, printed under the handle;\n- a log that is not older than seven days;\n- the version of the agent, which fernvault --version shows;\n- proof of purchase, unless the device was registered.")]
#[case::names("which languages does support speak", "Danish, English and Polish.", &[], "Support answers in Danish, English and Polish.")]
#[case::literal_in_a_denial("since when no more SMS", "SMS notices have not been sent since 4 May 2025.", &["4 May 2025"], "SMS notices have not been sent since 4 May 2025. The warranty is two years for the device and one year for the disks.")]
#[case::second_of_two("warranty of the disks", "The disks have a warranty of one year.", &[], "The warranty is two years for the device and one year for the disks.")]
#[case::hours("when can I phone", "On weekdays from 08:00 to 17:00 CET.", &[], "The telephone line is open on weekdays from 08:00 to 17:00 CET; outside these hours only calls about data loss are taken.")]
#[case::denied("can I exchange the device in a shop", "No, devices cannot be exchanged at shops.", &[], "Devices cannot be exchanged at shops. The warranty is two years for the device and one year for the disks.")]
#[case::inner_value("cost of a restore disk", "A restore sent on a disk costs 90 EUR.", &[], "A restore of more than 500 GB is sent on a disk, which costs 90 EUR.")]
#[case::lower_bound("shortest backup schedule", "The shortest schedule is 15 minutes.", &[], "The schedule cannot be set below 15 minutes. Backups run every six hours unless the schedule says otherwise.")]
#[case::tabs("storage of the House plan", "The House plan has 10 TB of storage.", &[], "House\t10 TB\t50 GB\t65.00 EUR")]
fn right_passages_pass(#[case] query: &str, #[case] reference: &str, #[case] literals: &[&str], #[case] answer: &str) {
    let verdict = verdict(query, reference, literals, answer);
    assert!(verdict.passed, "{}\n{verdict:#?}", verdict.rationale);
}

#[rstest]
#[case::other_row("price of the Studio plan", "The Studio plan costs 18.00 EUR.", &[], "House | 10 TB | 50 GB | 65.00 EUR")]
#[case::other_row_of_files("biggest file on Solo", "The largest file on the Solo plan is 5 GB.", &[], "Studio | 2 TB | 20 GB | 18.00 EUR")]
#[case::neighbour("how long are deleted files kept", "Deleted files can be restored for 45 days.", &[], "A restore of more than 500 GB is sent on a disk, which costs 90 EUR.")]
#[case::other_value("shortest backup schedule", "The shortest schedule is 15 minutes.", &[], "Backups run every six hours unless the schedule says otherwise.")]
#[case::other_option("how many versions of a file does it keep", "The option keep_versions defaults to 30 and may be at most 400.", &[], "scan_interval | seconds | 600 | Pause between two scans of the folders")]
#[case::option_without_sense("what does skip_hidden do", "It leaves out files whose names start with a dot.", &[], "upload_limit | number | 8 | Megabits per second that the agent may use")]
#[case::beside_the_path("where is the agent configured", "In /etc/fernvault/agent.toml.", &["/etc/fernvault/agent.toml"], "A change of keep_versions takes effect with the next backup.")]
#[case::retry_row("when does the agent try again", "After 20, 60 and 180 seconds, then every ten minutes.", &[], "scan_interval | seconds | 600 | Pause between two scans of the folders")]
#[case::other_clause("is crypto mining allowed", "No. Clause 4.2 prohibits cryptocurrency mining.", &[], "4.3 The customer may terminate with 30 days' notice to the end of a month.")]
#[case::other_denial("which uses are excluded", "Clause 4.2 excludes cryptocurrency mining, open relays and the storage of malware.", &[], "4.5 The provider shall not be liable for data that the customer has deleted himself.")]
#[case::other_percentage("what credit do we get for an outage", "The customer may claim a credit of three per cent of the monthly fee for each commenced hour, subject to a maximum of 25 per cent.", &[], "The provider may raise fees once a year by no more than 5 per cent.")]
#[case::other_period("notice period", "30 days to the end of a month.", &["30 days"], "Invoices are payable within 14 days of receipt.")]
#[case::credit_for_fees("how much can the fees go up", "Fees may be raised once a year by at most 5 per cent.", &[], "4.4 Where the availability falls below 99.5 per cent, hours of announced maintenance not being counted, the customer may claim a credit of three per cent of the monthly fee for each commenced hour, subject to a maximum of 25 per cent.")]
#[case::other_code("FV-204", "FV-204 (413) means that the file is larger than the plan allows. Split the file or change the plan.", &[], "FV-102 | 403 | The token may not write to this vault | Ask the owner for the role Editor")]
#[case::other_seconds("FV-310 what now", "Wait for the seconds named in Retry-After; too many requests came within one minute.", &[], "A request that takes longer than 40 seconds is cut off.")]
#[case::expired("we get FV-102", "FV-102 means that the token may not write to the vault; ask the owner for the role Editor.", &[], "FV-101 | 401 | The access token has expired | Sign in again")]
#[case::limits_for_pages("page size of listings: default and maximum", "A page holds 50 entries by default and at most 250.", &[], "Requests are limited to 240 a minute for each token.")]
#[case::pages_for_limits("requests per minute", "240 requests a minute for each token.", &[], "Listings hold 50 entries a page and 250 at most. FV-310 | 429 | Too many requests within one minute | Wait for the seconds named in Retry-After")]
#[case::half_path("where are the options and when does the agent try again", "The options live in /etc/fernvault/agent.toml. The agent tries again after 20, 60 and 180 seconds.", &[], "The options live in /etc/fernvault/agent.toml and are read at each start.")]
#[case::half_code("what is FV-102, and how many requests a minute may I send", "FV-102 means that the token may not write to this vault; requests are limited to 240 a minute.", &[], "FV-102 | 403 | The token may not write to this vault | Ask the owner for the role Editor")]
#[case::half_terms("notice period and how long do we have to pay invoices", "Notice is 30 days to the end of a month, and invoices are payable within 14 days of receipt.", &[], "Invoices are payable within 14 days of receipt.")]
#[case::half_plan("storage and price of the House plan", "The House plan has 10 TB and costs 65.00 EUR.", &[], "Storage is counted after compression.\nStudio | 2 TB | 20 GB | 18.00 EUR")]
#[case::one_item("what should I have ready for support", "The serial number, a recent log, the version of the agent and proof of purchase.", &["serial number", "proof of purchase"], "- a log that is not older than seven days;")]
#[case::other_languages("which languages does support speak", "Danish, English and Polish.", &[], "Python | fernvault | 3.9\nRust | fernvault-client | 1.75\nPHP | fernvault/sdk | 8.1")]
#[case::without_the_date("since when no more SMS", "SMS notices have not been sent since 4 May 2025.", &["4 May 2025"], "The telephone line is open on weekdays from 08:00 to 17:00 CET; outside these hours only calls about data loss are taken.")]
#[case::warranty("warranty of the disks", "The disks have a warranty of one year.", &[], "A restore of more than 500 GB is sent on a disk, which costs 90 EUR.")]
#[case::languages_for_hours("when can I phone", "On weekdays from 08:00 to 17:00 CET.", &[], "Support answers in Danish, English and Polish.")]
#[case::beside_a_denial("can I exchange the device in a shop", "No, devices cannot be exchanged at shops.", &[], "The warranty is two years for the device and one year for the disks.")]
#[case::other_price("cost of a restore disk", "A restore sent on a disk costs 90 EUR.", &[], "House | 10 TB | 50 GB | 65.00 EUR")]
#[case::other_row_with_tabs("storage of the House plan", "The House plan has 10 TB of storage.", &[], "Studio\t2 TB\t20 GB\t18.00 EUR")]
#[case::minutes_for_scans("pause between scans", "The option scan_interval sets the pause, 600 seconds by default.", &[], "When the agent cannot reach the server it tries again after 20, 60 and 180 seconds and then every ten minutes.")]
#[case::topic_only("how large may a file on the Studio plan be", "20 GB on the Studio plan.", &[], "Storage is counted after compression. The largest file of the Solo plan is small because uploads over slow lines break off.")]
fn wrong_passages_fail(#[case] query: &str, #[case] reference: &str, #[case] literals: &[&str], #[case] answer: &str) {
    let verdict = verdict(query, reference, literals, answer);
    assert!(!verdict.passed, "{}\n{verdict:#?}", verdict.rationale);
}
