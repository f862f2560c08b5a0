//! Reading: columns, filters, orders, pages, forms.

use pawl_testkit::{Identity, TestDatabase, TestServer, on_both_engines};

use super::{Ask, Transcript, fill};

on_both_engines!(columns_and_forms, filters, orders, pages, refusals_of_reading);

async fn columns_and_forms(database: TestDatabase) {
    let server = TestServer::new(database).await;
    fill(&server).await;
    let mut transcript = Transcript::new(&server, Identity::UserA);
    for path in [
        "sb_stories?select=id,created_at,session_id,story",
        "sb_eval_runs?select=run_name,when:created_at,model,total_cases&id=eq.00000000-0000-4000-8000-0000000000a1",
        "sb_eval_runs?select=settings-%3Elabels-%3E%3Eteam,trials:settings-%3Etrials,settings-%3Elabels&limit=1",
        "sb_eval_runs?select=total_cases::text,created_at::text,settings::text&limit=1",
        "sb_eval_cases?select=first:input_data-%3E0,input_data-%3E%3E1,input_data-%3E-1&passed=is.false&order=id",
        "sb_eval_runs?select=",
        "sb_eval_runs?select=%22run_name%22,%20dataset_version%20&limit=1",
    ] {
        transcript.get(path).await;
    }
    let one = "sb_eval_runs?select=id,model,created_at,total_cases,settings&id=eq.00000000-0000-4000-8000-0000000000a2";
    for accept in [
        "application/vnd.pgrst.object+json",
        "text/csv",
        "text/html, application/*;q=0.8",
        "application/json",
    ] {
        transcript.get_with(one, &[("accept", accept)]).await;
    }
    transcript
        .get_with("sb_eval_cases?order=id", &[("accept", "text/csv")])
        .await;
    for path in [
        "sb_eval_runs",
        "sb_eval_runs?id=eq.00000000-0000-4000-8000-0000000000ff",
    ] {
        transcript
            .get_with(path, &[("accept", "application/vnd.pgrst.object+json")])
            .await;
    }
    let head = Ask {
        method: "HEAD",
        path: "sb_eval_runs",
        headers: &[("prefer", "count=exact")],
        body: None,
    };
    transcript.ask(&head).await;
    insta::assert_snapshot!(transcript.text);
}

async fn filters(database: TestDatabase) {
    let server = TestServer::new(database).await;
    fill(&server).await;
    let mut transcript = Transcript::new(&server, Identity::UserA);
    for filter in [
        "run_name=eq.Nightly",
        "run_name=neq.Nightly",
        "total_cases=gt.0",
        "total_cases=gte.20",
        "total_cases=lt.3",
        "total_cases=lte.3",
        "run_name=like.night*",
        "run_name=ilike.NIGHT*",
        "run_name=like.*_2%20(50%5C%25)",
        "run_name=like.N_ghtly",
        "model=ilike.%C3%84RGER",
        "model=ilike.%C3%A4RGER",
        "run_name=like(any).%7BN*,n*%7D",
        "run_name=ilike(all).%7Bn*,*y%7D",
        "total_cases=eq(any).%7B0,3%7D",
        "total_cases=in.(0,3)",
        "model=in.(%22gpt,%20%5C%224%5C%22%22,x)",
        "run_name=in.()",
        "total_cases=not.in.(0)",
        "run_name=is.null",
        "run_name=not.is.null",
        "run_name=is.not_null",
        "run_name=isdistinct.Nightly",
        "created_at=gte.2026-01-02&created_at=lt.now()",
        "created_at=eq.2026-01-02T09:00:00",
        "or=(run_name.is.null,total_cases.eq.3)",
        "not.or=(run_name.is.null,total_cases.eq.3)",
        "and=(total_cases.gte.3,or(model.is.null,model.eq.%22gpt,%20%5C%224%5C%22%22))",
        "or=(total_cases.in.(20,0),not.and(run_name.eq.Nightly,total_cases.eq.3))",
        "run_name=not.eq.Nightly",
        "settings-%3E%3Etrials=eq.10",
        "settings-%3Etrials=eq.1",
        "settings-%3Elabels-%3E%3Eteam=like.b*",
        "settings-%3Elabels=eq.%7B%22team%22:%22blue%22%7D",
        "settings-%3Elabels=is.null",
        "settings=cs.%7B%22trials%22:10%7D",
        "settings=not.cs.%7B%22trials%22:10%7D",
        "settings=cd.%7B%22trials%22:10,%22more%22:1%7D",
        "settings=eq.%7B%22trials%22:%2010%7D",
        "id=in.(00000000-0000-4000-8000-0000000000A1,%2200000000-0000-4000-8000-0000000000a3%22)",
    ] {
        transcript
            .get(&["sb_eval_runs?select=run_name,total_cases&order=id&", filter].concat())
            .await;
    }
    for filter in [
        "passed=is.true",
        "passed=not.is.true",
        "score=gt.0.3",
        "score=eq.0.30000000000000004",
        "passed=eq.f",
    ] {
        transcript
            .get(&["sb_eval_cases?select=status&order=id&", filter].concat())
            .await;
    }
    insta::assert_snapshot!(transcript.text);
}

async fn orders(database: TestDatabase) {
    let server = TestServer::new(database).await;
    fill(&server).await;
    let mut transcript = Transcript::new(&server, Identity::UserA);
    for order in [
        "run_name",
        "run_name.desc",
        "run_name.asc.nullsfirst",
        "run_name.desc.nullslast",
        "run_name.nullsfirst",
        "model.desc,total_cases",
        "total_cases.desc",
        "settings-%3Elabels-%3E%3Eteam,total_cases.desc",
        "settings-%3Etrials.desc.nullslast",
        "created_at.desc",
        "settings",
        "dataset_version.asc,id.desc",
    ] {
        transcript
            .get(&["sb_eval_runs?select=run_name,total_cases&order=", order].concat())
            .await;
    }
    insta::assert_snapshot!(transcript.text);
}

