//! In whose axes vectors are written.

use super::frames::Frames;
use super::scene::{Scene, Source, same_coordinates};
use super::sheet::{Sheet, is_null};
use crate::constraints::Constraints;
use crate::system::System;
use appell_expr::{Ex, Matrix};

/// A frame in whose axes vectors are shorter than in those of N: that in which the offset of a contact is constant, such
/// as the leaning frame of a wheel. The accelerations along N of the bodies are replaced by those along its axes.
pub(super) struct Basis {
    pub frame: usize,
    /// The coordinates along N; none where no body moves along N by a coordinate.
    triple: Option<[usize; 3]>,
}

impl Basis {
    /// Where rows of contacts come by three, so that they may be turned, and nothing but forces acts along the coordinates
    /// that are replaced.
    pub fn find<'g>(
        system: &System<'g>,
        constraints: &Constraints<'g>,
        scene: &Scene<'g>,
    ) -> Option<Self> {
        let basis = Self {
            frame: resting(system, scene)?,
            triple: same_coordinates(system, scene.bases()?.into_iter())?,
        };
        (basis.fits_rows(constraints, scene) && basis.fits_energy(system)).then_some(basis)
    }

    fn fits_rows<'g>(&self, constraints: &Constraints<'g>, scene: &Scene<'g>) -> bool {
        let active = constraints.active();
        let mut rows = active.zip(&scene.rows).zip(&scene.idle);
        rows.all(|((row, source), idle)| match source {
            Source::Contact { .. } => scene.is_whole(source) && *idle,
            Source::Other => self.triple.iter().flatten().all(|k| row.a[*k].is_zero()),
        })
    }

    fn fits_energy(&self, system: &System<'_>) -> bool {
        let mass = &system.mass_given;
        let mut places = self.triple.iter().flatten();
        places.all(|k| (0..system.n()).all(|i| mass[(i, *k)].is_zero()))
    }

    /// Generalised forces along N become those along the axes.
    pub fn turn_force<'g>(
        &self,
        sheet: &mut Sheet<'g>,
        frames: &Frames<'g>,
        force: &Matrix<'g>,
    ) -> Matrix<'g> {
        let mut entries = force.entries().to_vec();
        if let Some(triple) = self.triple {
            let local = frames.in_basis(sheet, triple.map(|k| entries[k]));
            triple.iter().zip(local).for_each(|(k, x)| entries[*k] = x);
        }
        Matrix::column(sheet.graph, entries)
    }

    /// Accelerations along the axes become those along N.
    pub fn turn_back<'g>(&self, sheet: &mut Sheet<'g>, frames: &Frames<'g>, accel: &mut [Ex<'g>]) {
        let Some(triple) = self.triple else { return };
        let local = triple.map(|k| sheet.keep(accel[k]));
        let along = frames.in_inertial(sheet, local);
        triple.iter().zip(along).for_each(|(k, x)| accel[*k] = x);
    }
}

/// The frame in which the offset of a whole contact is constant, if hinges lead from it to N.
fn resting<'g>(system: &System<'g>, scene: &Scene<'g>) -> Option<usize> {
    scene.rows.iter().find_map(|source| match source {
        Source::Contact { offset, .. } if scene.is_whole(source) => {
            let arms = scene.angles.arms(system, *offset)?;
            match arms.arms[..] {
                [(frame, _)] if is_null(&arms.base) && is_hinged(system, frame) => Some(frame),
                _ => None,
            }
        }
        _ => None,
    })
}

/// Whether a frame and all that carry it turn on hinges.
fn is_hinged(system: &System<'_>, frame: usize) -> bool {
    let frames = &system.model.frames;
    let mut below = Some(frame);
    for _ in 0..=frames.len() {
        let Some(index) = below else { return true };
        match frames[index].hinge {
            Some(hinge) => below = hinge.parent,
            None => return false,
        }
    }
    false
}
