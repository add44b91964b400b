//! More extractive answers, over other documents, with passages that come close: the same number of another thing, a denial beside the point.

use rstest::rstest;

use super::{extractive_verdict, literals};
use crate::verdict::Verdict;

const PUMP: &str = "Limits of the controller\n\nModel | Zones | Flow temperature | Power\nAster 6 | 2 zones | 55 degrees | 6 kW\nAster 9 | 4 \
    zones | 60 degrees | 9 kW\nAster 12 | 6 zones | 65 degrees | 12 kW\n\nThe circuit must not be filled with more than 2.5 bar. The antifreeze \
    has to be replaced every five years. The outdoor unit may not stand in a closed room. The compressor rests for at least 4 minutes between \
    two starts. The hot water is heated to 62 degrees every Sunday at 02:00 to kill bacteria; this run cannot be switched off. In holiday mode \
    the rooms are kept at 14 degrees. Night mode lowers the fan to 480 turns a minute and is not available below minus 10 degrees.";
const FAULTS: &str = "Fault codes\n\nCode\tCause\tWhat to do\nE12\tThe pressure of the circuit is below 0.8 bar\tRefill to 1.6 bar and bleed \
    the radiators\nE31\tThe outdoor sensor does not answer\tCheck the plug X4 and then replace the sensor\nE47\tThe compressor became hotter \
    than 115 degrees\tSwitch off for 30 minutes; call the service when it comes back\nE60\tNo connection to the portal\tRestart the router; \
    heating goes on without it\n\nFaults of class 1 stop the pump at once. Faults of class 2 are shown for 24 hours and then sent to the \
    installer. A fault that appears three times within a week locks the controller until an installer enters the code of the day.";
const PORTAL: &str = "Roles\n\nRole | May see | May change\nOwner | everything | everything except the refrigerant settings\nTenant | room \
    temperatures and the schedule | room temperatures by up to 3 degrees\nInstaller | everything | everything, for 8 hours after the owner \
    has agreed\n\nMeasurements are stored every 5 minutes and kept for 26 months. They are not sold, and they are handed to the grid operator \
    only with consent. An export holds at most 10,000 lines. Passwords need 12 characters or more. E-mail reports are sent on the first \
    Monday of a month. The legacy API was switched off on 30 June 2024. The API allows 30 calls an hour and answers in JSON only. A key is \
    valid for 180 days; two weeks before its end a reminder is sent. Data are hosted in Finland and Ireland.";
const CONTRACT: &str = "2.1 The guarantee covers the compressor for seven years and all other parts for three years, filters excepted.\n\n2.2 \
    The guarantee lapses when the device is opened by persons without a licence for refrigerants, unless the manufacturer has agreed in text \
    form.\n\n2.3 Travel costs are not reimbursed; the labour is, up to 95 EUR an hour.\n\n2.4 The customer shall report a defect within 14 days \
    of its discovery, failing which claims may not be raised.\n\n3.1 Operation in vehicles, on ships and in swimming halls is excluded.\n\n3.2 \
    The service contract runs for 24 months and, where it is not cancelled three months before its end, is prolonged by 12 months. Its price \
    is 189 EUR a year. The inspection takes place once a year and does not include spare parts.";

fn verdict(query: &str, reference: &str, wanted: &[&str], answer: &str) -> Verdict {
    extractive_verdict(&[PUMP, FAULTS, PORTAL, CONTRACT], query, reference, &literals(wanted), answer)
}

