//! The objects of the papers' recipes: displayed functions by their gradients, tables by what they
//! are the derivatives of, spaces by their equations. Where a paper prints a result, that result.

use crate::common::forms::form;
use crate::common::{close, gallery_model, model, prepare};
use appell::{Prepared, gallery, read};
use appell_expr::Matrix;
use appell_flow::Interpreter;
use appell_mech::{Equations, output};

/// A state where nothing is small; on the constraints only if the carrier sees to it.
const STATE: [f64; 24] = [
    0.7, 0.9, 0.55, 1.1, 0.8, -0.6, 1.3, 0.45, 0.95, 1.2, -0.5, 0.65, 0.75, -0.85, 1.15, 0.6, -0.7,
    1.05, 0.5, 0.85, -0.95, 1.25, 0.4, -0.55,
];
const TIME: f64 = 0.4;
/// Values for the arguments of functions.
const ARGUMENTS: [f64; 24] = [
    0.3, -1.2, 0.8, 1.7, -0.4, 0.9, -0.7, 0.2, 1.4, -0.9, 0.5, 1.1, -0.3, 0.6, 1.3, -1.1, 0.7,
    -0.8, 0.4, 1.6, -0.5, 1.0, -1.3, 0.25,
];

/// Hands the equations of this form for each gallery model to which it applies to `visit`.
fn each(id: &str, mut visit: impl for<'g> FnMut(&str, &Prepared<'g>, Equations<'g>)) {
    let mut count = 0;
    for entry in gallery::entries() {
        let (model, _) = read(entry.name, entry.text).expect("it is right");
        let p = prepare(&model);
        if let Ok(equations) = (form(id).derive)(&p.system, &p.constraints) {
            visit(entry.name, &p, equations);
            count += 1;
        }
    }
    assert!(count > 10, "{id}: {count} models");
}

/// An output at a state and values of the arguments; `None` where a step has no solution.
fn value(
    p: &Prepared<'_>,
    equations: &Equations<'_>,
    name: &str,
    state: &[f64],
    arguments: &[f64],
) -> Option<Vec<f64>> {
    value_at(p, equations, name, (TIME, state), arguments)
}

fn value_at(
    p: &Prepared<'_>,
    equations: &Equations<'_>,
    name: &str,
    (t, state): (f64, &[f64]),
    arguments: &[f64],
) -> Option<Vec<f64>> {
    let symbols = equations.arguments.iter().map(|a| a.symbol);
    let inputs: Vec<_> = equations.inputs().into_iter().chain(symbols).collect();
    let program = equations.sketch.program(&inputs, &[name]);
    let program = program.unwrap_or_else(|why| panic!("{name}: {why}"));
    let constants = [&p.parameters[..], &arguments[..equations.arguments.len()]].concat();
    let field = Interpreter::new(program, &constants);
    field.results(t, &state[..equations.state.len()]).ok()
}

/// `x y`, `inner` columns in `x`.
fn product(x: &[f64], inner: usize, y: &[f64]) -> Vec<f64> {
    let columns = y.len() / inner;
    let entry = |row: &[f64], j| (0..inner).map(|i| row[i] * y[i * columns + j]).sum();
    x.chunks(inner)
        .flat_map(|row| (0..columns).map(move |j| entry(row, j)))
        .collect()
}

/// The derivatives of an output by the arguments become an output.
fn differentiate(equations: &mut Equations<'_>, name: &str) {
    let symbols: Vec<_> = equations.arguments.iter().map(|a| a.symbol).collect();
    let function = equations.sketch.get(name).expect("it is there").clone();
    let graph = equations.sketch.graph();
    let jacobian = Matrix::jacobian(graph, function.entries(), &symbols);
    equations.sketch.output("gradient", jacobian);
}

