//! The English words by which an acceptance criterion is read. Each list is in order.

/// Base forms.
#[rustfmt::skip]
pub(super) const VERBS: [&str; 834] = [
    "abort", "accept", "access", "accommodate", "account", "achieve", "acknowledge", "acquire", "act",
    "activate", "adapt", "add", "address", "adhere", "adjust", "administer", "advance", "advise", "affect",
    "aggregate", "agree", "alert", "align", "allocate", "allow", "alter", "analyse", "analyze", "animate",
    "announce", "anonymise", "anonymize", "answer", "anticipate", "appear", "append", "apply", "appoint",
    "approve", "archive", "arrange", "ask", "assemble", "assert", "assess", "assign", "assist", "associate",
    "assume", "assure", "attach", "attempt", "attend", "audit", "authenticate", "author", "authorise",
    "authorize", "automate", "avoid", "await", "award", "back", "balance", "ban", "batch", "become",
    "begin", "belong", "benefit", "bill", "bind", "block", "blur", "book", "bookmark", "boot", "bounce",
    "branch", "break", "broadcast", "browse", "build", "bundle", "buy", "bypass", "cache", "calculate",
    "call", "cancel", "capture", "care", "carry", "cascade", "cast", "catch", "categorise", "categorize",
    "cause", "celebrate", "center", "change", "charge", "chart", "chat", "check", "choose", "cite", "claim",
    "clarify", "classify", "clean", "clear", "click", "clip", "clone", "close", "collapse", "collect",
    "combine", "come", "comment", "commit", "communicate", "compare", "compete", "compile", "complete",
    "comply", "compose", "compress", "compute", "concatenate", "conclude", "conduct", "configure",
    "confirm", "conform", "connect", "consider", "consist", "consolidate", "constrain", "consume",
    "contact", "contain", "continue", "contribute", "control", "convert", "convey", "cooperate",
    "coordinate", "copy", "correct", "correlate", "correspond", "count", "cover", "crash", "create",
    "credit", "crop", "customise", "customize", "cycle", "date", "deactivate", "debit", "debug", "decide",
    "declare", "decline", "decode", "decorate", "decrease", "decrypt", "deduct", "deduplicate", "default",
    "defer", "define", "degrade", "delay", "delegate", "delete", "deliver", "demonstrate", "deny", "depend",
    "deploy", "deprecate", "derive", "describe", "deselect", "design", "detail", "detect", "determine",
    "develop", "deviate", "diagnose", "differ", "differentiate", "direct", "disable", "disappear",
    "disburse", "discard", "discharge", "disclose", "disconnect", "discount", "discover", "dismiss",
    "dispatch", "dispense", "display", "dispose", "distinguish", "distribute", "divide", "document",
    "download", "draft", "drag", "draw", "drive", "drop", "duplicate", "earn", "edit", "elapse", "elevate",
    "eliminate", "email", "embed", "emit", "emphasize", "employ", "empty", "enable", "encode", "encounter",
    "encourage", "encrypt", "end", "endorse", "enforce", "engage", "enhance", "enlarge", "enqueue",
    "enrich", "enrol", "enroll", "ensure", "enter", "entitle", "enumerate", "equal", "erase", "escalate",
    "escape", "establish", "estimate", "evaluate", "examine", "exceed", "exchange", "exclude", "execute",
    "exempt", "exist", "exit", "expand", "expect", "expire", "explain", "explore", "export", "expose",
    "express", "extend", "extract", "facilitate", "fade", "fail", "fall", "favor", "favorite", "feature",
    "feed", "feel", "fetch", "file", "fill", "filter", "finalise", "finalize", "find", "finish", "fire",
    "fit", "fix", "flag", "flash", "flow", "flush", "focus", "fold", "follow", "force", "forget", "format",
    "forward", "free", "freeze", "fulfil", "fulfill", "function", "gain", "gather", "generate", "get",
    "give", "go", "grant", "greet", "group", "grow", "guarantee", "guard", "guess", "guide", "handle",
    "hang", "happen", "have", "hear", "help", "hide", "highlight", "hint", "hit", "hold", "honor", "honour",
    "host", "hover", "identify", "ignore", "illustrate", "implement", "imply", "import", "improve",
    "include", "incorporate", "increase", "increment", "incur", "index", "indicate", "infer", "inform",
    "inherit", "initialise", "initialize", "initiate", "inject", "input", "inquire", "insert", "inspect",
    "install", "instruct", "integrate", "interact", "intercept", "interpret", "interrupt", "introduce",
    "invalidate", "investigate", "invite", "invoice", "invoke", "issue", "iterate", "join", "jump",
    "justify", "keep", "know", "label", "lack", "land", "last", "launch", "lead", "learn", "leave", "let",
    "lie", "lift", "limit", "link", "list", "listen", "live", "load", "localise", "localize", "locate",
    "lock", "log", "look", "loop", "lose", "lower", "mail", "maintain", "make", "manage", "mandate",
    "manipulate", "map", "mark", "mask", "match", "matter", "measure", "meet", "mention", "merge",
    "message", "migrate", "minimise", "minimize", "mirror", "miss", "mock", "model", "moderate", "modify",
    "monitor", "move", "multiply", "mute", "name", "narrow", "navigate", "need", "negotiate", "nest",
    "normalise", "normalize", "note", "notify", "number", "obey", "obfuscate", "object", "obscure",
    "observe", "obtain", "occupy", "occur", "offer", "omit", "onboard", "open", "operate", "opt",
    "optimise", "optimize", "order", "organise", "organize", "originate", "outline", "output", "overlap",
    "override", "oversee", "overwrite", "own", "package", "pad", "page", "paginate", "pair", "parse",
    "participate", "partition", "pass", "paste", "pause", "pay", "perform", "permit", "persist",
    "personalise", "personalize", "phone", "pick", "pin", "ping", "place", "plan", "play", "plot", "point",
    "poll", "populate", "position", "post", "postpone", "practice", "precede", "predict", "prefer",
    "prefill", "preload", "prepare", "prepend", "prescribe", "present", "preserve", "press", "presume",
    "prevent", "preview", "print", "prioritise", "prioritize", "proceed", "process", "procure", "produce",
    "profile", "progress", "prohibit", "project", "promote", "prompt", "propagate", "propose", "protect",
    "prove", "provide", "provision", "prune", "publish", "pull", "purchase", "purge", "push", "put",
    "qualify", "quantify", "query", "queue", "quit", "quote", "raise", "randomize", "rank", "rate", "reach",
    "react", "read", "realize", "rearrange", "reassign", "rebuild", "recalculate", "recall", "receive",
    "recognise", "recognize", "recommend", "reconcile", "reconnect", "record", "recover", "recreate",
    "recur", "recycle", "redact", "redeem", "redirect", "redo", "reduce", "refer", "reference", "refill",
    "refine", "reflect", "refresh", "refund", "refuse", "regenerate", "register", "reindex", "reject",
    "relate", "release", "reload", "rely", "remain", "remember", "remind", "remove", "rename", "render",
    "renew", "reopen", "reorder", "repair", "repeat", "replace", "replay", "replicate", "reply", "report",
    "represent", "reproduce", "request", "require", "reroute", "reschedule", "resend", "reserve", "reset",
    "reside", "resize", "resolve", "respect", "respond", "restart", "restore", "restrict", "resubmit",
    "resume", "retain", "retrieve", "retry", "return", "reuse", "reveal", "reverse", "revert", "review",
    "revise", "revisit", "revoke", "reward", "rewrite", "ring", "roll", "rotate", "round", "route", "run",
    "sanitise", "sanitize", "satisfy", "save", "say", "scale", "scan", "schedule", "score", "scroll",
    "search", "secure", "see", "seed", "seek", "segment", "select", "sell", "send", "separate", "serialize",
    "serve", "set", "settle", "share", "ship", "shorten", "show", "shrink", "shuffle", "shut", "sign",
    "signal", "simplify", "simulate", "skip", "slide", "smooth", "snooze", "solve", "sort", "sound", "span",
    "speak", "specify", "spend", "split", "sponsor", "stack", "stagger", "stand", "start", "state", "stay",
    "step", "stop", "store", "stream", "streamline", "structure", "style", "submit", "subscribe",
    "subtract", "succeed", "suffice", "suggest", "suit", "sum", "summarise", "summarize", "supply",
    "support", "suppress", "surface", "surpass", "suspend", "swap", "swipe", "switch", "sync",
    "synchronise", "synchronize", "tag", "take", "talk", "tap", "target", "tell", "terminate", "test",
    "think", "throttle", "throw", "tie", "time", "timeout", "toggle", "tokenize", "tolerate", "total",
    "touch", "track", "trade", "train", "transcribe", "transfer", "transform", "transition", "translate",
    "transmit", "travel", "traverse", "treat", "trigger", "trim", "troubleshoot", "truncate", "trust",
    "try", "tune", "turn", "type", "unarchive", "unblock", "undergo", "underline", "understand", "undo",
    "unify", "uninstall", "unlock", "unmount", "unsubscribe", "update", "upgrade", "uphold", "upload",
    "use", "utilise", "utilize", "vacate", "validate", "vary", "verify", "version", "view", "violate",
    "visit", "visualise", "visualize", "vote", "wait", "wake", "walk", "want", "warn", "watch", "weigh",
    "wipe", "wish", "withdraw", "withhold", "work", "wrap", "write", "yield", "zoom",
];

