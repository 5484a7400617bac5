//! Directions in which a function is differentiated, besides those of the state.

/// The part of a direction in the time and in the parameters. An input's entry is a constant that is added to it,
/// whatever drives it.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Direction {
    /// The change of the time.
    pub time: f64,
    /// The changes of the parameters, in their order.
    pub parameters: Vec<f64>,
}

impl Direction {
    /// A direction of the state alone, beside so many parameters.
    pub fn of_state(parameters: usize) -> Direction {
        Direction {
            time: 0.0,
            parameters: vec![0.0; parameters],
        }
    }
}
