//! Links of a site: each leads to a file of the site, and to a place in it, and nothing is loaded from elsewhere.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Component, Path, PathBuf};

/// Reads its address by itself: `#gallery/NAME` is a model.
const LAB: &str = "lab.html";

/// What was followed.
pub struct Checked {
    pub pages: usize,
    pub links: usize,
}

/// A page: its links, those that load something, and the places in it.
struct Page {
    links: Vec<String>,
    loaded: Vec<String>,
    places: BTreeSet<String>,
}

/// Follows every link of every page under a folder.
///
/// # Errors
/// All links that lead nowhere, and all that load something from elsewhere.
pub fn check(site: &Path) -> Result<Checked, String> {
    let mut pages = BTreeMap::new();
    for path in files(site)? {
        if path.extension().is_some_and(|ending| ending == "html") {
            let text = fs::read_to_string(&path)
                .map_err(|error| format!("{}: {error}", path.display()))?;
            pages.insert(path, page(&text));
        }
    }
    let mut faults = Vec::new();
    let mut links = 0;
    for (path, page) in &pages {
        let name = path.strip_prefix(site).unwrap_or(path).display();
        for link in page.loaded.iter().filter(|link| is_elsewhere(link)) {
            faults.push(format!("{name} loads `{link}`"));
        }
        for link in page
            .links
            .iter()
            .chain(&page.loaded)
            .filter(|link| !is_elsewhere(link))
        {
            links += 1;
            faults.extend(
                wrong(link, path, site, &pages).map(|why| format!("{name}: `{link}` {why}")),
            );
        }
    }
    faults.sort();
    faults.dedup();
    if faults.is_empty() {
        return Ok(Checked {
            pages: pages.len(),
            links,
        });
    }
    Err(format!(
        "{} links do not hold:\n{}",
        faults.len(),
        faults.join("\n")
    ))
}

fn files(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let entries = fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let mut found = Vec::new();
    for entry in entries.filter_map(Result::ok) {
        let path = entry.path();
        if path.is_dir() {
            found.extend(files(&path)?);
        } else {
            found.push(path);
        }
    }
    Ok(found)
}

/// An address of its own, or data.
fn is_elsewhere(link: &str) -> bool {
    let scheme = link.split_once(':').map(|(scheme, _)| scheme);
    link.starts_with("//")
        || scheme.is_some_and(|s| s.len() > 1 && s.chars().all(|c| c.is_ascii_alphanumeric()))
}

/// Why a link does not hold.
fn wrong(
    link: &str,
    from: &Path,
    site: &Path,
    pages: &BTreeMap<PathBuf, Page>,
) -> Option<&'static str> {
    let (path, place) = link
        .split_once('#')
        .map_or((link, None), |(path, place)| (path, Some(place)));
    let path = path.split('?').next().unwrap_or_default();
    if path.starts_with('/') {
        return Some("depends on where the site lies");
    }
    let file = match path {
        "" => from.to_owned(),
        _ => plain(&from.with_file_name("").join(unescaped(path))),
    };
    if !file.starts_with(site) {
        return Some("leads out of the site");
    }
    let file = if file.is_dir() {
        file.join("index.html")
    } else {
        file
    };
    if !file.exists() {
        return Some("leads nowhere");
    }
    // What a script makes of an address is its own affair.
    let page = pages
        .get(&file)
        .filter(|_| !file.starts_with(site.join("gallery")));
    let place = place.filter(|place| !place.is_empty());
    if let Some(name) = place.filter(|_| file == site.join(LAB)) {
        let model = name.strip_prefix("gallery/").map(unescaped);
        let page = model.map(|name| site.join("gallery").join(name).with_extension("html"));
        return (!page.is_some_and(|page| page.is_file()))
            .then_some("leads to no model of the gallery");
    }
    let missing = page
        .zip(place)
        .is_some_and(|(page, place)| !page.places.contains(&unescaped(place)));
    missing.then_some("leads to no place of that page")
}

/// Without `..`.
fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => {
                plain.pop();
            }
            Component::CurDir => {}
            other => plain.push(other),
        }
    }
    plain
}

/// `%20` and `&amp;` as what they stand for.
fn unescaped(text: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let [first, after @ ..] = rest {
        let code = after.get(..2).and_then(|two| std::str::from_utf8(two).ok());
        let byte = code.and_then(|two| u8::from_str_radix(two, 16).ok());
        match (first, byte) {
            (b'%', Some(byte)) => {
                bytes.push(byte);
                rest = &after[2..];
            }
            _ => {
                bytes.push(*first);
                rest = after;
            }
        }
    }
    String::from_utf8_lossy(&bytes).replace("&amp;", "&")
}

