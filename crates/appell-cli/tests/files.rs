//! The files that `appell run` writes.

use crate::common::*;
use std::fs;

#[test]
fn csv_and_json_have_the_same_columns() {
    let folder = folder("tables");
    let (csv, json_file) = (
        inside(&folder, "motion.csv"),
        inside(&folder, "motion.JSON"),
    );
    let output = run(&[
        "run",
        &zoo("perpendicular"),
        "-o",
        &csv,
        "--output",
        &json_file,
        "--samples",
        "5",
    ]);
    assert_exit(&output, 0);
    assert_files(&folder, &["motion.JSON", "motion.csv"]);
    let text = fs::read_to_string(&csv).expect("the file");
    let mut lines = text.lines();
    let names: Vec<&str> = lines.next().expect("names").split(',').collect();
    let rows: Vec<Vec<f64>> = lines
        .map(|line| {
            line.split(',')
                .map(|cell| cell.parse().expect("a number"))
                .collect()
        })
        .collect();
    assert_eq!(rows.len(), 5);
    let columns = json(&fs::read(&json_file).expect("the file"));
    assert_keys(&columns, &names, &[]);
    for (j, name) in names.iter().enumerate() {
        let column: Vec<f64> = rows.iter().map(|row| row[j]).collect();
        assert_eq!(numbers(&columns[name]), column, "{name}");
    }
    for name in [
        "t",
        "x1",
        "y2",
        "x1'",
        "y2'",
        "lambda[perpendicular]",
        "E",
        "residual[perpendicular]",
    ] {
        assert!(names.contains(&name), "{name}: {names:?}");
    }
}

/// Whether braces and environments close, as TeX wants it.
fn closes(text: &str) -> bool {
    let plain = text.replace("\\{", "").replace("\\}", "");
    let depth = plain.chars().try_fold(0_i32, |depth, c| match c {
        '{' => Some(depth + 1),
        '}' if depth == 0 => None,
        '}' => Some(depth - 1),
        _ => Some(depth),
    });
    depth == Some(0) && text.trim_end().ends_with("\\end{tikzpicture}")
}

#[test]
fn pictures_are_written_for_articles_too() {
    let folder = folder("tikz");
    let below = inside(&folder, "plots");
    let asked = ["run", &zoo("chaplygin-sleigh"), "--svg-dir", &below];
    assert_exit(&run(&[&asked[..], &["--plot-format", "tikz"]].concat()), 0);
    assert_files(&folder.join("plots"), &["plot-1.tex", "plot-2.tex"]);
    for name in ["plot-1.tex", "plot-2.tex"] {
        let picture = fs::read_to_string(folder.join("plots").join(name)).expect("the picture");
        assert!(
            closes(&picture) && picture.contains("\\draw[appell0"),
            "{picture}"
        );
    }
    let wrong = run(&[&asked[..], &["--plot-format", "png"]].concat());
    assert_exit(&wrong, 2);
    assert!(stderr(&wrong).contains("tikz"));
    let alone = run(&["run", &zoo("chaplygin-sleigh"), "--plot-format", "tikz"]);
    assert_exit(&alone, 2);
}

#[test]
fn pictures_go_to_a_folder_that_is_made() {
    let folder = folder("pictures");
    let below = inside(&folder, "new/plots");
    assert_exit(
        &run(&["run", &zoo("chaplygin-sleigh"), "--svg-dir", &below]),
        0,
    );
    let below = folder.join("new/plots");
    assert_files(&below, &["plot-1.svg", "plot-2.svg"]);
    for name in ["plot-1.svg", "plot-2.svg"] {
        let picture = fs::read_to_string(below.join(name)).expect("the picture");
        assert!(
            picture.contains("<svg") && picture.trim_end().ends_with("</svg>"),
            "{picture}"
        );
    }
    let first = fs::read_to_string(below.join("plot-1.svg")).expect("the picture");
    assert!(first.contains("path of the blade"), "{first}");
    let again = folder.join("again");
    assert_exit(
        &run(&[
            "run",
            &zoo("chaplygin-sleigh"),
            "--svg-dir",
            again.to_str().expect("UTF-8"),
        ]),
        0,
    );
    assert_eq!(
        fs::read_to_string(again.join("plot-1.svg")).expect("the picture"),
        first
    );
}

