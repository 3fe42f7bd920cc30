//! The words by which [`super::net`] recognises lasting statements, as tables.
//!
//! Phrases are separated by `|` and compared with whole words in lower case.
//! A cue counts once, however many of its phrases occur.

/// What a phrase says about a sentence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Cue {
    /// It says that it lasts.
    Lasting,
    /// It is said to be kept in mind, or to be intended.
    Mind,
    /// Without exception.
    Always,
    /// How things are to be.
    Should,
    /// Any obligation.
    Modal,
    /// Care that is asked for.
    Ensure,
    /// What is impossible or not permitted.
    Cannot,
    /// What is good enough, or not needed.
    Accept,
    /// Likes and dislikes, and judgements of an approach.
    Stance,
    /// Wishes.
    Want,
    /// Choices.
    Choose,
    /// One thing and not another; conditions.
    Instead,
    /// Negations.
    Not,
    /// Reasons.
    Reason,
    /// Definitions.
    Define,
    /// It was said before.
    Told,
    /// Occasions that come back, and places that stay.
    Habit,
    /// What things are for and what they need.
    Purpose,
    /// Changes that were made.
    Changed,
    /// How things are done here, and what users do.
    Here,
    /// Corrections.
    Correct,
}

/// A cue, its weight and its phrases.
pub(super) struct Phrases {
    pub(super) cue: Cue,
    pub(super) weight: f32,
    /// Separated by `|`.
    pub(super) any: &'static str,
}

