//! The slips of the source papers as a document: those that claims of the gallery refute, and those
//! of `docs/errata.toml` that are words.
//!
//! A claim is a printed slip if it is marked `refuted = true` and has a `cite`, which is the paper
//! and the place: `Talamucci, (40)`. The corrected form is a claim of the same file whose `cite` is this
//! and `, corrected`, with a remark after a colon where there is one. Nothing else knows of slips.

use appell::prove::{ClaimVerdict, Parameters, Verdict, Witness, prove};
use appell::{Prepared, gallery, read};
use std::fmt::Write as _;
use toml_edit::{ImDocument, Item};

/// Where the document is kept.
pub const PLACE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/errata.md");
const WORDS: &str = include_str!("../../../../docs/errata.toml");

/// The papers, with their keys in `refs.bib`.
const PAPERS: [(&str, &str); 4] = [
    ("Benenti 2007", "benenti2007"),
    ("Benenti 1996", "benenti1996"),
    ("Roithmayr & Hodges", "roithmayr2010"),
    ("Talamucci", "talamucci"),
];

/// What a corrected claim adds to the `cite` of the slip.
const CORRECTED: &str = ", corrected";

const HEAD: &str = "\
# Slips of the source papers

Written by `cargo xtask errata` from the claims of the gallery (`zoo/`) and from `errata.toml`; do not
edit it. Each printed formula is refuted with a state at 20 digits, in the parameters of the model's
file; each corrected one is proved at random points of prime fields, and is wrong with a probability
below the bound. Names that a model defines are explained in its file.
";

/// One printed formula that is wrong, and what became of it.
#[derive(Debug, PartialEq)]
struct Slip {
    paper: usize,
    place: String,
    model: &'static str,
    printed: String,
    /// The difference of the two sides, and where it is not zero.
    refuted: String,
    /// Each corrected claim: the formula, the remark, the bound.
    corrected: Vec<String>,
}

/// The whole document, or what is wrong with a claim that it should be made from.
pub fn errata() -> Result<String, String> {
    let mut slips = Vec::new();
    for entry in gallery::entries() {
        slips.extend(slips_of(entry.name, entry.text)?);
    }
    slips.sort_by(|a, b| (a.paper, &a.place, a.model).cmp(&(b.paper, &b.place, b.model)));
    let words = ImDocument::parse(WORDS).map_err(|error| error.to_string())?;
    let mut text = HEAD.to_owned();
    for (paper, (name, key)) in PAPERS.iter().enumerate() {
        let _ = write!(text, "\n## {name} [{key}]\n");
        let of_paper: Vec<&Slip> = slips.iter().filter(|slip| slip.paper == paper).collect();
        if !of_paper.is_empty() {
            text.push_str("\n| place | printed | refuted | corrected, proved | model |\n");
            text.push_str("|---|---|---|---|---|\n");
        }
        for slip in of_paper {
            let corrected = slip.corrected.join("<br>");
            let (place, printed, refuted) = (&slip.place, &slip.printed, &slip.refuted);
            let row = [place, printed, refuted, &corrected, slip.model];
            let _ = writeln!(text, "| {} |", row.map(cell).join(" | "));
        }
        text.push_str(&in_words(words.as_item(), name)?);
    }
    Ok(text)
}

/// The slips of one model; every claim that is, or corrects, one must have the right verdict.
fn slips_of(name: &'static str, text: &str) -> Result<Vec<Slip>, String> {
    let (model, _) = read(name, text).map_err(|_| format!("{name}: not a right model"))?;
    let slip = |claim: &&appell_model::Claim| claim.refuted && claim.cite.is_some();
    let speaks = |claim: &appell_model::Claim| cite(claim).contains(CORRECTED);
    if !model.claims.iter().any(|c| slip(&c) || speaks(c)) {
        return Ok(Vec::new());
    }
    let prepared = Prepared::new(&model, &[], &[]).map_err(|_| format!("{name}: parameters"))?;
    let proof = prove(&prepared);
    let source = ImDocument::parse(text).map_err(|error| error.to_string())?;
    let formula = |claim: &str| formula(source.as_item(), claim);
    let mut slips = Vec::new();
    let mut partners = Vec::new();
    for (claim, verdict) in model
        .claims
        .iter()
        .zip(&proof.claims)
        .filter(|(c, _)| slip(c))
    {
        let wrong = |what: &str| format!("{name}: claim `{}`: {what}", claim.name);
        let (paper, place) = located(cite(claim))
            .ok_or_else(|| wrong("its cite names none of the papers; a printed slip must"))?;
        let Verdict::Refuted {
            witness: Some(witness),
            ..
        } = &verdict.verdict
        else {
            return Err(wrong("it is not refuted with a state"));
        };
        let mut corrected = Vec::new();
        for (other, verdict) in model.claims.iter().zip(&proof.claims) {
            let rest = cite(other).strip_prefix(cite(claim));
            if let Some(remark) = rest.and_then(|rest| rest.strip_prefix(CORRECTED)) {
                partners.push(&other.name);
                let wrong = |what: &str| format!("{name}: claim `{}`: {what}", other.name);
                let bound = proved(verdict).ok_or_else(|| wrong("it is not proved"))?;
                corrected.push(format!("{}{remark}; {bound}", formula(&other.name)?));
            }
        }
        if corrected.is_empty() {
            return Err(wrong(
                "no claim corrects it: none has its cite and `, corrected`",
            ));
        }
        let about = claim.about.iter().map(|about| format!(" ({about})"));
        slips.push(Slip {
            paper,
            place: place.to_owned(),
            model: name,
            printed: formula(&claim.name)? + &about.collect::<String>(),
            refuted: at(witness),
            corrected,
        });
    }
    let lonely = model
        .claims
        .iter()
        .find(|c| speaks(c) && !partners.contains(&&c.name));
    match lonely {
        Some(claim) => Err(format!(
            "{name}: claim `{}` corrects no printed one",
            claim.name
        )),
        None => Ok(slips),
    }
}

