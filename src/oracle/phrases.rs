//! The phrase tables. Written in the language of [`super::pattern`]; the families are those that people meet in practice.

use std::sync::LazyLock;

use super::pattern::Patterns;

/// Named lists of words.
pub(super) const CLASSES: &[(&str, &str)] = &[
    // What a system calls the texts that it was given.
    (
        "meta",
        "context contexts passage passages document documents documentation doc docs text texts excerpt excerpts manual handbook guide source \
         sources article articles report reports material materials snippet snippets paragraph paragraphs page pages file files corpus chunk chunks \
         transcript notes section sections results result references readme faq base",
    ),
    ("info", "information info details detail data context evidence documentation knowledge specifics facts material"),
    (
        "given",
        "provided given retrieved supplied available above here i we was were have had been you in the this that question shared attached itself \
         to me us currently quoted cited at hand",
    ),
    (
        "tell",
        "mention* say* state* specif* provid* cover* contain* includ* giv* address* discuss* explain* describ* indicat* tell* answer* disclos* \
         list* nam* detail* clarif* offer* reveal* defin* show* refer* elaborat* identif* report* note* touch* speak* talk* deal* go \
         hold* make* suggest* confirm* establish* document* explicit*",
    ),
    (
        "find",
        "find locate determine identify ascertain establish tell say answer see derive infer deduce conclude verify confirm retrieve know \
         discover judge decide pinpoint spot",
    ),
    (
        "told",
        "specified mentioned stated provided given covered included discussed documented addressed described disclosed listed indicated defined \
         explained available found present recorded named contained detailed revealed",
    ),
    ("known", "determined answered derived inferred concluded ascertained deduced established said known"),
    ("criterion", "verdict rating score faithfulness relevance completeness clarity keywords groundedness passed grade judgement judgment"),
    ("rate", "true false pass passed fail failed partially yes supported correct"),
];