/// Reads the tags of a page; what stands in scripts and styles is none.
fn page(text: &str) -> Page {
    let mut page = Page {
        links: Vec::new(),
        loaded: Vec::new(),
        places: BTreeSet::new(),
    };
    let mut rest = text;
    while let Some(at) = rest.find('<') {
        rest = &rest[at + 1..];
        let end = end_of_tag(rest);
        let tag = &rest[..end];
        rest = &rest[end..];
        let name = tag
            .split(|c: char| !c.is_ascii_alphanumeric())
            .next()
            .unwrap_or_default();
        for (attribute, value) in attributes(&tag[name.len()..]) {
            match (name, attribute) {
                (_, "id" | "name") => drop(page.places.insert(value.replace("&amp;", "&"))),
                ("a", "href") => page.links.push(value.to_owned()),
                (_, "src") | ("link", "href") => page.loaded.push(value.to_owned()),
                _ => {}
            }
        }
        let closing = match name {
            "script" => "</script",
            "style" => "</style",
            _ => continue,
        };
        rest = rest.find(closing).map_or("", |at| &rest[at..]);
    }
    page
}

/// Where a tag ends; a `>` within quotes does not end it.
fn end_of_tag(text: &str) -> usize {
    let mut quote = None;
    for (at, c) in text.char_indices() {
        match (quote, c) {
            (None, '>') => return at,
            (None, '"' | '\'') => quote = Some(c),
            (Some(opened), c) if opened == c => quote = None,
            _ => {}
        }
    }
    text.len()
}

/// `name="value"` of a tag.
fn attributes(tag: &str) -> Vec<(&str, &str)> {
    let mut found = Vec::new();
    let mut rest = tag;
    while let Some((before, after)) = rest.split_once('=') {
        let name = before.split_whitespace().last().unwrap_or_default();
        let after = after.trim_start();
        let quote = after.chars().next().filter(|c| "\"'".contains(*c));
        let (value, next) = match quote {
            Some(quote) => after[1..].split_once(quote).unwrap_or((&after[1..], "")),
            None => after.split_once(char::is_whitespace).unwrap_or((after, "")),
        };
        found.push((name, value));
        rest = next;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn site(name: &str, files: &[(&str, &str)]) -> PathBuf {
        let folder =
            std::env::temp_dir().join(format!("appell-links-{name}-{}", std::process::id()));
        for (path, text) in files {
            let path = folder.join(path);
            fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
            fs::write(path, text).expect("a file");
        }
        folder
    }

    #[test]
    fn links_that_hold_are_counted() {
        let folder = site(
            "right",
            &[
                (
                    "index.html",
                    "<a href=\"docs/a.html#two\">x</a><a href='https://example.org/'>y</a><script>'<a href=\"no\">'</script>",
                ),
                (
                    "docs/a.html",
                    "<h1 id=\"two\">T</h1><a href=\"../index.html\">x</a><a href=\"#two\">y</a><img alt=\"a > b\" src=\"b%20c.png\">",
                ),
                ("docs/b c.png", ""),
                (
                    "docs/lab.html",
                    "<a href=\"../lab.html#gallery/skate\"></a><a href=\"../lab.html\"></a>",
                ),
                ("lab.html", ""),
                ("gallery/skate.html", ""),
            ],
        );
        let checked = check(&folder);
        fs::remove_dir_all(&folder).expect("the folder");
        let checked = checked.expect("all hold");
        assert_eq!((checked.pages, checked.links), (5, 6));
    }

    #[test]
    fn every_kind_of_wrong_link_is_found() {
        let folder = site(
            "wrong",
            &[
                ("lab.html", ""),
                (
                    "index.html",
                    "<a href=\"lab.html#gallery/none\"></a><a href=\"a.html\"></a><a href=\"#there\"></a><a href=\"/b\"></a><a href=\"../../c\"></a><script src=\"https://cdn.example/x.js\"></script>",
                ),
            ],
        );
        let faults = check(&folder).err().unwrap_or_default();
        fs::remove_dir_all(&folder).expect("the folder");
        for part in [
            "leads nowhere",
            "no place",
            "no model",
            "where the site lies",
            "out of the site",
            "loads `https",
        ] {
            assert!(faults.contains(part), "{part}: {faults}");
        }
    }
}
