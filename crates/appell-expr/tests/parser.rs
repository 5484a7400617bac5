//! The formula language as its readers meet it: what is read, how it groups, what is refused.

use appell_expr::{
    Ast, AstId, AstKind, Axis, Mention, Operator, Relation, Role, Sentence, Span, parse,
};

/// A sentence with every operation in brackets, names and numbers as they are: `(= x (+ a 1))`.
fn shape(sentence: &Sentence) -> String {
    let side = |id| shape_of(&sentence.ast, id);
    match (sentence.relation, sentence.rhs) {
        (Some((relation, _)), Some(rhs)) => {
            let sign = match relation {
                Relation::Equal => "=",
                Relation::Less => "<",
                Relation::LessEqual => "<=",
                Relation::Greater => ">",
                Relation::GreaterEqual => ">=",
            };
            format!("({sign} {} {})", side(sentence.lhs), side(rhs))
        }
        (None, None) => side(sentence.lhs),
        _ => panic!("a relation has a right side, and nothing else has"),
    }
}

/// One loop, as [`Ast`] promises: children stand before their parents.
fn shape_of(ast: &Ast, wanted: AstId) -> String {
    let mut shapes: Vec<String> = Vec::new();
    for (_, node) in ast.iter() {
        let list = |ids: &[AstId]| -> String {
            ids.iter()
                .map(|id| format!(" {}", shapes[id.index()]))
                .collect()
        };
        let text = match &node.kind {
            AstKind::Number(value) => value.to_string(),
            AstKind::Name(name) => name.clone(),
            AstKind::Neg(a) => format!("(neg{})", list(&[*a])),
            AstKind::Binary(operator, a, b) => {
                let sign = match operator {
                    Operator::Add => "+",
                    Operator::Sub => "-",
                    Operator::Mul => "*",
                    Operator::Div => "/",
                    Operator::Pow => "^",
                };
                format!("({sign}{})", list(&[*a, *b]))
            }
            AstKind::Prime(a, count) => format!("(prime{count}{})", list(&[*a])),
            AstKind::Call { name, args, .. } => format!("({name}{})", list(args)),
            AstKind::Vector(components) => format!("[{}]", list(components).trim_start()),
            AstKind::Axis { frame, axis } => format!("{frame}.{}", ["x", "y", "z"][axis.index()]),
        };
        shapes.push(text);
    }
    shapes[wanted.index()].clone()
}

fn read(text: &str) -> Sentence {
    parse(text).unwrap_or_else(|error| panic!("`{text}`: {error} at {:?}", error.span))
}

fn check(text: &str, expected: &str) {
    assert_eq!(shape(&read(text)), expected, "`{text}`");
}

#[test]
fn sums_and_products_group_to_the_left() {
    check("a + b - c + d", "(+ (- (+ a b) c) d)");
    check("a/b*c/d", "(/ (* (/ a b) c) d)");
    check("a + b*c - d/e", "(- (+ a (* b c)) (/ d e))");
    check("(a + b)*(c - d)", "(* (+ a b) (- c d))");
    check("a - (b - c)", "(- a (- b c))");
    check("1/2*m*v^2", "(* (* (/ 1 2) m) (^ v 2))");
}

#[test]
fn powers_group_to_the_right_and_bind_tighter_than_signs() {
    check("a^b^c", "(^ a (^ b c))");
    check("(a^b)^c", "(^ (^ a b) c)");
    check("-x^2", "(neg (^ x 2))");
    check("(-x)^2", "(^ (neg x) 2)");
    check("2^-1", "(^ 2 (neg 1))");
    check("2^-x^2", "(^ 2 (neg (^ x 2)))");
    check("2^-a*b", "(* (^ 2 (neg a)) b)");
    check("2^--a^-b + c", "(+ (^ 2 (neg (neg (^ a (neg b))))) c)");
    check("a*b^c*d", "(* (* a (^ b c)) d)");
}

#[test]
fn a_sign_may_stand_before_any_operand() {
    check("-a + b", "(+ (neg a) b)");
    check("-a*b", "(* (neg a) b)");
    check("a*-b", "(* a (neg b))");
    check("a/-b*c", "(* (/ a (neg b)) c)");
    check("a - -b", "(- a (neg b))");
    check("---a", "(neg (neg (neg a)))");
    check("[-a, f(-b)]", "[(neg a) (f (neg b))]");
}

#[test]
fn primes_bind_tightest() {
    check("x'^2", "(^ (prime1 x) 2)");
    check("x''*y'", "(* (prime2 x) (prime1 y))");
    check("-x'", "(neg (prime1 x))");
    check("a^b'", "(^ a (prime1 b))");
    check("(T + V)'", "(prime1 (+ T V))");
    check("(x')''", "(prime2 (prime1 x))");
    check("norm(v(P))'", "(prime1 (norm (v P)))");
    check("[x, y]' + N.x'", "(+ (prime1 [x y]) (prime1 N.x))");
    check("x ' '", "(prime2 x)");
}

