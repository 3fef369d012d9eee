//! A document of text, tables and figures, as one HTML page or as Markdown.

use maud::{DOCTYPE, Markup, PreEscaped, html};

use super::figures::{self, hexadecimal};

/// A document.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Document {
    /// Its title.
    pub title: String,
    /// What it is, a sentence or two.
    pub summary: String,
    /// Its sections.
    pub sections: Vec<Section>,
}

/// A section of a document.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Section {
    /// Its title.
    pub title: String,
    /// What it consists of.
    pub blocks: Vec<Block>,
}

/// A part of a section.
#[derive(Clone, Debug, PartialEq)]
pub enum Block {
    /// A paragraph.
    Text(String),
    /// A table.
    Table(Table),
    /// A figure.
    Figure(Figure),
}

/// A table: the first column names what a row is, the others are numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Table {
    /// The heads of the columns.
    pub head: Vec<String>,
    /// The rows; each has a cell for each column.
    pub rows: Vec<Vec<String>>,
}

impl Table {
    /// A table without rows.
    pub fn new<const N: usize>(head: [&str; N]) -> Self {
        Self {
            head: head.map(str::to_owned).to_vec(),
            rows: Vec::new(),
        }
    }
}

/// A figure.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Figure {
    /// A name for its file.
    pub name: String,
    /// The picture, a whole SVG element.
    pub svg: String,
    /// What is to be seen.
    pub caption: String,
}

impl Figure {
    /// The picture as a file of its own.
    pub fn file(&self) -> String {
        let name = "<svg ";
        let namespace = "xmlns=\"http://www.w3.org/2000/svg\" ";
        let svg = self.svg.trim_end();
        if svg.contains(namespace.trim_end()) {
            return format!("{svg}\n");
        }
        format!("{}\n", svg.replacen(name, &format!("{name}{namespace}"), 1))
    }
}

/// Text colours beside those of the figures, in the light and in the dark.
const COLOURS: [(&str, &str, &str); 4] = [
    ("--faint", "#424A53", "#9BA5B0"),
    ("--edge", "#D0D7DE", "#3D444D"),
    ("--shade", "#F6F8FA", "#161B22"),
    ("--link", "#0550AE", "#6CB2FF"),
];

const STYLE: &str = "
body { font: 16px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--page); margin: 0; }
main { max-width: 1040px; margin: 0 auto; padding: 24px 20px 64px; }
h1 { font-size: 1.9em; margin: 0.4em 0 0.2em; }
h2 { font-size: 1.35em; margin: 2em 0 0.5em; border-bottom: 1px solid var(--edge); padding-bottom: 0.2em; }
h1, h2, p, figcaption { overflow-wrap: anywhere; }
p.summary { font-size: 1.05em; color: var(--faint); }
nav { font-size: 0.95em; margin: 1em 0; columns: 2 20em; }
nav a { display: block; }
a { color: var(--link); }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; margin: 0.8em 0; }
th, td { padding: 4px 12px; border-bottom: 1px solid var(--edge); text-align: right; white-space: nowrap; }
th:first-child, td:first-child { text-align: left; white-space: normal; min-width: 8em; }
th { background: var(--shade); border-bottom: 2px solid var(--edge); vertical-align: bottom; white-space: pre; }
code { background: var(--shade); padding: 1px 4px; border-radius: 4px; }
tr:hover td { background: var(--shade); }
figure { margin: 1.2em 0; }
figure .wide > svg { width: 100%; min-width: 640px; height: auto; display: block; }
figcaption { color: var(--faint); font-size: 0.95em; }
@media (max-width: 640px) {
  main { padding: 12px 12px 48px; }
  th, td { padding: 4px 8px; }
}
@media print { figure, tr { break-inside: avoid; } }
";

/// The colours of the page and of its figures, as the reader wants them: light or dark.
fn colours() -> String {
    let light = (figures::VARIABLES.iter())
        .map(|(name, light, dark)| (*name, hexadecimal(*light), hexadecimal(*dark)))
        .chain(COLOURS.map(|(name, light, dark)| (name, light.to_owned(), dark.to_owned())));
    let (mut of_light, mut of_dark) = (String::new(), String::new());
    for (name, light, dark) in light {
        of_light += &format!("{name}: {light}; ");
        of_dark += &format!("{name}: {dark}; ");
    }
    format!(
        "\n:root {{ color-scheme: light dark; {of_light}}}\n\
         @media (prefers-color-scheme: dark) {{ :root {{ {of_dark}}} }}"
    )
}

impl Document {
    /// The document as one page that needs nothing else.
    pub fn html(&self) -> String {
        let markup = html! {
            (DOCTYPE)
            html lang="en" {
                head {
                    meta charset="utf-8";
                    meta name="viewport" content="width=device-width, initial-scale=1";
                    title { (self.title) }
                    style { (PreEscaped(colours())) (PreEscaped(STYLE)) }
                }
                body {
                    main {
                        h1 { (self.title) }
                        p.summary { (self.summary) }
                        nav {
                            @for (number, section) in self.sections.iter().enumerate() {
                                a href={ "#section-" (number) } { (section.title) }
                            }
                        }
                        @for (number, section) in self.sections.iter().enumerate() {
                            section id={ "section-" (number) } {
                                h2 { (section.title) }
                                @for block in &section.blocks { (block.html()) }
                            }
                        }
                    }
                }
            }
        };
        markup.into_string()
    }

