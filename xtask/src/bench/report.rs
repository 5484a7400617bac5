//! The tables, and what became of the aims.

use super::figures::{RATES, Row, ratio, spread};

/// An aim: a ratio, or a value where nothing is compared, that should not be larger than a limit.
pub struct Aim {
    text: &'static str,
    quantity: &'static str,
    system: &'static str,
    /// The beginning of the peer's name; the fastest that begins so counts.
    ours: &'static str,
    theirs: Option<&'static str>,
    limit: f64,
    /// Why it is missed where it is, as profiles and programs without the part in question told.
    cause: &'static str,
}

const fn aim(
    text: &'static str,
    [quantity, system, ours]: [&'static str; 3],
    theirs: Option<&'static str>,
    limit: f64,
    cause: &'static str,
) -> Aim {
    Aim {
        text,
        quantity,
        system,
        ours,
        theirs,
        limit,
        cause,
    }
}

const RIGHT: &str = "right-hand side";
const LANE: &str = "right-hand side, a lane";
const A: &str = "perpendicular";
const B: &str = "rolling-disc";
const DIGITS: &str = "trajectory at 1e-13";
const WHOLE: &str = "whole run";
const TEXT: &str = "model to right-hand side";
const BY_HAND: Option<&str> = Some("C by hand");
const HEYOKA: Option<&str> = Some("heyoka, fast");
const STEPS: Option<&str> = Some("Appell, the steps");

/// The aims, in the order of the document.
pub const AIMS: &[Aim] = &[
    aim(
        "`jit` within 1.3 of C by hand, (A)",
        [RIGHT, A, "Appell, jit"],
        BY_HAND,
        1.3,
        "the call into machine code, and guards: whether the solution is finite; sums and products are not contracted",
    ),
    aim(
        "`jit` within 1.3 of C by hand, (B)",
        [RIGHT, B, "Appell, jit"],
        BY_HAND,
        1.3,
        "a call of the library's sine and cosine for each angle is half of it",
    ),
    aim(
        "`jit` within 1.3 of C by hand, bicycle",
        [RIGHT, "bicycle", "Appell, jit"],
        BY_HAND,
        1.3,
        "1683 operations beside some 1440; sums and products are not contracted, sines are calls",
    ),
    aim(
        "`cc` within 1.05 of C by hand, (A)",
        [RIGHT, A, "Appell, cc"],
        BY_HAND,
        1.05,
        "0.3 ns of guards, the rest is the call with its context",
    ),
    aim(
        "`cc` within 1.05 of C by hand, (B)",
        [RIGHT, B, "Appell, cc"],
        BY_HAND,
        1.05,
        "80 operations beside 55, guards of pivots among them",
    ),
    aim(
        "`cc` within 1.05 of C by hand, bicycle",
        [RIGHT, "bicycle", "Appell, cc"],
        BY_HAND,
        1.05,
        "1683 operations beside some 1440, guards of six pivots among them",
    ),
    aim(
        "`cc` a lane within 1.15 of C by hand, (A)",
        [LANE, A, "Appell, cc"],
        BY_HAND,
        1.15,
        "guards, as alone",
    ),
    aim(
        "`cc` a lane within 1.15 of C by hand, (B)",
        [LANE, B, "Appell, cc"],
        BY_HAND,
        1.15,
        "80 operations beside 55, guards among them",
    ),
    aim(
        "a trajectory within 1.1 of C by hand, (A)",
        ["trajectory", A, "Appell"],
        BY_HAND,
        1.1,
        "the stages are 44 %: error estimate 14 %, room for each run 9 %, the loop around steps the rest",
    ),
    aim(
        "a trajectory 1.1 times as fast as C by hand, (B)",
        ["trajectory", B, "Appell"],
        BY_HAND,
        0.9,
        "the stages are 70 %: error estimate 11 %, the slope at the end and the loop the rest",
    ),
    aim(
        "a trajectory within 1.25 of heyoka's fast mode, (A)",
        ["trajectory", A, "Appell"],
        HEYOKA,
        1.25,
        "as beside C; heyoka's whole step is one compiled Taylor series",
    ),
    aim(
        "a trajectory faster than heyoka's fast mode, (B)",
        ["trajectory", B, "Appell"],
        HEYOKA,
        1.0,
        "as beside C; heyoka's whole step is one compiled Taylor series",
    ),
    aim(
        "a trajectory to 13 digits faster than C by hand, (A)",
        [DIGITS, A, "Appell"],
        BY_HAND,
        1.0,
        "of the series' time coefficients are a third, the look at their slopes 18 %, the choice of the step 19 %; of the \
         stages' as at 10 digits",
    ),
    aim(
        "a trajectory to 13 digits faster than C by hand, (B)",
        [DIGITS, B, "Appell"],
        BY_HAND,
        1.0,
        "coefficients are two thirds of the series' time, the look at their slopes 14 %; of the stages' as at 10 digits",
    ),
    aim(
        "a trajectory to 13 digits faster than heyoka's fast mode, (A)",
        [DIGITS, A, "Appell"],
        HEYOKA,
        1.0,
        "as beside C: a third of the series' time are its coefficients, where heyoka's step is little else",
    ),
    aim(
        "a trajectory to 13 digits faster than heyoka's fast mode, (B)",
        [DIGITS, B, "Appell"],
        HEYOKA,
        1.0,
        "stages take three times the steps of a series here; of the series' time the look at its slopes is 14 %",
    ),
    aim(
        "a whole run within 1.5 of its steps, (A)",
        [WHOLE, A, "Appell, the whole"],
        STEPS,
        1.5,
        "ten steps take 4 us; five claims at each of 201 samples are 29 %, whether the compiler works 16 %, \
         the energy account 12 %, samples projected 11 %, the table 8 %",
    ),
    aim(
        "a whole run within 1.5 of its steps, (B)",
        [WHOLE, B, "Appell, the whole"],
        STEPS,
        1.5,
        "projection of steps and samples 25 %, rank monitor 20 %, claims 11 %; the stages are 5 %",
    ),
    aim(
        "a whole run within 1.5 of its steps, bicycle",
        [WHOLE, "bicycle", "Appell, the whole"],
        STEPS,
        1.5,
        "signs of what may turn within a step 15 %, projection 15 %, rank monitor 13 %, energy account 10 %, table 9 %; \
         the stages are 8 %",
    ),
    aim(
        "an ensemble 1.6 times as fast as heyoka's best batch",
        ["ensemble", "perpendicular ensemble", "Appell"],
        Some("heyoka"),
        1.0 / 1.6,
        "projection and rank monitor are in Appell's steps",
    ),
    aim(
        "an ensemble as fast as C by hand in 8 lanes",
        ["ensemble", "perpendicular ensemble", "Appell"],
        BY_HAND,
        1.0,
        "projection and rank monitor are in Appell's steps",
    ),
    aim(
        "from the bicycle's text to its right-hand side in 20 ms",
        [TEXT, "bicycle", "Appell"],
        None,
        0.020,
        "choosing among shorter programs is more than half of it, preparing 29 %, reading the text 13 %",
    ),
    aim(
        "the same in a second process in 5 ms",
        [TEXT, "bicycle", "a second process"],
        None,
        0.005,
        "what is kept between processes is what was decided, a seventh of the time; derived programs are not",
    ),
    aim(
        "a snake of 64 links from its text in 150 ms",
        [TEXT, "snake, n = 64", "Appell"],
        None,
        0.150,
        "preparing is 39 %, half of it `M` and the right-hand side; choosing among shorter programs 31 %, reading the text 9 %",
    ),
    aim(
        "snakes from 4 to 64 links grow no faster than n^2",
        ["power of n", "snake", "Appell"],
        None,
        2.0,
        "",
    ),
    aim(
        "the bicycle's M2 100 times as fast as EXUDYN: the steps alone",
        ["M2", "bicycle", "Appell, the steps"],
        Some("EXUDYN, the solver"),
        0.01,
        "",
    ),
    aim(
        "the bicycle's M2 100 times as fast as EXUDYN: the whole run",
        ["M2", "bicycle", "Appell, the whole"],
        Some("EXUDYN, model"),
        0.01,
        "of a process's time deriving and reducing the equations are 37 %, preparing 19 %, steps with their checks 10 %, \
         reading the text 8 %; no derived program is kept between processes",
    ),
    aim(
        "`appell run` starts in 10 ms, machine code included",
        ["start-up", A, "Appell, jit"],
        None,
        10.0,
        "",
    ),
    aim(
        "an ensemble of a million, end states only, in 500 MB",
        ["ensemble's memory", A, "Appell"],
        None,
        500.0,
        "",
    ),
];

/// What a user reads first: a quantity of a system by Appell, and beside whom.
const HEADLINES: &[(&str, [&str; 3], &[&str])] = &[
    (
        "deriving the bicycle's equations and making them callable",
        [TEXT, "bicycle", "Appell"],
        &["SymPy"],
    ),
    (
        "the bicycle's accelerations at one state",
        [RIGHT, "bicycle", "Appell"],
        &["C by hand", "CasADi", "numba", "SymPy, lambdify"],
    ),
    (
        "a rolling disc's motion to 10 digits",
        ["trajectory", B, "Appell"],
        &["C by hand", "heyoka, fast", "SciPy", "CVODES"],
    ),
    (
        "one of many motions of (A) to 8 digits",
        ["ensemble", "perpendicular ensemble", "Appell"],
        &["C by hand", "heyoka", "SciPy", "CVODES"],
    ),
    (
        "the bicycle's benchmark motion, the steps alone",
        ["M2", "bicycle", "Appell, the steps"],
        &["EXUDYN, the solver"],
    ),
    (
        "the same from the text, equations, compiler and all",
        ["M2", "bicycle", "Appell, the whole"],
        &["EXUDYN, model"],
    ),
];

/// How many times as fast Appell is as others, in Markdown.
pub fn headlines(rows: &[Row]) -> String {
    let mut text = "| what | beside | Appell is |\n|---|---|---|\n".to_owned();
    for (what, [quantity, system, ours], peers) in HEADLINES {
        let find = |peer| fastest(rows, quantity, system, peer);
        for peer in *peers {
            let Some((ours, theirs)) = find(ours).zip(find(peer)) else {
                continue;
            };
            let Some([_, middle, _]) = ratio(theirs, ours) else {
                continue;
            };
            text += &format!(
                "| {what} | {} | {} times as fast |\n",
                theirs.peer,
                two_digits(middle)
            );
        }
    }
    text
}

/// Two digits that count, without an exponent: more are not the same on the next machine.
fn two_digits(x: f64) -> String {
    let unit = 10_f64.powf(x.abs().max(1e-12).log10().floor() - 1.0);
    let rounded = (x / unit).round() * unit;
    let places = (1.0 - rounded.abs().max(1e-12).log10().floor()).max(0.0) as usize;
    format!("{rounded:.places$}")
}

/// The fastest row of a quantity whose peer begins with a name.
fn fastest<'r>(rows: &'r [Row], quantity: &str, system: &str, peer: &str) -> Option<&'r Row> {
    let middle = |row: &Row| spread(&row.values).map(|spread| spread[1]);
    let asked =
        |row: &&Row| row.quantity == quantity && row.system == system && row.peer.starts_with(peer);
    let found = rows
        .iter()
        .filter(asked)
        .filter(|row| middle(row).is_some());
    found.min_by(|a, b| {
        middle(a)
            .unwrap_or(f64::NAN)
            .total_cmp(&middle(b).unwrap_or(f64::NAN))
    })
}

