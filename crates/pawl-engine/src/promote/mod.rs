//! Prompts and their versions: which is live, and why.

pub mod gate;
mod service;
mod verdict;

use pawl_model::{Json, PromotionVerdict, PromptComponent, PromptVersion, UserId, VerdictKind};
use pawl_store::{Actor, prompts};

pub use self::service::{NewPromotion, PromotionUnderWay};
pub use self::verdict::{OnRefusal, Promotion};
use crate::{Engine, EngineError};

/// Letters of a name.
const MAX_NAME: usize = 100;
/// Bytes of all texts of a prompt.
const MAX_BYTES: usize = 256 * 1024;
/// Prompts, versions and verdicts that are read at once.
const MOST: u32 = 1_000;

/// A prompt with its history.
#[derive(Clone, Debug)]
pub struct PromptDetail {
    /// The version that is live.
    pub live: PromptVersion,
    /// All versions, the newest first.
    pub versions: Vec<PromptVersion>,
    /// What was decided, the newest first.
    pub verdicts: Vec<PromotionVerdict>,
}

/// A prompt that comes by hand.
#[derive(Clone, Copy, Debug)]
pub struct NewPrompt<'a> {
    /// Whose.
    pub user_id: UserId,
    /// Its name: letters, digits, `.`, `_` and `-`.
    pub name: &'a str,
    /// Its texts.
    pub components: &'a [PromptComponent],
    /// Who adds it.
    pub by: &'a str,
}

impl Engine {
    /// Adds a prompt: its first version, live at once, without a comparison. After that a version becomes live only through
    /// a verdict.
    ///
    /// # Errors
    /// When there is one of this name already, the name or a text is not one, or the database fails.
    pub async fn add_prompt(&self, new: NewPrompt<'_>) -> Result<PromptVersion, EngineError> {
        check(&new)?;
        let at = self.clock.now();
        let mut scope = self.store.write(Actor::Service).await?;
        if prompts::hold(&mut scope, new.user_id, new.name).await?.is_some() {
            return Err(EngineError::Prompt(format!(
                "there is a prompt `{}` already: its next version becomes live through the gate, by `pawl promote`",
                new.name
            )));
        }
        let named = (new.user_id, new.name);
        let version = prompts::add_version(&mut scope, named, (new.components, None), at).await?;
        let verdict = PromotionVerdict {
            id: verdict_id(self),
            name: new.name.to_owned(),
            kind: VerdictKind::Initial,
            from_version: None,
            to_version: Some(version),
            candidate_id: None,
            decided_by: new.by.to_owned(),
            reason: "the first version".to_owned(),
            findings: Json::empty_object(),
            created_at: at,
        };
        prompts::insert_verdict(&mut scope, new.user_id, &verdict).await?;
        scope.commit().await?;
        Ok(PromptVersion {
            name: new.name.to_owned(),
            version,
            components: new.components.to_vec(),
            candidate_id: None,
            created_at: at,
        })
    }

    /// The live version of a prompt.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn live_prompt(&self, user: UserId, name: &str) -> Result<Option<PromptVersion>, EngineError> {
        let mut scope = self.store.read(Actor::Tenant(user)).await?;
        Ok(prompts::live(&mut scope, user, name).await?)
    }

    /// The live version of each prompt, by name.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn prompts(&self, user: UserId) -> Result<Vec<PromptVersion>, EngineError> {
        let mut scope = self.store.read(Actor::Tenant(user)).await?;
        Ok(prompts::list(&mut scope, user, MOST).await?)
    }

    /// A prompt with its history.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn prompt(&self, user: UserId, name: &str) -> Result<Option<PromptDetail>, EngineError> {
        let mut scope = self.store.read(Actor::Tenant(user)).await?;
        let Some(live) = prompts::live(&mut scope, user, name).await? else {
            return Ok(None);
        };
        Ok(Some(PromptDetail {
            live,
            versions: prompts::versions(&mut scope, user, name, MOST).await?,
            verdicts: prompts::verdicts(&mut scope, user, name, MOST).await?,
        }))
    }
}

/// An id that sorts by time.
fn verdict_id(engine: &Engine) -> String {
    format!("apv_{}", engine.clock.fresh_id().simple())
}

/// What is wrong with a prompt.
fn check(new: &NewPrompt<'_>) -> Result<(), EngineError> {
    let is_name = |letter: char| letter.is_ascii_alphanumeric() || "._-".contains(letter);
    let wrong = |message: String| Err(EngineError::Prompt(message));
    if new.name.is_empty() || new.name.len() > MAX_NAME || !new.name.chars().all(is_name) {
        return wrong(format!(
            "`{}` is no name for a prompt: up to {MAX_NAME} letters, digits, `.`, `_` and `-`",
            new.name
        ));
    }
    if new.components.is_empty() || new.components.iter().all(|one| one.text.trim().is_empty()) {
        return wrong("a prompt needs a text".to_owned());
    }
    let bytes: usize = new
        .components
        .iter()
        .map(|one| one.name.len() + one.text.len())
        .sum();
    if bytes > MAX_BYTES {
        return wrong(format!("a prompt may have {} KiB", MAX_BYTES / 1024));
    }
    if new.components.iter().any(|one| one.text.contains('\0')) {
        return wrong("the prompt holds the NUL character".to_owned());
    }
    Ok(())
}