/// Of these, those whose form in -s is a common noun.
#[rustfmt::skip]
pub(super) const NOUN_LIKE: [&str; 290] = [
    "access", "account", "act", "address", "advance", "alert", "answer", "archive", "attempt", "audit",
    "author", "award", "back", "balance", "ban", "batch", "benefit", "bill", "block", "book", "bookmark",
    "boot", "bounce", "branch", "break", "broadcast", "bundle", "cache", "call", "care", "cast", "catch",
    "cause", "center", "change", "charge", "chart", "chat", "check", "claim", "click", "clip", "clone",
    "close", "comment", "commit", "contact", "control", "copy", "count", "cover", "crash", "credit", "crop",
    "cycle", "date", "debit", "default", "delay", "delegate", "design", "detail", "discount", "document",
    "download", "draft", "drive", "drop", "duplicate", "edit", "email", "end", "escape", "estimate",
    "exchange", "export", "fade", "fall", "favorite", "feature", "feed", "file", "fill", "filter", "fire",
    "fit", "fix", "flag", "flash", "flow", "focus", "fold", "force", "format", "forward", "function",
    "gain", "group", "guarantee", "guard", "guess", "guide", "hang", "help", "highlight", "hint", "hit",
    "honor", "honour", "host", "import", "increase", "increment", "index", "input", "interrupt", "invoice",
    "issue", "join", "jump", "label", "land", "launch", "lead", "lift", "limit", "link", "list", "load",
    "lock", "log", "look", "loop", "mail", "map", "mark", "mask", "match", "matter", "measure", "message",
    "mirror", "mock", "model", "monitor", "name", "nest", "note", "number", "object", "offer", "order",
    "outline", "output", "override", "package", "pad", "page", "pair", "pass", "paste", "pause", "phone",
    "pick", "pin", "ping", "plan", "play", "plot", "point", "poll", "position", "post", "practice",
    "present", "press", "preview", "print", "process", "profile", "progress", "project", "prompt", "pull",
    "purchase", "push", "query", "queue", "quote", "rate", "reach", "read", "recall", "record", "reference",
    "refill", "refresh", "refund", "release", "reload", "repair", "repeat", "replay", "reply", "report",
    "request", "reserve", "respect", "retry", "review", "reward", "ring", "roll", "round", "route", "scale",
    "scan", "schedule", "score", "scroll", "search", "seed", "segment", "share", "ship", "shuffle", "sign",
    "signal", "slide", "sound", "span", "split", "sponsor", "stack", "stand", "state", "step", "store",
    "stream", "structure", "style", "sum", "supply", "surface", "swap", "swipe", "switch", "sync", "tag",
    "talk", "tap", "target", "test", "tie", "time", "timeout", "toggle", "total", "touch", "track", "trade",
    "train", "transfer", "transform", "transition", "travel", "treat", "trigger", "trim", "trust", "try",
    "tune", "turn", "type", "update", "upgrade", "upload", "version", "view", "visit", "vote", "wait",
    "wake", "walk", "watch", "wish", "work", "wrap", "yield", "zoom",
];