const REFUSAL: &[&str] = &[
    // The speaker does not know, have or find.
    "i|we do not ..2 know",
    "i would not know",
    "i|we have no idea|clue",
    "^ ..1 no idea $",
    "^ do not know",
    "i|we do|did not ..2 have ..5 @info|access|answer|records|insight",
    "i|we lack ..3 @info",
    "i|we have|had no ..2 @info|record|records|access|answer|way",
    "i|we can|could|am|was|were|are not ..2 @find",
    "i|we can|could|am|was|were|are not able to @find|provide|give|help|assist|offer|access",
    "i|we am|was|were|are ..1 unable to @find|provide|give|help|assist|offer|access",
    "i|we have not ..1 been able to @find|provide|give",
    "^ ..1 unable to @find|provide|give",
    "^ can|could not ..1 @find",
    "i|we can|could not ..1 provide|give|offer|supply|help|assist ..6 @info|answer|that|this|you|response|specific",
    "i|we do|did not ..1 find|see|locate|come",
    "i|we ..1 found|find|see|saw no|nothing",
    "i|we ..8 but|and found|find no|nothing",
    "i|we ..8 but|and ..1 can|could|did not ..1 find|locate",
    "i|we do not think|believe ..3 @meta @tell",
    "you have|did not ..1 provided|provide|given|give|shared|share|uploaded|upload ..2 @meta|@info",
    "i|we was|were|am not given|provided|shown ..5 @meta|@info",
    "i|we have not ..1 found|seen|located",
    "i|we am|are not ..2 aware|certain|sure|familiar|confident",
    "i|we am|are ..1 unsure|uncertain|unaware|unfamiliar",
    "i|we need|require more|additional|further ..2 @info",
    "i|we would need ..3 @info",
    "i|we would need ..6 to @find",
    "i|we can|could not ..2 comment|speculate|check|browse|look|open|access",
    "i|we ..2 decline to",
    "i would ..1 be guessing|speculating",
    "without ..4 @info ..2 i|we ..1 can|could not",
    "without ..4 @info ..4 impossible|not",
    // There is too little.
    "^ ..2 insufficient|inadequate ..1 @info",
    "there is|are|was|were ..1 insufficient|inadequate ..1 @info",
    "insufficient ..1 @info ..5 to @find",
    "not ..1 enough|sufficient|adequate ..2 @info ..6 to @find",
    "not ..1 enough|sufficient|adequate ..2 @info ..3 in|from ..3 @meta",
    "there is|are not ..1 enough|sufficient ..2 @info",
    "^ ..2 not enough|sufficient ..1 @info",
    "@meta|@info ..3 is|are insufficient|inadequate|incomplete to @find",
    "@meta|@info ..3 is|are not ..1 sufficient|enough|adequate",
    // The texts do not say.
    "@meta ..3 is|are not ..1 relevant|related",
    "do|does not ..1 answer ..2 question|query",
    "@meta ..2 never @tell",
    "beyond|outside ..3 @meta @tell",
    "@meta|search ..2 return* no|nothing",
    "the|these|this|those|provided|given|retrieved|supplied|your|my|our|any|all|both ..2 @meta @given? @given? @given? do|does|did|has|have not ..3 @tell",
    "@meta provided|given|retrieved|supplied|available|i|you @given? @given? do|does|did|has|have not ..3 @tell",
    "@meta @given? @given? has|have|had nothing",
    "@info provided|given|available|supplied|retrieved|i|we @given? @given? do|does|did not ..3 @tell",
    "^ it|this|that|they do|does|did not ..1 say|mention|specify|state",
    "but do|does|did not ..1 say|mention|specify|indicate|state",
    "but|though|although|however|and it|they do|does|did not ..1 say|mention|specify|indicate|address|discuss",
    "@meta @given? @given? fail* to @tell",
    "@meta @given? @given? stop* short",
    "@meta @given? @given? do|does not ..1 have ..3 @info|mention|answer|record|anything",
    "^ ..1 context ..2 is|was empty|blank|missing",
    "@meta @given? @given? omit*|lack*",
    "@meta @given? @given? @tell no ..3 @info|indication|clue|mention|answer|reference|hint|guidance|statement|record|such",
    "@meta @given? @given? @tell nothing",
    "@meta ..3 is|are|was|were|remain*|stay* ..1 silent",
    "none of ..5 @meta ..4 @tell",
    "none of ..4 @meta $",
    "no @given? @given? document|documents|passage|passages|source|sources|text|article|chunk|chunks|section|page|file|excerpt|report ..3 @tell",
    "neither ..3 @meta ..4 @tell",
    "nothing ..4 @meta ..3 @tell",
    "there is nothing ..6 @meta",
    "^ ..1 nothing ..5 in|from ..3 @meta",
    "there is|are|was|were no ..2 mention|discussion",
    "there is|are|was|were no ..2 reference|indication|@info|answer|record|statement|trace ..8 @meta",
    "there is|are|was|were no ..2 @info|answer ..1 about|on|regarding|concerning|available|provided|given|here",
    "^ ..1 no ..2 @info|mention|reference|indication|answer ..8 @meta",
    "^ ..1 no ..2 @info|mention ..8 found|available|provided|given|located|returned",
    "^ ..1 no ..1 answer ..2 found|available|provided|located",
    "there do|does not ..1 appear|seem to be ..3 @info|mention|answer|reference",
    "@info ..2 is|are|was not available to me|us",
    "@info|answer|it ..2 can|could not be ..1 located|retrieved",
    "@info|answer ..2 can|could not be ..1 found|provided",
    "no ..2 answer|conclusion ..2 can|could be",
    "no such ..8 @meta",
    "not|nowhere|never ..2 @told ..1 in|by|within|anywhere|from|among ..4 @meta",
    "not ..1 @told anywhere",
    "this|that|it|@info|answer ..4 is|was|are|were not ..2 specified|mentioned|stated|provided|given|covered|discussed|documented|addressed|disclosed|indicated|available ..1 $",
    "^ ..1 not ..1 @told ..1 $",
    "^ ..6 is|are|was|were not ..1 mentioned|stated|specified|indicated $",
    "^ ..6 is|are|was|were not ..1 mentioned|stated|specified|indicated however|but",
    "@info|answer ..6 is|are not ..2 in|within|among ..3 @meta",
    "is|are ..1 missing|absent|omitted from ..3 @meta",
    "outside|beyond ..2 scope of ..4 @meta",
    "outside|beyond ..2 @meta scope",
    "not ..1 within ..1 scope of ..4 @meta",
    "^ ..1 out of scope",
    // It cannot be known.
    "can|could not ..1 be ..1 @known|found|identified|located|confirmed|verified|resolved ..6 @meta|information|data|provided|given",
    "it is|was not known $",
    "question|query ..2 is ..1 unanswerable",
    "this|that|answer|question ..6 can|could not ..1 be ..1 @known",
    "it can|could not ..1 be ..1 @known",
    "^ ..1 can not be @known",
    "not possible ..2 to @find",
    "impossible ..2 to @find",
    "is|remains ..1 unclear|unknown|uncertain|unspecified|undisclosed ..6 @meta|information|given",
    "is|was|are not ..1 clear ..5 from|in|based ..3 @meta|information",
    "not something ..3 @meta|i|we ..2 @tell",
    "^ ..1 unanswerable",
];

