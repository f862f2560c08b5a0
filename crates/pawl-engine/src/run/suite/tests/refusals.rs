//! Configurations that are refused, with the exact text and place.

use super::*;

#[test]
fn configurations_are_refused_with_their_place() {
    for (content, expected) in [
        ("", "s.yaml: the file is empty"),
        (
            "just text",
            "s.yaml:1:1: the document must be an object or a list of tests, not a text",
        ),
        ("tests: []", "s.yaml: the suite has no cases"),
        (
            "- vars: {a: 1}\n  asert: []\n",
            "s.yaml:2:3: unknown key `asert` (did you mean `assert`?)",
        ),
        ("prompts: [a]\n", "s.yaml:1:1: the suite has no `tests`"),
        (
            "test: []\n",
            "s.yaml:1:1: unknown key `test` (did you mean `tests`?)",
        ),
        (
            "tests: [{}]\nscenarios: [{config: []}]\n",
            "s.yaml:2:1: `scenarios` is not supported yet [write the combinations as tests, or as lists of variables]",
        ),
        (
            "tests: [{}]\nenv: {A: b}\n",
            "s.yaml:2:1: `env` is not supported yet [set the variables in the environment of the target]",
        ),
        (
            "tests: [{}]\nevaluateOptions:\n  repeat: 3\n",
            "s.yaml:3:3: `repeat` is not supported yet [use `--trials`]",
        ),
        (
            "tests: [{}]\nnunjucksFilters: {f: file://f.js}\n",
            "s.yaml:2:1: `nunjucksFilters` is not supported yet",
        ),
        (
            "tests: [{}]\nextensions: [file://e.js:run]\n",
            "s.yaml:2:1: `extensions` is not supported yet",
        ),
        ("tests: 7\n", "s.yaml:1:8: `tests` must be a list, not a number"),
        (
            "tests: [7]\n",
            "s.yaml:1:9: item 1 of `tests` must be a test case or the name of a file, not a number",
        ),
        ("tests: [{}]\nprompts: []\n", "s.yaml:2:10: `prompts` is empty"),
        (
            "tests: [{}]\nprompts: [7]\n",
            "s.yaml:2:11: item 1 of `prompts` must be a text or an object, not a number",
        ),
        (
            "tests: [{}]\nprompts: [{label: x}]\n",
            "s.yaml:2:11: a prompt needs a text under `raw`",
        ),
        (
            "tests: [{}]\nprompts: file://none.txt\n",
            "s.yaml:2:10: there is no file `none.txt`",
        ),
        (
            "tests: [{}]\nprompts: [prompts/none.md]\n",
            "s.yaml:2:11: there is no file `prompts/none.md`",
        ),
        (
            "tests: [{}]\nprompts: [file://prompt.py]\n",
            "s.yaml:2:11: prompts from `.py` files are not supported yet [supported are .txt, .md, .j2 and .json]",
        ),
        (
            "tests: [{}]\nprompts: ['langfuse://p:1']\n",
            "s.yaml:2:11: prompts of the form `langfuse://…` are not supported yet",
        ),
        (
            "tests: [{}]\nprompts: ['file://p/*.txt']\n",
            "s.yaml:2:11: patterns of file names are not supported yet [name each file]",
        ),
        (
            "tests: [{}]\nprompts:\n  - ok\n  - 'Hi {{ name'\n",
            "s.yaml:4:5: syntax error: unexpected end of input, expected end of variable block in line 1 of the template",
        ),
        (
            "tests: [{}]\nprompts: ['Hi {{ env.USER }}']\n",
            "s.yaml:2:11: `env` in a template is not supported yet",
        ),
        (
            "tests: [{}]\nproviders: [{id: echo, config: {temperature: 0}}]\n",
            "s.yaml:2:24: `config` is not supported yet",
        ),
        (
            "tests: [{}]\nproviders: [{label: x}]\n",
            "s.yaml:2:13: a provider needs an `id`",
        ),
        (
            "tests: [{}]\nproviders: file://p.yaml\n",
            "s.yaml:2:12: providers from files are not supported yet",
        ),
        (
            "tests: [{}]\nproviders: echo\ntargets: echo\n",
            "s.yaml:3:1: `targets` is the same as `providers`; give one of them",
        ),
        (
            "tests:\n  - vars: 7\n",
            "s.yaml:2:11: `vars` must be an object, not a number",
        ),
        (
            "tests:\n  - vars: file://v.yaml\n",
            "s.yaml:2:11: `vars` from files are not supported yet [write the variables here]",
        ),
        (
            "tests:\n  - vars: {a: file://v.py}\n",
            "s.yaml:2:15: variables from `.py` files are not supported yet",
        ),
        (
            "tests:\n  - vars: {a: file://v.txt}\n",
            "s.yaml:2:15: there is no file `v.txt`",
        ),
        ("tests:\n  - id: ' '\n", "s.yaml:2:9: the id is blank"),
        (
            "tests:\n  - id: [a]\n",
            "s.yaml:2:9: `id` must be a text or a number, not a list",
        ),
        (
            "tests:\n  - provider: echo\n",
            "s.yaml:2:5: `provider` is not supported yet [put the tests of a provider in a suite of their own]",
        ),
        (
            "tests:\n  - options: {transform: output.trim()}\n",
            "s.yaml:2:15: `transform` is not supported yet",
        ),
        (
            "tests:\n  - threshold: 2\n",
            "s.yaml:2:16: `threshold` must be a score within 0 and 1",
        ),
        (
            "tests:\n  - {id: a}\n  - {id: b}\n  - {id: a}\n",
            "s.yaml:4:5: duplicate case id `a`, first at s.yaml:2:5",
        ),
        (
            "tests: file://none.csv\n",
            "s.yaml:1:8: there is no file `none.csv`",
        ),
        (
            "tests: file://tests/*.yaml\n",
            "s.yaml:1:8: patterns of file names are not supported yet [name each file]",
        ),
        ("tests: s.py\n", "s.yaml:1:8: there is no file `s.py`"),
        (
            "tests: https://docs.google.com/spreadsheets/d/1\n",
            "s.yaml:1:8: tests from `https://` are not supported yet",
        ),
        (
            "tests: [file://s.yaml]\n",
            "s.yaml:1:9: the files refer to each other in a circle: s.yaml -> s.yaml",
        ),
        (
            "a: 1\na: 2\n",
            "s.yaml:2:1: duplicate key `a`, already given in line 1",
        ),
        (
            "tests: [{vars: {a: .nan}}]\n",
            "s.yaml:1:20: `.nan` is not a finite number",
        ),
        (
            "tests: [{vars: {a: \"\\0\"}}]\n",
            "s.yaml:1:20: a text holds the NUL character, which cannot be stored",
        ),
    ] {
        let folder = Folder::of(&[("s.yaml", content)]);
        assert_eq!(folder.error("s.yaml", None), expected, "of {content}");
    }
}

