//! Whatever is changed behind our back is found, and named.

use pawl_model::LineageKind;
use pawl_model::table::ColumnType;
use pawl_store::lineage::TABLES;
use pawl_testkit::{Engine, TestDatabase, on_both_engines, samples};

use super::{assert_whole, verify, whole_loop};

on_both_engines!(
    a_flip_of_any_column_of_any_row_is_found,
    a_flip_of_any_field_of_any_entry_is_found,
);

/// Another value than the one that a column holds.
fn flipped(engine: Engine, column: &str, kind: ColumnType, is_bytes: bool) -> String {
    let is_sqlite = engine == Engine::Sqlite;
    match kind {
        _ if is_bytes => if is_sqlite { "x'00'" } else { "'\\x00'::bytea" }.to_owned(),
        ColumnType::Text => format!(
            "coalesce(substr({column}, 1, length({column}) / 2) || case substr({column}, length({column}) / 2 + 1, 1)
                when 'q' then 'z' else 'q' end || substr({column}, length({column}) / 2 + 2), 'q')"
        ),
        ColumnType::Uuid => {
            let uuid = "'ffffffff-ffff-4fff-8fff-ffffffffffff'";
            if is_sqlite { uuid.to_owned() } else { [uuid, "::uuid"].concat() }
        }
        ColumnType::Int | ColumnType::BigInt => format!("coalesce({column}, 0) + 1000"),
        ColumnType::Real | ColumnType::Double => format!("coalesce({column} / 2, 0.123)"),
        ColumnType::Numeric if is_sqlite => "'0.123'".to_owned(),
        ColumnType::Numeric => "0.123".to_owned(),
        ColumnType::Bool => format!("not {column}"),
        ColumnType::Timestamp | ColumnType::TimestampTz if is_sqlite => {
            format!("coalesce({column}, 0) + 1")
        }
        ColumnType::Timestamp | ColumnType::TimestampTz => {
            format!("coalesce({column}, now()) + interval '1 microsecond'")
        }
        ColumnType::Jsonb => "'{\"flipped\":true}'".to_owned(),
        ColumnType::TextList if is_sqlite => "'[\"flipped\"]'".to_owned(),
        ColumnType::TextList => "array['flipped']".to_owned(),
    }
}

async fn a_flip_of_any_column_of_any_row_is_found(database: TestDatabase) {
    let (rig, ..) = whole_loop(database).await;
    assert_whole(&rig).await;
    let database = &rig.database;
    let mut flips = 0;
    for table in &TABLES {
        let name = table.name;
        // Whatever stands in the way of writing what is no word of a column, or goes with a row.
        let rules = match database.engine {
            Engine::Sqlite => "drop trigger if exists patterns_by_suggestion".to_owned(),
            Engine::Postgres => format!(
                "do $$ declare rule text; begin
                    for rule in select conname from pg_constraint where conrelid = '{name}'::regclass and contype = 'c' loop
                        execute format('alter table {name} drop constraint %I', rule);
                    end loop;
                end $$"
            ),
        };
        let saved = format!("create table saved_{name} as select * from {name}");
        database.tamper(&[rules, saved].join("; ")).await;
        let kinds: Vec<LineageKind> = LineageKind::ALL
            .iter()
            .copied()
            .filter(|kind| kind.table() == name)
            .collect();
        for (column, kind) in table.columns {
            let value = flipped(database.engine, column, *kind, table.bytes == Some(*column));
            for place in ["asc", "desc"] {
                let key = table.key;
                let row = format!(
                    "(select cast({key} as text) from {name} where cast({key} as text) in (select node from lineage)
                     order by 1 {place} limit 1)"
                );
                let flip = format!("update {name} set {column} = {value} where cast({key} as text) = {row}");
                database.tamper(&flip).await;
                let verified = verify(&rig).await;
                let broken = verified.broken.unwrap_or_else(|| panic!("{flip}"));
                let kind = LineageKind::parse(&broken.kind).unwrap();
                assert!(kinds.contains(&kind), "{flip}: {broken:?}");
                assert!(broken.problem.contains(name), "{flip}: {broken:?}");
                let restore = format!("delete from {name}; insert into {name} select * from saved_{name}");
                database.tamper(&restore).await;
                flips += 1;
            }
        }
        // One that is gone.
        let key = table.key;
        let gone = format!("delete from {name} where cast({key} as text) in (select node from lineage)");
        database.tamper(&gone).await;
        assert!(!verify(&rig).await.is_whole, "{gone}");
        let restore = format!("delete from {name}; insert into {name} select * from saved_{name}");
        database.tamper(&restore).await;
    }
    assert!(flips > 200, "{flips}");
    assert_whole(&rig).await;
}

async fn a_flip_of_any_field_of_any_entry_is_found(database: TestDatabase) {
    let (rig, ..) = whole_loop(database).await;
    let entries = i64::try_from(assert_whole(&rig).await.entries).unwrap();
    let database = &rig.database;
    database.add_user(2).await;
    let other = samples::user(2).id;
    let is_sqlite = database.engine == Engine::Sqlite;
    let later = if is_sqlite {
        "at + 1"
    } else {
        "at + interval '1 microsecond'"
    };
    let bytes = |column: &str| match is_sqlite {
        // The last of them.
        true => format!(
            "cast(substr({column}, 1, 31) || case substr({column}, 32) when x'00' then x'01' else x'00' end as blob)"
        ),
        false => format!("set_byte({column}, 31, (get_byte({column}, 31) + 1) % 256)"),
    };
    let flips = [
        ("user_id", format!("'{other}'")),
        ("position", "position + 1000".to_owned()),
        (
            "kind",
            "case kind when 'run' then 'draft' else 'run' end".to_owned(),
        ),
        ("kind", "'neither'".to_owned()),
        ("node", "node || 'x'".to_owned()),
        (
            "event",
            "case event when 'changed' then 'created' else 'changed' end".to_owned(),
        ),
        ("at", later.to_owned()),
        ("sha256", bytes("sha256")),
        ("hash", bytes("hash")),
    ];
    let save = "create table saved_lineage as select * from lineage;
        create table saved_lineage_parents as select * from lineage_parents";
    database.tamper(save).await;
    let restore = "delete from lineage; insert into lineage select * from saved_lineage;
        delete from lineage_parents; insert into lineage_parents select * from saved_lineage_parents";
    let found = async |tampering: String, at: i64| {
        database.tamper(&tampering).await;
        let verified = verify(&rig).await;
        let broken = verified.broken.unwrap_or_else(|| panic!("{tampering}"));
        assert!(broken.position >= at, "{tampering}: {broken:?}");
        database.tamper(restore).await;
    };
    for position in 1..=entries {
        for (column, value) in &flips {
            let is_last = position == entries && *column == "user_id";
            if is_last {
                // An entry that is cut off the end is told by the row alone.
                continue;
            }
            let flip = format!(
                "update lineage set {column} = {value} where position = {position} and user_id = '{}'",
                rig.user()
            );
            found(flip, position).await;
        }
    }
    for parents in [
        "update lineage_parents set kind = 'neither'",
        "update lineage_parents set node = node || 'x'",
        "update lineage_parents set position = position - 1 where position = (select max(position) from lineage_parents)",
        "delete from lineage_parents",
        "delete from lineage where position = 3",
    ] {
        found(parents.to_owned(), 1).await;
    }
    assert_whole(&rig).await;
}
