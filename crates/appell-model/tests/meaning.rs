//! What formulas come to mean, checked against expressions built by hand.

use appell_expr::{Ex, Id, Rational, Relation, vanishes};
use appell_model::{
    ClaimKind, Inconsistent, Level, Model, Quantity, Source, Value, Vector, read, render_all,
};

fn model(text: &str) -> Model {
    match read("m.toml", text) {
        Ok((model, warnings)) => {
            assert!(
                warnings.is_empty(),
                "{}",
                render_all(&warnings, &model.source, false)
            );
            model
        }
        Err(errors) => panic!(
            "{}",
            render_all(&errors, &Source::new("m.toml", text), false)
        ),
    }
}

/// A plane model with a particle, a moving point, and these lines.
fn plane(lines: &str) -> Model {
    model(&format!(
        "coordinates = ['x', 'y']\n[parameters]\nm = 2.5\na = 3\n[points]\nQ = '[a*cos(t), x*y, 1]'\n\
         [particles]\nP = {{ mass = 'm', position = '[x, y, 0]' }}\n{lines}"
    ))
}

fn symbol<'g>(model: &'g Model, name: &str) -> Ex<'g> {
    model.graph.symbol(name)
}

#[track_caller]
fn assert_same(model: &Model, found: Id, expected: Ex<'_>) {
    let found = model.graph.ex(found);
    assert!(
        vanishes(found - model.graph.ex(expected.id())),
        "{found} is not {expected}"
    );
}