#[test]
fn checks_are_refused_with_their_place() {
    for (content, expected) in [
        (
            "- assert: {type: is-json}\n",
            "s.yaml:1:11: `assert` must be a list, not an object",
        ),
        (
            "- assert:\n    - is-json\n",
            "s.yaml:2:7: a check is an object with a `type`, not a text",
        ),
        (
            "- assert:\n    - type: contians\n      value: x\n",
            "s.yaml:2:13: type: unknown check type `contians`; did you mean `contains`?",
        ),
        (
            "- assert:\n    - {type: regex, value: '('}\n",
            "s.yaml:2:28: value: ",
        ),
        (
            "- assert:\n    - {type: contains, valu: x}\n",
            "s.yaml:2:30: valu: unknown key `valu`; did you mean `value`?",
        ),
        (
            "- assert:\n    - {type: assert-set, assert: [{type: contains, value: ''}]}\n",
            "s.yaml:2:59: assert[0].value: must not be empty",
        ),
        (
            "- assert: [{$ref: '#/assertionTemplates/x'}]\n",
            "s.yaml:1:12: there is no assertion template `x`",
        ),
        (
            "- assert: [{$ref: 'other.yaml#/x'}]\n",
            "s.yaml:1:12: only references of the form `#/assertionTemplates/NAME` are supported",
        ),
        (
            "assertionTemplates:\n  a: {$ref: '#/assertionTemplates/a'}\ntests:\n  - assert: [{$ref: '#/assertionTemplates/a'}]\n",
            "s.yaml:4:14: this check is made of more than 256 entries",
        ),
        (
            "defaultTest: {assert: [{type: contains, value: '{{ x'}]}\ntests: [{}]\n",
            "s.yaml:1:24: syntax error: unexpected end of input, expected end of variable block in line 1 of the template",
        ),
        (
            "- vars: {r: '('}\n  assert:\n    - {type: regex, value: '{{r}}'}\n",
            "s.yaml:3:28: value: ",
        ),
        (
            "- threshold: 0.5\n  assert: [{type: is-json, weight: 0}]\n",
            "s.yaml:1:3: `threshold` needs a check with a weight above 0",
        ),
    ] {
        let folder = Folder::of(&[("s.yaml", content)]);
        let error = folder.error("s.yaml", None);
        assert!(
            if expected.ends_with(": ") {
                error.starts_with(expected)
            } else {
                error == expected
            },
            "{error} of {content}"
        );
    }
}

