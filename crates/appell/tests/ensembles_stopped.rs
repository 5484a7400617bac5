//! What is known of an ensemble that was stopped is the beginning of the whole.

use appell::limits::{Stop, attempt, under};
use appell::{Ending, EnsembleOptions, Finished, Members, Prepared, ensemble_from, read};
use std::sync::Arc;

/// The mass depends on a velocity: velocities where the file begins with `z` are searched for each member by itself.
const SKATE: &str = r#"
coordinates = ["x", "y", "theta"]
[energy]
kinetic = "(x'^2 + y'^2 + theta'^2)/2 + theta'^4/100"
potential = "x"
[constraints]
blade = "x'*sin(theta) - y'*cos(theta) = 0"
[motion]
variables = ["u", "w"]
equations = ["x' = u*cos(theta)", "y' = u*sin(theta)", "theta' = w"]
[initial]
state = ["u = 1", "w = 2"]
[simulate]
until = 1
"#;

fn members() -> Members {
    let columns = ["x", "y", "theta'"].map(str::to_owned).to_vec();
    let row = |i: u32| {
        let i = f64::from(i);
        [0.1 * i, 1.0 / (i + 1.0), 1.0 + 0.01 * i]
    };
    Members::new(columns, (0..1000).flat_map(row).collect())
}

#[test]
fn members_end_before_all_starts_have_been_searched() {
    let (model, _) = read("skate.toml", SKATE).expect("a good model");
    let p = Prepared::new(&model, &[], &[]).expect("its parameters");
    let (members, options) = (members(), EnsembleOptions::default());
    let computed = |known: &[Finished], stop: Arc<Stop>| {
        let mut noted = known.to_vec();
        let mut note = |end: &Finished| noted.push(end.clone());
        let mut control = Default::default();
        let compute =
            || ensemble_from(&p, &members, &options, known, Some(&mut note), &mut control);
        let done = under(Some(stop), || attempt(compute));
        let done = done.map(|done| done.expect("an ensemble")).ok();
        (noted, done)
    };
    const MANY: u64 = 1 << 40;
    let stop = Arc::new(Stop::at_look(MANY));
    let (whole, done) = computed(&[], Arc::clone(&stop));
    let looks = MANY - stop.looks_left();
    let done = done.expect("nothing stopped it");
    assert_eq!(whole.len(), members.count);
    let (mut known, mut times) = (Vec::new(), 0);
    while known.len() < members.count {
        let (more, part) = computed(&known, Arc::new(Stop::at_look(looks / 3)));
        assert!(
            more.len() > known.len(),
            "a third of the work ends no member"
        );
        for member in part.iter().flat_map(|part| {
            let ended = |i: &usize| part.endings[*i] != Some(Ending::Interrupted);
            (0..part.count).filter(ended)
        }) {
            assert!(more.iter().any(|end| end.member == member));
        }
        (known, times) = (more, times + 1);
    }
    assert!(times > 1, "a third of the work is not all of it");
    for end in &known {
        assert_eq!(end.y, done.state(end.member));
        assert_eq!(Some(end.ending), done.endings[end.member]);
    }
}
