//! Every mistake in a formula's form: what is underlined, what is said, what is advised.

use appell_expr::{Span, parse};

/// The mistake in `text`: what is underlined, the sentence, the remedy.
#[track_caller]
fn refuse(text: &str, underlined: &str, sentence: &str, remedy: &str) {
    let error = parse(text).expect_err(text);
    let hint = error.kind.hint().unwrap_or_default();
    let found = (error.span.of(text), error.to_string(), hint);
    assert_eq!(
        found,
        (underlined, sentence.to_owned(), remedy.to_owned()),
        "`{text}`"
    );
}

#[test]
fn products_need_their_sign() {
    let missing =
        |left: &str, right: &str| format!("an operator is missing between `{left}` and `{right}`");
    for (text, underlined, left, right, remedy) in [
        ("2x", "2x", "2", "x", "2*x"),
        ("2 x + 1", "2 x", "2", "x", "2*x"),
        ("a b", "a b", "a", "b", "a*b"),
        ("2e", "2e", "2", "e", "2*e"),
        ("3 4", "3 4", "3", "4", "3*4"),
        ("x' y", "' y", "x'", "y", "x'*y"),
        ("x'(t)", "'(", "x'", "(", "x'*(...)"),
        ("(a + b)(c)", ")(", "(a + b)", "(", "(a + b)*(...)"),
        ("1/2(a)", "2(", "2", "(", "2*(...)"),
        ("sin(x)cos(x)", ")cos", "sin(x)", "cos", "sin(x)*cos"),
        ("m [x, y]", "m [", "m", "[", "m*[...]"),
        ("N.x y", "x y", "N.x", "y", "N.x*y"),
        ("max [1]", "max [", "max", "[", "max(...)"),
    ] {
        refuse(
            text,
            underlined,
            &missing(left, right),
            &format!("write `{remedy}`"),
        );
    }
}

#[test]
fn functions_need_their_brackets() {
    let bare = |name: &str| format!("the argument of `{name}` has no brackets");
    refuse(
        "m*sin theta",
        "sin theta",
        &bare("sin"),
        "write `sin(theta)`",
    );
    refuse("sqrt 2", "sqrt 2", &bare("sqrt"), "write `sqrt(2)`");
    let power = "the power of `cos` stands before its brackets";
    refuse("a*cos^2(x)", "cos^2", power, "write `cos(...)^2`");
    refuse("cos^2 x", "cos^2", power, "write `cos(...)^2`");
}

#[test]
fn signs_of_other_languages() {
    refuse(
        "x**2",
        "**",
        "`**` is not an operator",
        "write `^` for a power",
    );
    refuse("x' == 0", "==", "`==` is not a relation", "write one `=`");
    let relations = "the relations are `=`, `<`, `<=`, `>`, `>=`";
    refuse("a => b", "=>", "`=>` is not a relation", relations);
    refuse("a < = b", "< =", "`< =` is not a relation", relations);
    refuse("a != b", "!=", "`!=` is not a relation", relations);
    let unknown = |c: char| format!("the character `{c}` is not part of the language");
    refuse("a − b", "−", &unknown('−'), "write `-`");
    refuse("x′ = 0", "′", &unknown('′'), "write `'`");
    refuse("x\" = 0", "\"", &unknown('"'), "write two primes `''`");
    refuse(
        "x²",
        "²",
        &unknown('²'),
        "write powers with `^`, as in `x^2`",
    );
    refuse("x ≤ 1", "≤", &unknown('≤'), "write `<=`");
    refuse(
        "|x|",
        "|",
        &unknown('|'),
        "write `abs(...)`, or `norm(...)` of a vector",
    );
    refuse(
        "a·b",
        "·",
        &unknown('·'),
        "write `*`; between vectors `dot(a, b)` or `cross(a, b)`",
    );
    refuse("a $ b", "$", &unknown('$'), "");
    let invisible = "the invisible character U+200B is not part of the language";
    refuse("a\u{200b} + b", "\u{200b}", invisible, "delete it");
}