/// The table of aims in Markdown.
pub fn aims(rows: &[Row]) -> String {
    let mut text = "| aim | measured | |\n|---|---|---|\n".to_owned();
    for aim in AIMS {
        let find = |peer| fastest(rows, aim.quantity, aim.system, peer);
        let measured = match (find(aim.ours), aim.theirs.map(|peer| (peer, find(peer)))) {
            (None, _) => Err("Appell's part was not measured".to_owned()),
            (_, Some((peer, None))) => Err(format!("nothing by \"{peer}\" was measured")),
            (Some(ours), Some((_, Some(theirs)))) => {
                let words = format!(" ({} to {})", ours.peer, theirs.peer);
                ratio(ours, theirs)
                    .map(|r| (r, words))
                    .ok_or_else(|| "never in the same round".to_owned())
            }
            (Some(ours), None) => spread(&ours.values)
                .map(|r| (r, format!(" {}", ours.unit)))
                .ok_or_else(|| "no value".to_owned()),
        };
        text += &match measured {
            Ok((measured, words)) => {
                let verdict = match measured[1] <= aim.limit {
                    true => "met".to_owned(),
                    false if aim.cause.is_empty() => "**not met**".to_owned(),
                    false => format!("**not met**: {}", aim.cause),
                };
                format!(
                    "| {} (at most {:.3}) | {}{words} | {verdict} |\n",
                    aim.text,
                    aim.limit,
                    shown(measured)
                )
            }
            Err(why) => format!(
                "| {} (at most {:.3}) | {why} | unknown |\n",
                aim.text, aim.limit
            ),
        };
    }
    text
}

