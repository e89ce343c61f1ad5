//! Paths: where an operation stands in the nested blocks of a kernel.

use super::{Block, For, Op, OpKind};

/// Down to an operation: the position of an operation in its block, and which of its blocks is entered; of the last
/// one, which is meant itself, no block is entered.
pub type Path = Vec<(usize, usize)>;

/// Whether a path leads to the operation at `outer`, or on into one of its blocks.
pub fn leads_to(path: &[(usize, usize)], outer: &[(usize, usize)]) -> bool {
    let Some((&(at, _), around)) = outer.split_last() else {
        return true;
    };
    path.starts_with(around) && path.get(around.len()).is_some_and(|step| step.0 == at)
}

impl Block {
    /// The operation at the end of a path that begins in this block; `None` if the path leads nowhere.
    pub fn op_at(&self, path: &[(usize, usize)]) -> Option<&Op> {
        let (&(at, inner), rest) = path.split_first()?;
        let op = self.ops.get(at)?;
        match rest.is_empty() {
            true => Some(op),
            false => op.kind.blocks().into_iter().nth(inner)?.op_at(rest),
        }
    }

    /// The loop there.
    pub fn for_at(&self, path: &[(usize, usize)]) -> Option<&For> {
        match &self.op_at(path)?.kind {
            OpKind::For(f) => Some(f),
            _ => None,
        }
    }

    /// The paths to all counted loops in here, one after the other as they stand.
    pub fn paths_of_loops(&self) -> Vec<Path> {
        let mut paths = Vec::new();
        self.add_loops(&mut Vec::new(), &mut paths);
        paths
    }

    fn add_loops(&self, path: &mut Path, paths: &mut Vec<Path>) {
        for (at, op) in self.ops.iter().enumerate() {
            for (number, block) in op.kind.blocks().into_iter().enumerate() {
                path.push((at, number));
                if matches!(op.kind, OpKind::For(_)) {
                    paths.push(path.clone());
                }
                block.add_loops(path, paths);
                path.pop();
            }
        }
    }

    /// The operation at the end of a path, mutable.
    pub fn op_at_mut(&mut self, path: &[(usize, usize)]) -> Option<&mut Op> {
        let (&(at, inner), rest) = path.split_first()?;
        let op = self.ops.get_mut(at)?;
        match rest.is_empty() {
            true => Some(op),
            false => op.kind.blocks_mut().into_iter().nth(inner)?.op_at_mut(rest),
        }
    }

    /// The block that a path leads into; this one, if there are no steps.
    pub fn block_at_mut(&mut self, path: &[(usize, usize)]) -> Option<&mut Block> {
        let Some((&(at, inner), rest)) = path.split_first() else {
            return Some(self);
        };
        let op = self.ops.get_mut(at)?;
        op.kind
            .blocks_mut()
            .into_iter()
            .nth(inner)?
            .block_at_mut(rest)
    }
}