#[test]
fn an_archive_for_numpy_has_an_array_for_each_column() {
    let folder = folder("npz");
    let (npz, csv) = (inside(&folder, "motion.npz"), inside(&folder, "motion.csv"));
    let arguments = [
        "run",
        &zoo("skate"),
        "--samples",
        "5",
        "-o",
        &npz,
        "-o",
        &csv,
    ];
    assert_exit(&run(&arguments), 0);
    let archive = fs::read(&npz).expect("the archive");
    let csv = fs::read_to_string(&csv).expect("the table");
    let has = |bytes: &[u8]| archive.windows(bytes.len()).any(|window| window == bytes);
    let mut lines = csv.lines();
    let names: Vec<&str> = lines.next().expect("a head").split(',').collect();
    for name in &names {
        assert!(has(format!("{name}.npy").as_bytes()), "{name}");
    }
    // Numbers of a column stand together, as doubles.
    let theta = names
        .iter()
        .position(|name| *name == "theta")
        .expect("a column");
    let cell = |line: &str| {
        line.split(',')
            .nth(theta)
            .and_then(|x| x.parse::<f64>().ok())
    };
    let column = lines.map(|line| cell(line).expect("a number"));
    let column: Vec<u8> = column.flat_map(f64::to_le_bytes).collect();
    assert_eq!(column.len(), 40);
    assert!(has(&column));
}

/// The columns of a Parquet file are those of a table of text.
#[cfg(feature = "sweep")]
#[test]
fn a_parquet_file_has_the_same_columns() {
    use appell::studies::columns::{Data, read};
    use std::path::Path;
    let folder = folder("parquet");
    let [csv, parquet] = ["motion.csv", "motion.parquet"].map(|name| inside(&folder, name));
    let samples = ["run", &zoo("perpendicular"), "--samples", "5"];
    assert_exit(
        &run(&[&samples[..], &["-o", &csv, "-o", &parquet]].concat()),
        0,
    );
    let (columns, _) = read(Path::new(&parquet)).expect("a table");
    let text = fs::read_to_string(&csv).expect("the file");
    let mut lines = text.lines();
    let names: Vec<&str> = lines.next().expect("names").split(',').collect();
    let found: Vec<&str> = columns.iter().map(|column| column.name.as_str()).collect();
    assert_eq!(found, names);
    let cells: Vec<Vec<&str>> = lines.map(|line| line.split(',').collect()).collect();
    for (j, column) in columns.iter().enumerate() {
        let Data::Numbers(numbers) = &column.data else {
            panic!("{column:?}");
        };
        let of_text = cells
            .iter()
            .map(|row| row[j].parse::<f64>().expect("a number"));
        assert_eq!(numbers, &of_text.collect::<Vec<_>>(), "{}", column.name);
    }
    let ends = inside(&folder, "ends.parquet");
    let table = inside(&folder, "members.csv");
    fs::write(&table, "x1\n1\n").expect("the members");
    let ensemble = run(&[
        "run",
        &zoo("perpendicular"),
        "--ensemble",
        &table,
        "-o",
        &ends,
    ]);
    assert_exit(&ensemble, 2);
    assert!(stderr(&ensemble).contains("are written as .parquet"));
}

#[test]
fn endings_are_refused_before_anything_is_computed() {
    let cases = [
        ("motion.txt", ".txt is not supported"),
        ("motion", "has no ending"),
        ("no/such/folder/motion.csv", "there is no folder"),
    ];
    let folder = folder("endings");
    for (name, words) in cases {
        let output = run(&[
            "run",
            &zoo("perpendicular"),
            "-o",
            &inside(&folder, name),
            "--json",
        ]);
        assert_exit(&output, 2);
        let problem = &json(&output.stdout)["error"][0]["message"];
        assert!(
            problem.as_str().is_some_and(|text| text.contains(words)),
            "{name}: {problem}"
        );
        assert!(
            stderr(&output).contains(words),
            "{name}: {}",
            stderr(&output)
        );
    }
    assert_files(&folder, &[]);
}

#[test]
fn the_model_itself_is_not_overwritten() {
    let folder = folder("itself");
    let model = inside(&folder, "model.json");
    fs::write(&model, SPRING).expect("written");
    let roundabout = inside(&folder, "../")
        + &format!(
            "{}/model.json",
            folder.file_name().expect("a name").to_string_lossy()
        );
    for target in [&model, &roundabout] {
        let output = run(&["run", &model, "-o", target]);
        assert_exit(&output, 2);
        assert!(
            stderr(&output).contains("is the model itself"),
            "{}",
            stderr(&output)
        );
    }
    assert_eq!(fs::read_to_string(&model).expect("the model"), SPRING);
}

#[test]
fn a_file_that_is_protected_is_not_overwritten() {
    let folder = folder("protected");
    let file = inside(&folder, "motion.csv");
    fs::write(&file, "dear\n").expect("written");
    let mut mode = fs::metadata(&file).expect("it is there").permissions();
    mode.set_readonly(true);
    fs::set_permissions(&file, mode).expect("its mode");
    for more in [&["--samples", "3"][..], &["--samples", "200000"]] {
        let output = run(&[&["run", &zoo("skate"), "-o", &file], more].concat());
        assert_exit(&output, 2);
        assert!(
            stderr(&output).contains("is read-only"),
            "{}",
            stderr(&output)
        );
    }
    assert_eq!(fs::read_to_string(&file).expect("the file"), "dear\n");
    assert_files(&folder, &["motion.csv"]);
}