/// Of these, those that are common adjectives or nouns in their base form.
#[rustfmt::skip]
pub(super) const NEED_OBJECT: [&str; 61] = [
    "access", "account", "address", "back", "balance", "clean", "clear", "complete", "correct", "count",
    "credit", "cycle", "date", "default", "design", "detail", "direct", "email", "empty", "express",
    "feature", "free", "function", "input", "last", "live", "lower", "mail", "message", "mock", "model",
    "name", "number", "object", "output", "own", "package", "page", "phone", "position", "practice",
    "present", "profile", "project", "quote", "reward", "round", "secure", "separate", "smooth", "sound",
    "state", "step", "style", "surface", "time", "total", "trade", "trust", "type", "work",
];

/// Modals and auxiliaries.
#[rustfmt::skip]
pub(super) const AUXILIARIES: [&str; 42] = [
    "am", "are", "aren't", "be", "can", "can't", "cannot", "could", "couldn't", "did", "didn't", "do",
    "does", "doesn't", "don't", "had", "hadn't", "has", "hasn't", "have", "haven't", "is", "isn't", "may",
    "might", "must", "mustn't", "need", "needn't", "ought", "shall", "shan't", "should", "shouldn't", "was",
    "wasn't", "were", "weren't", "will", "won't", "would", "wouldn't",
];

