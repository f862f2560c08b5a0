//! Merging: many small segments become one.

use pawl_model::UserId;

use super::change::Change;
use super::segment::{MAX_DOCUMENTS, Part, Segment};
use super::{ALL_BLOCKS, Described, damaged, documents_of, segments};
use crate::{Result, Scope};

/// Segments of about a size that become one, which is of the next size then.
const FAN_IN: usize = 8;

/// Segments of a tenant that become one.
#[derive(Debug)]
pub struct Merge {
    user: UserId,
    described: Vec<Described>,
    parts: Vec<Part>,
}

impl Merge {
    /// What of a tenant is to be merged, where something is, as the service.
    ///
    /// # Errors
    /// [`crate::StoreError::ForeignRow`] for a tenant.
    pub async fn read(scope: &mut Scope, user: UserId) -> Result<Option<Self>> {
        scope.require_service()?;
        let described = ripe(segments(scope, user).await?)?;
        if described.is_empty() {
            return Ok(None);
        }
        let mut documents = documents_of(scope, user, described.iter().map(|part| part.number)).await?;
        let mut parts = Vec::with_capacity(described.len());
        for part in &described {
            let mut blocks: Vec<Vec<u8>> = Vec::new();
            for row in scope
                .fetch(&ALL_BLOCKS, &[user.into(), part.number.into()])
                .await?
            {
                blocks.push(row.columns().read()?);
            }
            let documents = documents.remove(&part.number).ok_or_else(damaged)?;
            parts.push(Part {
                documents,
                gone: part.gone()?,
                blocks,
            });
        }
        Ok(Some(Self {
            user,
            described,
            parts,
        }))
    }

    /// What it comes to: one segment in place of them. This takes a while, and needs no database.
    ///
    /// # Errors
    /// Where one of them is damaged.
    pub fn into_change(self) -> Result<Change> {
        let merged = Segment::merged(&self.parts).map_err(|_| damaged())?;
        let of_user = |part| (self.user, part);
        Ok(Change {
            removed: self.described.into_iter().map(of_user).collect(),
            added: merged.map(|merged| (self.user, merged)).into_iter().collect(),
            ..Change::default()
        })
    }
}

/// Which segments are to become one: several of about the same size, or one of whose documents many are gone.
fn ripe(segments: Vec<Described>) -> Result<Vec<Described>> {
    let mut sizes: Vec<Vec<Described>> = Vec::new();
    for segment in segments {
        if 8 * segment.gone()?.len() >= segment.size {
            return Ok(vec![segment]);
        }
        // What is half full is full enough.
        if segment.size < MAX_DOCUMENTS / 2 {
            let size = segment.size.max(1).ilog(FAN_IN) as usize;
            sizes.resize_with(sizes.len().max(size + 1), Vec::new);
            sizes[size].push(segment);
        }
    }
    let total = |segments: &[Described]| segments.iter().map(|segment| segment.size).sum::<usize>();
    let mut ripe = sizes
        .into_iter()
        .find(|same| same.len() >= FAN_IN || total(same) >= MAX_DOCUMENTS)
        .unwrap_or_default();
    while total(&ripe) > MAX_DOCUMENTS {
        ripe.pop();
    }
    Ok(ripe)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn described(size: usize, gone: usize) -> Described {
        let mut bytes = Vec::new();
        super::super::blocks::put_list(&mut bytes, 0..gone as u16);
        Described {
            number: 0,
            size,
            blocks: 1,
            gone: bytes,
            first: 0,
            last: 0,
        }
    }

    /// The sizes of what is merged.
    fn merged(sizes: &[usize]) -> Vec<usize> {
        let segments = sizes.iter().map(|size| described(*size, 0)).collect();
        ripe(segments)
            .unwrap()
            .into_iter()
            .map(|segment| segment.size)
            .collect()
    }

    #[test]
    fn eight_of_about_a_size_become_one() {
        assert!(merged(&[1; 7]).is_empty());
        assert_eq!(merged(&[1, 2, 3, 4, 5, 6, 7, 1, 9]), [1, 2, 3, 4, 5, 6, 7, 1]);
        assert!(merged(&[8, 8, 8, 8, 7, 8, 8, 8]).is_empty());
        assert_eq!(merged(&[2_048; 8]), [2_048; 8]);
    }

    #[test]
    fn none_has_too_many_and_full_ones_stay() {
        assert_eq!(merged(&[5_000; 4]), [5_000; 3]);
        assert_eq!(merged(&[8_191, 8_191, 8_191]), [8_191; 2]);
        assert!(merged(&[8_192; 20]).is_empty());
    }

    #[test]
    fn one_of_which_much_is_gone_is_written_anew() {
        assert_eq!(
            ripe(vec![described(80, 9), described(80, 10)]).unwrap(),
            [described(80, 10)]
        );
        assert!(ripe(vec![described(80, 9)]).unwrap().is_empty());
    }

    /// However much comes in, segments stay few.
    #[test]
    fn segments_stay_few() {
        for batch in [1, 3, 500, 2_048, 5_000, 9_000] {
            let mut sizes: Vec<usize> = Vec::new();
            for _ in 0..3_000 {
                sizes.push(batch);
                loop {
                    let taken = merged(&sizes);
                    if taken.is_empty() {
                        break;
                    }
                    for size in &taken {
                        let place = sizes.iter().position(|other| other == size).unwrap();
                        sizes.remove(place);
                    }
                    sizes.push(taken.iter().sum());
                }
            }
            let full = 3_000 * batch / (MAX_DOCUMENTS / 2);
            assert!(sizes.len() <= full + 5 * FAN_IN, "{batch}: {}", sizes.len());
            assert!(sizes.iter().all(|size| *size <= MAX_DOCUMENTS));
        }
    }
}