#[test]
fn a_file_that_cannot_be_written_leaves_nothing_behind() {
    let folder = folder("unwritable");
    fs::create_dir(folder.join("motion.csv")).expect("a folder in the way");
    let output = run_with(
        &["run", "-", "-o", &inside(&folder, "motion.csv"), "--json"],
        SPRING,
    );
    assert_exit(&output, 2);
    assert!(
        stderr(&output).contains("cannot be written"),
        "{}",
        stderr(&output)
    );
    assert_eq!(json(&output.stdout)["t"], 1.0, "the rest is still said");
    assert_files(&folder, &["motion.csv"]);
}

#[test]
fn an_older_file_is_replaced() {
    let folder = folder("older");
    let path = inside(&folder, "motion.csv");
    fs::write(
        &path,
        "older and much longer than what will be written\n".repeat(1000),
    )
    .expect("written");
    assert_exit(&run_with(&["run", "-", "-o", &path], SPRING), 0);
    let text = fs::read_to_string(&path).expect("the file");
    assert!(text.starts_with("t,x,x',E\n0.0,1.0,"), "{text}");
    assert_eq!(text.lines().count(), 4);
}

#[test]
fn a_singular_end_still_writes_its_files() {
    let folder = folder("singular");
    let path = inside(&folder, "motion.csv");
    let model = zoo_text("appell-particle").replace("stop ", "# stop ");
    let output = run_with(
        &["run", "-", "-o", &path, "--svg-dir", &inside(&folder, ".")],
        &model,
    );
    assert_exit(&output, 3);
    assert_files(&folder, &["motion.csv", "plot-1.svg"]);
}

/// Many samples are written as they are computed: in little memory, and as they would be if they were kept.
#[test]
fn many_samples_are_written_and_not_kept() {
    let folder = folder("streamed");
    let model = inside(&folder, "spring.toml");
    fs::write(&model, SPRING).expect("the model");
    let (streamed, kept) = (inside(&folder, "own.csv"), inside(&folder, "kept.csv"));
    let json = inside(&folder, "kept.json");
    // The last has many more steps than samples that are kept of a streamed motion.
    let cases = [
        &[][..],
        &["--form", "maggi"],
        &["--until", "-1"],
        &["--until", "20000"],
    ];
    for more in cases {
        let samples = ["run", &model, "--samples", "120001"];
        let one = run(&[&samples[..], more, &["-o", &streamed]].concat());
        let two = run(&[&samples[..], more, &["-o", &kept, "-o", &json]].concat());
        assert_exit(&one, 0);
        assert_exit(&two, 0);
        let [one, two] = [&streamed, &kept].map(|file| fs::read(file).expect("a table"));
        assert!(one == two, "{more:?}");
        assert_eq!(one.iter().filter(|c| **c == b'\n').count(), 120_002);
    }
    let long = ["run", &model, "--samples", "600000", "--memory", "90MB"];
    assert_exit(&run(&[&long[..], &["-o", &streamed]].concat()), 0);
    assert_files(
        &folder,
        &["kept.csv", "kept.json", "own.csv", "spring.toml"],
    );
}

/// What was written of a table stands after a kill, under the name of a draft, in whole lines but for the last.
#[cfg(unix)]
#[test]
fn what_was_written_stands_after_a_kill() {
    let folder = folder("written");
    let model = inside(&folder, "spring.toml");
    fs::write(&model, SPRING).expect("the model");
    let file = inside(&folder, "motion.csv");
    let mut child = std::process::Command::new(env!("CARGO_BIN_EXE_appell"))
        .args([
            "run",
            &model,
            "--samples",
            "10000000",
            "--until",
            "1e4",
            "-o",
            &file,
        ])
        .stdout(std::process::Stdio::null())
        .spawn()
        .expect("the program starts");
    let draft = folder.join(format!(".motion.csv.{}.part", child.id()));
    while fs::metadata(&draft).map_or(0, |about| about.len()) < 100_000 {
        assert!(child.try_wait().expect("a child").is_none(), "it has ended");
        std::thread::sleep(std::time::Duration::from_millis(2));
    }
    child.kill().expect("it can be killed");
    child.wait().expect("it has ended");
    let text = fs::read_to_string(&draft).expect("the draft");
    let lines: Vec<&str> = text.lines().collect();
    let whole = &lines[..lines.len() - 1];
    assert!(whole.len() > 1000 && whole.iter().all(|line| line.split(',').count() == 4));
    assert_files(
        &folder,
        &[&format!(".motion.csv.{}.part", child.id()), "spring.toml"],
    );
}