pub(super) const CUES: &[Phrases] = &[
    Phrases {
        cue: Cue::Lasting,
        weight: 4.0,
        any: "from now on|going forward|from here on|in future please|as a rule|in general we|by convention|\
          our convention|our policy|remember that|remember to always|always use|never use|for next time|\
          next time",
    },
    Phrases {
        cue: Cue::Mind,
        weight: 3.0,
        any: "keep in mind|bear in mind|note that|be aware|remember that|please remember|don't forget that|fyi|\
          for context|for reference|by design|on purpose|intentionally|intentional|deliberately|deliberate|\
          the idea is|the point is|the goal is|the intent is|known limitation|known issue|caveat|caveats",
    },
    Phrases {
        cue: Cue::Always,
        weight: 2.0,
        any: "always|never|every time|whenever|only ever|must|must not|mustn't|has to|have to be|\
          under no circumstances|no matter|at all times|by default|should be default|default should|\
          the default",
    },
    Phrases {
        cue: Cue::Should,
        weight: 1.5,
        any: "should not|shouldn't|should never|should only|should always|should be|should use|should have|\
          should keep|should go|should stay|should work|should handle|should continue|should also|\
          should at least|we should|needs to|need to be|need to ensure|need to make sure|needs to be|must be|\
          ought to|supposed to",
    },
    Phrases {
        cue: Cue::Modal,
        weight: 1.0,
        any: "should|must|shall|needs to|has to|have to|ought to|supposed to|need to",
    },
    Phrases {
        cue: Cue::Ensure,
        weight: 1.5,
        any: "make sure that|make sure to|make sure we|ensure that|be careful|be sure to|ensure the|ensure we|\
          make sure it|make sure the",
    },
    Phrases {
        cue: Cue::Cannot,
        weight: 2.0,
        any: "we can't|we cannot|can't really|we can not|can't be|cannot be|not feasible|not possible|impossible|\
          isn't possible|not supported|doesn't support|not allowed|no way to|can't rely|can't assume|\
          can't use|not guaranteed|is not stable|not reliable",
    },
    Phrases {
        cue: Cue::Accept,
        weight: 2.5,
        any: "need to accept|have to accept|have to live|can live with|this is fine|that is fine|that's fine|\
          is acceptable|good enough|is ok|is okay|not a problem|doesn't matter|don't care|we don't need|\
          not needed|no need|don't need to|too much risk|to much risk|not worth|overkill",
    },
    Phrases {
        cue: Cue::Stance,
        weight: 2.0,
        any: "i don't like|i do not like|i don't want|i do not want|don't want|not a good idea|bad idea|\
          isn't a good idea|is a good idea|i don't think|i prefer|i'd prefer|i would prefer|we prefer|\
          i'd rather|i would rather|rather not|a stretch|too risky|to risky|too big|to big|too much|to much|\
          too complex|too complicated|confusing|misleading|makes no sense|doesn't make sense|not helping|\
          not helpful|not useful",
    },
    Phrases {
        cue: Cue::Want,
        weight: 1.0,
        any: "i want|i'd like|i would like|i do want|i do also want|we want|i would expect|i expect|what i want|\
          i need",
    },
    Phrases {
        cue: Cue::Choose,
        weight: 2.0,
        any: "let's use|let's keep|let's have|let's rename|let's call|let's store|let's set|let's make|\
          let's go with|let's stick|let's drop|let's remove|let's not|let's only|let's always|let's move|\
          let's put|lets use|lets keep|let's switch|let's leave|let's avoid|we decided|decided to|we agreed|\
          go with|stick with|stick to",
    },
    Phrases {
        cue: Cue::Instead,
        weight: 1.5,
        any: "instead|instead of|rather than|in favor of|in favour of|not the|but not|only if|only when|only the|\
          unless|except|as long as|without",
    },
    Phrases {
        cue: Cue::Not,
        weight: 1.5,
        any: "do not|don't|dont|never|avoid|no longer|not anymore|anymore",
    },
    Phrases {
        cue: Cue::Reason,
        weight: 1.5,
        any: "because|since|so that|otherwise|due to|given that|the reason|that's why|which is why|to avoid|\
          in case|the risk|as it|so we|so it|since it",
    },
    Phrases {
        cue: Cue::Define,
        weight: 2.0,
        any: "means|is called|are called|stands for|refers to|is defined|consists of|is composed|is stored in|\
          lives in|live in|is located|belongs to|are bound to|is bound to|keeps the|keeps|corresponds to|\
          is the same as|represents",
    },
    Phrases {
        cue: Cue::Told,
        weight: 3.0,
        any: "i told you|as i said|i already said|i already told|you keep|like i said|i said|stop doing|\
          how many times",
    },
    Phrases {
        cue: Cue::Habit,
        weight: 2.0,
        any: "before committing|before commit|before pushing|before you commit|before you push|before merging|\
          before a release|before every|before each|after every|after each|when you commit|when you push|\
          when committing|when writing|when adding|when you add|when you write|each time|every commit|\
          without asking|ask me|ask first|in this repo|in this project|in this codebase|in our codebase",
    },
    Phrases {
        cue: Cue::Purpose,
        weight: 1.5,
        any: "is deprecated|is used for|is only for|is used by|are used by|is responsible for|is meant|are meant|\
          is intended|are intended|is required|are required|requires|require|depends on|relies on|only works|\
          only supports|source of truth",
    },
    Phrases {
        cue: Cue::Changed,
        weight: 2.0,
        any: "we moved|we migrated|we did a migration|we switched|we replaced|we removed|we renamed|we changed|\
          we dropped|we made a change|we introduced|we deprecated|i moved|i switched|has been removed|\
          was removed|was replaced|got replaced|were replaced|altered|we'd removed|we used to|no longer|\
          recently|we now|we already have|we have a|we've moved|we've switched",
    },
    Phrases {
        cue: Cue::Here,
        weight: 2.0,
        any: "we use|we don't|we do not|we only|we never|we always|we run|we store|we keep|we support|\
          we don't support|our users|our team|the team|the user might|users might|the user may|a user could|\
          a human could|the user can|we create|we already",
    },
    Phrases {
        cue: Cue::Correct,
        weight: 1.5,
        any: "that's not|that is not|this is not|it's not|not correct|not true|not quite|wrong|actually|\
          that's wrong|isn't right|incorrect|i mean|i meant|not fully true",
    },
];

/// Opening words without content.
pub(super) const OPENINGS: &str = "i mean|one more thing|one last thing|learning q|and|but|so|also|ok|okay|yeah|\
    yes|then|now|hmm|hmmm|ah|oh|well|alright|question|hey|please|great|\
    cool|nice|thanks|perfect|sure|q";

