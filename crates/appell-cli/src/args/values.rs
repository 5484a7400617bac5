//! The names of the tables as values of options.

use appell::{AUTO, BACKENDS, FORMALISMS, FmuKind, Formalism, METHODS, PLOT_FORMATS, PlotFormat};
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};

/// One form, or all.
#[derive(Debug, Clone, Copy)]
pub enum FormOrAll {
    /// This form.
    One(&'static Formalism),
    /// Every form of the table.
    All,
}

impl FormOrAll {
    /// The forms meant by a list, each once, in the order of the table.
    pub fn meant(list: &[FormOrAll]) -> Vec<&'static Formalism> {
        let is_meant = |form: &Formalism| {
            list.iter().any(|wanted| match wanted {
                FormOrAll::One(one) => one.id == form.id,
                FormOrAll::All => true,
            })
        };
        FORMALISMS
            .iter()
            .copied()
            .filter(|form| is_meant(form))
            .collect()
    }
}

fn form_values() -> impl Iterator<Item = PossibleValue> {
    FORMALISMS
        .iter()
        .map(|form| PossibleValue::new(form.id).help(form.title))
}

pub(super) fn fmu_kind() -> impl TypedValueParser<Value = FmuKind> {
    let names = FmuKind::ALL.map(|(name, _)| name);
    let find = |name: String| {
        let found = FmuKind::ALL.into_iter().find(|(other, _)| *other == name);
        found.map(|(_, kind)| kind).ok_or("it is not in the table")
    };
    PossibleValuesParser::new(names).try_map(find)
}

pub(super) fn form() -> impl TypedValueParser<Value = &'static Formalism> {
    let find = |id: String| Formalism::find(&id).ok_or("it is not in the table");
    PossibleValuesParser::new(form_values()).try_map(find)
}

pub(super) fn form_or_all() -> impl TypedValueParser<Value = FormOrAll> {
    let all = PossibleValue::new("all").help("Every form");
    let values = form_values().chain([all]);
    let find = |id: String| Formalism::find(&id).map_or(FormOrAll::All, FormOrAll::One);
    PossibleValuesParser::new(values).map(find)
}

pub(super) fn plot_format() -> impl TypedValueParser<Value = &'static PlotFormat> {
    let find = |id: String| PlotFormat::find(&id).ok_or("it is not in the table");
    PossibleValuesParser::new(PLOT_FORMATS.iter().map(|format| format.id)).try_map(find)
}

pub(super) fn method() -> impl TypedValueParser<Value = String> {
    let methods = [&AUTO].into_iter().chain(METHODS.iter().copied());
    PossibleValuesParser::new(
        methods.map(|method| PossibleValue::new(method.id).help(method.title)),
    )
}

pub(super) fn backend() -> impl TypedValueParser<Value = String> {
    let backends = BACKENDS.iter();
    PossibleValuesParser::new(
        backends.map(|backend| PossibleValue::new(backend.id).help(backend.title)),
    )
}

/// A time, a number in the unit of the model.
pub(super) fn time(text: &str) -> Result<f64, String> {
    text.parse().map_err(|_| {
        let number = text.trim_end_matches(|c: char| c.is_alphabetic() || c.is_whitespace());
        match number.parse::<f64>() {
            Ok(_) if number != text => {
                format!("it has a unit: write the number alone, `{number}`, in the unit of the model's times")
            }
            _ => "write a number, such as 10 or 2.5e-3".to_owned(),
        }
    })
}
