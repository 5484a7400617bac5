//! The parser under bad weather: random trees, random text, deep nesting, long input.

use appell_expr::{Ast, AstId, AstKind, Operator, Sentence, SyntaxErrorKind, parse};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

/// What a formula means, written down by the test itself.
#[derive(Debug, Clone, PartialEq)]
enum Tree {
    Number(u32),
    Name(&'static str),
    Axis(&'static str, char),
    Neg(Box<Tree>),
    Binary(char, Box<Tree>, Box<Tree>),
    Prime(Box<Tree>, u32),
    Call(&'static str, Vec<Tree>),
    Vector(Vec<Tree>),
}

impl Tree {
    /// The line of the grammar it comes from: sum, product, sign, power, primed, atom.
    fn level(&self) -> u8 {
        match self {
            Self::Binary('+' | '-', ..) => 0,
            Self::Binary('*' | '/', ..) => 1,
            Self::Neg(_) => 2,
            Self::Binary(..) => 3,
            Self::Prime(..) => 4,
            _ => 5,
        }
    }

    /// Its text with the fewest brackets (`extra` = false), or with a pair around every part.
    fn write(&self, least: u8, extra: bool, space: &str, out: &mut String) {
        let bracket = extra || self.level() < least;
        if bracket {
            out.push('(');
        }
        self.write_bare(extra, space, out);
        if bracket {
            out.push(')');
        }
    }

    fn write_bare(&self, extra: bool, space: &str, out: &mut String) {
        match self {
            Self::Number(n) => out.push_str(&n.to_string()),
            Self::Name(name) => out.push_str(name),
            Self::Axis(frame, axis) => out.push_str(&format!("{frame}{space}.{space}{axis}")),
            Self::Neg(a) => {
                out.push('-');
                out.push_str(space);
                a.write(2, extra, space, out);
            }
            Self::Binary(sign, a, b) => {
                // sum: sum + product; product: product * sign; power: primed ^ sign.
                let (left, right) = match sign {
                    '+' | '-' => (0, 1),
                    '*' | '/' => (1, 2),
                    _ => (4, 2),
                };
                a.write(left, extra, space, out);
                out.push_str(&format!("{space}{sign}{space}"));
                b.write(right, extra, space, out);
            }
            Self::Prime(a, count) => {
                a.write(5, extra, space, out);
                (0..*count).for_each(|_| out.push_str(&format!("{space}'")));
            }
            Self::Call(name, args) => {
                out.push_str(name);
                out.push_str(space);
                Self::write_list('(', ')', args, extra, space, out);
            }
            Self::Vector(args) => Self::write_list('[', ']', args, extra, space, out),
        }
    }

    fn write_list(
        open: char,
        close: char,
        list: &[Self],
        extra: bool,
        space: &str,
        out: &mut String,
    ) {
        out.push(open);
        for (i, item) in list.iter().enumerate() {
            out.push_str(if i == 0 { space } else { "," });
            item.write(0, extra, space, out);
        }
        out.push(close);
    }

    fn text(&self, extra: bool, space: &str) -> String {
        let mut out = String::new();
        self.write(0, extra, space, &mut out);
        out
    }

    /// The tree below `id`.
    fn below(ast: &Ast, id: AstId) -> Self {
        let one = |id: &AstId| Box::new(Self::below(ast, *id));
        let all = |ids: &[AstId]| ids.iter().map(|id| Self::below(ast, *id)).collect();
        match &ast.node(id).kind {
            AstKind::Number(n) => Self::Number(n.to_string().parse().expect("a small integer")),
            AstKind::Name(name) => Self::Name(known(name)),
            AstKind::Axis { frame, axis } => {
                Self::Axis(known(frame), ['x', 'y', 'z'][axis.index()])
            }
            AstKind::Neg(a) => Self::Neg(one(a)),
            AstKind::Prime(a, count) => Self::Prime(one(a), *count),
            AstKind::Call { name, args, .. } => Self::Call(known(name), all(args)),
            AstKind::Vector(args) => Self::Vector(all(args)),
            AstKind::Binary(operator, a, b) => {
                let sign = match operator {
                    Operator::Add => '+',
                    Operator::Sub => '-',
                    Operator::Mul => '*',
                    Operator::Div => '/',
                    Operator::Pow => '^',
                };
                Self::Binary(sign, one(a), one(b))
            }
        }
    }
}

const NAMES: [&str; 7] = ["x", "y_1", "θ", "sin", "norm", "N", "e"];

fn known(name: &str) -> &'static str {
    NAMES
        .into_iter()
        .find(|known| *known == name)
        .expect("a name of the list")
}

fn tree() -> impl Strategy<Value = Tree> {
    let name = || prop::sample::select(NAMES.to_vec());
    let leaf = prop_oneof![
        (0u32..1000).prop_map(Tree::Number),
        name().prop_map(Tree::Name),
        (name(), prop::sample::select(vec!['x', 'y', 'z'])).prop_map(|(f, a)| Tree::Axis(f, a)),
    ];
    leaf.prop_recursive(6, 60, 3, move |inner| {
        let boxed = inner.clone().prop_map(Box::new);
        let sign = prop::sample::select(vec!['+', '-', '*', '/', '^']);
        let list = prop::collection::vec(inner.clone(), 1..4);
        prop_oneof![
            boxed.clone().prop_map(Tree::Neg),
            (sign, boxed.clone(), boxed).prop_map(|(s, a, b)| Tree::Binary(s, a, b)),
            (inner.clone(), 1u32..4).prop_map(|(a, n)| match a {
                // Primes in a row are one count.
                Tree::Prime(a, m) => Tree::Prime(a, n + m),
                a => Tree::Prime(Box::new(a), n),
            }),
            (name(), list.clone()).prop_map(|(f, args)| Tree::Call(f, args)),
            list.prop_map(Tree::Vector),
        ]
    })
}

/// What [`Ast`] and [`Sentence`] promise about every formula.
fn hold_promises(text: &str, sentence: &Sentence) {
    let ast = &sentence.ast;
    let mut parents = vec![0; ast.nodes.len()];
    for (id, node) in ast.iter() {
        assert!(
            text.get(node.span.start..node.span.end)
                .is_some_and(|piece| !piece.is_empty())
        );
        for child in node.children() {
            assert!(child < id);
            let inner = ast.node(child).span;
            assert!(node.span.start <= inner.start && inner.end <= node.span.end);
            parents[child.index()] += 1;
        }
    }
    for (id, _) in ast.iter() {
        let root = id == sentence.lhs || Some(id) == sentence.rhs;
        assert_eq!(parents[id.index()], usize::from(!root));
    }
    assert_eq!(sentence.rhs.is_some(), sentence.relation.is_some());
    assert_eq!(
        sentence.rhs.unwrap_or(sentence.lhs).index() + 1,
        ast.nodes.len()
    );
    for mention in ast.names() {
        assert_eq!(mention.span.of(text), mention.name);
    }
}

/// Reads `text` and holds the answer, whichever it is, to its promises.
fn survive(text: &str) {
    match parse(text) {
        Ok(sentence) => hold_promises(text, &sentence),
        Err(error) => {
            let underlined = text.get(error.span.start..error.span.end);
            assert!(
                underlined.is_some_and(|piece| text.is_empty() || !piece.is_empty()),
                "{error:?}"
            );
            assert!(!error.to_string().is_empty() && error.to_string().len() < 400);
            assert!(
                error
                    .kind
                    .hint()
                    .is_none_or(|hint| !hint.is_empty() && hint.len() < 400)
            );
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 2048,
        rng_seed: RngSeed::Fixed(1963),
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn every_tree_is_read_back(tree in tree(), extra: bool, space in "[ \n\t]{0,2}") {
        let text = tree.text(extra, &space);
        let sentence = parse(&text).map_err(|e| TestCaseError::fail(format!("{text}: {e}")))?;
        prop_assert_eq!(Tree::below(&sentence.ast, sentence.lhs), tree);
        hold_promises(&text, &sentence);
    }

    #[test]
    fn the_text_of_every_part_means_that_part(tree in tree(), extra: bool) {
        let text = tree.text(extra, " ");
        let whole = parse(&text).map_err(|e| TestCaseError::fail(format!("{text}: {e}")))?;
        for (id, node) in whole.ast.iter() {
            let part = parse(node.span.of(&text)).map_err(|e| TestCaseError::fail(e.to_string()))?;
            prop_assert_eq!(Tree::below(&part.ast, part.lhs), Tree::below(&whole.ast, id));
        }
    }

    #[test]
    fn any_text_is_answered(text in any::<String>()) {
        survive(&text);
    }

    #[test]
    fn any_row_of_tokens_is_answered(tokens in prop::collection::vec(
        prop::sample::select(vec![
            "x", "sin", "2", "1e", ".5", "3.", "1e999", "+", "-", "*", "/", "^", "'", ".", ",", "(", ")",
            "[", "]", "=", "<", "<=", "==", "**", " ", "\n", "θ", "·", "\"", "\u{301}", "\u{feff}", "N.x",
        ]), 0..24)) {
        survive(&tokens.concat());
    }

    #[test]
    fn a_damaged_formula_is_answered(tree in tree(), at in any::<prop::sample::Index>(), c: char) {
        let mut letters: Vec<char> = tree.text(false, "").chars().collect();
        let place = at.index(letters.len());
        letters[place] = c;
        survive(&letters.iter().collect::<String>());
        letters.remove(place);
        survive(&letters.iter().collect::<String>());
    }
}

const DEEPEST: usize = 256;

#[test]
fn nesting_is_read_to_256_levels_and_no_further() {
    let nests: [(&str, &str); 6] = [
        ("(", ")"),
        ("[", "]"),
        ("f(a, ", ")"),
        ("-", ""),
        ("2^", ""),
        ("(a*", "+b)'"),
    ];
    for (open, close) in nests {
        let text = |n: usize| format!("{}x{}", open.repeat(n), close.repeat(n));
        survive(&text(DEEPEST));
        assert!(parse(&text(DEEPEST)).is_ok(), "{open}");
        let error = parse(&text(DEEPEST + 1)).expect_err("too deep");
        assert_eq!(error.kind, SyntaxErrorKind::TooDeep, "{open}");
    }
    // All kinds of nesting count together, and what is closed no longer counts.
    let mixed = |n: usize| format!("{}x{}", "-2^f([(".repeat(n), ")])".repeat(n));
    assert!(parse(&mixed(51)).is_ok());
    assert_eq!(
        parse(&mixed(52)).expect_err("260 levels").kind,
        SyntaxErrorKind::TooDeep
    );
    let wide = vec![mixed(51); 100].join(" + ");
    assert!(parse(&wide).is_ok());
}

/// Runs `body` on a thread whose stack has only `kibibytes`.
fn on_small_stack(kibibytes: usize, body: impl FnOnce() + Send + 'static) {
    let thread = std::thread::Builder::new()
        .stack_size(kibibytes << 10)
        .spawn(body);
    thread
        .expect("a thread")
        .join()
        .expect("the thread ends without a panic");
}

const LONGEST: usize = 1 << 20;

/// `piece` as often as it fits into the longest text, between `head` and `tail`.
fn filled(head: &str, piece: &str, tail: &str) -> String {
    format!(
        "{head}{}{tail}",
        piece.repeat((LONGEST - head.len() - tail.len()) / piece.len())
    )
}

#[test]
fn the_longest_formulas_are_read_on_a_small_stack() {
    on_small_stack(512, || {
        let long = [
            filled("", "a+", "a"),
            filled("", "a*b-", "a"),
            filled("", "1/", "1"),
            filled("x", "'", ""),
            filled("[1", ",1", "]"),
            filled("f(1", ",N.x", ")"),
            filled("", " ", "x"),
            filled("", "x", ""),
            filled("", "-x^2+", "1"),
            filled("", "(x)'*", "y = z"),
            filled("", "1e-40+", "1"),
        ];
        for text in long {
            let sentence = parse(&text).expect("a formula");
            hold_promises(&text, &sentence);
            assert_eq!(sentence.clone(), sentence);
        }
    });
}

#[test]
fn the_longest_nonsense_is_refused_on_a_small_stack() {
    on_small_stack(512, || {
        let pieces = [
            "(", ")", "[", "f(", "-", "+", "^", "2^", "'", ",", ".", "=", "1", "(a)'", "\u{301}",
            "λ.", "((a)", "a(b", "f(x,", "-(", "1e9", "x=", "\0", "🙂",
        ];
        for piece in pieces {
            let text = filled("", piece, "");
            assert!(parse(&text).is_err(), "{piece}");
            survive(&text);
        }
    });
}

#[test]
fn longer_texts_are_refused_at_once() {
    let text = format!("é{}", " ".repeat(LONGEST));
    let error = parse(&text).expect_err("too long");
    assert_eq!(error.kind, SyntaxErrorKind::TooLong { bytes: LONGEST + 2 });
    assert_eq!(error.span.of(&text), "é");
}