/// `dS/dz' = Psi^T A` at the actual rates, and nowhere else.
#[test]
fn appells_function_gives_the_motion() {
    let mut checked = 0;
    each("gibbs-appell", |name, p, mut equations| {
        differentiate(&mut equations, output::APPELL);
        let n = p.system.n();
        let get = |what: &str, arguments: &[f64]| value(p, &equations, what, &STATE, arguments);
        let Some(rates) = get(output::STATE_RATE, &ARGUMENTS) else {
            return;
        };
        let Some(force) = get(output::FIBRE_FORCE, &ARGUMENTS) else {
            return;
        };
        let slope = get("gradient", &rates[n..]).expect("what it is made of has values");
        close(name, &slope, &force, 1e-9);
        let elsewhere = get("gradient", &ARGUMENTS).expect("as before");
        let same = |(x, y): (&f64, &f64)| (x - y).abs() < 1e-6;
        assert!(
            !elsewhere.iter().zip(&force).all(same) || force.is_empty(),
            "{name}"
        );
        checked += 1;
    });
    assert!(checked > 20, "{checked} models");
}

/// The sleigh as a rigid body: `S = m/2 a_G^2 + I/2 omega'^2` with
/// `a_G = (v' - a omega^2, v omega + a omega')` along and across the blade. What does not depend on
/// `z'` is free.
#[test]
fn appells_function_of_the_sleigh_is_that_of_a_rigid_body() {
    let model = gallery_model("chaplygin-sleigh");
    let p = prepare(&model);
    let derived = (form("gibbs-appell").derive)(&p.system, &p.constraints);
    let equations = derived.expect("it applies");
    let (m, inertia, a) = (1.2, 0.4, 0.5);
    let (v, omega) = (0.8, -0.6);
    let state = [0.2, 0.4, 1.1, v, omega];
    let rigid = |rate: &[f64]| {
        let along = rate[0] - a * omega * omega;
        let across = v * omega + a * rate[1];
        m / 2.0 * (along * along + across * across) + inertia / 2.0 * rate[1] * rate[1]
    };
    let function = |rate: &[f64]| {
        let found = value(&p, &equations, output::APPELL, &state, rate);
        found.expect("it has a value")[0]
    };
    for rate in [[0.3, -1.2], [1.9, 0.4], [-0.5, 2.1]] {
        let got = function(&rate) - function(&[0.0, 0.0]);
        let expected = rigid(&rate) - rigid(&[0.0, 0.0]);
        close("S", &[got], &[expected], 1e-13);
    }
}

/// `P^T dG/dq'' = 0` at the actual acceleration; there `G` is what is shown as its value.
#[test]
fn gauss_function_is_stationary_at_the_motion() {
    each("gauss", |name, p, mut equations| {
        differentiate(&mut equations, output::GAUSS_FUNCTION);
        let n = p.system.n();
        let get = |what: &str, arguments: &[f64]| value(p, &equations, what, &STATE, arguments);
        let Some(accel) = get(output::ACCEL, &ARGUMENTS) else {
            return;
        };
        let slope = get("gradient", &accel).expect("it has a value");
        let virtual_ = get(output::VIRTUAL, &ARGUMENTS).expect("it has a value");
        let along = product(&slope, n, &virtual_);
        close(name, &along, &vec![0.0; n], 1e-8);
        let least = get(output::GAUSS, &ARGUMENTS).expect("it has a value");
        let there = get(output::GAUSS_FUNCTION, &accel).expect("it has a value");
        close(name, &there, &least, 1e-9);
        let elsewhere = get("gradient", &ARGUMENTS).expect("it has a value");
        assert!(elsewhere.iter().any(|x| x.abs() > 1e-3), "{name}");
    });
}

/// `A` times the columns vanishes: frames and projectors of virtual displacements.
#[test]
fn virtual_displacements_lie_in_the_kernel() {
    for (id, columns) in [
        ("gibbs-appell", output::PSI),
        ("gauss", output::VIRTUAL),
        ("maggi", output::VIRTUAL),
        ("boltzmann-hamel", output::VIRTUAL),
    ] {
        let mut checked = 0;
        each(id, |name, p, mut equations| {
            let rows = p.constraints.a.clone();
            let shown = equations.sketch.get(columns).expect("it is there").clone();
            let held = &rows * &shown;
            equations.sketch.output("product", held.clone());
            let found = value(p, &equations, "product", &STATE, &ARGUMENTS);
            if let Some(found) = found {
                close(
                    &format!("{name} by {id}"),
                    &found,
                    &vec![0.0; found.len()],
                    1e-9,
                );
                checked += 1;
            }
        });
        assert!(checked > 8, "{id}: {checked} models");
    }
}