/// With a pronoun or article after it, one of these opens a question.
pub(super) const AUXILIARIES: &str =
    "can|could|would|will|should|shall|do|does|did|is|are|was|were|has|have|am";

/// What follows an auxiliary in a question.
pub(super) const SUBJECTS: &str =
    "you|we|i|it|this|that|there|the|they|he|she|any|all|my|our|these|those|a|an|each|every";

/// These open a question by themselves.
pub(super) const ASKING: &str = "what|why|how|where|which|who|isn't|aren't|doesn't|didn't|couldn't|wouldn't|shouldn't|any|\
    what's|    how's";

/// A sentence that begins with one of these gives a task.
pub(super) const TASKS: &str = "fix|run|add|check|update|commit|push|create|write|review|show|explain|look|make|implement|remove|\
    delete|rename|move|continue|test|try|find|print|open|close|read|investigate|debug|summarize|list|\
    address|reduce|refactor|rebase|merge|evaluate|ignore|tell|give|change|set|put|go|do|take|log|\
    document|analyze|compare|help|start|build|apply|revert|undo|improve|clean|simplify|double|see|\
    verify|validate|generate|install|reply|respond|extract|split|proceed|wait|import|replace|restore|\
    convert|bump|release|deploy|talk|discuss|roll|tackle|confirm";

/// Words before the verb of a task.
pub(super) const WISHES: &str = "i want|i'd like|i would like|i need|we need|you need|let's|lets|let us";

/// Words between those and the verb.
pub(super) const FILLERS: &str = "to|you|also|first|just|now|instead";

/// They open a prohibition.
pub(super) const PROHIBITIONS: &str = "do not|don't|dont|never|avoid|stop";

/// It is about this task or moment.
pub(super) const ONCE: &str = "anything|yet|for now|let me know|right now|at the moment|today|tomorrow|yesterday|this time|\
    just now|this pr|this commit|this branch|this session|in this branch|in this pr|so far|first|\
    in the meantime";

/// Something happened or is broken: news, not knowledge.
pub(super) const REPORTS: &str = "fail|fails|failed|failing|failure|broken|broke|crash|crashes|crashed|crashing|weird|stuck|happened|\
    happening|i've|a bug|an error|an issue|the error|the errors|the bug|the issue|this error|this bug|\
    this issue|get error|get errors|get bug|get issue|getting error|getting errors|getting bug|\
    getting issue|got error|got errors|got bug|got issue|still not|still see|still seeing|still show|\
    still shows|still have|still got|still there|still getting|i see|i saw|i got|i get|i ran|i tried|\
    i just|i did|i haven't|i didn't|i reset|i accidentally|i messed|i started|i can't see|it says|\
    it shows|it showed|it printed|it seems|it looks|it just|seems to|looks like|merge conflict|\
    merge conflicts|stack trace|stacktrace|have a bug";

/// A guess, or a question in other words.
pub(super) const GUESSES: &str = "maybe|perhaps|might be|i guess|wonder|wondering|not sure|what if|how about|suppose|possibly|\
    could we|can we|can you|could you|would it|would that|should we|or is|i thought|let's say";

/// A statement that ends with one of these and a question mark asks for confirmation.
pub(super) const TAGS: &str = "right|yeah|or|no";

/// Subjects and conditions with which general statements begin.
pub(super) const GENERAL: &str =
    "the|our|a|an|each|every|all|if|when|before|after|for|in|that|these|any|both|even";

/// They introduce an opinion.
pub(super) const OPINIONS: &str = "i think|i don't think|i'd say|i feel like|imo|in my opinion";

/// They introduce advice on how to work.
pub(super) const ADVICE: &str = "use|prefer|stick|follow";

/// So begin the findings of reviewers, when nobody speaks in them.
pub(super) const REVIEW: &str = "consider|this means|this causes|this could|this can|this may|this would|this leads|this results|\
    this creates|this happens|the current|the new|the calculation|the function|the method|the code|\
    the test|the tests|the implementation|the comment|the inline|the condition|the regex|the logic";

/// Somebody speaks.
pub(super) const PERSONS: &str = "i|we|us|our|my|you|let's";
