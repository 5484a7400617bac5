fn main() {
    let path = std::env::args().nth(1).unwrap();
    let text = std::fs::read_to_string(&path).unwrap();
    let (model, warnings) = match appell::read(&path, &text) {
        Ok(x) => x,
        Err(d) => { print!("{}", appell::render_all(&d, &appell::Source::new(&path, &text), false)); return; }
    };
    print!("{}", appell::render_all(&warnings, &model.source, false));
    let p = match appell::Prepared::new(&model, &[], &[]) { Ok(p) => p, Err(d) => { print!("{}", appell::render(&d, &model.source, false)); return; } };
    match std::env::args().nth(2).as_deref() {
        Some("check") => { let (c, d) = appell::check(&p, None); println!("{}", serde_json::to_string_pretty(&c).unwrap()); if let Some(d) = d { print!("{}", appell::render(&d, &model.source, false)); } }
        _ => {
            let form = std::env::args().nth(2).and_then(|f| appell::Formalism::find(&f));
            let options = appell::RunOptions { form, ..Default::default() };
            match appell::run(&p, &options, &mut Default::default()) {
                Ok(run) => println!("{}", serde_json::to_string_pretty(&run.summary()).unwrap()),
                Err(d) => print!("{}", appell::render(&d, &model.source, false)),
            }
        }
    }
}