/// The rows of `A delta q` vanish for velocities' virtual parts: they are `A` times the arguments.
#[test]
fn the_rows_of_virtual_displacements_are_those_of_a() {
    each("multipliers", |name, p, mut equations| {
        if !p.constraints.ideal {
            assert!(
                equations.sketch.get(output::VIRTUAL_ROWS).is_none(),
                "{name}"
            );
            return;
        }
        equations.sketch.output("a", p.constraints.a.clone());
        let get = |what: &str| value(p, &equations, what, &STATE, &ARGUMENTS).expect("a value");
        let n = p.system.n();
        let expected = product(&get("a"), n, &ARGUMENTS[..n]);
        close(name, &get(output::VIRTUAL_ROWS), &expected, 1e-12);
    });
}

/// `D^i` of remark 8.1 is the whole right side of `q'' = D`.
#[test]
fn the_vector_d_is_the_acceleration() {
    let mut checked = 0;
    each("projector", |name, p, equations| {
        let get = |what: &str| value(p, &equations, what, &STATE, &ARGUMENTS);
        // Off the constraints, redundant rows may contradict each other.
        let [Some(d), Some(accel)] = [output::DYNAMICS, output::ACCEL].map(get) else {
            return;
        };
        close(name, &d, &accel, 1e-9);
        let k = p.constraints.k();
        if equations
            .sketch
            .get(output::COVECTOR_GRAM_INVERSE)
            .is_some()
            && k > 0
        {
            let [Some(gram), Some(inverse)] =
                [output::COVECTOR_GRAM, output::COVECTOR_GRAM_INVERSE].map(get)
            else {
                return;
            };
            let unit: Vec<f64> = (0..k * k)
                .map(|i| f64::from(u8::from(i % (k + 1) == 0)))
                .collect();
            close(name, &product(&gram, k, &inverse), &unit, 1e-9);
            // C_a^i = G_ab C^bi.
            if p.constraints.ideal {
                let dual = get(output::COVECTOR_DUAL).expect("a value");
                let raised = get(output::RAISED_COVECTORS).expect("it is there as well");
                close(name, &product(&raised, k, &inverse), &dual, 1e-9);
            }
        }
        checked += 1;
    });
    assert!(checked > 20, "{checked} models");
}

/// Benenti 2007, 9.4 (ii): `D^1 .. D^4` as printed, on an inclined plane.
#[test]
fn the_vector_d_of_parallel_velocities_is_as_printed() {
    let model = gallery_model("parallel-velocities");
    let p = prepare(&model);
    let derived = (form("projector").derive)(&p.system, &p.constraints);
    let equations = derived.expect("it applies");
    let (m1, m2, g) = (1.4, 0.7, 2.0);
    let [x1, y1, x2, y2] = [0.8, -0.6, 1.3, 0.45];
    let state = [0.1, 0.2, 0.3, 0.4, x1, y1, x2, y2];
    let twice = m1 * (x1 * x1 + y1 * y1) + m2 * (x2 * x2 + y2 * y2);
    let printed = [
        g * (m1 * (x1 * x1 + y1 * y1) + m2 * (x2 * x2 + y1 * y2)) / twice,
        g * m2 * x2 * (y2 - y1) / twice,
        g * (m2 * (x2 * x2 + y2 * y2) + m1 * (x1 * x1 + y1 * y2)) / twice,
        g * m1 * x1 * (y1 - y2) / twice,
    ];
    let d = value(&p, &equations, output::DYNAMICS, &state, &ARGUMENTS);
    close("D", &d.expect("a value"), &printed, 1e-13);
}

