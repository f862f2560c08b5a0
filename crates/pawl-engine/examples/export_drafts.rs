//! Exports drafts in every format, so that they can be loaded with the tools they are for.
//!
//!     export_drafts DRAFTS.json FOLDER

use std::error::Error;
use std::path::PathBuf;

use pawl_engine::draft::export::{Exported, export};
use pawl_model::{EvalTestDraft, ExportFormat, FailureType, Json, SuggestedPattern};

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args_os().skip(1).map(PathBuf::from);
    let (Some(file), Some(folder)) = (arguments.next(), arguments.next()) else {
        return Err("usage: export_drafts DRAFTS.json FOLDER".into());
    };
    let drafts: Vec<EvalTestDraft> = serde_json::from_str(&std::fs::read_to_string(file)?)?;
    let approval = Json::parse(r#"{"actor": "ada", "timestamp": "2025-12-30T08:00:00Z"}"#)?;
    let pattern = SuggestedPattern {
        failure_type: FailureType::StaleData,
        trigger_condition: "a product is recommended".to_owned(),
        title: "Stale products".to_owned(),
        summary: "A discontinued product was recommended.".to_owned(),
    };
    let exported: Vec<Exported<'_>> = drafts
        .iter()
        .map(|draft| Exported {
            suggestion_id: &draft.source.suggestion_id,
            approval_metadata: Some(&approval),
            pattern: &pattern,
            draft,
        })
        .collect();
    std::fs::create_dir_all(&folder)?;
    for format in ExportFormat::ALL {
        std::fs::write(folder.join(format.file_name()), export(*format, &exported)?)?;
    }
    Ok(())
}
