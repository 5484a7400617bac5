//! The page as HTML.

use super::pens::{Pens, pens};
use super::{Claim, Page, Parameter, data, forms, last_frame, security};
use crate::derivation::folded;
use crate::lettering::{escape, fitted};
use crate::mathml::inline;
use crate::plot::Figure;
use crate::svg;
use crate::ticks::power_of_ten;

/// The page's style, in the crate as a text.
const STYLE: &str = include_str!("../../web/style.css");
/// The page's script, bundled from `web/src`; a test of the repository bundles it anew and compares.
const SCRIPT: &str = include_str!("../../web/page.js");
/// Letters and signs of formulas, from STIX Math; `web/font/make.py` tells how.
const FONT: &[u8] = include_bytes!("../../web/font/mathematics.woff2");
/// For whoever reads the file: what tests and other programs may rely on.
const HOOKS: &str = "\
<!-- Written by Appell. Hooks for tests and other programs:
  button[aria-label=\"Play\"]             plays, and is called Pause while it does
  input[type=range]                     the time; the only one of its kind
  input[type=checkbox][data-constraint] one for each constraint, labelled with its name
  .arrow                                each arrow shown: data-label, data-kind (vector, force, couple),
                                        data-at and data-vector in inertial components at the time shown
  [data-test=readout]                   the values under the cursor of a plot
  #data                                 all numbers of the page, JSON
-->
";

/// Longer names of the browser's window are cut.
const WINDOW_TITLE: f64 = 80.0;

/// What every page carries, whatever it shows.
#[derive(Debug, Clone)]
pub struct Assets {
    /// CSS, with the font of formulas in it.
    pub style: String,
    /// JavaScript.
    pub script: String,
}

impl Assets {
    /// Those of this crate.
    #[must_use]
    pub fn embedded() -> Self {
        let font = security::base64(FONT);
        Self {
            style: format!(
                "@font-face{{font-family:\"Appell Math\";src:url(data:font/woff2;base64,{font})}}\n{STYLE}"
            ),
            script: SCRIPT.to_owned(),
        }
    }
}

/// What a page is put together from; all but the data is HTML.
#[derive(Debug, Clone)]
pub struct Pieces {
    /// The title of the model.
    pub title: String,
    /// Title, source and outcome.
    pub header: String,
    /// The sections that have a content: id, heading, content.
    pub sections: Vec<(&'static str, &'static str, String)>,
    /// The numbers of the motion and its plots, and the formulas that wait, as JSON.
    pub data: String,
}

/// Makes what a page is put together from; a script that draws anew needs no still pictures.
#[must_use]
pub fn pieces(page: &Page, still: bool) -> Pieces {
    let pens = pens(page);
    let (equations, late) = forms::sections(page);
    let sections = [
        ("motion", "Motion", motion(page, &pens, still)),
        ("plots", "Plots", plots(page, &pens, still)),
        ("equations", "Equations", equations),
        ("claims", "Claims", claims(page)),
        ("proof", "Proofs", proof(page)),
        ("model", "Model", model(page)),
        ("about", "How this was made", provenance(page)),
    ];
    let filled = |(_, _, content): &(_, _, String)| !content.is_empty();
    Pieces {
        title: page.title.clone(),
        header: header(page),
        sections: sections.into_iter().filter(filled).collect(),
        data: data::data(page, &pens, &late),
    }
}

/// Writes the page.
#[must_use]
pub fn write(page: &Page, assets: &Assets) -> String {
    let Assets { style, script } = assets;
    let Pieces {
        title,
        header,
        sections,
        data,
    } = pieces(page, true);
    let policy = security::policy(style, script);
    let head = format!(
        "<!DOCTYPE html>\n{HOOKS}<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{policy}\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n\
         <title>{}</title>\n<style>{style}</style>\n</head>\n",
        escape(&fitted(&title, WINDOW_TITLE))
    );
    let links: String = sections
        .iter()
        .map(|(id, title, _)| format!("<a href=\"#{id}\">{title}</a>"))
        .collect();
    let body: String = sections
        .iter()
        .map(|(id, title, content)| {
            format!(
                "<section id=\"{id}\" aria-labelledby=\"{id}-title\">\n<h2 id=\"{id}-title\">{title}</h2>\n{content}</section>\n"
            )
        })
        .collect();
    format!(
        "{head}<body>\n<a class=\"skip\" href=\"#motion\">Skip to the motion</a>\n{header}\
         <nav aria-label=\"Sections\">{links}</nav>\n<main>\n{body}</main>\n\
         <script type=\"application/json\" id=\"data\">{data}</script>\n<script>{script}</script>\n</body>\n</html>\n"
    )
}

fn header(page: &Page) -> String {
    let origin = page
        .origin
        .as_ref()
        .map(|origin| format!("<p class=\"origin\">{}</p>\n", escape(origin)));
    let about = page.about.as_ref().map(|about| {
        let paragraphs = about.trim().split("\n\n");
        let paragraphs = paragraphs.map(|text| format!("<p class=\"lead\">{}</p>\n", escape(text)));
        paragraphs.collect::<String>()
    });
    let (class, mark) = match page.well {
        true => ("well", "✓"),
        false => ("ill", "!"),
    };
    let sentences: Vec<&str> = [&page.outcome]
        .into_iter()
        .chain(&page.summary)
        .map(String::as_str)
        .collect();
    let outcome = match page.outcome.is_empty() {
        true => String::new(),
        false => format!(
            "<p class=\"notice {class}\"><span aria-hidden=\"true\">{mark}</span> {}</p>\n",
            escape(&raised(&sentences.join(" ")))
        ),
    };
    let warnings: String = page
        .warnings
        .iter()
        .map(|warning| {
            format!(
                "<p class=\"notice ill\"><span aria-hidden=\"true\">!</span> {}</p>\n",
                escape(warning)
            )
        })
        .collect();
    format!(
        "<header>\n<h1>{}</h1>\n{}{}{outcome}{warnings}</header>\n",
        escape(&page.title),
        origin.unwrap_or_default(),
        about.unwrap_or_default()
    )
}

/// A text whose numbers have their powers of ten above the line: 9.25e-16 is 9.25·10⁻¹⁶.
fn raised(text: &str) -> String {
    let word = |word: &str| {
        let end = word.trim_end_matches(|c: char| ".,;:)".contains(c));
        let (mantissa, exponent) = end.split_once('e')?;
        let (power, _) = (exponent.parse::<i32>().ok()?, mantissa.parse::<f64>().ok()?);
        let rest = &word[end.len()..];
        Some(format!("{mantissa}·{}{rest}", power_of_ten(power)))
    };
    let words = text.split(' ');
    let words = words.map(|plain| word(plain).unwrap_or_else(|| plain.to_owned()));
    words.collect::<Vec<_>>().join(" ")
}

/// The still frame; the script puts the player in its place.
fn motion(page: &Page, pens: &Pens, still: bool) -> String {
    match &page.scene {
        None => String::new(),
        Some(_) if !still => "<div id=\"player\"></div>\n".to_owned(),
        Some(scene) => format!(
            "<div id=\"player\">\n<div class=\"still\">{}</div>\n\
             <noscript><p class=\"remark\">The last frame. With scripts, the motion plays here.</p></noscript>\n</div>\n",
            last_frame::frame(scene, pens)
        ),
    }
}

/// Pictures; the script puts interactive ones in their place.
fn plots(page: &Page, pens: &Pens, still: bool) -> String {
    let figures = page.plots.iter().zip(&pens.plots).enumerate();
    let figures = figures.map(|(index, (plot, pens))| {
        let title = title_of(&plot.figure);
        let picture = match still {
            true => svg::with_pens(&plot.figure, pens),
            false => String::new(),
        };
        format!(
            "<figure class=\"plot\" data-plot=\"{index}\"><figcaption>{}</figcaption>\n<div class=\"static\">{picture}</div></figure>\n",
            escape(&title),
        )
    });
    let figures: String = figures.collect();
    match figures.is_empty() {
        true => figures,
        false => format!("<div class=\"plots\">\n{figures}</div>\n"),
    }
}

/// The title of a plot, or what it shows.
fn title_of(figure: &Figure) -> String {
    if !figure.title.trim().is_empty() {
        return figure.title.clone();
    }
    let curves: Vec<&str> = figure.series.iter().map(|s| s.label.as_str()).collect();
    format!("{} against {}", curves.join(", "), figure.x_label)
}

fn claims(page: &Page) -> String {
    if page.claims.is_empty() {
        return String::new();
    }
    let rows: String = page.claims.iter().map(claim).collect();
    format!(
        "<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"Table of claims\"><table>\n<thead><tr><th scope=\"col\">Claim</th><th scope=\"col\">As written</th>\
         <th scope=\"col\">Proof</th><th scope=\"col\">This motion</th><th scope=\"col\">Source</th></tr></thead>\n<tbody>\n{rows}</tbody>\n</table></div>\n"
    )
}

fn claim(claim: &Claim) -> String {
    format!(
        "<tr><th scope=\"row\">{} {}</th><td><code>{}</code></td><td>{}</td><td>{}</td><td>{}</td></tr>\n",
        badge(claim.holds),
        escape(&claim.name),
        escape(&claim.text),
        escape(&claim.proof),
        escape(&claim.motion),
        escape(&claim.cite)
    )
}

/// A mark that does not rely on its colour.
fn badge(holds: Option<bool>) -> String {
    let (class, mark, words) = match holds {
        Some(true) => ("yes", "✓", "holds"),
        Some(false) => ("no", "✗", "does not hold"),
        None => ("open", "?", "open"),
    };
    format!("<span class=\"badge {class}\" role=\"img\" aria-label=\"{words}\">{mark}</span>")
}

fn proof(page: &Page) -> String {
    let groups = page.proof.iter().filter(|group| !group.rows.is_empty());
    let tables = groups.map(|group| {
        let rows = group.rows.iter().map(|(statement, verdict, proved)| {
            format!(
                "<tr><th scope=\"row\">{} {}</th><td>{}</td></tr>\n",
                badge(*proved),
                escape(statement),
                escape(verdict)
            )
        });
        let rows: String = rows.collect();
        let proved = group.rows.iter().filter(|row| row.2 == Some(true)).count();
        let title = format!("{} ({proved} of {} proved)", group.title, group.rows.len());
        let label = escape(&group.title);
        let table = format!(
            "<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"{label}\"><table>\n<tbody>\n\
             {rows}</tbody>\n</table></div>\n"
        );
        folded(&title, &table)
    });
    tables.collect()
}

fn model(page: &Page) -> String {
    let facts = page
        .classification
        .iter()
        .filter(|(_, lines)| !lines.is_empty());
    let facts: String = facts
        .map(|(aspect, lines)| {
            let lines: String = lines
                .iter()
                .map(|line| format!("<dd>{}</dd>", escape(line)))
                .collect();
            format!("<dt>{}</dt>{lines}\n", escape(aspect))
        })
        .collect();
    let parameters: String = page.parameters.iter().map(parameter).collect();
    let parameters = match parameters.is_empty() {
        true => String::new(),
        false => format!(
            "<h3>Parameters</h3>\n<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"Table of parameters\"><table class=\"narrow\">\n<thead><tr><th scope=\"col\">Name</th><th scope=\"col\">Value</th>\
             <th scope=\"col\">Unit</th><th scope=\"col\">Meaning</th></tr></thead>\n<tbody>\n{parameters}</tbody>\n</table></div>\n"
        ),
    };
    let source = format!(
        "<pre tabindex=\"0\"><code>{}</code></pre>\n",
        lines_of(&page.text)
    );
    format!(
        "<h3>What it is</h3>\n<dl>\n{facts}</dl>\n{parameters}{}",
        folded(&format!("The model file {}", page.file), &source)
    )
}

fn parameter(parameter: &Parameter) -> String {
    format!(
        "<tr><th scope=\"row\">{}</th><td class=\"number\">{}</td><td>{}</td><td>{}</td></tr>\n",
        inline(&parameter.latex),
        escape(&parameter.value),
        escape(&parameter.unit),
        escape(&parameter.about)
    )
}

/// A text with its lines.
fn lines_of(text: &str) -> String {
    let lines: Vec<String> = text.lines().map(escape).collect();
    lines.join("\n")
}

fn provenance(page: &Page) -> String {
    let rows = page
        .provenance
        .iter()
        .map(|(what, value)| format!("<dt>{}</dt><dd>{}</dd>\n", escape(what), escape(value)));
    if page.provenance.is_empty() {
        return String::new();
    }
    format!(
        "<dl class=\"provenance\">\n{}</dl>\n",
        rows.collect::<String>()
    )
}

#[cfg(test)]
mod tests {
    use super::raised;

    #[test]
    fn powers_of_ten_stand_above_the_line_and_words_stay() {
        assert_eq!(
            raised("to 9.25e-16, then 2e3. At e-5, 1e and x2e4 nothing"),
            "to 9.25·10⁻¹⁶, then 2·10³. At e-5, 1e and x2e4 nothing"
        );
    }
}
