//! The test of the tests: slips that are easily made in a derivation, each made on purpose in the
//! shipped program and caught by the proof.

use crate::common::forms::form;
use crate::common::reference::cases;
use crate::common::{model, of_gallery, prepare};
use appell::prove::{Verdict, prove_with};
use appell::{Equations, FORMALISMS, Formalism, Prepared, Unavailable, read};
use appell_expr::{Ex, Graph, Id, Matrix, Sketch, Solve, SolveKind, Step};
use appell_mech::{Constraints, System, output};

type Derived<'g> = Result<Equations<'g>, Unavailable>;

/// A formalism of the table but for what is done to it.
const fn variant(
    id: &'static str,
    derive: for<'g> fn(&System<'g>, &Constraints<'g>) -> Derived<'g>,
) -> Formalism {
    Formalism {
        recipe: &[],
        id,
        title: "a variant",
        statement: "",
        latex: "",
        sources: &[],
        derive,
    }
}

fn derived<'g>(id: &str, system: &System<'g>, constraints: &Constraints<'g>) -> Derived<'g> {
    (form(id).derive)(system, constraints)
}

/// Entries row by row as a matrix.
fn table<'g>(graph: &'g Graph, entries: &[Id], columns: usize) -> Matrix<'g> {
    let rows = entries.len() / columns;
    Matrix::from_fn(graph, rows, columns, |i, j| {
        graph.ex(entries[i * columns + j])
    })
}

fn ids(m: &Matrix<'_>) -> Vec<Id> {
    m.entries().iter().map(|x| x.id()).collect()
}

/// The program with symbols replaced, linear systems changed, and without one of its results.
fn rewritten<'g>(
    old: &Sketch<'g>,
    by: &[(Ex<'g>, Ex<'g>)],
    change: impl Fn(&mut Solve),
    dropped: &str,
) -> Sketch<'g> {
    let graph = old.graph();
    let mut new = Sketch::new(graph);
    for step in old.steps() {
        match step {
            Step::Let(symbol, value) => {
                new.bind(graph.ex(*symbol), graph.ex(*value).substitute(by));
            }
            Step::Solve(solve) => {
                let mut solve = solve.clone();
                change(&mut solve);
                let unknowns = table(graph, &solve.unknowns, solve.columns);
                let matrix = table(graph, &solve.matrix, solve.size).substitute(by);
                let right = table(graph, &solve.right, solve.columns).substitute(by);
                new.solve_for(solve.kind, &solve.name, &unknowns, &matrix, &right);
            }
        }
    }
    for (name, value) in old.outputs().iter().filter(|(name, _)| name != dropped) {
        new.output(name, value.substitute(by));
    }
    new
}

/// The equations with the linear systems of this name changed; there must be one.
fn with_system<'g>(
    mut equations: Equations<'g>,
    name: &str,
    change: impl Fn(&mut Solve),
) -> Equations<'g> {
    let is_meant = |step: &Step| matches!(step, Step::Solve(solve) if solve.name == name);
    let steps = equations.sketch.steps();
    assert!(
        steps.iter().any(is_meant),
        "no linear system is called {name}"
    );
    let change = |solve: &mut Solve| {
        if solve.name == name {
            change(solve);
        }
    };
    equations.sketch = rewritten(&equations.sketch, &[], change, "");
    equations
}

/// The equations of motion with something added to their right side.
fn with_force<'g>(equations: Equations<'g>, force: &Matrix<'g>) -> Equations<'g> {
    let graph = equations.sketch.graph();
    with_system(equations, "the equations of motion", |solve| {
        solve.right = ids(&(&table(graph, &solve.right, 1) + force));
    })
}

