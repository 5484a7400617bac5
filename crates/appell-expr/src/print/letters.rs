//! Names as letters with dots and indices.

const GREEK: [&str; 35] = [
    "alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "iota", "kappa",
    "lambda", "mu", "nu", "xi", "pi", "rho", "sigma", "tau", "upsilon", "phi", "chi", "psi",
    "omega", "Gamma", "Delta", "Theta", "Lambda", "Xi", "Pi", "Sigma", "Upsilon", "Phi", "Psi",
    "Omega", "varphi",
];

/// `theta1''` becomes `\ddot{\theta}_{1}`, `lambda[blade]` becomes `\lambda_{\mathrm{blade}}`.
pub fn latex_name(name: &str) -> String {
    let stem = name.trim_end_matches('\'');
    let primes = name.len() - stem.len();
    let in_brackets = stem.contains('[');
    let (stem, indices) = split_indices(stem);
    let letters = latex_word(stem, "mathit");
    let dotted = match primes {
        0 => letters,
        1 => format!(r"\dot{{{letters}}}"),
        2 => format!(r"\ddot{{{letters}}}"),
        n => format!("{letters}^{{({n})}}"),
    };
    if indices.is_empty() {
        return dotted;
    }
    let index = |word: &str| latex_index(word, in_brackets);
    let indices: Vec<String> = indices.split(',').map(index).collect();
    format!("{dotted}_{{{}}}", indices.join(","))
}

/// An index: `x1` is the letter `x_{1}`, and so is `x_1` in brackets, where names stand; several letters are a name.
fn latex_index(word: &str, in_brackets: bool) -> String {
    let part = word.split_once('_').filter(|_| in_brackets);
    let letter = part.map_or(word, |(letter, _)| letter);
    let letter = letter.trim_end_matches(|c: char| c.is_ascii_digit());
    let is_letter = letter.chars().count() == 1 || GREEK.contains(&letter);
    if is_letter {
        latex_name(word)
    } else {
        latex_word(word, "mathrm")
    }
}

/// The commands of the letters from U+03B1 on.
const SMALL_LETTERS: [&str; 25] = [
    "alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "iota", "kappa",
    "lambda", "mu", "nu", "xi", "omicron", "pi", "rho", "varsigma", "sigma", "tau", "upsilon",
    "phi", "chi", "psi", "omega",
];

/// The command of a letter that was typed as such, for plain LaTeX does not know the character;
/// capitals that look like Latin ones have no command.
fn greek_command(word: &str) -> Option<String> {
    let mut letters = word.chars();
    let (Some(letter), None) = (letters.next(), letters.next()) else {
        return None;
    };
    let small = letter.to_lowercase().next()?;
    let place = usize::try_from(u32::from(small).checked_sub(0x3b1)?).ok()?;
    let name = *SMALL_LETTERS.get(place)?;
    if small == letter {
        return Some(if name == "omicron" {
            "o".to_owned()
        } else {
            format!(r"\{name}")
        });
    }
    let capital = format!("{}{}", name[..1].to_uppercase(), &name[1..]);
    GREEK
        .contains(&capital.as_str())
        .then(|| format!(r"\{capital}"))
}

/// One word: a Greek letter by its command, several letters in the given font.
fn latex_word(word: &str, font: &str) -> String {
    if let Some(command) = greek_command(word) {
        return command;
    }
    if GREEK.contains(&word) {
        return format!(r"\{word}");
    }
    if let Some(letter) = word
        .strip_suffix("bar")
        .filter(|letter| GREEK.contains(letter))
    {
        return format!(r"\bar{{\{letter}}}");
    }
    let plain = word.chars().count() == 1 || word.bytes().all(|b| b.is_ascii_digit());
    let escaped: String = word.chars().map(escaped).collect();
    if plain && word != "_" {
        escaped
    } else {
        format!(r"\{font}{{{escaped}}}")
    }
}

/// A letter within a word, as LaTeX knows it.
fn escaped(letter: char) -> String {
    match greek_command(letter.encode_utf8(&mut [0; 4])) {
        Some(command) if command.starts_with('\\') => format!("{command}{{}}"),
        Some(command) => command,
        None => match letter {
            '_' | '&' | '%' | '$' | '#' | '{' | '}' | ' ' => format!(r"\{letter}"),
            '\\' => r"\backslash{}".to_owned(),
            '~' => r"\sim{}".to_owned(),
            '^' => r"\wedge{}".to_owned(),
            _ => letter.to_string(),
        },
    }
}

/// `q12` is `q` with index `12`, `rho_max` is `rho` with index `max`, `mu[1,2]` `mu` with `1,2`.
fn split_indices(stem: &str) -> (&str, &str) {
    if let Some((letters, indices)) = stem.split_once('[') {
        return (letters, indices.trim_end_matches('_').trim_end_matches(']'));
    }
    if let Some((letters, index)) = stem.split_once('_')
        && !letters.is_empty()
        && !index.is_empty()
    {
        return (letters, index);
    }
    match stem.trim_end_matches(|c: char| c.is_ascii_digit()) {
        "" => (stem, ""),
        letters => (letters, &stem[letters.len()..]),
    }
}
