//! The order in which things that are defined by one another can be worked out.

/// An order of `0..needs.len()` in which everything comes after what it needs, and the cycles
/// found on the way, each as the list of its members. Members of a cycle are left out of the
/// order; what needs them is not.
pub(crate) struct Order {
    pub(crate) order: Vec<usize>,
    pub(crate) cycles: Vec<Vec<usize>>,
}

#[derive(Clone, Copy, PartialEq)]
enum Mark {
    New,
    Open,
    Done,
    Cyclic,
}

/// Depth-first search with a stack of its own; ties keep the given order.
pub(crate) fn order(needs: &[Vec<usize>]) -> Order {
    let mut marks = vec![Mark::New; needs.len()];
    let mut found = Order {
        order: Vec::new(),
        cycles: Vec::new(),
    };
    for root in 0..needs.len() {
        let mut path: Vec<(usize, usize)> = Vec::new();
        if marks[root] == Mark::New {
            marks[root] = Mark::Open;
            path.push((root, 0));
        }
        while let Some((node, next)) = path.pop() {
            let Some(&child) = needs[node].get(next) else {
                if marks[node] == Mark::Open {
                    marks[node] = Mark::Done;
                    found.order.push(node);
                }
                continue;
            };
            path.push((node, next + 1));
            match marks[child] {
                Mark::New => {
                    marks[child] = Mark::Open;
                    path.push((child, 0));
                }
                Mark::Open => {
                    let start = path
                        .iter()
                        .position(|(open, _)| *open == child)
                        .unwrap_or(0);
                    let members: Vec<usize> = path[start..].iter().map(|(open, _)| *open).collect();
                    members
                        .iter()
                        .for_each(|member| marks[*member] = Mark::Cyclic);
                    found.cycles.push(members);
                }
                Mark::Done | Mark::Cyclic => {}
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_needed_comes_first() {
        let found = order(&[vec![2], vec![], vec![1], vec![0, 1]]);
        assert_eq!(found.order, [1, 2, 0, 3]);
        assert!(found.cycles.is_empty());
    }

    #[test]
    fn cycles_are_found_once_and_left_out() {
        let found = order(&[vec![1], vec![2], vec![0], vec![0], vec![4]]);
        assert_eq!(found.cycles, [vec![0, 1, 2], vec![4]]);
        assert_eq!(found.order, [3]);
    }

    #[test]
    fn a_long_chain_needs_no_stack() {
        let chain: Vec<Vec<usize>> = (0..100_000)
            .map(|i| if i == 99_999 { vec![] } else { vec![i + 1] })
            .collect();
        assert_eq!(order(&chain).order.len(), 100_000);
    }
}