/// `H` is the energy, `C^a` the residual of the rows, `G^ab lambda_b = L^a`, dim C by the rank of `A`.
#[test]
fn hamiltons_objects_belong_together() {
    each("hamilton", |name, p, equations| {
        let get = |what: &str| value(p, &equations, what, &STATE, &ARGUMENTS);
        let energy = get(output::ENERGY).expect("a value");
        close(
            name,
            &get(output::HAMILTONIAN).expect("a value"),
            &energy,
            1e-12,
        );
        let rows: Vec<_> = p.constraints.active().collect();
        let k = rows.len();
        if rows
            .iter()
            .all(|row| row.phi.is_some() && row.position.is_none())
        {
            let residual = get(output::RESIDUAL).expect("a value");
            if k == p.constraints.rows.len() {
                close(
                    name,
                    &get(output::INVARIANT).expect("a value"),
                    &residual,
                    1e-12,
                );
            }
        }
        let n = p.system.n();
        let l = p
            .constraints
            .chart
            .as_ref()
            .map_or(k, |chart| chart.rows.len());
        let dimension = |what| get(what).expect("a number")[0];
        assert_eq!(dimension(output::DIM_D), 2.0 * n as f64, "{name}");
        assert_eq!(dimension(output::DIM_C), (2 * n - l) as f64, "{name}");
        let [Some(lambda), Some(gram), Some(bracket)] =
            [output::LAMBDA, output::PHASE_GRAM, output::BRACKET].map(get)
        else {
            return;
        };
        if k > 0 && lambda.len() == k {
            close(name, &product(&gram, k, &lambda), &bracket, 1e-9);
        }
    });
}

/// Kane's tables are the derivatives of velocities and accelerations, and these those of positions.
#[test]
fn kanes_tables_are_coefficients() {
    let mut checked = 0;
    each("kane", |name, p, mut equations| {
        let (system, graph) = (&p.system, p.system.graph);
        let bodies = &system.model.bodies;
        // Without freedoms there is no column to look at.
        if bodies.is_empty() || equations.arguments.is_empty() {
            return;
        }
        let inspected = bodies.iter().flat_map(|b| {
            let positions = b.position.map(|x| system.total_rate(graph.ex(x)));
            let omega = b.rotation.as_ref().map(|r| r.omega.map(|x| graph.ex(x)));
            [Some(positions), omega].into_iter().flatten().flatten()
        });
        let velocities = Matrix::column(graph, inspected.collect());
        let accelerations = velocities.map(|x| system.total_rate(x));
        equations.sketch.output("v", velocities);
        equations.sketch.output("a", accelerations);
        let p_count = equations.arguments.len() / 2;
        let n = system.n();
        let get = |what: &str, arguments: &[f64]| value(p, &equations, what, &STATE, arguments);
        // On the constraints, where the embedded rows hold for v as they do for u.
        let Some(initial) = appell::check(p, None).0.initial else {
            return;
        };
        let place = (initial.start.t, [initial.start.q, initial.start.v].concat());
        let there = |what: &str, arguments: &[f64]| {
            let found = value_at(p, &equations, what, (place.0, &place.1), arguments);
            found.unwrap_or_else(|| panic!("{name}: {what}"))
        };
        let [state, rates] =
            [output::STATE, output::STATE_RATE].map(|w| there(w, &ARGUMENTS)[n..].to_vec());
        assert_eq!(state.len() + rates.len(), 2 * p_count, "{name}");
        let actual = [state, rates].concat();
        for (shown, truth) in [(output::VELOCITIES, "v"), (output::ACCELERATIONS, "a")] {
            close(
                &format!("{name}: {truth}"),
                &there(shown, &actual),
                &there(truth, &actual),
                1e-9,
            );
        }
        let difference = |what: &str, place: usize| {
            let mut moved = ARGUMENTS;
            moved[place] += 1.0;
            let [Some(before), Some(after)] = [ARGUMENTS, moved].map(|x| get(what, &x)) else {
                panic!("{name}: {what}")
            };
            let pairs = before.iter().zip(&after);
            pairs.map(|(x, y)| y - x).collect::<Vec<f64>>()
        };
        let table = get(output::PARTIAL_VELOCITIES, &ARGUMENTS).expect("a value");
        for r in 0..p_count {
            let column: Vec<f64> = table.chunks(p_count).map(|row| row[r]).collect();
            close(name, &difference(output::VELOCITIES, r), &column, 1e-10);
            // At these velocities q'' is moved by u' as q' is by u.
            close(
                name,
                &difference(output::ACCELERATIONS, p_count + r),
                &column,
                1e-10,
            );
        }
        let complement = get(output::COMPLEMENT, &ARGUMENTS).expect("a value");
        let partial = get(output::PARTIAL_ACCELERATIONS, &ARGUMENTS).expect("a value");
        close(
            name,
            &product(&table, p_count, &complement),
            &partial,
            1e-10,
        );
        checked += 1;
    });
    assert!(checked > 8, "{checked} models");
}