fn cite(claim: &appell_model::Claim) -> &str {
    claim.cite.as_deref().unwrap_or_default()
}

/// The paper, by its place in [`PAPERS`], and the place in it.
fn located(cite: &str) -> Option<(usize, &str)> {
    let of = |(paper, (name, _)): (usize, &(&str, _))| {
        let rest = cite.strip_prefix(name)?;
        Some((paper, rest.strip_prefix(", ")?))
    };
    PAPERS.iter().enumerate().find_map(of)
}

/// A claim's formula as the file has it, on one line.
fn formula(source: &Item, claim: &str) -> Result<String, String> {
    let table = &source["claims"][claim];
    let text = |key: &str| {
        Some(
            table
                .get(key)?
                .as_str()?
                .split_whitespace()
                .collect::<Vec<_>>()
                .join(" "),
        )
    };
    let constant = text("constant").map(|x| format!("`{x}` is constant"));
    let claimed = text("equation").map(|x| format!("`{x}`")).or(constant);
    let claimed = claimed.ok_or_else(|| format!("claim `{claim}` is no formula"))?;
    let domain = text("where").map(|x| format!(" where `{x}`"));
    Ok(claimed + &domain.unwrap_or_default())
}

/// "below 2^-94": the bound of a proof.
fn proved(claim: &ClaimVerdict) -> Option<String> {
    let Verdict::Proved {
        bound, parameters, ..
    } = &claim.verdict
    else {
        return None;
    };
    let valid = match parameters {
        Parameters::Any => "",
        Parameters::Defined => ", with the file's definitions of parameters",
        Parameters::Values => ", for the file's parameters",
    };
    Some(format!("{bound}{valid}"))
}

/// The state of a witness, with the difference of the two sides there.
fn at(witness: &Witness) -> String {
    let list = |numbers: &[String]| {
        numbers
            .iter()
            .map(|x| short(x))
            .collect::<Vec<_>>()
            .join(", ")
    };
    let [left, right] = &witness.values;
    let component = witness.component.map(|i| format!(" (component {i})"));
    format!(
        "{} is not {}{} at t = {}, q = ({}), v = ({})",
        short(left),
        short(right),
        component.unwrap_or_default(),
        short(&witness.t),
        list(&witness.q),
        list(&witness.v),
    )
}

/// A number without the zeros at its end, and without an exponent if it is of ordinary size:
/// `6.0000000000000000000e-1` is `0.6`.
fn short(number: &str) -> String {
    let (digits, exponent) = number.split_once('e').unwrap_or((number, "0"));
    let (sign, digits) = match digits.strip_prefix('-') {
        Some(rest) => ("-", rest),
        None => ("", digits),
    };
    let (whole, part) = digits.split_once('.').unwrap_or((digits, ""));
    let (whole, part) = match exponent.parse::<i32>() {
        Ok(0) => (whole.to_owned(), part.to_owned()),
        Ok(e @ -4..0) => {
            let zeros = "0".repeat((-e - 1).unsigned_abs() as usize);
            ("0".to_owned(), format!("{zeros}{whole}{part}"))
        }
        Ok(e @ 1..=4) => match part.split_at_checked(e as usize) {
            Some((more, rest)) => (format!("{whole}{more}"), rest.to_owned()),
            None => return number.to_owned(),
        },
        _ => return number.to_owned(),
    };
    let part = part.trim_end_matches('0');
    let point = if part.is_empty() { "" } else { "." };
    format!("{sign}{whole}{point}{part}")
}

/// The slips of a paper that are words, as a table.
fn in_words(words: &Item, paper: &str) -> Result<String, String> {
    let slips = words["slip"]
        .as_array_of_tables()
        .ok_or("errata.toml has no slip")?;
    let mut text = String::new();
    for slip in slips {
        let field = |key: &str| {
            let value = slip.get(key).and_then(Item::as_str);
            value.ok_or_else(|| format!("errata.toml: a slip has no `{key}`"))
        };
        let of = field("paper")?;
        if !PAPERS.iter().any(|(name, _)| *name == of) {
            return Err(format!("errata.toml: `{of}` is none of the papers"));
        }
        if of == paper {
            let row = [field("place")?, field("printed")?, field("right")?];
            let _ = writeln!(text, "| {} |", row.map(cell).join(" | "));
        }
    }
    if !text.is_empty() {
        text.insert_str(
            0,
            "\nIn words:\n\n| place | printed | right |\n|---|---|---|\n",
        );
    }
    Ok(text)
}

/// Text in a table: a bar would end the cell.
fn cell(text: &str) -> String {
    text.replace('|', "\\|")
}