#[test]
fn numbers_that_are_none() {
    let write = "numbers look like `2`, `0.5`, `1e-3`, `10_000`";
    refuse(
        "x + .5",
        ".5",
        "a digit is missing before the decimal point",
        "write `0.5`",
    );
    refuse(
        "5. + x",
        "5.",
        "a digit is missing after the decimal point",
        "write `5` or `5.0`",
    );
    refuse("1.2.3", "1.2.3", "`1.2.3` is not a number", write);
    refuse("1__0", "1__0", "`1__0` is not a number", write);
    let range = "the largest number is about 1.8e308, the largest exponent 400";
    for number in ["1e999", "1.8e308", "1e-401", "1e99999999999999999999"] {
        refuse(
            number,
            number,
            &format!("`{number}` is beyond double precision"),
            range,
        );
    }
    let long = "1".repeat(1101);
    refuse(
        &long,
        &long,
        "this number has 1101 characters",
        "write at most 1100 characters",
    );
    assert!(parse(&format!("0.{}", "1".repeat(1098))).is_ok());
    refuse("x = 0,5", ",", "a decimal comma is not read", "write `0.5`");
}

#[test]
fn brackets_that_do_not_match() {
    refuse(
        "2*(a + b",
        "(",
        "this `(` is never closed",
        "add the missing `)`",
    );
    refuse(
        "f([a, b)",
        ")",
        "a bracket opened with `[` is closed with `)`",
        "write `]`",
    );
    refuse(
        "sin(x = 3",
        "(",
        "this `(` is never closed",
        "add the missing `)`",
    );
    refuse(
        "[a, ",
        "[",
        "this `[` is never closed",
        "add the missing `]`",
    );
    refuse(
        "a + b)",
        ")",
        "this `)` closes nothing",
        "remove this `)`, or open it",
    );
    refuse(
        ")(",
        ")",
        "this `)` closes nothing",
        "remove this `)`, or open it",
    );
    refuse(
        "f(a = (b)",
        "(",
        "this `(` is never closed",
        "add the missing `)`",
    );
    refuse(
        "f([",
        "[",
        "this `[` is never closed",
        "add the missing `]`",
    );
    let nothing = "there is nothing between these brackets";
    for text in ["()", "[ ]"] {
        refuse(
            text,
            text,
            nothing,
            "write an expression between the brackets",
        );
    }
    refuse(
        "f()",
        "()",
        nothing,
        "write an expression between the brackets",
    );
    let comma = "a comma stands outside a function's arguments and a vector";
    refuse("(a, b)", ",", comma, "write a vector as `[a, b, c]`");
    // With a space it is a list, not a number.
    refuse("0, 5", ",", comma, "write a vector as `[a, b, c]`");
    refuse("a, b", ",", comma, "write a vector as `[a, b, c]`");
}

#[test]
fn sentences_that_do_not_end_or_begin() {
    let example = "write an expression or an equation, for example `x' = 0`";
    refuse("", "", "the formula is empty", example);
    refuse(" \n ", " \n ", "the formula is empty", example);
    refuse(
        "a + ",
        "+",
        "the formula ends after `+`",
        "write what follows `+`, or remove it",
    );
    refuse(
        "x' =",
        "=",
        "the formula ends after `=`",
        "write what follows `=`, or remove it",
    );
    refuse("= 3", "=", "an expression is missing before `=`", "");
    refuse("a + * b", "*", "an expression is missing before `*`", "");
    refuse("[a, , b]", ",", "an expression is missing before `,`", "");
    refuse("[a, ]", "]", "an expression is missing before `]`", "");
    let plus = "a `+` stands where an expression should begin";
    refuse("x = +1", "+", plus, "leave out the `+`");
    let two = "the formula has a second relation";
    refuse(
        "a = b = c",
        "=",
        two,
        "write two formulas, each with one relation",
    );
    refuse(
        "0 < x < 1",
        "<",
        two,
        "write two formulas, each with one relation",
    );
    let inside = "a relation stands inside brackets";
    refuse(
        "f(a = b)",
        "=",
        inside,
        "write the relation once, outside all brackets",
    );
}