fn of_reference<T>(name: &str, work: impl FnOnce(&Prepared<'_>) -> T) -> T {
    let case = cases().into_iter().find(|case| case.name == name);
    let case = case.expect("in the folder");
    let (model, _) = read(name, &case.model_text()).expect("the cases are right");
    work(&prepare(&model))
}

/// The verdict is a refutation by a state where the values differ by more than rounding.
#[track_caller]
fn assert_refuted(what: &str, verdict: &Verdict) {
    let Verdict::Refuted {
        witness: Some(witness),
        ..
    } = verdict
    else {
        panic!("{what}: {verdict:?}");
    };
    let [x, y] = witness.values.each_ref().map(|text| {
        let value: f64 = text.parse().expect("a number");
        value
    });
    let size = x.abs().max(y.abs()).max(1.0);
    assert!((x - y).abs() > 1e-6 * size, "{what}: {witness:?}");
}

/// The right program is proved equal to the multipliers, the mutant refuted.
#[track_caller]
fn caught(p: &Prepared<'_>, right: &'static Formalism, mutant: &'static Formalism) {
    let proof = prove_with(p, &[form("multipliers"), right, mutant]);
    let [of_right, of_mutant] = &proof.equivalence[..] else {
        panic!("{:?}", proof.unavailable);
    };
    assert!(of_right.verdict.is_proved(), "{}: {of_right:?}", right.id);
    assert_refuted(mutant.id, &of_mutant.verdict);
}

/// A formalism of the table, written anew by [`rewritten`] with nothing changed.
fn unchanged<'g, const FORM: usize>(
    system: &System<'g>,
    constraints: &Constraints<'g>,
) -> Derived<'g> {
    let mut equations = (FORMALISMS[FORM].derive)(system, constraints)?;
    equations.sketch = rewritten(&equations.sketch, &[], |_| (), "");
    Ok(equations)
}

/// It is the slip that is caught, not the rewriting.
#[test]
fn a_program_rewritten_without_change_is_proved() {
    static SAME: [Formalism; 6] = [
        variant("projector", unchanged::<1>),
        variant("gibbs-appell", unchanged::<2>),
        variant("hamilton", unchanged::<5>),
        variant("boltzmann-hamel", unchanged::<7>),
        variant("voronec", unchanged::<8>),
        variant("kane", unchanged::<10>),
    ];
    let first = [form("multipliers")];
    let all: Vec<&Formalism> = first.into_iter().chain(&SAME).collect();
    for name in ["chaplygin-sleigh", "steered-blade"] {
        let proof = of_gallery(name, |p| prove_with(p, &all));
        assert_eq!(
            proof.equivalence.len(),
            SAME.len(),
            "{:?}",
            proof.unavailable
        );
        for (pair, same) in proof.equivalence.iter().zip(&SAME) {
            assert_eq!(pair.b, same.id);
            assert!(pair.verdict.is_proved(), "{name}: {pair:?}");
        }
    }
}

/// `(Psi^T M Psi) z' = Psi^T (r - M psi_t)`: without `psi_q psi`.
fn without_curvature<'g>(system: &System<'g>, constraints: &Constraints<'g>) -> Derived<'g> {
    let parametric = constraints.parametric.as_ref().expect("given by psi");
    let by_q = Matrix::jacobian(system.graph, parametric.psi.entries(), &system.q);
    let lost = &system.mass * &(&by_q * &system.velocity());
    let equations = derived("gibbs-appell", system, constraints)?;
    Ok(with_force(
        equations,
        &(&parametric.partial.transpose() * &lost),
    ))
}

#[test]
fn a_dropped_psi_q_psi() {
    static MUTANT: Formalism = variant("without psi_q psi", without_curvature);
    for name in ["pars", "chaplygin-sleigh", "hyperbolic-geodesic"] {
        of_gallery(name, |p| caught(p, form("gibbs-appell"), &MUTANT));
    }
}

