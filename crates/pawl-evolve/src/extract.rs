//! The new text in a reply.

use crate::reflect::{Reply, ReplyEnd};
use crate::refusal::RefusalReason;
use crate::settings::Rules;

/// The text that a reply proposes.
///
/// It is the last fenced block, which must be closed; blocks within it are part of it where they say their language. The
/// reference takes all from the first fence to the last one, and the whole reply where there are not two.
pub(crate) fn proposed_text(reply: &Reply, rules: Rules) -> Result<String, RefusalReason> {
    match rules {
        Rules::Reference => Ok(between_fences(&reply.text)),
        Rules::Strict if reply.end == ReplyEnd::Cut => Err(RefusalReason::CutOff),
        Rules::Strict => last_block(&reply.text),
    }
}

fn last_block(reply: &str) -> Result<String, RefusalReason> {
    let mut found = None;
    // The lines of the block that is open, the length of its fence, and how many are open within it.
    let mut open: Option<(Vec<&str>, usize, usize)> = None;
    for line in reply.lines() {
        let fence = line.trim();
        let length = fence.len() - fence.trim_start_matches('`').len();
        let bare = length == fence.len();
        match &mut open {
            None if length >= 3 => open = Some((Vec::new(), length, 0)),
            None => {}
            Some((lines, opened, within)) => {
                if length >= *opened && bare && *within == 0 {
                    found = Some(lines.join("\n"));
                    open = None;
                    continue;
                }
                if length >= *opened {
                    *within = if bare { *within - 1 } else { *within + 1 };
                }
                lines.push(line);
            }
        }
    }
    if open.is_some() {
        return Err(RefusalReason::OpenBlock);
    }
    let text = found.ok_or(RefusalReason::NoBlock)?;
    let text = text.trim();
    if text.is_empty() {
        return Err(RefusalReason::Empty);
    }
    Ok(text.to_owned())
}

fn between_fences(reply: &str) -> String {
    let (Some(first), Some(last)) = (reply.find("```"), reply.rfind("```")) else {
        return reply.trim().to_owned();
    };
    if last < first + 3 {
        return reply.trim().trim_matches('`').trim().to_owned();
    }
    let inner = &reply[first + 3..last];
    let text = match inner.split_once('\n') {
        Some((tag, rest)) if !tag.trim().contains(char::is_whitespace) => rest,
        _ => inner,
    };
    text.trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn strict(text: &str) -> Result<String, RefusalReason> {
        let reply = Reply {
            text: text.to_owned(),
            ..Reply::default()
        };
        proposed_text(&reply, Rules::Strict)
    }

    #[test]
    fn the_last_block_is_the_proposal() {
        assert_eq!(
            strict("Old:\n```\nA\n```\nNew:\n```text\nB\nC\n```\nDone."),
            Ok("B\nC".to_owned())
        );
        assert_eq!(
            strict("````\nA\n```\nB\n```\n````"),
            Ok("A\n```\nB\n```".to_owned())
        );
        assert_eq!(
            strict("```\nA\n```json\n{}\n```\nB\n```"),
            Ok("A\n```json\n{}\n```\nB".to_owned())
        );
    }

    #[test]
    fn what_is_no_proposal_is_none() {
        assert_eq!(
            strict("Let me think about the failures first."),
            Err(RefusalReason::NoBlock)
        );
        assert_eq!(strict("Sure.\n```\nRULE 1 = v"), Err(RefusalReason::OpenBlock));
        assert_eq!(strict("```\nA\n```\n```\nB"), Err(RefusalReason::OpenBlock));
        assert_eq!(strict("```\n```"), Err(RefusalReason::Empty));
        let cut = Reply {
            text: "```\nA\n```".to_owned(),
            end: ReplyEnd::Cut,
            ..Reply::default()
        };
        assert_eq!(proposed_text(&cut, Rules::Strict), Err(RefusalReason::CutOff));
    }

    #[test]
    fn the_reference_takes_what_is_between_the_outermost_fences() {
        assert_eq!(
            between_fences("Old:\n```\nA\n```\nNew:\n```\nB\n```"),
            "A\n```\nNew:\n```\nB"
        );
        assert_eq!(between_fences("```text\nA\n```"), "A");
        assert_eq!(between_fences("no fence"), "no fence");
        assert_eq!(between_fences("```\n```"), "");
    }
}