async fn pages(database: TestDatabase) {
    let server = TestServer::new(database).await;
    fill(&server).await;
    let mut transcript = Transcript::new(&server, Identity::UserA);
    let path = "sb_eval_runs?select=total_cases&order=id";
    for (parameters, headers) in [
        ("", &[][..]),
        ("&limit=2", &[]),
        ("&limit=2", &[("prefer", "count=exact")]),
        ("&limit=1&offset=1", &[("prefer", "count=planned")]),
        ("&offset=3", &[("prefer", "count=estimated")]),
        ("&offset=4", &[("prefer", "count=exact")]),
        ("&offset=4", &[]),
        ("&limit=0", &[]),
        ("&limit=0", &[("prefer", "count=exact")]),
        ("&limit=-1", &[]),
        ("&offset=-4", &[]),
        ("&limit=two", &[]),
        (
            "",
            &[
                ("range", "0-0"),
                ("range-unit", "items"),
                ("prefer", "count=exact"),
            ],
        ),
        ("", &[("range", "1-")]),
        ("&limit=2", &[("range", "1-5")]),
        ("", &[("range", "5-1")]),
        ("&total_cases=gt.0", &[("prefer", "count=exact, handling=strict")]),
        ("", &[("prefer", "count=exact, handling=strict, colour=blue")]),
        ("", &[("prefer", "count=exact, colour=blue")]),
    ] {
        transcript.get_with(&[path, parameters].concat(), headers).await;
    }
    insta::assert_snapshot!(transcript.text);
}

async fn refusals_of_reading(database: TestDatabase) {
    let server = TestServer::new(database).await;
    fill(&server).await;
    let mut transcript = Transcript::new(&server, Identity::UserA);
    for path in [
        "users",
        "sb_eval_runs%20",
        "auth.users",
        "rpc/drop_everything",
        "",
        "sb_eval_runs?select=nothing",
        "sb_eval_runs?nothing=eq.1",
        "sb_eval_runs?order=nothing",
        "sb_eval_runs?total_cases=eq.abc",
        "sb_eval_runs?total_cases=eq.3000000000",
        "sb_eval_runs?total_cases=in.(1,x)",
        "sb_eval_runs?id=eq.1",
        "sb_eval_runs?created_at=gt.yesterday",
        "sb_eval_runs?created_at=gt.2026-02-30",
        "sb_eval_runs?run_name=abc",
        "sb_eval_runs?run_name=",
        "sb_eval_runs?foo",
        "sb_eval_runs?run_name=approx.x",
        "sb_eval_runs?run_name=fts.x",
        "sb_eval_runs?run_name=match.x",
        "sb_eval_runs?run_name=fts(english).x",
        "sb_eval_runs?total_cases=like.1*",
        "sb_eval_runs?id=ilike.0*",
        "sb_eval_runs?run_name=cs.%7Ba%7D",
        "sb_eval_runs?settings=ov.%7Ba%7D",
        "sb_eval_runs?settings=cs.%7Ba%7D",
        "sb_eval_runs?run_name=is.true",
        "sb_eval_runs?run_name=is.maybe",
        "sb_eval_runs?run_name=like.x%5C",
        "sb_eval_runs?run_name=in.a,b",
        "sb_eval_runs?run_name=in.(a",
        "sb_eval_runs?run_name=eq.a%00b",
        "sb_eval_runs?run_name=eq.%FF",
        "sb_eval_runs?run_name-%3Ea=eq.1",
        "sb_eval_runs?settings-%3E%3Ea-%3Eb=eq.1",
        "sb_eval_runs?or=()",
        "sb_eval_runs?or=(id.eq.1",
        "sb_eval_runs?or=(nothing.eq.1)",
        "sb_eval_runs?and=(run_name.eq.a)b",
        "sb_eval_runs?xor=(run_name.eq.a)",
        "sb_eval_runs?select=id,,model",
        "sb_eval_runs?select=id,",
        "sb_eval_runs?select=id::int",
        "sb_eval_runs?select=count()",
        "sb_eval_runs?select=total_cases.sum()",
        "sb_eval_runs?select=id!x",
        "sb_eval_runs?select=...sb_eval_cases(id)",
        "sb_eval_runs?select=sb_sessions(id)",
        "sb_eval_runs?select=id)",
        "sb_eval_runs?select=id&select=model",
        "sb_eval_runs?order=run_name.up",
        "sb_eval_runs?order=run_name.asc.x",
        "sb_eval_runs?order=",
        "sb_eval_runs?sb_eval_cases.id=eq.1",
        "sb_eval_runs?sb_eval_cases.order=id",
        "sb_eval_runs?order=sb_eval_cases(id)",
        "sb_eval_runs?columns=nothing",
    ] {
        transcript.get(path).await;
    }
    for accept in [
        "application/vnd.pgrst.plan+json",
        "image/png",
        "application/vnd.pgrst.object+json;nulls=stripped",
    ] {
        transcript.get_with("sb_eval_runs", &[("accept", accept)]).await;
    }
    transcript
        .get_with("sb_eval_runs", &[("accept-profile", "private")])
        .await;
    for method in ["PUT", "OPTIONS"] {
        transcript
            .ask(&Ask {
                method,
                path: "sb_eval_runs",
                headers: &[],
                body: None,
            })
            .await;
    }
    insta::assert_snapshot!(transcript.text);
}
