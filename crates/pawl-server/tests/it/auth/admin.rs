use pawl_testkit::http::{Method, StatusCode};
use pawl_testkit::{Identity, TestDatabase, TestServer, on_both_engines};
use serde_json::{Value, json};

use super::{post, read, refused, send};

on_both_engines!(
    the_service_key_adds_changes_and_deletes_users,
    users_come_in_pages,
);

const USERS: &str = "/auth/v1/admin/users";

async fn the_service_key_adds_changes_and_deletes_users(database: TestDatabase) {
    let server = TestServer::new(database).await;
    let id = "01234567-89ab-4cde-8f01-23456789abcd";
    let one = [USERS, "/", id].concat();
    let add = |body: Value| send(&server, Identity::Service, (Method::POST, USERS), &body);
    let new = json!({
        "id": id, "email": "C@example.org", "password": "correct horse", "email_confirm": true,
        "user_metadata": {"a": 1}, "app_metadata": {"team": "x"}, "role": "authenticated",
    });
    let (status, added) = read(add(new.clone())).await;
    assert_eq!(status, StatusCode::OK);
    assert_eq!(added["id"], id);
    assert_eq!(
        added["app_metadata"],
        json!({"provider": "email", "providers": ["email"], "team": "x"})
    );
    assert_eq!(read(server.get(Identity::Service, &one)).await.1, added);
    for (body, status, word) in [
        (new, 422, "email_exists"),
        (json!({"password": "correct horse"}), 400, "validation_failed"),
        (json!({"email": "x"}), 400, "validation_failed"),
        (
            json!({"email": "d@example.org", "password": "short"}),
            422,
            "weak_password",
        ),
        (
            json!({"email": "d@example.org", "role": "service_role"}),
            400,
            "validation_failed",
        ),
        (
            json!({"email": "d@example.org", "ban_duration": "24h"}),
            400,
            "validation_failed",
        ),
        (json!({"email": "d@example.org", "id": "x"}), 400, "bad_json"),
    ] {
        assert_eq!(
            refused(add(body.clone())).await,
            (status, word.to_owned()),
            "{body}"
        );
    }
    let change = json!({"email": "d@example.org", "app_metadata": {"team": null}});
    let (status, changed) = read(send(&server, Identity::Service, (Method::PUT, &one), &change)).await;
    assert_eq!(
        (status, changed["email"].as_str()),
        (StatusCode::OK, Some("d@example.org"))
    );
    assert_eq!(changed["app_metadata"]["team"], Value::Null);
    let log_in = json!({"email": "d@example.org", "password": "correct horse"});
    let log_in = || post(&server, "/auth/v1/token?grant_type=password", &log_in);
    assert_eq!(read(log_in()).await.0, StatusCode::OK);
    let soft = send(
        &server,
        Identity::Service,
        (Method::DELETE, &one),
        &json!({"should_soft_delete": true}),
    );
    assert_eq!(refused(soft).await, (400, "validation_failed".to_owned()));
    let delete = || server.request(Identity::Service, Method::DELETE, &one);
    assert_eq!(read(delete()).await, (StatusCode::OK, json!({})));
    assert_eq!(refused(delete()).await, (404, "user_not_found".to_owned()));
    assert_eq!(refused(log_in()).await, (400, "invalid_credentials".to_owned()));
    let odd = server.get(Identity::Service, "/auth/v1/admin/users/me");
    assert_eq!(refused(odd).await, (404, "validation_failed".to_owned()));
}

async fn users_come_in_pages(database: TestDatabase) {
    let server = TestServer::new(database).await;
    for n in 0..3 {
        let body = json!({"email": format!("user{n}@example.org")});
        read(send(&server, Identity::Service, (Method::POST, USERS), &body)).await;
    }
    let link = |page: u32, rel: &str| format!("</auth/v1/admin/users?page={page}&per_page=2>; rel=\"{rel}\"");
    let mut seen = 0;
    for (page, links) in [
        (1, [link(2, "next"), link(3, "last")].join(", ")),
        (2, [link(3, "next"), link(3, "last")].join(", ")),
        (3, link(3, "last")),
        (4, link(3, "last")),
    ] {
        let path = format!("{USERS}?page={page}&per_page=2");
        let response = server.get(Identity::Service, &path).send().await.unwrap();
        assert_eq!(response.headers()["x-total-count"], "5");
        assert_eq!(response.headers()["link"], *links);
        seen += super::document(response).await["users"].as_array().unwrap().len();
    }
    assert_eq!(seen, 5);
    let (status, all) = read(server.get(Identity::Service, "/auth/v1/admin/users?page=&per_page=")).await;
    assert_eq!(
        (status, all["users"].as_array().map(Vec::len)),
        (StatusCode::OK, Some(5))
    );
    for query in [
        "?page=0",
        "?page=x",
        "?per_page=1001",
        "?per_page=-1",
        "?page=18446744073709551616",
    ] {
        let answer = refused(server.get(Identity::Service, &[USERS, query].concat())).await;
        assert_eq!(answer, (400, "validation_failed".to_owned()), "{query}");
    }
    let far = format!("{USERS}?page={}", u64::MAX);
    assert_eq!(read(server.get(Identity::Service, &far)).await.0, StatusCode::OK);
}