#[test]
fn calls_vectors_and_axes_nest() {
    check("sin(theta)", "(sin theta)");
    check("v(disc, -r*B.z)", "(v disc (* (neg r) B.z))");
    check("vec(F, a, b, c)", "(vec F a b c)");
    check("[x, y, 0]", "[x y 0]");
    check("[x]", "[x]");
    check("[[a, b], (c)]", "[[a b] c]");
    check("x.y * y.z", "(* x.y y.z)");
    check("N . z", "N.z");
    check("f (x)", "(f x)");
    check("((((x))))", "x");
    // Functions and quantities may share a name: only the bracket decides.
    check("max - sign*unit", "(- max (* sign unit))");
    // A parameter before a bracket looks like a call: names are told apart later.
    check("m(a + b)", "(m (+ a b))");
}

#[test]
fn numbers_are_exact() {
    check("0.1", "1/10");
    check("1e-3 + 2_000.5 + 1E2", "(+ (+ 1/1000 4001/2) 100)");
    check("12345678901234567890.5", "24691357802469135781/2");
    check("0e0", "0");
    // The smallest positive double, in full, is exact too.
    let sentence = read(&format!("{:.1074}", f64::from_bits(1)));
    let AstKind::Number(value) = &sentence.ast.node(sentence.lhs).kind else {
        panic!("a number");
    };
    assert_eq!(value.to_f64().to_bits(), 1);
}

#[test]
fn one_relation_may_stand_between_two_expressions() {
    check("a = b", "(= a b)");
    check("a+b<c*d", "(< (+ a b) (* c d))");
    check("z' <= 1e-3", "(<= (prime1 z) 1/1000)");
    check("a>-b", "(> a (neg b))");
    check("a>=b", "(>= a b)");
    let sentence = read("x' >= 1");
    assert_eq!(
        sentence.relation,
        Some((Relation::GreaterEqual, Span::new(3, 5)))
    );
    assert_eq!(read("x'").relation, None);
}

#[test]
fn spaces_and_line_breaks_only_separate() {
    check("\n  a\t+\r\n\u{a0} b \n = c", "(= (+ a b) c)");
    check("a<=b", "(<= a b)");
    check("a-b", "(- a b)");
}

#[test]
fn formulas_of_the_gallery() {
    check(
        "x'*sin(theta) - y'*cos(theta) = 0",
        "(= (- (* (prime1 x) (sin theta)) (* (prime1 y) (cos theta))) 0)",
    );
    check(
        "z'^2 = a^2*(x'^2 + y'^2)",
        "(= (^ (prime1 z) 2) (* (^ a 2) (+ (^ (prime1 x) 2) (^ (prime1 y) 2))))",
    );
    check(
        "R(P) = m*g/(1 + a^2)*(N.z - a^2/z'*(x'*N.x + y'*N.y))",
        "(= (R P) (* (/ (* m g) (+ 1 (^ a 2))) \
         (- N.z (* (/ (^ a 2) (prime1 z)) (+ (* (prime1 x) N.x) (* (prime1 y) N.y))))))",
    );
    check(
        "cross(v(P), pos(Q) - pos(P)) = 0",
        "(= (cross (v P) (- (pos Q) (pos P))) 0)",
    );
    check(
        "unit(N.z - dot(N.z, H.y)*H.y)",
        "(unit (- N.z (* (dot N.z H.y) H.y)))",
    );
    check(
        "z'' = -g*a^2/(1 + a^2)",
        "(= (prime2 z) (/ (* (neg g) (^ a 2)) (+ 1 (^ a 2))))",
    );
    check("θ' = Ω_0", "(= (prime1 θ) Ω_0)");
}

#[test]
fn spans_cover_an_expression_without_the_brackets_around_it() {
    let text = "m*(T + V)' = -f( x , N.y )^2";
    let sentence = read(text);
    let pieces: Vec<&str> = sentence
        .ast
        .nodes
        .iter()
        .map(|node| node.span.of(text))
        .collect();
    assert_eq!(
        pieces,
        [
            "m",
            "T",
            "V",
            "T + V",
            "(T + V)'",
            "m*(T + V)'",
            "x",
            "N.y",
            "f( x , N.y )",
            "2",
            "f( x , N.y )^2",
            "-f( x , N.y )^2"
        ]
    );
    assert_eq!(sentence.lhs.index(), 5);
    assert_eq!(sentence.rhs.map(AstId::index), Some(11));
}

#[test]
fn names_come_with_their_places_and_roles() {
    let text = "λ*sin (θ) + Ñ . x";
    let sentence = read(text);
    let names: Vec<(&str, &str, Role)> = sentence
        .ast
        .names()
        .map(|Mention { name, span, role }| (name, span.of(text), role))
        .collect();
    assert_eq!(
        names,
        [
            ("λ", "λ", Role::Quantity),
            ("θ", "θ", Role::Quantity),
            ("sin", "sin", Role::Function),
            ("Ñ", "Ñ", Role::Frame),
        ]
    );
    let axis = sentence.ast.nodes.iter().find_map(|node| match node.kind {
        AstKind::Axis { axis, .. } => Some(axis),
        _ => None,
    });
    assert_eq!(axis, Some(Axis::X));
}