/// Voronec's equations with another sign for terms of `B_r = alpha_{v_r}' - alpha_{q_r} - alpha_{v_r} alpha_{q_d}`:
/// the bits of `TERMS` say which. One row, solved for one velocity.
fn voronec_with_signs<'g, const TERMS: u8>(
    system: &System<'g>,
    constraints: &Constraints<'g>,
) -> Derived<'g> {
    let chart = constraints.chart.as_ref().expect("a chart");
    let ([d], Some(phi)) = (&chart.dependent[..], constraints.rows[0].phi) else {
        panic!("one row on velocities");
    };
    let (q_d, v_d, zero) = (system.q[*d], system.v[*d], system.graph.zero());
    let alpha = -phi.substitute(&[(v_d, zero)]) / phi.diff(v_d);
    let wrong = chart.independent.iter().map(|i| {
        let slope = alpha.diff(system.v[*i]);
        let terms = [
            system.drift(slope),
            -alpha.diff(system.q[*i]),
            -slope * alpha.diff(q_d),
        ];
        let chosen = (0..3).filter(|term| TERMS >> term & 1 == 1);
        let b = chosen.fold(zero, |sum, term| sum + terms[term]);
        -(b * system.momentum[(*d, 0)] * system.graph.int(2))
    });
    let wrong = Matrix::column(system.graph, wrong.collect());
    Ok(with_force(derived("voronec", system, constraints)?, &wrong))
}

/// A row with all three terms of `B_r^nu`, in a rheonomic and nonlinear setting.
const BENT: &str = r#"
coordinates = ["x", "y", "z"]
[parameters]
m = 1.5
[energy]
kinetic = "m/2*(x'^2 + y'^2 + z'^2)"
[constraints]
bent = "z' = z*y*x' + t*x*y'^2"
[motion]
independent = ["x'", "y'"]
[initial]
state = ["x = 1", "y = 0.5", "z = 0.3", "x' = 1", "y' = 0.4"]
"#;

#[test]
fn a_wrong_sign_in_b_of_voronec() {
    static RATE: Formalism = variant("sign of alpha_v'", voronec_with_signs::<1>);
    static OWN: Formalism = variant("sign of alpha_q", voronec_with_signs::<2>);
    static ACROSS: Formalism = variant("sign of alpha_v alpha_q_d", voronec_with_signs::<4>);
    static ALL: Formalism = variant("sign of B", voronec_with_signs::<7>);
    let model = model(BENT);
    let p = prepare(&model);
    for mutant in [&RATE, &OWN, &ACROSS, &ALL] {
        caught(&p, form("voronec"), mutant);
    }
}

/// The contravariant reaction `R^i`, `M R^i = R_i`, under the name of the covariant one.
fn contravariant<'g>(system: &System<'g>, constraints: &Constraints<'g>) -> Derived<'g> {
    let mut equations = derived("projector", system, constraints)?;
    let old = &equations.sketch;
    let covariant = old.get(output::REACTION).expect("an output").clone();
    let mut sketch = rewritten(old, &[], |_| (), output::REACTION);
    let raised = sketch.solve(SolveKind::General, "R_up", &system.mass, &covariant);
    sketch.output(output::REACTION, raised);
    equations.sketch = sketch;
    Ok(equations)
}

#[test]
fn a_contravariant_reaction() {
    static MUTANT: Formalism = variant("R^i", contravariant);
    for name in ["chaplygin-sleigh", "hyperbolic-geodesic"] {
        of_gallery(name, |p| caught(p, form("projector"), &MUTANT));
    }
}

fn with_transposed_h_pq<'g>(system: &System<'g>, constraints: &Constraints<'g>) -> Derived<'g> {
    let graph = system.graph;
    let equations = derived("hamilton", system, constraints)?;
    Ok(with_system(equations, "H_pq", |solve| {
        solve.unknowns = ids(&table(graph, &solve.unknowns, solve.columns).transpose());
    }))
}

#[test]
fn a_transposed_h_pq() {
    static MUTANT: Formalism = variant("H_qp", with_transposed_h_pq);
    for name in ["chaplygin-sleigh", "hyperbolic-geodesic"] {
        of_gallery(name, |p| caught(p, form("hamilton"), &MUTANT));
    }
    of_reference("metric4-two-linear", |p| {
        caught(p, form("hamilton"), &MUTANT);
    });
}