/// Who or what acts.
#[rustfmt::skip]
pub(super) const ACTORS: [&str; 128] = [
    "account", "admin", "administrator", "agent", "analyst", "api", "app", "application", "approver",
    "assistant", "author", "backend", "bot", "browser", "button", "buyer", "caller", "campaign", "card",
    "cart", "checkout", "client", "component", "content", "controller", "customer", "dashboard", "data",
    "database", "developer", "device", "dialog", "document", "driver", "editor", "email", "employee",
    "endpoint", "engine", "everyone", "feature", "field", "form", "frontend", "gateway", "guest", "he",
    "host", "importer", "interface", "it", "item", "job", "link", "list", "listener", "manager", "member",
    "menu", "merchant", "message", "modal", "model", "moderator", "module", "notification", "operator",
    "option", "order", "owner", "page", "panel", "parent", "parser", "passenger", "patient", "payment",
    "pipeline", "platform", "player", "plugin", "popup", "process", "product", "profile", "program",
    "recipient", "record", "report", "request", "reviewer", "runner", "scheduler", "screen", "script",
    "search", "seller", "sender", "server", "service", "session", "she", "site", "staff", "student",
    "subscriber", "supervisor", "supplier", "system", "table", "teacher", "team", "tenant", "tester",
    "token", "tool", "transaction", "ui", "user", "validator", "vendor", "viewer", "visitor", "website",
    "widget", "wizard", "worker", "workflow",
];

/// Determiners and quantifiers.
#[rustfmt::skip]
pub(super) const DETERMINERS: [&str; 21] = [
    "a", "all", "an", "another", "any", "both", "each", "either", "every", "her", "his", "its", "my", "no",
    "our", "the", "their", "these", "this", "those", "your",
];

/// Determiners, prepositions and the like.
#[rustfmt::skip]
pub(super) const FUNCTION_WORDS: [&str; 74] = [
    "a", "about", "above", "across", "after", "all", "always", "an", "and", "another", "any", "around",
    "as", "at", "before", "below", "besides", "between", "beyond", "both", "but", "by", "despite", "during",
    "each", "either", "every", "for", "from", "her", "his", "in", "inside", "into", "its", "like", "my",
    "near", "no", "of", "off", "on", "onto", "or", "our", "outside", "over", "per", "perhaps", "sometimes",
    "such", "than", "the", "their", "these", "this", "those", "through", "thus", "to", "toward", "towards",
    "under", "unless", "unlike", "until", "upon", "various", "versus", "via", "with", "within", "without",
    "your",
];

/// Words that follow the verb of a main clause.
pub(super) const CONDITIONS: [&str; 3] = ["if", "once", "when"];

/// Words that start another clause.
pub(super) const CLAUSE_STARTS: [&str; 8] =
    ["because", "so", "that", "where", "which", "who", "whom", "whose"];

/// Adverbs that do not end in -ly.
pub(super) const ADVERBS: [&str; 5] = ["also", "always", "never", "not", "only"];

/// Words that act in the plural, or take its form of a verb, without an -s.
pub(super) const PLURALS: [&str; 5] = ["i", "people", "they", "we", "you"];

/// The articles.
pub(super) const ARTICLES: [&str; 3] = ["a", "an", "the"];

/// The words that start the steps of a scenario.
pub(super) const GHERKIN: [&str; 3] = ["given", "then", "when"];

/// The words that start a command without another verb in front.
pub(super) const DO: [&str; 2] = ["do", "don't"];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::story::word::Word;

    #[test]
    fn lists_can_be_searched_and_are_about_verbs() {
        for list in [
            &VERBS[..],
            &NOUN_LIKE,
            &NEED_OBJECT,
            &AUXILIARIES,
            &ACTORS,
            &DETERMINERS,
            &FUNCTION_WORDS,
            &CONDITIONS,
            &CLAUSE_STARTS,
            &ADVERBS,
            &PLURALS,
            &ARTICLES,
            &GHERKIN,
            &DO,
        ] {
            assert!(list.is_sorted_by(|a, b| a < b), "{list:?}");
        }
        assert!(
            NOUN_LIKE
                .iter()
                .chain(&NEED_OBJECT)
                .all(|word| Word::of(word).is_verb())
        );
    }
}
