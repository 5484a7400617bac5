//! A model in the making, and what is true of it.

use std::fmt::Write as _;

/// What is known by construction of a statement about a model, for the file's parameters.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Truth {
    /// It holds at every real state that the model allows, in the domain of the claim.
    Holds,
    /// It fails on a component of the real states on which the rows are independent, or at the start.
    Fails,
    /// It has no value at any real state, or no state is allowed: there is nothing to decide.
    Void,
}

/// A claim of the file and its truth.
pub struct Statement {
    /// The claim's name in the file.
    pub name: String,
    /// The claim as the file has it.
    pub text: String,
    /// Whether it is true.
    pub truth: Truth,
}

/// A model file with statements of known truth.
pub struct Case {
    /// Its name, unique for a seed.
    pub name: String,
    /// What it stands for.
    pub class: &'static str,
    /// The file.
    pub text: String,
    /// Its claims.
    pub statements: Vec<Statement>,
}

/// A model in the making.
pub struct Draft {
    coordinates: Vec<&'static str>,
    parameters: Vec<(String, String)>,
    kinetic: String,
    potential: Option<String>,
    rows: Vec<String>,
    start: Vec<String>,
    until: Option<u32>,
    statements: Vec<Statement>,
}

impl Draft {
    /// A particle of unit mass in the space of these coordinates.
    pub fn new(coordinates: &[&'static str]) -> Self {
        let squares: Vec<String> = coordinates.iter().map(|c| format!("{c}'^2")).collect();
        Self {
            coordinates: coordinates.to_vec(),
            parameters: Vec::new(),
            kinetic: format!("({})/2", squares.join(" + ")),
            potential: None,
            rows: Vec::new(),
            start: Vec::new(),
            until: None,
            statements: Vec::new(),
        }
    }

    /// With this kinetic energy instead.
    pub fn kinetic(&mut self, kinetic: impl Into<String>) {
        self.kinetic = kinetic.into();
    }

    /// With this potential energy.
    pub fn potential(&mut self, potential: impl Into<String>) {
        self.potential = Some(potential.into());
    }

    /// With a parameter of this value.
    pub fn parameter(&mut self, name: &str, value: impl Into<String>) {
        self.parameters.push((name.to_owned(), value.into()));
    }

    /// With a row `... = 0` or an equation.
    pub fn row(&mut self, row: impl Into<String>) {
        self.rows.push(row.into());
    }

    /// With an equation of the start.
    pub fn start(&mut self, equation: impl Into<String>) {
        self.start.push(equation.into());
    }

    /// With a motion up to this time.
    pub fn until(&mut self, until: u32) {
        self.until = Some(until);
    }

    /// An equation of this truth.
    pub fn equation(&mut self, equation: impl Into<String>, truth: Truth) {
        let equation = with_equals(equation.into());
        self.statement(format!("{{ equation = \"{equation}\" }}"), truth);
    }

    /// An equation that holds.
    pub fn holds(&mut self, equation: impl Into<String>) {
        self.equation(equation, Truth::Holds);
    }

    /// An equation that fails.
    pub fn fails(&mut self, equation: impl Into<String>) {
        self.equation(equation, Truth::Fails);
    }

    /// An equation of this truth in a domain.
    pub fn within(&mut self, domain: &str, equation: impl Into<String>, truth: Truth) {
        let equation = with_equals(equation.into());
        let text = format!("{{ equation = \"{equation}\", where = \"{domain}\" }}");
        self.statement(text, truth);
    }

    /// A quantity that is constant, or not.
    pub fn constant(&mut self, expression: impl AsRef<str>, truth: Truth) {
        let expression = expression.as_ref();
        self.statement(format!("{{ constant = \"{expression}\" }}"), truth);
    }

    /// Any claim, as the file has it.
    pub fn statement(&mut self, text: impl Into<String>, truth: Truth) {
        let (name, text) = (format!("k{}", self.statements.len()), text.into());
        self.statements.push(Statement { name, text, truth });
    }

    /// The file and what is true of it.
    pub fn case(self, class: &'static str, number: usize) -> Case {
        Case {
            name: format!("{class} {number}"),
            class,
            text: self.text(),
            statements: self.statements,
        }
    }

    fn text(&self) -> String {
        let mut text = format!(
            "appell = 1\ncoordinates = [{}]\n",
            quoted(&self.coordinates)
        );
        if !self.parameters.is_empty() {
            text += "[parameters]\n";
            for (name, value) in &self.parameters {
                writeln!(text, "{name} = {value}").expect("to memory");
            }
        }
        writeln!(text, "[energy]\nkinetic = \"{}\"", self.kinetic).expect("to memory");
        if let Some(potential) = &self.potential {
            writeln!(text, "potential = \"{potential}\"").expect("to memory");
        }
        text += "[constraints]\n";
        for (index, row) in self.rows.iter().enumerate() {
            let row = with_equals(row.clone());
            writeln!(text, "c{index} = \"{row}\"").expect("to memory");
        }
        if !self.start.is_empty() {
            writeln!(text, "[initial]\nstate = [{}]", quoted(&self.start)).expect("to memory");
        }
        if let Some(until) = self.until {
            writeln!(text, "[simulate]\nuntil = {until}").expect("to memory");
        }
        text += "[claims]\n";
        for Statement {
            name, text: claim, ..
        } in &self.statements
        {
            writeln!(text, "{name} = {claim}").expect("to memory");
        }
        text
    }
}

fn with_equals(equation: String) -> String {
    match equation.contains('=') {
        true => equation,
        false => equation + " = 0",
    }
}

fn quoted<S: AsRef<str>>(words: &[S]) -> String {
    let words: Vec<String> = words
        .iter()
        .map(|w| format!("\"{}\"", w.as_ref()))
        .collect();
    words.join(", ")
}