/// `alpha` solves the rows, `A [1; S] = 0`, and `T*` is `T` there.
#[test]
fn voronecs_objects_belong_together() {
    let (mut explicit, mut slopes) = (0, 0);
    each("voronec", |name, p, mut equations| {
        let chart = p.constraints.chart.clone().expect("the form needs it");
        let (n, m) = (p.system.n(), chart.independent.len());
        equations.sketch.output("a", p.constraints.a.clone());
        let kinetic = p.system.model.kinetic.map(|t| p.system.graph.ex(t));
        if let Some(kinetic) = kinetic {
            equations.sketch.output_list("T", &[kinetic]);
        }
        let mut state = STATE;
        if let Some(alpha) = explicit_alpha(p, &equations) {
            for (place, alpha) in chart.dependent.iter().zip(&alpha) {
                state[n + place] = *alpha;
            }
            explicit += 1;
        }
        let get = |what: &str| value(p, &equations, what, &state, &[]);
        let [Some(a), Some(slope)] = ["a", output::ALPHA_SLOPE].map(get) else {
            return;
        };
        for row in chart.rows.iter().map(|row| &a[row * n..(row + 1) * n]) {
            for r in 0..m {
                let carried = chart.dependent.iter().enumerate();
                let carried = carried.map(|(nu, i)| row[*i] * slope[nu * m + r]);
                let sum: f64 = carried.sum::<f64>() + row[chart.independent[r]];
                close(name, &[sum], &[0.0], 1e-9);
            }
        }
        slopes += 1;
        if equations.sketch.get(output::KINETIC_STAR).is_some() {
            let [Some(star), Some(kinetic)] = [output::KINETIC_STAR, "T"].map(get) else {
                return;
            };
            close(name, &star, &kinetic, 1e-10);
        }
    });
    assert!(
        explicit > 5 && slopes > 10,
        "{explicit} alphas, {slopes} slopes"
    );
}

/// On cones `alphabar = alpha`, which the display of `E* = E` rests on.
#[test]
fn cones_have_one_energy() {
    let (mut cones, mut others) = (0, 0);
    for entry in gallery::entries() {
        let (model, _) = read(entry.name, entry.text).expect("it is right");
        let p = prepare(&model);
        let Ok(equations) = (form("multipliers").derive)(&p.system, &p.constraints) else {
            continue;
        };
        let Some(initial) = appell::check(&p, None).0.initial else {
            continue;
        };
        let (q, v) = (initial.start.q, initial.start.v);
        if equations.sketch.get(output::ENERGY_STAR).is_none() {
            continue;
        }
        let (t, state) = (initial.start.t, [q, v].concat());
        let gap = output::ALPHABAR_MINUS_ALPHA;
        let gap = value_at(&p, &equations, gap, (t, &state), &ARGUMENTS);
        let Some(gap) = gap else { continue };
        let apart = gap.iter().any(|x| x.abs() > 1e-9);
        if p.constraints.are_cones(&p.system) {
            assert!(!apart, "{}: {gap:?}", entry.name);
            cones += 1;
        } else if apart {
            others += 1;
        }
    }
    assert!(cones > 10 && others > 3, "{cones} cones, {others} others");
}