/// A formalism of the table for constraints in which the time is a symbol of its own: `phi_t` and
/// `psi_t` are lost, nothing else.
fn frozen_in_time<'g, const FORM: usize>(
    system: &System<'g>,
    constraints: &Constraints<'g>,
) -> Derived<'g> {
    let frozen = system.graph.symbol("frozen time");
    let by = [(system.t, frozen)];
    let mut still = constraints.clone();
    for row in &mut still.rows {
        row.position = row.position.map(|f| f.substitute(&by));
        row.phi = row.phi.map(|phi| phi.substitute(&by));
        row.a.iter_mut().for_each(|a| *a = a.substitute(&by));
        row.b = row.phi.map_or(row.b, |phi| system.drift(phi));
    }
    let active = still.active();
    still.b = Matrix::column(system.graph, active.map(|row| row.b).collect());
    still.a = still.a.substitute(&by);
    still.w = still.w.substitute(&by);
    if let Some(parametric) = &mut still.parametric {
        parametric.psi = parametric.psi.substitute(&by);
        parametric.partial = parametric.partial.substitute(&by);
    }
    let mut equations = (FORMALISMS[FORM].derive)(system, &still)?;
    let back = [(frozen, system.t)];
    equations.sketch = rewritten(&equations.sketch, &back, |_| (), "");
    Ok(equations)
}

#[test]
fn a_lost_phi_t() {
    static MUTANTS: [Formalism; 11] = [
        variant("multipliers at rest", frozen_in_time::<0>),
        variant("projector at rest", frozen_in_time::<1>),
        variant("gibbs-appell at rest", frozen_in_time::<2>),
        variant("gauss at rest", frozen_in_time::<3>),
        variant("udwadia-kalaba at rest", frozen_in_time::<4>),
        variant("hamilton at rest", frozen_in_time::<5>),
        variant("maggi at rest", frozen_in_time::<6>),
        variant("boltzmann-hamel at rest", frozen_in_time::<7>),
        variant("voronec at rest", frozen_in_time::<8>),
        variant("chaplygin at rest", frozen_in_time::<9>),
        variant("kane at rest", frozen_in_time::<10>),
    ];
    // Every form but the connection, which has no time to lose.
    assert_eq!(MUTANTS.len(), FORMALISMS.len() - 1);
    let all_caught = |p: &Prepared<'_>, count: usize| {
        let right = prove_with(p, FORMALISMS);
        assert!(
            right
                .equivalence
                .iter()
                .all(|pair| pair.verdict.is_proved())
        );
        let first = [form("multipliers")];
        let all: Vec<&Formalism> = first.into_iter().chain(&MUTANTS).collect();
        let proof = prove_with(p, &all);
        let caught = proof.equivalence.len();
        assert_eq!(caught, count, "{:?}", proof.unavailable);
        for pair in &proof.equivalence {
            assert_refuted(pair.b, &pair.verdict);
        }
    };
    of_gallery("steered-blade", |p| all_caught(p, 10));
    of_reference("speed-program-rheonomic", |p| all_caught(p, 8));
    of_reference("generic-rheonomic-n4-k2", |p| all_caught(p, 8));
}

/// The Boltzmann-Hamel equations without `c^s_0r`.
fn without_moving_frame<'g>(system: &System<'g>, constraints: &Constraints<'g>) -> Derived<'g> {
    let mut equations = derived("boltzmann-hamel", system, constraints)?;
    let structure = equations.sketch.get(output::STRUCTURE).expect("an output");
    let moving = structure.select_columns(&(0..system.n()).collect::<Vec<_>>());
    let zero = system.graph.zero();
    let by: Vec<_> = moving.entries().iter().map(|c| (*c, zero)).collect();
    let by: Vec<_> = by.into_iter().filter(|(c, _)| !c.is_zero()).collect();
    assert!(by.iter().all(|(c, _)| c.symbol_name().is_some()));
    assert!(!by.is_empty(), "c_0 vanishes for this model");
    equations.sketch = rewritten(&equations.sketch, &by, |_| (), "");
    Ok(equations)
}

#[test]
fn a_dropped_c_0() {
    static MUTANT: Formalism = variant("without c_0", without_moving_frame);
    of_gallery("steered-blade", |p| {
        caught(p, form("boltzmann-hamel"), &MUTANT)
    });
    for name in ["disc-on-moving-belt-affine", "steered-blade-rheonomic"] {
        of_reference(name, |p| caught(p, form("boltzmann-hamel"), &MUTANT));
    }
}