/// Middle, least and most.
fn shown([least, middle, most]: [f64; 3]) -> String {
    format!("{} [{}, {}]", digits(middle), digits(least), digits(most))
}

/// Three digits that count.
pub fn digits(x: f64) -> String {
    let places = 2 - x.abs().max(1e-12).log10().floor() as i32;
    format!("{x:.*}", usize::try_from(places).unwrap_or(0))
}

/// The tables of a part in Markdown, one for each system. Ratios refer to the fastest C by hand, or to
/// Appell where there is none.
pub fn tables(rows: &[Row]) -> String {
    let mut text = String::new();
    let mut seen: Vec<(&str, &str)> = Vec::new();
    for row in rows {
        let key = (&row.quantity[..], &row.system[..]);
        if key.0 == RATES || seen.contains(&key) {
            continue;
        }
        seen.push(key);
        let unit = ["C by hand", "Appell"]
            .iter()
            .find_map(|peer| fastest(rows, key.0, key.1, peer));
        text += &format!("\n{}, {}, in {}:\n\n", row.system, row.quantity, row.unit);
        let of = unit.map_or(String::new(), |unit| format!("ratio to \"{}\"", unit.peer));
        text += &format!("| | median [least, most] | {of} | |\n|---|---|---|---|\n");
        let here = rows
            .iter()
            .filter(|row| (&row.quantity[..], &row.system[..]) == key);
        for row in here {
            let value = spread(&row.values).map_or("none".to_owned(), shown);
            let ratio = unit
                .and_then(|unit| ratio(row, unit))
                .map_or(String::new(), shown);
            text += &format!("| {} | {value} | {ratio} | {} |\n", row.peer, row.note);
        }
    }
    text + &agreement(rows)
}