#[track_caller]
fn assert_vector(model: &Model, found: Vector, expected: [Ex<'_>; 3]) {
    found
        .iter()
        .zip(expected)
        .for_each(|(found, expected)| assert_same(model, *found, expected));
}

/// The expression of a `constant` claim of this name.
fn constant(model: &Model, name: &str) -> Id {
    let claim = model
        .claims
        .iter()
        .find(|claim| claim.name == name)
        .expect("the claim is there");
    match &claim.kind {
        ClaimKind::Constant(id) => *id,
        other => panic!("{other:?}"),
    }
}

/// The value of `formula` in the plane model.
fn value(formula: &str) -> (Model, Id) {
    let model = plane(&format!("[claims]\nc = {{ constant = \"{formula}\" }}"));
    let id = constant(&model, "c");
    (model, id)
}

/// The vector of an `equation` claim `formula = 0` in the plane model.
fn vector(formula: &str) -> (Model, Vector) {
    let model = plane(&format!("[claims]\nc = {{ equation = \"{formula} = 0\" }}"));
    let ClaimKind::Equation(rows) = &model.claims[0].kind else {
        panic!("an equation")
    };
    let vector = [rows[0], rows[1], rows[2]];
    (model, vector)
}

#[test]
fn decimals_are_exact_and_precedence_is_that_of_the_blackboard() {
    for (formula, numerator, denominator) in [
        ("0.1 + 0.2", 3, 10),
        ("-2^2", -4, 1),
        ("2^3^2", 512, 1),
        ("2^-1", 1, 2),
        ("1 - 2 - 3", -4, 1),
        ("12/2/3", 2, 1),
        ("-3*-2", 6, 1),
        ("1e-3*2_000", 2, 1),
        ("sqrt(9/4)", 3, 2),
        ("dot([1,2,3], [4,5,6])", 32, 1),
        ("norm([2, 3, 6])", 7, 1),
        ("abs(-3) + min(1, 2)*0 + sign(-2)", 2, 1),
    ] {
        let (model, id) = value(formula);
        let expected = model.graph.number(Rational::new(numerator, denominator));
        assert_eq!(
            model.graph.ex(id).as_rational(),
            expected.as_rational(),
            "{formula}"
        );
    }
}

#[test]
fn a_prime_is_the_total_derivative() {
    let (model, id) = value("(x^2*sin(m*t))'");
    let [x, v, m, t] = ["x", "x'", "m", "t"].map(|name| symbol(&model, name));
    assert_same(
        &model,
        id,
        2 * (x * v * (m * t).sin()) + x.pow(2) * m * (m * t).cos(),
    );
    let (model, id) = value("(x*y)''");
    let [x, y, vx, vy, ax, ay] =
        ["x", "y", "x'", "y'", "x''", "y''"].map(|name| symbol(&model, name));
    assert_same(&model, id, ax * y + 2 * (vx * vy) + x * ay);
    let (model, id) = value("x'^2 - (x')^2 + t' + a' + pi'");
    assert_same(&model, id, model.graph.one());
}

#[test]
fn points_have_velocities_and_accelerations() {
    let names = ["x", "y", "x'", "y'", "x''", "y''", "a", "t"];
    let (model, v) = vector("v(Q)");
    let [x, y, vx, vy, _, _, a, t] = names.map(|name| symbol(&model, name));
    let zero = model.graph.zero();
    assert_vector(&model, v, [-(a * t.sin()), vx * y + x * vy, zero]);
    let (model, acceleration) = vector("a(Q) + pos(O) + v(O) + a(O)");
    let [x, y, vx, vy, ax, ay, a, t] = names.map(|name| symbol(&model, name));
    let zero = model.graph.zero();
    assert_vector(
        &model,
        acceleration,
        [-(a * t.cos()), ax * y + 2 * (vx * vy) + x * ay, zero],
    );
    let (model, v) = vector("v(P)");
    assert_vector(
        &model,
        v,
        [
            symbol(&model, "x'"),
            symbol(&model, "y'"),
            model.graph.zero(),
        ],
    );
}

#[test]
fn names_and_functions_are_two_spaces() {
    let (model, id) = value("a*dot(a(P), N.x)");
    assert_same(&model, id, symbol(&model, "a") * symbol(&model, "x''"));
}

#[test]
fn vectors_multiply_as_in_space() {
    let (model, product) =
        vector("cross(N.x, N.y) + cross([x, y, t], [x, y, t]) + 2*cross(N.z, [x, y, 0])/a");
    let [x, y, a] = ["x", "y", "a"].map(|name| symbol(&model, name));
    assert_vector(
        &model,
        product,
        [-2 * (y / a), 2 * (x / a), model.graph.one()],
    );
    let (model, unit) = vector("unit([x, 0, 0]) - [x, 0, 0]/norm([x, 0, 0])");
    assert_vector(&model, unit, [model.graph.zero(); 3]);
}

#[test]
fn energies_and_particles_add() {
    let model = model(
        "coordinates = ['x', 'y']\ngravity = '-g*N.y'\n[parameters]\ng = 9.81\nm = 2\nI = 3\n\
         [particles]\nP = { mass = 'm', position = '[x, x*y, 0]' }\n\
         [energy]\nkinetic = \"1/2*I*y'^2\"\npotential = 'x^2'\n",
    );
    let [x, y, vx, vy, g, m, i] =
        ["x", "y", "x'", "y'", "g", "m", "I"].map(|name| symbol(&model, name));
    let kinetic = (i * vy.pow(2) + m * (vx.pow(2) + (vx * y + x * vy).pow(2))) / 2;
    let potential = x.pow(2) + m * g * x * y;
    assert_same(&model, model.kinetic.expect("T"), kinetic);
    assert_same(&model, model.potential.expect("V"), potential);
    assert_same(&model, model.lagrangian, kinetic - potential);
}

#[test]
fn a_lagrangian_takes_the_place_of_energies() {
    let model = model(
        "coordinates = ['x']\n[particles]\nP = { mass = 2, position = '[0, x^2, 0]' }\n\
         [energy]\nlagrangian = \"x'^2/2 - x\"\n[claims]\nc = { constant = 'E' }",
    );
    let [x, v] = ["x", "x'"].map(|name| symbol(&model, name));
    assert!(model.kinetic.is_none() && model.potential.is_none());
    assert_same(
        &model,
        model.lagrangian,
        v.pow(2) / 2 - x + (2 * (x * v)).pow(2),
    );
}

#[test]
fn definitions_stand_in_any_order_and_follow_what_they_name() {
    let model = plane(
        "[define]\nlate = 'norm(cross(early, N.z))'\nearly = 'pos(P) - pos(Q)'\nfast = \"late'\"\nhot = 'T + m'\n\
         [claims]\nc = { constant = \"fast - late'\" }\nd = { constant = 'hot' }",
    );
    assert_same(&model, constant(&model, "c"), model.graph.zero());
    let [vx, vy, m] = ["x'", "y'", "m"].map(|name| symbol(&model, name));
    assert_same(
        &model,
        constant(&model, "d"),
        m * (vx.pow(2) + vy.pow(2)) / 2 + m,
    );
    let names: Vec<&str> = model.definitions.iter().map(|d| d.0.as_str()).collect();
    assert_eq!(names, ["late", "early", "fast", "hot"]);
    assert!(matches!(model.definitions[1].1, Value::Vector(_)));
}

#[test]
fn rows_have_the_level_of_their_highest_rate() {
    let model = plane(
        "[constraints]\nplace = 'x^2 + y^2 = t'\nspeed = \"x'*y' = 1\"\npush = \"x*y'' = x'\"\n\
         both = 'v(P) = [1, 1, 0]*x'\nnothing = \"x' - x'\"\npoint = 'cross(pos(P), N.x)'",
    );
    let levels: Vec<Vec<Level>> = model
        .constraints
        .iter()
        .map(|c| c.rows.iter().map(|row| row.level).collect())
        .collect();
    use Level::{Acceleration, Position, Velocity};
    let expected = [
        vec![Position],
        vec![Velocity],
        vec![Acceleration],
        vec![Velocity; 3],
        vec![Position],
        vec![Position; 3],
    ];
    assert_eq!(levels, expected);
    let [x, y, t] = ["x", "y", "t"].map(|name| symbol(&model, name));
    assert_same(
        &model,
        model.constraints[0].rows[0].phi,
        x.pow(2) + y.pow(2) - t,
    );
    assert!(model.graph.ex(model.constraints[3].rows[2].phi).is_zero());
    assert_eq!(model.constraints[1].text, "x'*y' = 1");
    assert_eq!(
        model.constraints[1].span.of(&model.source.text),
        "x'*y' = 1"
    );
}

#[test]
fn inspected_rows_give_the_directions_of_forces() {
    let text = include_str!("../../../zoo/perpendicular.toml");
    let model = model(text);
    let row = &model.constraints[0].rows[0];
    let [p1, p2] = [&model.material_points[0], &model.material_points[1]];
    for (one, other) in [(p1, p2), (p2, p1)] {
        for (symbol, expected) in one.velocity_symbols.iter().zip(other.velocity_symbols) {
            let slope = model.graph.ex(row.inspected).diff(model.graph.ex(*symbol));
            assert_eq!(
                slope.id(),
                expected,
                "lambda v(P2) acts on P1 and lambda v(P1) on P2"
            );
        }
    }
    let pairs: Vec<(Ex, Ex)> = [p1, p2]
        .iter()
        .flat_map(|p| p.velocity_symbols.into_iter().zip(p.velocity))
        .map(|(symbol, v)| (model.graph.ex(symbol), model.graph.ex(v)))
        .collect();
    assert_same(
        &model,
        row.phi,
        model.graph.ex(row.inspected).substitute(&pairs),
    );
}

#[test]
fn stand_ins_reach_through_definitions_points_and_rates() {
    let model = model(
        "coordinates = ['x', 'y']\n[points]\nS = '3*pos(P) + t*N.x'\n[define]\nd = 'pos(S) - pos(P)'\n\
         [particles]\nP = { mass = 5, position = '[x, y, 0]' }\n[constraints]\n\
         a = \"dot(d, N.x)' = 0\"\nb = 'dot(a(S), N.y) = x'\nc = 'T = 1'",
    );
    let inspected = |c: usize| model.constraints[c].rows[0].inspected;
    let [v, w, a, x] = ["v(P).x", "v(P).y", "a(P).y", "x"].map(|name| symbol(&model, name));
    let u = symbol(&model, "v(P).z");
    assert_same(&model, inspected(0), 2 * v + 1);
    assert_same(&model, inspected(1), 3 * a - x);
    assert_same(
        &model,
        inspected(2),
        5 * (v.pow(2) + w.pow(2) + u.pow(2)) / 2 - 1,
    );
    let particle = &model.material_points[0];
    assert_eq!(particle.velocity_symbols, [v.id(), w.id(), u.id()]);
    assert_eq!(particle.acceleration_symbols[1], a.id());
}

#[test]
fn reactions_have_directions_of_their_own() {
    let model = model(
        "coordinates = ['x', 'phi']\n[parameters]\nr = 2\n\
         [particles]\nP = { mass = 1, position = '[x + r*cos(phi), r*sin(phi), 0]' }\n[constraints]\n\
         plain = \"phi' = 1\"\nservo = { equation = \"x' = phi'\", reaction = { phi = '-r' } }\n\
         push = { equation = \"x' = 2*phi'\", reaction = { on = 'P', force = 'x*N.x + N.y' } }\n\
         two = [{ equation = \"x' = 0\", reaction = { x = 1 } }, { equation = \"phi' = 0\" }]",
    );
    let [x, phi, r] = ["x", "phi", "r"].map(|name| symbol(&model, name));
    let reaction = |c: usize, row: usize| model.constraints[c].rows[row].reaction.clone();
    assert!(reaction(0, 0).is_none());
    let servo = reaction(1, 0).expect("a reaction");
    assert!(model.graph.ex(servo.components[0]).is_zero());
    assert_same(&model, servo.components[1], -r);
    let push = reaction(2, 0).expect("a reaction");
    assert_same(&model, push.components[0], x);
    assert_same(
        &model,
        push.components[1],
        r * phi.cos() - x * r * phi.sin(),
    );
    assert_eq!(model.constraints[3].rows.len(), 2);
    assert!(reaction(3, 0).is_some() && reaction(3, 1).is_none());
}

#[test]
fn velocities_by_motion_variables_stand_in_the_order_of_coordinates() {
    let model = plane(
        "[motion]\nvariables = ['z1', 'z2']\nequations = [\"y' = z2*x\", \"x' = z1 + t\"]\nindependent = [\"y'\", 'z2']\n\
         [initial]\nstate = ['z1 = 3']\n[claims]\nc = { constant = \"z1' + z2\" }",
    );
    let [x, z1, z2, t, rate] = ["x", "z1", "z2", "t", "z1'"].map(|name| symbol(&model, name));
    let psi = model.motion.psi.clone().expect("psi");
    assert_same(&model, psi[0], z1 + t);
    assert_same(&model, psi[1], z2 * x);
    assert!(model.motion.definitions.is_none());
    assert_eq!(model.motion.independent_coordinates, [1]);
    assert_eq!(model.motion.independent_variables, [1]);
    assert_same(&model, model.initial.state[0].difference, z1 - 3);
    assert_same(&model, constant(&model, "c"), rate + z2);
    assert_eq!(model.quantities, [(Quantity::VariableRate(0), rate.id())]);
    assert_eq!(model.motion.variables[0].rate, rate.id());
}

#[test]
fn motion_variables_by_velocities_are_replaced_by_their_definitions() {
    let model = plane(
        "[motion]\nvariables = ['u1', 'u2']\nequations = ['u2 = u1*x', 'u1 = dot(v(P), N.x + N.y)']\n\
         [initial]\nstate = ['u2 = 1']\n[constraints]\nc = 'u1 = 0'\n[claims]\nd = { constant = \"u1'\" }",
    );
    let [x, vx, vy, ax, ay] = ["x", "x'", "y'", "x''", "y''"].map(|name| symbol(&model, name));
    let definitions = model.motion.definitions.clone().expect("definitions");
    assert_same(&model, definitions[0], vx + vy);
    assert_same(&model, definitions[1], (vx + vy) * x);
    assert_same(&model, model.initial.state[0].difference, (vx + vy) * x - 1);
    assert_same(&model, model.constraints[0].rows[0].phi, vx + vy);
    let inspected = model.graph.ex(model.constraints[0].rows[0].inspected);
    assert!(
        inspected.depends_on(symbol(&model, "v(P).x")),
        "also inside definitions"
    );
    assert_same(&model, constant(&model, "d"), ax + ay);
    assert!(model.quantities.is_empty());
}

#[test]
fn results_of_mechanics_are_symbols() {
    let model = plane(
        "[constraints]\npursue = 'cross(v(P), pos(Q)) = 0'\nramp = \"y' = x'\"\n[define]\nbig = 'norm(R(P)) + multiplier(ramp)'\n\
         [claims]\na = { constant = \"big + E' + power(pursue)\" }\nb = { equation = 'multiplier(pursue) = R(P)' }\n\
         c = { constant = \"D(x*E_star^2, x)\" }\nd = { constant = 'M(y, x) + M(x, y) + B(x, y) + reaction_up(y)' }\n\
         e = { constant = \"(2*L_star)'' + D(T_star, x')\" }\nf = { constant = \"D(T, x')\" }",
    );
    let known: Vec<&Quantity> = model.quantities.iter().map(|q| &q.0).collect();
    let x = symbol(&model, "x").id();
    let v = symbol(&model, "x'").id();
    let rate = |q: Quantity| Quantity::Rate(Box::new(q));
    for expected in [
        Quantity::Multiplier(0),
        Quantity::Multiplier(2),
        Quantity::Multiplier(3),
        Quantity::ReactionForce(0, 1),
        Quantity::Power(0),
        rate(Quantity::Energy),
        Quantity::EnergyStar,
        Quantity::Partial(Box::new(Quantity::EnergyStar), x),
        Quantity::Partial(Box::new(Quantity::KineticStar), v),
        rate(rate(Quantity::LagrangianStar)),
        Quantity::Mass(0, 1),
        Quantity::Voronec(0, 1),
        Quantity::ReactionUp(1),
    ] {
        assert!(known.contains(&&expected), "{expected:?}");
    }
    let id = |q: &Quantity| {
        model.graph.ex(model
            .quantities
            .iter()
            .find(|known| known.0 == *q)
            .expect("known")
            .1)
    };
    let (e, de) = (
        id(&Quantity::EnergyStar),
        id(&Quantity::Partial(Box::new(Quantity::EnergyStar), x)),
    );
    let x = symbol(&model, "x");
    assert_same(&model, constant(&model, "c"), e.pow(2) + 2 * (x * e * de));
    assert_same(
        &model,
        constant(&model, "f"),
        symbol(&model, "m") * symbol(&model, "x'"),
    );
}

#[test]
fn a_model_may_use_the_names_of_results_itself() {
    let model =
        plane("[define]\nE = 'x^2'\nM = 'y'\n[claims]\nc = { constant = \"E' + M + M(x, x)\" }");
    let [x, v, y] = ["x", "x'", "y"].map(|name| symbol(&model, name));
    let mass = model.graph.ex(model.quantities[0].1);
    assert_eq!(model.quantities.len(), 1);
    assert_same(&model, constant(&model, "c"), 2 * (x * v) + y + mass);
}

#[test]
fn parameters_keep_their_order_and_their_exact_values() {
    let model = model(
        "coordinates = ['x']\n[parameters]\nb = { value = '2*a/pi', unit = 'm', about = 'width', min = 0, max = 'a' }\n\
         a = 0.1\nc = { value = -2 }\nd = 1e-3\n[energy]\nkinetic = \"x'^2\"",
    );
    let names: Vec<&str> = model.parameters.iter().map(|p| p.name.as_str()).collect();
    assert_eq!(names, ["b", "a", "c", "d"]);
    let b = &model.parameters[0];
    assert_same(&model, b.value, 2 * symbol(&model, "a") / model.graph.pi());
    assert_eq!(
        (b.unit.as_deref(), b.about.as_deref()),
        (Some("m"), Some("width"))
    );
    assert_eq!(b.max, Some(symbol(&model, "a").id()));
    let exact = |i: usize| model.graph.ex(model.parameters[i].value).as_rational();
    assert_eq!(exact(1), Some(Rational::new(1, 10)));
    assert_eq!(exact(2), Some(Rational::from(-2)));
    assert_eq!(exact(3), Some(Rational::new(1, 1000)));
}

#[test]
fn the_start_and_the_run_are_read() {
    let model = plane(
        "[initial]\nt = 'a/2'\nstate = ['x = 1', 'v(P) = [1, 2, 0]', 'y']\nkeep = [\"x'\", 'y']\ninconsistent = 'project'\n\
         [simulate]\nuntil = '2*pi'\nrtol = 1e-9\natol = 1e-12\nmethod = 'auto'\nsamples = 100\nstop = [\"x' < 1e-3\", 'y >= E']\n\
         [forces]\ny = \"-2*y'\"\n",
    );
    let [x, y, vx, vy, a] = ["x", "y", "x'", "y'", "a"].map(|name| symbol(&model, name));
    let initial = &model.initial;
    assert_same(&model, initial.time, a / 2);
    let zero = model.graph.zero();
    for (condition, expected) in initial.state.iter().zip([x - 1, vx - 1, vy - 2, zero, y]) {
        assert_same(&model, condition.difference, expected);
        assert_eq!(condition.relation, Relation::Equal);
    }
    assert_eq!(
        (initial.state.len(), initial.state[1].text.as_str()),
        (5, "v(P) = [1, 2, 0]")
    );
    assert_eq!(
        (initial.keep.as_slice(), initial.keep_positions.as_slice()),
        (&[0][..], &[1][..])
    );
    assert_eq!(initial.inconsistent, Some(Inconsistent::Project));
    let simulate = &model.simulate;
    assert_same(&model, simulate.until.expect("until"), 2 * model.graph.pi());
    assert_eq!(
        (simulate.rtol, simulate.atol, simulate.samples),
        (Some(1e-9), Some(1e-12), Some(100))
    );
    assert_eq!(simulate.stop[1].relation, Relation::GreaterEqual);
    assert_eq!(model.forces.len(), 1);
    assert_eq!(model.forces[0].0, 1);
    assert_same(&model, model.forces[0].1, -2 * vy);
}

#[test]
fn claims_are_of_six_kinds() {
    let model = plane(
        "[claims]\na = { constant = 'x', cite = 'Eq. (1)', about = 'why', tolerance = 1e-6, refuted = true }\n\
         b = { equation = 'v(P) = 0', where = 'x > 0' }\nc = { always = 'x <= 1', where = ['x > 0', \"y' = 0\"] }\n\
         d = { class = 'linear, time-dependent' }\ne = { singular_at = [\"v(P) = 0\", 'x'] }\n\
         f = { equivalent = ['kane', 'gauss'] }",
    );
    let [a, b, c, d, e, f] = model.claims.as_slice() else {
        panic!("six claims")
    };
    assert_eq!(
        (a.cite.as_deref(), a.about.as_deref()),
        (Some("Eq. (1)"), Some("why"))
    );
    assert_eq!(
        (a.tolerance, a.refuted, b.refuted),
        (Some(1e-6), true, false)
    );
    assert!(matches!(&b.kind, ClaimKind::Equation(rows) if rows.len() == 3));
    assert_eq!((b.domain.len(), c.domain.len()), (1, 2));
    assert!(
        matches!(&c.kind, ClaimKind::Always(condition) if condition.relation == Relation::LessEqual)
    );
    assert!(matches!(&d.kind, ClaimKind::Class(words) if *words == ["linear", "time-dependent"]));
    assert!(matches!(&e.kind, ClaimKind::SingularAt(states) if states.len() == 4));
    assert!(matches!(&f.kind, ClaimKind::Equivalent(names) if *names == ["kane", "gauss"]));
}

#[test]
fn plots_and_animations_are_read() {
    let model = plane(
        "[[plots]]\nx = 't'\ny = ['x', \"norm(R(P))\"]\n[[plots]]\ntitle = 'path'\nx = 'x'\ny = 'y'\n[animation]\nplane = 'xy'\n\
         trail = ['P', 'pos(Q) + N.x']\narrows = ['v(P)', 'R(P)', 'N.z']\nbodies = [{ shape = 'rod', at = '[x, y, 0]', length = 1.5, axis = 'y' }]",
    );
    assert_eq!(
        (model.plots[0].y.len(), model.plots[1].title.as_str()),
        (2, "path")
    );
    assert_eq!(model.plots[0].y[1].0, "norm(R(P))");
    let animation = model.animation.as_ref().expect("an animation");
    let [x, y] = ["x", "y"].map(|name| symbol(&model, name));
    let zero = model.graph.zero();
    assert_vector(&model, animation.trail[0].1, [x, y, zero]);
    assert_vector(&model, animation.arrows[1].at, [x, y, zero]);
    assert_vector(&model, animation.arrows[2].at, [zero; 3]);
    let length = model.graph.number(Rational::new(3, 2)).id();
    let shape = &animation.shapes[0];
    assert_eq!(
        (shape.shape.as_str(), shape.values[1].clone()),
        ("rod", ("length".into(), Value::Scalar(length)))
    );
}

#[test]
fn frames_turn_in_the_inertial_frame_and_axes_go_backwards() {
    for (index, axis) in ["x", "y", "z"].iter().enumerate() {
        let components = [0, 1, 2].map(|i| if i == index { "-1" } else { "0" });
        let model = model(&format!(
            "coordinates = ['th', 's']\n[frames]\nA = {{ angle = 'th', axis = '-{axis}' }}\n\
             B = {{ parent = 'N', angle = 'th', axis = '[{}]' }}\n[energy]\nkinetic = \"th'^2 + s'^2\"\n",
            components.join(", ")
        ));
        let [first, second] = [0, 1].map(|i| model.frames[i].axes);
        for (found, wanted) in first.into_iter().zip(second) {
            assert_vector(&model, found, wanted.map(|x| model.graph.ex(x)));
        }
    }
}
