//! Data files that are refused, with the exact text and place.

use super::*;

fn check(name: &str, table: &[(&[u8], &str)]) {
    for (content, expected) in table {
        let folder = Folder::of(&[]);
        fs::write(folder.path(name), content).unwrap();
        let error = folder.error(name, None);
        // What comes from the library of patterns is left open.
        let fits = if expected.ends_with("expression: ") {
            error.starts_with(expected)
        } else {
            error == *expected
        };
        assert!(
            fits,
            "{error} is not {expected}, of {}",
            String::from_utf8_lossy(content)
        );
    }
}

#[test]
fn json_lines_are_refused_with_line_and_column() {
    let deep = format!("{{\"a\": {}", "[".repeat(10_000));
    check(
        "c.jsonl",
        &[
            (b"", "c.jsonl: the suite has no cases"),
            (b"\n\n", "c.jsonl: the suite has no cases"),
            (
                b"{\"a\": 1}\n\n{\"a\": NaN}\n",
                "c.jsonl:3:7: NaN and infinities are not JSON numbers",
            ),
            (
                b"{\"a\": 1}\n{\"a\": \"x\\u0000\"}\n",
                "c.jsonl:2:9: a JSON string holds the NUL character, which cannot be stored",
            ),
            (b"{\"a\": 1}\n[1]\n", "c.jsonl:2:1: a case is a JSON object"),
            (b"{\"a\": 1, \"a\": 2}\n", "c.jsonl:1:10: duplicate key `a`"),
            (b"{\"id\": \"\"}\n", "c.jsonl:1:8: the id is blank"),
            (
                b"{\"id\": true}\n",
                "c.jsonl:1:8: `id` must be a text or a number, not true or false",
            ),
            (
                b"{\"id\": 1}\n{\"id\": \"1\"}\n",
                "c.jsonl:2:1: duplicate case id `1`, first at c.jsonl:1:1",
            ),
            (b"{\"a\": \"\xff\"}\n", "c.jsonl:1:8: invalid UTF-8 at byte 7"),
            (
                b"{\"a\": 1}\n{\"\xc3\xa9\": \"\xff\"}\n",
                "c.jsonl:2:8: invalid UTF-8 at byte 17",
            ),
            (
                b"{\"vars\": {}, \"inptu\": 1}\n",
                "c.jsonl:1:14: unknown key `inptu` (did you mean `input`?)",
            ),
            (b"{\"a\": 1,\n\"b\": 2}\n", "c.jsonl:1:9: the JSON ends too early"),
            (
                b"{\"a\": 1, \"assert\": [{\"type\": \"contians\"}]}\n",
                "c.jsonl:1:30: type: unknown check type `contians`; did you mean `contains`?",
            ),
            (
                deep.as_bytes(),
                "c.jsonl:1:70: JSON is nested deeper than 64 levels",
            ),
        ],
    );
}

#[test]
fn a_row_of_data_leaves_a_level_for_what_it_is_stored_in() {
    let row = |lists| format!("{{\"a\": {}{}}}", "[".repeat(lists), "]".repeat(lists));
    assert_eq!(cases_of("c.jsonl", &row(62)).len(), 1);
    assert_eq!(
        Folder::of(&[("c.jsonl", &row(63))]).error("c.jsonl", None),
        "c.jsonl:1:1: a row of data is nested deeper than 63 levels"
    );
}

#[test]
fn nul_is_refused_in_every_file_and_in_what_templates_make() {
    let suite = "prompts: file://p.txt\ntests: [{vars: {a: file://a.txt}}]\n";
    for (suite, prompt, variable, expected) in [
        (
            "tests: [{}]\n\0oops",
            "p",
            "a",
            "s.yaml:2:1: a text holds the NUL character, which cannot be stored",
        ),
        (
            suite,
            "é\0",
            "a",
            "p.txt:1:2: a text holds the NUL character, which cannot be stored",
        ),
        (
            suite,
            "p",
            "\0",
            "a.txt:1:1: a text holds the NUL character, which cannot be stored",
        ),
        (
            suite,
            "{{ '\\u0000' }}",
            "a",
            "s.yaml:2:9: the prompt `p.txt` cannot be rendered: \
             the rendered text holds the NUL character, which cannot be stored",
        ),
    ] {
        let folder = Folder::of(&[("s.yaml", suite), ("p.txt", prompt), ("a.txt", variable)]);
        assert_eq!(folder.error("s.yaml", None), expected);
    }
}