    /// The document as Markdown, with its figures as files `name.svg` in the folder `figures`.
    pub fn markdown(&self, figures: &str) -> String {
        let mut text = format!(
            "# {}\n\n{}\n\n*Written by `acclmt report`.*\n",
            self.title, self.summary
        );
        for section in &self.sections {
            text += &format!("\n## {}\n", section.title);
            for block in &section.blocks {
                text.push('\n');
                text += &block.markdown(figures);
            }
        }
        text
    }

    /// All figures.
    pub fn figures(&self) -> impl Iterator<Item = &Figure> {
        let blocks = self.sections.iter().flat_map(|section| &section.blocks);
        blocks.filter_map(|block| match block {
            Block::Figure(figure) => Some(figure),
            Block::Text(_) | Block::Table(_) => None,
        })
    }
}

impl Block {
    fn html(&self) -> Markup {
        match self {
            Self::Text(text) => html! { p { (inline(text)) } },
            Self::Table(table) => html! {
                div.wide {
                    table {
                        thead { tr { @for cell in &table.head { th { (cell) } } } }
                        tbody {
                            @for row in &table.rows {
                                tr { @for cell in row { td { (cell) } } }
                            }
                        }
                    }
                }
            },
            Self::Figure(figure) => html! {
                figure id=(figure.name) {
                    div.wide { (PreEscaped(figures::with_variables(&figure.svg))) }
                    figcaption { (figure.caption) }
                }
            },
        }
    }

    fn markdown(&self, figures: &str) -> String {
        match self {
            Self::Text(text) => format!("{text}\n"),
            Self::Table(table) => {
                let line = |cells: &[String]| {
                    let cells = cells
                        .iter()
                        .map(|cell| cell.replace('|', "\\|").replace('\n', " "));
                    format!("| {} |\n", cells.collect::<Vec<_>>().join(" | "))
                };
                let rule = ["---"]
                    .into_iter()
                    .chain(vec!["--:"; table.head.len().saturating_sub(1)]);
                let rule = format!("|{}|\n", rule.collect::<Vec<_>>().join("|"));
                let rows = table.rows.iter().map(|row| line(row));
                line(&table.head) + &rule + &rows.collect::<String>()
            }
            Self::Figure(figure) => format!(
                "![{0}]({figures}/{1}.svg)\n\n*{0}*\n",
                figure.caption, figure.name
            ),
        }
    }
}

/// Text in which code stands between backquotes.
fn inline(text: &str) -> Markup {
    html! {
        @for (position, part) in text.split('`').enumerate() {
            @if position % 2 == 1 { code { (part) } } @else { (part) }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn document() -> Document {
        let mut table = Table::new(["what", "a < b"]);
        table.rows.push(vec!["x | y".to_owned(), "1".to_owned()]);
        Document {
            title: "Title & more".to_owned(),
            summary: "Summary.".to_owned(),
            sections: vec![Section {
                title: "First".to_owned(),
                blocks: vec![
                    Block::Text("<script> and `a < b`".to_owned()),
                    Block::Table(table),
                    Block::Figure(Figure {
                        name: "picture".to_owned(),
                        svg: "<svg><rect fill=\"#FFFFFF\"/></svg>".to_owned(),
                        caption: "A picture.".to_owned(),
                    }),
                ],
            }],
        }
    }

    #[test]
    fn text_is_escaped_and_figures_are_not() {
        let html = document().html();
        assert!(html.contains("Title &amp; more"));
        assert!(
            html.contains("<p>&lt;script&gt; and <code>a &lt; b</code></p>"),
            "{html}"
        );
        assert!(html.contains("a &lt; b"));
        // The figure has the colours of the page, and as a file of its own fixed ones.
        assert!(
            html.contains("<svg><rect fill=\"var(--page)\"/></svg>"),
            "{html}"
        );
        assert!(
            document()
                .figures()
                .all(|figure| figure.file().contains("\"#FFFFFF\""))
        );
        assert!(
            html.contains("color-scheme: light dark; --page: #FFFFFF;"),
            "{html}"
        );
        assert!(html.contains("(prefers-color-scheme: dark) { :root { --page: #0D1117;"));
        for outside in ["http://", "https://", "src=", "<link"] {
            assert!(!html.contains(outside), "{outside}");
        }
    }

    #[test]
    fn markdown_has_tables_and_links_to_figures() {
        let text = document().markdown("results");
        assert!(
            text.contains("| what | a < b |\n|---|--:|\n| x \\| y | 1 |\n"),
            "{text}"
        );
        assert!(
            text.contains("![A picture.](results/picture.svg)"),
            "{text}"
        );
        assert_eq!(document().figures().count(), 1);
    }
}