fn transpose_matrix(graph: &Graph, solve: &mut Solve) {
    assert!(solve.size > 1, "one row is its own transpose");
    solve.matrix = ids(&table(graph, &solve.matrix, solve.size).transpose());
}

/// Kane's accelerations from the equations with no multipliers in evidence.
fn kane_minimal<'g>(system: &System<'g>, constraints: &Constraints<'g>) -> Derived<'g> {
    let mut equations = derived("kane", system, constraints)?;
    let minimal = equations.sketch.get(output::ACCEL_MINIMAL);
    let minimal = minimal.expect("an output").clone();
    equations.sketch = rewritten(&equations.sketch, &[], |_| (), output::ACCEL);
    equations.sketch.output(output::ACCEL, minimal);
    Ok(equations)
}

fn kane_transposed<'g>(system: &System<'g>, constraints: &Constraints<'g>) -> Derived<'g> {
    let equations = kane_minimal(system, constraints)?;
    let name = "the dependent accelerations";
    Ok(with_system(equations, name, |solve| {
        transpose_matrix(system.graph, solve);
    }))
}

/// The derivatives of an implicit `alpha`, from the transposed `phi_d`.
fn voronec_transposed<'g>(system: &System<'g>, constraints: &Constraints<'g>) -> Derived<'g> {
    let equations = derived("voronec", system, constraints)?;
    Ok(with_system(equations, "dalpha", |solve| {
        transpose_matrix(system.graph, solve);
    }))
}

/// Two nonlinear rows with both dependent velocities in each, `phi_d` not symmetric.
const COUPLED: &str = r#"
coordinates = ["x", "y", "z", "w"]
[parameters]
m = 1.5
[energy]
kinetic = "m/2*(x'^2 + y'^2 + z'^2 + 2*w'^2)"
[constraints]
first = "z' + x*w' = x'*y'"
second = "y*z' + 2*w' = x'^2"
[motion]
independent = ["x'", "y'"]
[initial]
state = ["x = 0.5", "y = 0.2", "z = 0.3", "w = 0", "x' = 1", "y' = 1.5"]
"#;

#[test]
fn a_transposed_alpha_d() {
    static MINIMAL: Formalism = variant("kane, no multipliers", kane_minimal);
    static KANE: Formalism = variant("alpha_d of kane transposed", kane_transposed);
    static VORONEC: Formalism = variant("phi_d of voronec transposed", voronec_transposed);
    let model = model(COUPLED);
    let p = prepare(&model);
    caught(&p, &MINIMAL, &KANE);
    caught(&p, form("voronec"), &VORONEC);
}

/// The equations with other values of one of their results.
fn with_result<'g>(
    mut equations: Equations<'g>,
    name: &str,
    value: impl FnOnce(&Sketch<'g>) -> Matrix<'g>,
) -> Equations<'g> {
    let value = value(&equations.sketch);
    equations.sketch = rewritten(&equations.sketch, &[], |_| (), name);
    equations.sketch.output(name, value);
    equations
}

fn result<'g>(sketch: &Sketch<'g>, name: &str) -> Matrix<'g> {
    sketch.get(name).expect("an output").clone()
}

/// Kane's partial velocities for his partial accelerations.
fn kane_undiminished<'g>(system: &System<'g>, constraints: &Constraints<'g>) -> Derived<'g> {
    let equations = derived("kane", system, constraints)?;
    Ok(with_result(
        equations,
        output::PARTIAL_ACCELERATIONS,
        |sketch| result(sketch, output::PARTIAL_VELOCITIES),
    ))
}

/// `Y N` with another sign in its first row.
fn kane_turned<'g>(system: &System<'g>, constraints: &Constraints<'g>) -> Derived<'g> {
    let equations = derived("kane", system, constraints)?;
    Ok(with_result(equations, output::ACCEL_DIRECTIONS, |sketch| {
        let m = result(sketch, output::ACCEL_DIRECTIONS);
        Matrix::from_fn(system.graph, m.rows(), m.columns(), |i, j| match i {
            0 => -m[(i, j)],
            _ => m[(i, j)],
        })
    }))
}