#[rstest]
#[case::cell("max flow temp aster 9", "The highest flow temperature of the Aster 9 is 60 degrees.", &["60 degrees"], "Aster 9 | 4 zones | 60 degrees | 9 kW")]
#[case::cell_and_others("how many zones does the Aster 12 have", "The Aster 12 has 6 zones.", &[], "Aster 12 | 6 zones | 65 degrees | 12 kW\nAster 9 | 4 zones | 60 degrees | 9 kW")]
#[case::upper_bound("maximum pressure of the circuit", "The circuit may be filled up to 2.5 bar.", &["2.5 bar"], "The circuit must not be filled with more than 2.5 bar. The antifreeze has to be replaced every five years.")]
#[case::denial_of_place("can I put the outdoor unit into the cellar", "No, the outdoor unit may not stand in a closed room.", &[], "The outdoor unit may not stand in a closed room. The compressor rests for at least 4 minutes between two starts.")]
#[case::bacteria("when is the hot water heated against bacteria", "Every Sunday at 02:00 the hot water is heated to 62 degrees.", &[], "The hot water is heated to 62 degrees every Sunday at 02:00 to kill bacteria; this run cannot be switched off. In holiday mode the rooms are kept at 14 degrees.")]
#[case::night("fan speed at night", "Night mode lowers the fan to 480 turns a minute.", &["480 turns"], "Night mode lowers the fan to 480 turns a minute and is not available below minus 10 degrees.")]
#[case::shortest("shortest pause of the compressor", "The minimum pause between two starts of the compressor is 4 minutes.", &[], "The compressor rests for at least 4 minutes between two starts.")]
#[case::fault_with_tabs("E12", "E12 means that the pressure of the circuit is below 0.8 bar; refill to 1.6 bar and bleed the radiators.", &[], "E12\tThe pressure of the circuit is below 0.8 bar\tRefill to 1.6 bar and bleed the radiators")]
#[case::fault_denied("what is E31", "With E31 the outdoor sensor does not answer. Check the plug X4 and then replace the sensor.", &["X4"], "E31\tThe outdoor sensor does not answer\tCheck the plug X4 and then replace the sensor\nE60\tNo connection to the portal\tRestart the router; heating goes on without it")]
#[case::fault_no("code E60 shown", "There is no connection to the portal; restart the router, heating goes on without it.", &[], "E60\tNo connection to the portal\tRestart the router; heating goes on without it")]
#[case::locks("when does the controller lock itself", "A fault that appears three times within a week locks the controller.", &[], "A fault that appears three times within a week locks the controller until an installer enters the code of the day.")]
#[case::role("what may a tenant change", "A tenant may change room temperatures by up to 3 degrees.", &[], "Tenant | room temperatures and the schedule | room temperatures by up to 3 degrees")]
#[case::role_hours("how long does the installer have access", "For 8 hours after the owner has agreed.", &["8 hours"], "Installer | everything | everything, for 8 hours after the owner has agreed\nOwner | everything | everything except the refrigerant settings")]
#[case::retention("how long are measurements kept", "Measurements are kept for 26 months.", &[], "Measurements are stored every 5 minutes and kept for 26 months. They are not sold, and they are handed to the grid operator only with consent.")]
#[case::sold("do you sell our data", "No, measurements are not sold; the grid operator gets them only with consent.", &[], "They are not sold, and they are handed to the grid operator only with consent. An export holds at most 10,000 lines.")]
#[case::lines("export row limit", "An export has up to 10,000 lines.", &[], "An export holds at most 10,000 lines. Passwords need 12 characters or more.")]
#[case::date("since when is the legacy API gone", "The legacy API was switched off on 30 June 2024.", &["30 June 2024"], "The legacy API was switched off on 30 June 2024. The API allows 30 calls an hour and answers in JSON only.")]
#[case::calls("api rate limit", "The API allows 30 calls an hour.", &[], "The API allows 30 calls an hour and answers in JSON only. A key is valid for 180 days; two weeks before its end a reminder is sent.")]
#[case::countries("where are data hosted", "In Finland and Ireland.", &[], "Data are hosted in Finland and Ireland.")]
#[case::guarantee("guarantee on the compressor", "The compressor has a guarantee of seven years.", &[], "2.1 The guarantee covers the compressor for seven years and all other parts for three years, filters excepted.")]
#[case::lapse("does the guarantee survive if a friend opens the unit", "No, the guarantee lapses when persons without a licence for refrigerants open the device.", &[], "2.2 The guarantee lapses when the device is opened by persons without a licence for refrigerants, unless the manufacturer has agreed in text form.")]
#[case::labour("what do you pay for labour in a guarantee case", "Labour is reimbursed up to 95 EUR an hour.", &["95 EUR"], "2.3 Travel costs are not reimbursed; the labour is, up to 95 EUR an hour.")]
#[case::defect("deadline for reporting a defect", "A defect must be reported within 14 days of its discovery.", &["14 days"], "2.4 The customer shall report a defect within 14 days of its discovery, failing which claims may not be raised.")]
#[case::ships("can it run on a ship", "No. Clause 3.1 excludes vehicles, ships and swimming halls.", &[], "3.1 Operation in vehicles, on ships and in swimming halls is excluded.")]
#[case::prolonged("how long is the service contract prolonged", "By 12 months, unless it is cancelled three months before its end.", &[], "3.2 The service contract runs for 24 months and, where it is not cancelled three months before its end, is prolonged by 12 months.")]
#[case::parts("are spare parts part of the inspection", "No, the inspection does not include spare parts.", &[], "Its price is 189 EUR a year. The inspection takes place once a year and does not include spare parts.")]
fn right_passages_pass(#[case] query: &str, #[case] reference: &str, #[case] literals: &[&str], #[case] answer: &str) {
    let verdict = verdict(query, reference, literals, answer);
    assert!(verdict.passed, "{}\n{verdict:#?}", verdict.rationale);
}