/// How well the programs agree on the rates of a system, a line for each.
fn agreement(rows: &[Row]) -> String {
    let mut text = String::new();
    let mut seen: Vec<&str> = Vec::new();
    for row in rows.iter().filter(|row| row.quantity == RATES) {
        if seen.contains(&&row.system[..]) {
            continue;
        }
        seen.push(&row.system);
        let here = rows
            .iter()
            .filter(|other| (&other.quantity, &other.system) == (&row.quantity, &row.system));
        let errors = here.filter_map(|other| Some((spread(&other.values)?[2], &other.peer)));
        let errors: Vec<(f64, &String)> = errors.collect();
        if let Some((error, peer)) = errors.iter().max_by(|a, b| a.0.total_cmp(&b.0)) {
            text += &format!(
                "\nThe rates of {} by {} programs at one state are those of `reference.json` within {error:.0e} \
                 ({peer}).\n",
                row.system,
                errors.len()
            );
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(peer: &str, values: &[f64]) -> Row {
        Row {
            peer: peer.to_owned(),
            system: A.to_owned(),
            quantity: RIGHT.to_owned(),
            unit: "ns".to_owned(),
            values: values.to_vec(),
            note: String::new(),
        }
    }

    #[test]
    fn aims_are_met_or_not_or_unknown() {
        let line = |rows: &[Row]| aims(rows).lines().nth(2).unwrap_or_default().to_owned();
        let hand = row("C by hand", &[2.0, 4.0]);
        let met = [hand.clone(), row("Appell, jit", &[2.4, 5.0])];
        assert!(line(&met).ends_with("1.23 [1.20, 1.25] (Appell, jit to C by hand) | met |"));
        let missed = line(&[hand.clone(), row("Appell, jit", &[4.0, 8.0])]);
        let cause = format!("| **not met**: {} |", AIMS[0].cause);
        assert!(missed.ends_with(&cause), "{missed}");
        assert!(line(&[hand]).ends_with("| unknown |"));
        assert!(line(&[row("Appell, jit", &[1.0])]).contains("nothing by \"C by hand\""));
    }

    #[test]
    fn tables_refer_to_c_by_hand() {
        let text = tables(&[row("Appell, jit", &[3.0]), row("C by hand", &[2.0])]);
        assert!(
            text.contains("| Appell, jit | 3.00 [3.00, 3.00] | 1.50 [1.50, 1.50] |  |"),
            "{text}"
        );
    }

    #[test]
    fn agreement_is_said_by_its_worst() {
        let rates = |peer: &str, value: f64| Row {
            quantity: RATES.to_owned(),
            ..row(peer, &[value, value / 2.0])
        };
        let text = tables(&[
            rates("one", 1e-15),
            rates("other", 3e-13),
            rates("no", f64::NAN),
        ]);
        assert!(
            text.contains("2 programs") && text.contains("within 3e-13 (other)"),
            "{text}"
        );
        assert!(!text.contains('|'), "{text}");
    }

    #[test]
    fn headlines_say_how_many_times_as_fast() {
        let of = |peer: &str, values: &[f64]| Row {
            system: "bicycle".to_owned(),
            ..row(peer, values)
        };
        let text = headlines(&[
            of("Appell, cc", &[2.0]),
            of("C by hand", &[1.5]),
            of("SymPy, lambdify", &[687.0]),
        ]);
        assert!(
            text.contains("| C by hand | 0.75 times as fast |"),
            "{text}"
        );
        assert!(
            text.contains("| SymPy, lambdify | 340 times as fast |"),
            "{text}"
        );
    }

    #[test]
    fn three_digits_count() {
        assert_eq!(digits(0.012345), "0.0123");
        assert_eq!(digits(1.2345), "1.23");
        assert_eq!(digits(12345.6), "12346");
    }
}