#[test]
fn tables_are_refused_with_row_and_column() {
    check(
        "c.csv",
        &[
            (b"", "c.csv: the table is empty"),
            (b"a,b\n", "c.csv: the suite has no cases"),
            (
                b"a,,c\n1,2,3\n",
                "c.csv:1: row 1, column 2: this column has no name",
            ),
            (
                b"a,b,a\n1,2,3\n",
                "c.csv:1: row 1, column 3 (`a`): column 1 has the same name",
            ),
            (
                b"a,b\n1,\"x\ny\"\n1\n",
                "c.csv:4: row 3, column 2 (`b`): the row ends after 1 of 2 cells",
            ),
            (
                b"a,b\n1,2,3\n",
                "c.csv:2: row 2, column 3: the row has 3 cells, but the header has 2",
            ),
            (
                b"a,b\n1,\"2\n3,4\n",
                "c.csv:2: row 2, column 2 (`b`): this cell's quote is never closed",
            ),
            (
                b"a,b\n\"1\"x,2\n",
                "c.csv:2: row 2, column 1 (`a`): something follows the closing quote of this cell",
            ),
            (
                b"a,b\n1,\xff\n",
                "c.csv:2: row 2, column 2 (`b`): invalid UTF-8 at byte 0 of this cell",
            ),
            (
                b"a,b\n1,x\0y\n",
                "c.csv:2: row 2, column 2 (`b`): a text holds the NUL character, which cannot be stored",
            ),
            (
                b"a,__expect\n1,2\n",
                "c.csv:1: row 1, column 2 (`__expect`): the column `__expect` is not supported (did you mean `__expected`?)",
            ),
            (
                b"a,_expected\n1,2\n",
                "c.csv:1: row 1, column 2 (`_expected`): unknown column `_expected` (did you mean `__expected`?)",
            ),
            (
                b"a,__expected\n1,python: x\n",
                "c.csv:2: row 2, column 2 (`__expected`): check type `python` is not supported yet",
            ),
            (
                b"a,__expected\n1,regex: (\n",
                "c.csv:2: row 2, column 2 (`__expected`): value: is not a regular expression: ",
            ),
            (
                b"a,__threshold\n1,high\n",
                "c.csv:2: row 2, column 2 (`__threshold`): `high` is not a score within 0 and 1",
            ),
            (b"id,a\n,1\n", "c.csv:2: row 2, column 1 (`id`): the id is blank"),
            (
                b"id,a\nx,1\nx,2\n",
                "c.csv:3: row 3: duplicate case id `x`, first at c.csv:2: row 2",
            ),
            (
                b"a\nfile://x.png\n",
                "c.csv:2: row 2, column 1 (`a`): variables from `.png` files are not supported yet",
            ),
        ],
    );
}

#[test]
fn inputs_are_refused_with_line_and_column() {
    check(
        "i.json",
        &[
            (b"{\"inputs\": []}", "i.json: the suite has no cases"),
            (
                b"{\"inputs\": [\n  {\"role\": \"r\", \"goal\": 7, \"benefit\": \"b\"}]}",
                "i.json:2:25: `goal` must be a text, not a number",
            ),
            (
                b"{\"inputs\": [\n  {\"role\": \"r\", \"goal\": \"g\"}]}",
                "i.json:2:3: the input has no `benefit`; it may be an empty text",
            ),
            (
                b"{\"inputs\": [\n  {\"role\": null, \"goal\": \"g\", \"benefit\": \"\"}]}",
                "i.json:2:12: `role` must be a text, not nothing",
            ),
            (
                b"{\"inputs\": [\n  \"text\"]}",
                "i.json:2:3: item 1 of `inputs` must be an object, not a text",
            ),
            (
                b"{\"inputs\": [], \"inpts\": []}",
                "i.json:1:16: unknown key `inpts` (did you mean `inputs`?)",
            ),
            (
                b"{\"inputs\": [{\"id\": \"a\", \"id\": \"b\"}]}",
                "i.json:1:25: duplicate key `id`",
            ),
            (
                b"\xef\xbb\xbf{\"inputs\": [\n\xff",
                "i.json:2:1: invalid UTF-8 at byte 13",
            ),
        ],
    );
}