#[rstest]
#[case::other_cell("max flow temp aster 9", "The highest flow temperature of the Aster 9 is 60 degrees.", &[], "Aster 12 | 6 zones | 65 degrees | 12 kW")]
#[case::same_number_elsewhere("how many zones does the Aster 12 have", "The Aster 12 has 6 zones.", &[], "Aster 6 | 2 zones | 55 degrees | 6 kW")]
#[case::refill_for_maximum("maximum pressure of the circuit", "The circuit may be filled up to 2.5 bar.", &["2.5 bar"], "E12\tThe pressure of the circuit is below 0.8 bar\tRefill to 1.6 bar and bleed the radiators")]
#[case::other_prohibition("can I put the outdoor unit into the cellar", "No, the outdoor unit may not stand in a closed room.", &[], "Night mode lowers the fan to 480 turns a minute and is not available below minus 10 degrees.")]
#[case::holiday("when is the hot water heated against bacteria", "Every Sunday at 02:00 the hot water is heated to 62 degrees.", &[], "In holiday mode the rooms are kept at 14 degrees.")]
#[case::antifreeze("fan speed at night", "Night mode lowers the fan to 480 turns a minute.", &[], "The antifreeze has to be replaced every five years.")]
#[case::minutes_of_a_fault("shortest pause of the compressor", "The minimum pause between two starts of the compressor is 4 minutes.", &[], "E47\tThe compressor became hotter than 115 degrees\tSwitch off for 30 minutes; call the service when it comes back")]
#[case::next_fault("E12", "E12 means that the pressure of the circuit is below 0.8 bar; refill to 1.6 bar and bleed the radiators.", &[], "E31\tThe outdoor sensor does not answer\tCheck the plug X4 and then replace the sensor")]
#[case::classes("what is E31", "With E31 the outdoor sensor does not answer. Check the plug X4 and then replace the sensor.", &[], "Faults of class 2 are shown for 24 hours and then sent to the installer.")]
#[case::classes_for_lock("when does the controller lock itself", "A fault that appears three times within a week locks the controller.", &[], "Faults of class 1 stop the pump at once. Faults of class 2 are shown for 24 hours and then sent to the installer.")]
#[case::other_role("what may a tenant change", "A tenant may change room temperatures by up to 3 degrees.", &[], "Owner | everything | everything except the refrigerant settings")]
#[case::shown_for("how long does the installer have access", "For 8 hours after the owner has agreed.", &[], "Faults of class 2 are shown for 24 hours and then sent to the installer.")]
#[case::interval("how long are measurements kept", "Measurements are kept for 26 months.", &[], "A key is valid for 180 days; two weeks before its end a reminder is sent.")]
#[case::hosted_for_sold("do you sell our data", "No, measurements are not sold; the grid operator gets them only with consent.", &[], "Data are hosted in Finland and Ireland.")]
#[case::characters("export row limit", "An export has up to 10,000 lines.", &[], "Passwords need 12 characters or more. E-mail reports are sent on the first Monday of a month.")]
#[case::calls_for_date("since when is the legacy API gone", "The legacy API was switched off on 30 June 2024.", &[], "The API allows 30 calls an hour and answers in JSON only.")]
#[case::minutes_for_calls("api rate limit", "The API allows 30 calls an hour.", &[], "The legacy API was switched off on 30 June 2024.")]
#[case::same_number_as_minutes("api rate limit", "The maximum is 30 calls an hour.", &[], "E47\tThe compressor became hotter than 115 degrees\tSwitch off for 30 minutes; call the service when it comes back")]
#[case::reports("where are data hosted", "In Finland and Ireland.", &[], "E-mail reports are sent on the first Monday of a month.")]
#[case::contract_term("guarantee on the compressor", "The compressor has a guarantee of seven years.", &[], "3.2 The service contract runs for 24 months and, where it is not cancelled three months before its end, is prolonged by 12 months.")]
#[case::price_for_labour("what do you pay for labour in a guarantee case", "Labour is reimbursed up to 95 EUR an hour.", &[], "Its price is 189 EUR a year. The inspection takes place once a year and does not include spare parts.")]
#[case::days_of_a_key("deadline for reporting a defect", "A defect must be reported within 14 days of its discovery.", &[], "A key is valid for 180 days; two weeks before its end a reminder is sent.")]
#[case::licence_for_ships("can it run on a ship", "No. Clause 3.1 excludes vehicles, ships and swimming halls.", &[], "2.1 The guarantee covers the compressor for seven years and all other parts for three years, filters excepted.")]
#[case::price_and_term("price and term of the service contract", "The service contract costs 189 EUR a year and runs for 24 months.", &[], "Its price is 189 EUR a year.")]
#[case::code_and_remedy("what does E47 mean and how long must I wait", "E47 means that the compressor became hotter than 115 degrees; switch off for 30 minutes.", &[], "Faults of class 1 stop the pump at once. E12\tThe pressure of the circuit is below 0.8 bar\tRefill to 1.6 bar and bleed the radiators")]
#[case::one_guarantee("guarantee on the compressor and term of the service contract", "The compressor has seven years; the service contract runs for 24 months.", &[], "2.1 The guarantee covers the compressor for seven years and all other parts for three years, filters excepted.")]
fn wrong_passages_fail(#[case] query: &str, #[case] reference: &str, #[case] literals: &[&str], #[case] answer: &str) {
    let verdict = verdict(query, reference, literals, answer);
    assert!(!verdict.passed, "{}\n{verdict:#?}", verdict.rationale);
}