#[test]
fn referenced_files_and_the_files_of_checks_are_refused_with_their_place() {
    let folder = Folder::of(&[
        ("s.yaml", "tests: [file://a.yaml]\n"),
        ("a.yaml", "- vars: {x: 1}\n- file://b.yaml\n"),
        ("b.yaml", "- file://a.yaml\n"),
        ("p.yaml", "prompts: [file://empty.txt]\ntests: [{}]\n"),
        ("empty.txt", "---\n\n"),
        ("d.yaml", "defaultTest: file://default.yaml\ntests: [{}]\n"),
        ("default.yaml", "assert: []\nvar: {}\n"),
        ("empty.yaml", "[]"),
        ("object.yaml", "asert: []"),
        ("good.yaml", "- vars: {x: 1}\n"),
    ]);
    let checks = |name: &str| folder.path(name).to_str().map(str::to_owned);
    for (suite, extra, expected) in [
        (
            "s.yaml",
            None,
            "b.yaml:1:3: the files refer to each other in a circle: s.yaml -> a.yaml -> b.yaml -> a.yaml",
        ),
        ("p.yaml", None, "empty.txt: the prompt is empty"),
        (
            "d.yaml",
            None,
            "default.yaml:2:1: unknown key `var` (did you mean `vars`?)",
        ),
        (
            "good.yaml",
            Some("user-stories".to_owned()),
            "user-stories: there is no preset and no file of this name [the presets are: user-story]",
        ),
        (
            "good.yaml",
            checks("empty.yaml"),
            "empty.yaml: there are no checks in this file",
        ),
        (
            "good.yaml",
            checks("object.yaml"),
            "object.yaml:1:1: unknown key `asert` (did you mean `assert`?)",
        ),
        ("none.yaml", None, "none.yaml: there is no such file"),
        (
            ".",
            None,
            ".: a suite's file needs an extension that tells its format [supported are .yaml, .yml, .json, .jsonl, .csv and .tsv]",
        ),
        (
            "s.xlsx",
            None,
            "s.xlsx: suites in `.xlsx` files are not supported [supported are .yaml, .yml, .json, .jsonl, .csv and .tsv]",
        ),
    ] {
        assert_eq!(folder.error(suite, extra.as_deref()), expected);
    }
    fs::create_dir(folder.path("folder.yaml")).unwrap();
    assert_eq!(
        folder.error("folder.yaml", None),
        "folder.yaml: is a folder, not a file"
    );
}

#[test]
fn what_could_grow_without_bound_is_refused() {
    let list = format!("[{}]", vec!["x"; 1_000].join(", "));
    let content = format!("- vars: {{a: {list}, b: {list}}}\n");
    assert_eq!(
        Folder::of(&[("s.yaml", &content)]).error("s.yaml", None),
        "s.yaml:1:3: the lists of variables make more than 100000 combinations \
         [`options: {disableVarExpansion: true}` keeps lists as they are]"
    );
    let content = "prompts: ['{% for a in range(9999) %}{% for b in range(9999) %}x{% endfor %}{% endfor %}']\ntests: [{}]\n";
    assert_eq!(
        Folder::of(&[("s.yaml", content)]).error("s.yaml", None),
        "s.yaml:2:9: the prompt `{% for a in range(9999) %}{% for b in range(9999) %}x{% endf…` cannot be rendered: \
         engine ran out of fuel in line 1 of the template"
    );
    let deep = "[".repeat(10_000);
    assert_eq!(
        Folder::of(&[("s.yaml", &deep)]).error("s.yaml", None),
        "s.yaml:1:256: nested deeper than 64 levels"
    );
}
