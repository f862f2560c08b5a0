//! Rows of other tables within rows.

use pawl_testkit::{Identity, TestDatabase, TestServer, on_both_engines};

use super::{Transcript, fill};

on_both_engines!(embedded_rows);

async fn embedded_rows(database: TestDatabase) {
    let server = TestServer::new(database).await;
    fill(&server).await;
    let mut transcript = Transcript::new(&server, Identity::UserA);
    for path in [
        "sb_eval_runs?select=run_name,sb_eval_cases(status,score)&order=id",
        "sb_eval_cases?select=status,sb_eval_runs(run_name,model),sb_sessions(title)&order=id",
        "sb_eval_cases?select=status,run:run_id(run_name),session:sb_sessions!session_id(title)&order=id",
        "sb_eval_runs?select=run_name,cases:sb_eval_cases(*)&id=eq.00000000-0000-4000-8000-0000000000a2",
        "sb_eval_runs?select=run_name,sb_eval_cases!inner(status)&order=id",
        "sb_eval_runs?select=run_name,sb_eval_cases!inner(status)&sb_eval_cases.passed=eq.true",
        "sb_eval_runs?select=run_name,sb_eval_cases(status)&sb_eval_cases.passed=eq.true&order=id",
        "sb_eval_runs?select=run_name,sb_eval_cases!left(status)&sb_eval_cases.order=score.desc.nullslast&order=id",
        "sb_eval_runs?select=run_name,sb_eval_cases(status)&sb_eval_cases.limit=1&order=id",
        "sb_eval_runs?select=run_name,sb_eval_cases(status)&sb_eval_cases.offset=1&order=id",
        "sb_eval_runs?select=run_name,c:sb_eval_cases(status)&c.or=(status.eq.failed,score.eq.1)&order=id",
        "sb_eval_runs?select=run_name,sb_eval_cases()&sb_eval_cases=is.null",
        "sb_eval_runs?select=run_name,sb_eval_cases()&sb_eval_cases=not.is.null&sb_eval_cases.status=eq.error",
        "sb_sessions?select=title,sb_stories(story-%3E%3Etitle,sb_eval_cases(status,sb_eval_runs(run_name)))",
        "sb_eval_cases?select=status,sb_eval_runs!inner(run_name)&sb_eval_runs.run_name=eq.Nightly&order=id",
        "sb_eval_cases?select=sb_eval_runs!sb_eval_cases_run_id_fkey(run_name)&limit=1",
        "sb_eval_cases?select=sb_eval_runs!story_id(run_name)",
        "sb_eval_cases?select=users(email)",
        "sb_eval_runs?select=sb_eval_cases(nothing)",
        "sb_eval_runs?select=sb_eval_cases(id",
        "sb_eval_runs?select=sb_eval_cases(id)&sb_eval_cases=eq.1",
        "sb_eval_runs?select=sb_eval_cases(sb_stories(sb_sessions(sb_actions(id))))",
    ] {
        transcript.get(path).await;
    }
    transcript
        .get_with(
            "sb_eval_runs?select=id,sb_eval_cases!inner(id)",
            &[("prefer", "count=exact"), ("range", "0-0")],
        )
        .await;
    transcript
        .get_with(
            "sb_eval_runs?select=run_name,sb_eval_cases(status)&order=id",
            &[("accept", "text/csv")],
        )
        .await;
    insta::assert_snapshot!(transcript.text);
}