/// Gauss' function with `q''` for one of its `q'' - a`: `1/2 q''.M (q'' - a)`.
fn gauss_of_accelerations<'g>(system: &System<'g>, constraints: &Constraints<'g>) -> Derived<'g> {
    let equations = derived("gauss", system, constraints)?;
    Ok(with_result(equations, output::GAUSS, |sketch| {
        let accel = result(sketch, output::ACCEL);
        let value = accel.dot(&result(sketch, output::REACTION)) / 2;
        Matrix::column(system.graph, vec![value])
    }))
}

/// `dE*/dt` without `(alphabar - alpha).p_d'`.
fn star_without_rate<'g>(system: &System<'g>, constraints: &Constraints<'g>) -> Derived<'g> {
    let equations = derived("multipliers", system, constraints)?;
    let chart = constraints.chart.as_ref().expect("a chart");
    Ok(with_result(equations, output::ENERGY_STAR_RATE, |sketch| {
        let momentum = system.momentum.select_rows(&chart.dependent);
        let rate = momentum.map(|x| system.total_rate(x));
        let lost = result(sketch, output::ALPHABAR_MINUS_ALPHA).dot(&rate);
        let whole = result(sketch, output::ENERGY_STAR_RATE)[(0, 0)];
        Matrix::column(system.graph, vec![whole - lost])
    }))
}

/// `alphabar` with another sign: `-alphabar - alpha` in `E*`.
fn star_with_sign<'g>(system: &System<'g>, constraints: &Constraints<'g>) -> Derived<'g> {
    let equations = derived("multipliers", system, constraints)?;
    Ok(with_result(equations, output::ENERGY_STAR, |sketch| {
        let whole = result(sketch, output::ENERGY_STAR)[(0, 0)];
        Matrix::column(system.graph, vec![2 * system.energy - whole])
    }))
}

/// `R.v = 0`, as if constraints had no power.
fn powerless<'g>(system: &System<'g>, constraints: &Constraints<'g>) -> Derived<'g> {
    let equations = derived("multipliers", system, constraints)?;
    Ok(with_result(equations, output::REACTION_POWER, |_| {
        Matrix::zero(system.graph, 1, 1)
    }))
}

#[test]
fn slips_in_what_the_standing_identities_speak_of() {
    static UNDIMINISHED: Formalism = variant("v~ for a~", kane_undiminished);
    static TURNED: Formalism = variant("a sign in Y N", kane_turned);
    static GAUSS: Formalism = variant("G without a", gauss_of_accelerations);
    static RATE: Formalism = variant("E*' without p_d'", star_without_rate);
    static SIGN: Formalism = variant("E* with a sign", star_with_sign);
    static POWER: Formalism = variant("R.v = 0", powerless);
    for (mutant, right, identity, name) in [
        (&UNDIMINISHED, "kane", "a~ . W = 0", "perpendicular"),
        (&TURNED, "kane", "N^T alpha^T = 0", "perpendicular"),
        (&GAUSS, "gauss", "1/2 Sum m", "affine-particle"),
        (&GAUSS, "gauss", "1/2 R.M^-1 R", "coaxial-discs"),
        (
            &RATE,
            "multipliers",
            "(Sum v_r L*_{v_r} - L*)'",
            "affine-particle",
        ),
        (
            &SIGN,
            "multipliers",
            "Sum v_r L*_{v_r} - L* =",
            "affine-particle",
        ),
        (&POWER, "multipliers", "R.v = ", "affine-particle"),
    ] {
        of_gallery(name, |p| {
            for (formalism, is_right) in [(form(right), true), (mutant, false)] {
                let proof = prove_with(p, &[formalism]);
                let found = proof
                    .identities
                    .iter()
                    .find(|i| i.name.starts_with(identity));
                let found = found.unwrap_or_else(|| panic!("{name}: no {identity}"));
                if is_right {
                    assert!(found.verdict.is_proved(), "{name}: {found:?}");
                } else {
                    assert_refuted(mutant.id, &found.verdict);
                }
            }
        });
    }
}