#[test]
fn habits_of_other_programs() {
    let several = "several equations are a list of strings: `[\"...\", \"...\"]`";
    let comma = "a comma stands outside a function's arguments and a vector";
    refuse("x' = 0, y' = 0", ",", comma, several);
    refuse("x, y", ",", comma, "write a vector as `[a, b, c]`");
    refuse(
        "x' = 0; y' = 0",
        ";",
        "the character `;` is not part of the language",
        several,
    );
    let module = "`np.cos`: functions belong to no module here";
    refuse("2*np.cos(x)", "np.cos", module, "write `cos` by itself");
    let method = "`dot` is a function, with its arguments in brackets";
    refuse(
        "v(P).dot(N.x)",
        "v(P).dot",
        method,
        "write `dot(v(P), ...)`",
    );
    for (text, place, left, right, hint) in [
        (
            "30 deg",
            "30 deg",
            "30",
            "deg",
            "angles are in radians: write `30*pi/180`",
        ),
        (
            "2 kg",
            "2 kg",
            "2",
            "kg",
            "units are not written in formulas: write `2`",
        ),
        (
            "2 s",
            "2 s",
            "2",
            "s",
            "write `2*s` for a product; a unit is left out",
        ),
        ("sin[x]", "sin[", "sin", "[", "write `sin(...)`"),
        (
            "v(P)[0]",
            ")[",
            "v(P)",
            "[",
            "write a component as `dot(v(P), N.x)`",
        ),
    ] {
        let words = format!("an operator is missing between `{left}` and `{right}`");
        refuse(text, place, &words, hint);
    }
}

#[test]
fn primes_and_points_out_of_place() {
    let prime = "this prime has nothing before it to differentiate";
    refuse(
        "a*'x",
        "'",
        prime,
        "write it after a name or a bracket: `x'`, `(T + V)'`",
    );
    let axes = "write `N.x`, `N.y` or `N.z`";
    refuse(
        "N.w + 1",
        "N.w",
        "`w` is not an axis: a frame has the axes x, y, z",
        axes,
    );
    refuse(
        "N.1",
        "N.1",
        "`1` is not an axis: a frame has the axes x, y, z",
        axes,
    );
    refuse("N.", "N.", "the axis after `N.` is missing", axes);
    let point = "this point belongs neither to a number nor to a frame";
    let both = "axes follow a frame's name, `N.x`; numbers look like `0.5`";
    refuse("a + . b", ".", point, both);
    refuse("f(x).w", ".", point, both);
    let part = "a vector has no parts that are named with a point";
    for (text, remedy) in [
        ("v(P).x", "write the component `dot(v(P), N.x)`"),
        ("(a + b).z", "write the component `dot((a + b), N.z)`"),
    ] {
        refuse(text, text, part, remedy);
    }
    for (text, remedy) in [
        ("P.vx", "write the component `dot(v(P), N.x)`"),
        ("P.a_y", "write the component `dot(a(P), N.y)`"),
        ("P.rz", "write the component `dot(pos(P), N.z)`"),
    ] {
        let axis = &text[2..];
        let words = format!("`{axis}` is not an axis: a frame has the axes x, y, z");
        refuse(text, text, &words, remedy);
    }
}

#[test]
fn the_leftmost_mistake_is_reported() {
    refuse(
        "2x + §",
        "2x",
        "an operator is missing between `2` and `x`",
        "write `2*x`",
    );
    refuse(
        "a + § + 2x",
        "§",
        "the character `§` is not part of the language",
        "",
    );
    refuse(
        "(a = §)",
        "=",
        "a relation stands inside brackets",
        "write the relation once, outside all brackets",
    );
}

#[test]
fn long_quotations_are_cut_but_their_spans_are_not() {
    let name = "ä".repeat(5000);
    let text = format!("({name}) b");
    let error = parse(&text).expect_err("a missing operator");
    assert!(
        error.to_string().len() < 200 && error.kind.hint().is_some_and(|hint| hint.len() < 200)
    );
    let error = parse(&format!("{name}.w")).expect_err("no axis");
    assert_eq!(error.span, Span::new(0, name.len() + 2));
}