/// Whole answers, without case and punctuation.
pub(super) const BARE_REFUSALS: &[&str] = &[
    "n a",
    "na",
    "not applicable",
    "unknown",
    "unclear",
    "unsure",
    "not sure",
    "no answer",
    "no information",
    "no data",
    "no context",
    "not found",
    "none given",
    "none found",
    "nothing found",
    "no results",
    "no results found",
    "no relevant information",
    "no matching documents",
    "unanswerable",
    "no comment",
    "i pass",
    "not in the documents",
    "not in the context",
    "not in the text",
    "cannot say",
    "can not say",
    "not known",
    "not known to me",
    "insufficient information",
    "not enough information",
    "this is unknown",
    "it is unknown",
    "that is unknown",
    "no idea",
    "no record",
    "not disclosed",
    "unspecified",
    "undisclosed",
];

/// What goes with a refusal without being an answer: the scope of the texts, what the speaker is.
const SCOPE: &[&str] = &[
    "@meta @given? @given? @given? only|merely|just|solely ..1 @tell|focus*|concern*|goes|relate*",
    "@meta @given? @given? @given? @tell|focus*|concern*|relate* only|just|solely|merely",
    "@meta @given? @given? @given? discuss*|cover*|focus*|describe*|mention*|contain*|talk*|deal*|concern*|relate*|explain*|is|are|include*",
    "it|they|that only|merely|just ..1 @tell|focus*|concern*",
    "as an|a ..2 ai|model|assistant|llm",
    "my ..1 knowledge|training",
];

/// The sources disagree: says nothing of the matter itself.
const DISAGREEMENT: &[&str] = &[
    "@meta ..4 disagree*|conflict*|contradict*|differ|diverge*|vary",
    "@meta ..3 do not agree|match",
    "@meta ..3 are|is ..1 inconsistent|contradictory|divided",
    "conflict*|contradict*|inconsistent|discrepan*|inconsisten*|differing ..3 @meta|information|accounts|answers|values|statements|figures|dates|claims|between|in|about",
    "there is|are ..3 conflict*|contradict*|discrepan*|inconsisten*|disagree*",
];

/// One source says this, another that.
const BOTH_SIDES: &[&str] = &[
    "one ..1 @meta ..1 say*|state*|give*|list*|claim*|report*|indicate*|mention* ..20 another|other|others|second",
    "some ..1 @meta ..1 say*|state*|give*|list*|claim*|report*|indicate*|mention* ..20 others|other|another",
    "@meta 1|2|3|a|b|one|two ..1 say*|state*|give*|list*|claim*|report*|indicate* ..20 @meta 1|2|3|a|b|one|two",
    "^ say*|state*|give*|list*|claim* ..20 while|whereas|but|and say*|state*|give*|list*|claim*",
    "1|2|3 say*|state*|give*|list*|claim*|report*|indicate* ..20 1|2|3|4 say*|state*|give*|list*|claim*|report*|indicate*",
];

/// Something is not so, said without a negated verb.
const DENIAL: &[&str] = &[
    "no such",
    "contrary to",
    "false|incorrect|mistaken|wrong|untrue|inaccurate|misconception|myth|misunderstanding|misconceived|fictional",
    "^ actually",
    "not ..4 but",
];

/// Politeness and advice: says nothing about the question.
const COURTESY: &[&str] = &[
    "please ..2 check|consult|contact|refer|let|see|visit|provide|note|try|feel|share|ask|clarify|rephrase|verify|look|reach|keep",
    "feel free",
    "let me know",
    "i ..2 recommend|suggest|advise",
    "you ..1 may|might|can|could|should|would ..3 check|consult|contact|refer|try|look|visit|want|wish|need|ask|reach|find ..2",
    "if you ..1 have ..2 question*|more|further|additional|other",
    "if you ..1 can|could ..1 provide|share|give|clarify",
    "if you ..1 need|want|would ..3 more|further|additional|help|assistance",
    "i ..1 hope",
    "thank|thanks ..1 you|for",
    "is there anything",
    "would you like",
    "do you want|need ..3 more|further|help|me",
    "shall|should i",
    "do|does|did|is that|this ..1 help|answer|clear",
    "could|can|would you ..1 provide|clarify|rephrase|share|specify|tell",
    "happy|glad to ..1 help|assist",
    "try ..1 rephras*|search*|check*|ask*",
    "i would be ..1 happy|glad",
];