/// A row of degree 2 in the velocities, with an even one of degree 0, is no cone.
#[test]
fn a_cylinder_is_no_cone() {
    let text = |row: &str| {
        format!(
            "coordinates = [\"x\", \"y\"]\n[energy]\nkinetic = \"1/2*(x'^2 + y'^2)\"\n\
             [constraints]\nrow = \"{row}\"\n"
        )
    };
    for (row, is) in [
        ("x'^2 + y'^2 - 4 = 0", false),
        ("x'^2 - 4*y'^2 = 0", true),
        ("x' - 3 = 0", false),
        ("x'^3 = y*y'^3", true),
        ("x'*y'^2 + y' = 0", false),
    ] {
        let model = model(&text(row));
        let p = prepare(&model);
        assert_eq!(p.constraints.are_cones(&p.system), is, "{row}");
    }
}

/// `alpha` where it is an expression, at the independent velocities of [`STATE`].
fn explicit_alpha(p: &Prepared<'_>, equations: &Equations<'_>) -> Option<Vec<f64>> {
    equations.sketch.get(output::ALPHA)?;
    value(p, equations, output::ALPHA, &STATE, &[])
}

/// The skate of Benenti 2007, 9.1: `A_1 = -m g sin(alpha)` is active, so that
/// `S = m/2 (z1'^2 + z1^2 z2^2) + I/2 z2'^2` and `A_alpha = (A_1 cos(theta), 0)`.
#[test]
fn active_forces_are_not_in_appells_function() {
    let model = gallery_model("skate");
    let p = prepare(&model);
    let derived = (form("gibbs-appell").derive)(&p.system, &p.constraints);
    let equations = derived.expect("it applies");
    let (m, inertia, g, alpha) = (1.0, 0.2, 9.81, 0.3_f64);
    let [theta, z1, z2]: [f64; 3] = [1.1, 0.8, -0.6];
    let state = [0.2, 0.4, theta, z1, z2];
    let [r1, r2] = [0.3, -1.2];
    let get = |what| value(&p, &equations, what, &state, &[r1, r2]).expect("a value");
    let expected = m / 2.0 * (r1 * r1 + z1 * z1 * z2 * z2) + inertia / 2.0 * r2 * r2;
    close("S", &get(output::APPELL), &[expected], 1e-14);
    let active = [-m * g * alpha.sin() * theta.cos(), 0.0];
    close("A", &get(output::FIBRE_FORCE), &active, 1e-14);
}

/// A particle seen from a frame that swings: `v^P = (x' + 2 cos(2 t), y')`,
/// `a^P = (x'' - 4 sin(2 t), y'')`.
#[test]
fn kanes_velocities_contain_the_moving_frame() {
    let text = "coordinates = [\"x\", \"y\"]\n[particles]\n\
        P = { mass = \"2\", position = \"[x + sin(2*t), y, 0]\" }\n\
        [constraints]\nrow = \"x'*y' = 1\"\n";
    let model = model(text);
    let p = prepare(&model);
    let derived = (form("kane").derive)(&p.system, &p.constraints);
    let equations = derived.expect("it applies");
    let get = |what| value(&p, &equations, what, &STATE, &ARGUMENTS).expect("a value");
    let [u1, u2, r1, r2] = [ARGUMENTS[0], ARGUMENTS[1], ARGUMENTS[2], ARGUMENTS[3]];
    let swing = 2.0 * TIME;
    let velocity = [u1 + 2.0 * swing.cos(), u2, 0.0];
    close("v", &get(output::VELOCITIES), &velocity, 1e-14);
    let accel = [r1 - 4.0 * swing.sin(), r2, 0.0];
    close("a", &get(output::ACCELERATIONS), &accel, 1e-14);
}