/// Openings that say where an answer comes from or that one follows.
const OPENING: &[&str] = &[
    "^ ..1 according to ..5 @meta|information|data",
    "^ ..1 based ..1 on|upon ..5 @meta|information|data",
    "^ ..1 as ..2 stated|mentioned|described|noted|written|explained|indicated|outlined ..1 in|by ..4 @meta|information",
    "^ ..1 from|per|in|given|using ..4 provided|given|retrieved|supplied|above|available ..2 @meta|information|data",
    "^ per|from|given|using the|this|these @meta",
    "^ ..1 in ..1 the|this|these @given? @meta",
    "^ ..1 the|this|these|your @given? @given? @meta|information @given? @given? say*|state*|mention*|indicate*|note*|show*|specif*|explain*|tell*|report* us? that?",
    "^ ..1 it is|was ..1 stated|mentioned|noted|written|said ..1 in ..3 @meta that?",
    "^ ..2 answer ..6 is that?",
    "^ answer",
    "^ ..1 answer to ..3 question",
    "^ sure|certainly|absolutely|yes|yeah|yep|ok|okay|well|great|thanks|hello|hi|oh|so",
    "^ unfortunately|sadly|regrettably|apologies",
    "^ i ..1 am ..2 sorry|afraid but|that?",
    "^ i apologi*|regret but|that?",
    "^ my apologies but?",
    "^ in summary|short|conclusion|brief",
    "^ to answer ..2 question",
    "^ to summarize|summarise",
    "^ to the best of my knowledge",
    "^ as far as i know|understand",
    "^ i think|believe|would that? say?",
    "^ it seems|appears ..1 that?",
    "^ here is ..4 answer",
    "^ in other words",
    "^ this means that?",
    "^ that is",
    "^ great|good question",
];

/// Stems of words that exclude each other where everything else is the same.
pub(super) const ANTONYMS: &[(&str, &str)] = &[
    ("increas", "decreas"),
    ("increas", "declin"),
    ("increas", "reduc"),
    ("improv", "declin"),
    ("improv", "worsen"),
    ("rise", "fall"),
    ("rose", "fell"),
    ("grew", "shrank"),
    ("gain", "lose"),
    ("gain", "lost"),
    ("win", "lose"),
    ("won", "lost"),
    ("higher", "lower"),
    ("highest", "lowest"),
    ("larger", "smaller"),
    ("largest", "smallest"),
    ("longest", "shortest"),
    ("older", "younger"),
    ("oldest", "youngest"),
    ("maximum", "minimum"),
    ("allow", "forbid"),
    ("enabl", "disabl"),
    ("accept", "reject"),
    ("north", "south"),
    ("northern", "southern"),
    ("east", "west"),
    ("eastern", "western"),
    ("insid", "outsid"),
    ("public", "privat"),
    ("success", "failur"),
    ("succeed", "fail"),
    ("legal", "illeg"),
    ("requir", "option"),
    ("mandatori", "option"),
    ("free", "paid"),
    ("import", "export"),
    ("start", "end"),
    ("begin", "end"),
    ("open", "close"),
    ("befor", "after"),
    ("male", "femal"),
];

/// Text that addresses whoever judges it.
const DIRECTIVE: &[&str] = &[
    "ignore|disregard|forget|override ..3 previous|prior|above|earlier|all|any|these|your|the ..3 instruction*|prompt*|criteri*|rule*|rubric*|guideline*|context*|reference*",
    "^ ..2 @criterion @rate",
    "^ ..2 final|your|my|overall ..1 @criterion ..1 @rate",
    "^ ..2 @criterion 0|1|5|10|100 $",
    "rate|mark|grade|judge|score|label|treat|accept ..2 this|it|answer|response ..2 as|a|with ..4 @rate|faithful|perfect|10|5|full|passing|complete",
    "output|return|respond|reply|answer|print ..2 with|only|verdict|pass ..3 verdict|pass|passed|true|supported|faithful",
    "^ ..1 note|message|instruction|instructions to|for the? judge|grader|evaluator|oracle|model|ai",
    "you are ..3 judge|grader|evaluator|oracle",
    "^ ..1 end|begin|start of? the? answer|context|evidence|reference|question|exhibit|judged $",
    "^ system|assistant|judge|evaluator|grader system|new|override|the|you|all|answer|verdict|this|ignore|rate|pass",
    "this|the answer|response is|should|must ..3 faithful|rated|marked|judged|graded|accepted|passed",
];

macro_rules! tables {
    ($($(#[$doc:meta])* $name:ident = $table:ident;)*) => {
        $($(#[$doc])* pub(super) static $name: LazyLock<Patterns> = LazyLock::new(|| Patterns::new($table));)*
    };
}

tables! {
    /// A clause that declines.
    REFUSALS = REFUSAL;
    /// A clause that only goes with a refusal.
    SCOPES = SCOPE;
    /// A clause that says that sources disagree.
    DISAGREEMENTS = DISAGREEMENT;
    /// A sentence that sets what one source says against another.
    OPPOSED_SOURCES = BOTH_SIDES;
    /// A sentence that corrects.
    DENIALS = DENIAL;
    /// A sentence without a claim.
    COURTESIES = COURTESY;
    /// An opening without a claim.
    OPENINGS = OPENING;
    /// A sentence that addresses the judge.
    DIRECTIVES = DIRECTIVE;
}
