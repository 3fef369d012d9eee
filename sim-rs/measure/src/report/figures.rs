//! The figures of a report, as SVG.

use plotters::coord::Shift;
use plotters::coord::ranged1d::{AsRangedCoord, ValueFormatter};
use plotters::prelude::*;

/// Colours that can be told apart with every kind of colour blindness (Okabe and Ito).
pub const COLOURS: [RGBColor; 7] = [
    RGBColor(0, 114, 178),
    RGBColor(213, 94, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(230, 159, 0),
    RGBColor(86, 180, 233),
    RGBColor(110, 110, 110),
];

const FONT: &str = "sans-serif";
const PAGE: RGBColor = RGBColor(255, 255, 255);
const INK: RGBColor = RGBColor(27, 31, 36);
const GRID: RGBColor = RGBColor(225, 228, 232);

/// The CSS variables that the colours of a figure are on a page, which may be dark: the name of each, and the
/// colour in the light and in the dark.
pub const VARIABLES: [(&str, RGBColor, RGBColor); 3 + COLOURS.len()] = [
    ("--page", PAGE, RGBColor(13, 17, 23)),
    ("--ink", INK, RGBColor(230, 237, 243)),
    ("--grid", GRID, RGBColor(48, 54, 61)),
    ("--colour-0", COLOURS[0], RGBColor(74, 163, 223)),
    ("--colour-1", COLOURS[1], RGBColor(255, 123, 46)),
    ("--colour-2", COLOURS[2], RGBColor(35, 194, 148)),
    ("--colour-3", COLOURS[3], RGBColor(226, 150, 192)),
    ("--colour-4", COLOURS[4], RGBColor(240, 180, 41)),
    ("--colour-5", COLOURS[5], RGBColor(150, 212, 250)),
    ("--colour-6", COLOURS[6], RGBColor(160, 167, 175)),
];

/// A colour as CSS has it, and as it is in a figure.
pub fn hexadecimal(RGBColor(red, green, blue): RGBColor) -> String {
    format!("#{red:02X}{green:02X}{blue:02X}")
}

/// A figure whose colours are those of the page that it is in.
pub fn with_variables(svg: &str) -> String {
    VARIABLES
        .iter()
        .fold(svg.to_owned(), |svg, (name, colour, _)| {
            let colour = hexadecimal(*colour);
            svg.replace(&format!("\"{colour}\""), &format!("\"var({name})\""))
        })
}

/// A figure could not be drawn.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the figure '{name}' cannot be drawn: {cause}")]
pub struct FigureError {
    /// The figure.
    pub name: String,
    /// Why.
    pub cause: String,
}

/// The cause of a [`FigureError`].
type Cause = Box<dyn std::error::Error>;
type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;

/// Draws a figure of so many units of width and height.
fn draw(
    name: &str,
    size: (u32, u32),
    draw: impl FnOnce(&Area<'_>) -> Result<(), Cause>,
) -> Result<String, FigureError> {
    let mut svg = String::new();
    let run = || {
        let area = SVGBackend::with_string(&mut svg, size).into_drawing_area();
        area.fill(&PAGE)?;
        draw(&area)?;
        area.present()?;
        Ok::<_, Cause>(())
    };
    run().map_err(|cause| FigureError {
        name: name.to_owned(),
        cause: cause.to_string(),
    })?;
    // It is as wide as the page; its size is in the view box.
    let begin = svg.find("<svg").unwrap_or(0);
    let size = format!("width=\"{}\" height=\"{}\" ", size.0, size.1);
    Ok(svg[begin..].replacen(&size, "", 1))
}

/// An axis.
#[derive(Clone, Debug, PartialEq)]
pub struct Axis {
    /// What it shows, with its unit.
    pub label: String,
    /// Its first and its last value.
    pub range: (f64, f64),
    /// Whether its steps are factors.
    pub logarithmic: bool,
}

/// A line of points, or points alone.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Series {
    /// What it is.
    pub label: String,
    /// Its points.
    pub points: Vec<(f64, f64)>,
    /// Number of its colour.
    pub colour: usize,
    /// Number of the shape of its points.
    pub shape: usize,
    /// Whether the points are joined.
    pub line: bool,
    /// Whether the line is dashed and without points: a figure of others.
    pub dashed: bool,
}

impl Series {
    /// A line of a number: lines with other numbers have another colour or another shape of points.
    pub fn line(label: impl Into<String>, number: usize, points: Vec<(f64, f64)>) -> Self {
        Self {
            label: label.into(),
            points,
            colour: number % COLOURS.len(),
            shape: number % COLOURS.len() + number / COLOURS.len(),
            line: true,
            dashed: false,
        }
    }

    /// The same without points, dashed: a figure of others.
    pub fn others(label: impl Into<String>, colour: usize, points: Vec<(f64, f64)>) -> Self {
        Self {
            dashed: true,
            ..Self::line(label, colour, points)
        }
    }

    /// Points alone.
    pub fn dots(label: impl Into<String>, number: usize, points: Vec<(f64, f64)>) -> Self {
        Self {
            line: false,
            ..Self::line(label, number, points)
        }
    }
}

/// The range that an axis needs for these values, with some room at both ends; with a logarithmic axis all values
/// must be above 0.
pub fn range_of(values: impl Iterator<Item = f64>, logarithmic: bool) -> (f64, f64) {
    let (low, high) = values.fold((f64::MAX, f64::MIN), |(low, high), value| {
        (low.min(value), high.max(value))
    });
    if low > high {
        return (1.0, 2.0);
    }
    if logarithmic {
        return (low / 1.5, high * 1.5);
    }
    let room = (0.06 * (high - low)).max(1e-3 * high.abs()).max(1e-6);
    (low - room, high + room)
}

/// Lines and points over two axes.
#[derive(Clone, Debug)]
pub struct Chart {
    /// A title, or nothing.
    pub title: String,
    /// The horizontal axis.
    pub x: Axis,
    /// The vertical axis.
    pub y: Axis,
    /// How values of the horizontal axis are written.
    pub x_text: fn(f64) -> String,
    /// How values of the vertical axis are written.
    pub y_text: fn(f64) -> String,
    /// What is drawn.
    pub series: Vec<Series>,
}

/// A number as short as it can be said.
pub fn short(value: f64) -> String {
    if value == 0.0 {
        "0".to_owned()
    } else if value.abs() >= 1000.0 {
        let text = format!("{value:.0}");
        // Groups of three digits.
        let mut grouped = String::new();
        for (position, digit) in text.chars().enumerate() {
            if position != 0 && (text.len() - position).is_multiple_of(3) {
                grouped.push('\u{202f}');
            }
            grouped.push(digit);
        }
        grouped
    } else {
        let text = format!("{value:.3}");
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    }
}

/// A share in percent.
pub fn percent(share: f64) -> String {
    format!("{} %", short((share * 1000.0).round() / 10.0))
}

/// 2 to the power of a number.
pub fn power_of_two(exponent: f64) -> String {
    let digits = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'];
    let exponent = format!("{:.0}", exponent.round());
    let raised = exponent.chars().filter_map(|digit| digit.to_digit(10));
    let raised: String = raised.map(|digit| digits[digit as usize]).collect();
    format!("2{raised}")
}

impl Chart {
    /// The chart as a figure.
    ///
    /// # Errors
    ///
    /// When it cannot be drawn.
    pub fn svg(&self, name: &str) -> Result<String, FigureError> {
        draw(name, (960, 480), |area| self.on(area))
    }

    fn on(&self, area: &Area<'_>) -> Result<(), Cause> {
        let named = self.series.iter().filter(|series| !series.label.is_empty());
        let items: Vec<_> = named
            .map(|series| (series.label.as_str(), series.colour, Mark::of(series)))
            .collect();
        let area = &legend(area, &items)?;
        let (x, y) = (
            self.x.range.0..self.x.range.1,
            self.y.range.0..self.y.range.1,
        );
        match (self.x.logarithmic, self.y.logarithmic) {
            (false, false) => self.over(area, x, y),
            (false, true) => self.over(area, x, y.log_scale()),
            (true, false) => self.over(area, x.log_scale(), y),
            (true, true) => self.over(area, x.log_scale(), y.log_scale()),
        }
    }

    fn over<X, Y>(&self, area: &Area<'_>, x: X, y: Y) -> Result<(), Cause>
    where
        X: AsRangedCoord<Value = f64>,
        Y: AsRangedCoord<Value = f64>,
        X::CoordDescType: ValueFormatter<f64>,
        Y::CoordDescType: ValueFormatter<f64>,
    {
        let mut builder = ChartBuilder::on(area);
        builder
            .margin(12)
            .margin_right(24)
            .x_label_area_size(46)
            .y_label_area_size(78);
        if !self.title.is_empty() {
            builder.caption(&self.title, (FONT, 18).into_font().color(&INK));
        }
        let mut chart = builder.build_cartesian_2d(x, y)?;
        let (x_text, y_text) = (self.x_text, self.y_text);
        chart
            .configure_mesh()
            .x_desc(&self.x.label)
            .y_desc(&self.y.label)
            .axis_desc_style((FONT, 16).into_font().color(&INK))
            .label_style((FONT, 14).into_font().color(&INK))
            .bold_line_style(GRID)
            .light_line_style(TRANSPARENT)
            .axis_style(INK)
            .x_label_formatter(&move |value| x_text(*value))
            .y_label_formatter(&move |value| y_text(*value))
            .draw()?;
        // A line that another one covers is wider than it, and its points have another shape.
        let lines = self
            .series
            .iter()
            .filter(|series| series.line && !series.dashed);
        let mut above = lines.count();
        for series in &self.series {
            let colour = COLOURS[series.colour % COLOURS.len()];
            let points = series.points.iter().copied();
            if series.dashed {
                chart.draw_series(DashedLineSeries::new(points, 7, 5, colour.stroke_width(2)))?;
                continue;
            }
            if series.line {
                above -= 1;
                let width = (2 + 2 * above as u32).min(8);
                chart.draw_series(LineSeries::new(points.clone(), colour.stroke_width(width)))?;
            }
            chart.draw_series(
                points
                    .clone()
                    .map(|point| Circle::new(point, 2, colour.filled())),
            )?;
            let outlines = points.flat_map(|point| {
                shape_of(series.shape, 5.0, (0, 0)).map(move |line| {
                    EmptyElement::at(point) + PathElement::new(line, colour.stroke_width(2))
                })
            });
            chart.draw_series(outlines)?;
        }
        Ok(())
    }
}

/// The lines of a point of a shape around a place, of this radius.
fn shape_of(
    shape: usize,
    radius: f64,
    (x, y): (i32, i32),
) -> impl Iterator<Item = Vec<(i32, i32)>> {
    let polygon = |corners: u32, turn: f64, radius: f64| {
        let corner = move |number: u32| {
            let angle = (f64::from(number) / f64::from(corners) + turn) * std::f64::consts::TAU;
            let (sine, cosine) = angle.sin_cos();
            (
                x + (radius * sine).round() as i32,
                y - (radius * cosine).round() as i32,
            )
        };
        (0..=corners).map(corner).collect::<Vec<_>>()
    };
    let stroke = |angle: f64| {
        let ends = polygon(2, angle, radius + 1.0);
        vec![ends[0], ends[1]]
    };
    let lines = match shape % SHAPES {
        0 => vec![polygon(12, 0.0, radius)],
        1 => vec![polygon(4, 0.125, radius + 1.5)],
        2 => vec![polygon(3, 0.0, radius + 1.5)],
        3 => vec![polygon(4, 0.0, radius + 1.5)],
        4 => vec![stroke(0.125), stroke(0.375)],
        5 => vec![polygon(3, 0.5, radius + 1.5)],
        6 => vec![stroke(0.0), stroke(0.25)],
        _ => vec![polygon(6, 0.0, radius + 0.5), stroke(0.0)],
    };
    lines.into_iter()
}

/// Shapes of points.
const SHAPES: usize = 8;

/// Lines of a chart that can be told apart by colour and shape of their points.
pub const MOST_LINES: usize = COLOURS.len() * SHAPES;

/// How a series stands in the legend: with the shape of its points, if it has points.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mark {
    Line(usize),
    Dashes,
    Dot(usize),
    Box,
}

impl Mark {
    fn of(series: &Series) -> Self {
        match (series.dashed, series.line) {
            (true, _) => Self::Dashes,
            (false, true) => Self::Line(series.shape),
            (false, false) => Self::Dot(series.shape),
        }
    }
}

/// Height of a line of the legend.
const LEGEND_LINE: i32 = 24;

/// Draws a legend at the top of an area, in as many lines as it takes; returns what is left of the area.
fn legend<'a>(area: &Area<'a>, items: &[(&str, usize, Mark)]) -> Result<Area<'a>, Cause> {
    let right = area.dim_in_pixel().0 as i32 - 20;
    let (mut x, mut y) = (20, 8);
    let mut places = Vec::new();
    for (text, ..) in items {
        let width = 52 + 8 * text.chars().count() as i32;
        if x + width > right && x > 20 {
            (x, y) = (20, y + LEGEND_LINE);
        }
        places.push((x, y));
        x += width;
    }
    let (strip, rest) = area.split_vertically(if items.is_empty() { 0 } else { y + LEGEND_LINE });
    for ((text, colour, mark), (x, y)) in items.iter().zip(places) {
        let colour = COLOURS[colour % COLOURS.len()];
        let middle = y + 9;
        let line = |from: i32, to: i32| {
            PathElement::new(
                [(x + from, middle), (x + to, middle)],
                colour.stroke_width(3),
            )
        };
        match mark {
            Mark::Line(_) => strip.draw(&line(0, 26))?,
            Mark::Dashes => {
                strip.draw(&line(0, 8))?;
                strip.draw(&line(13, 21))?;
            }
            Mark::Dot(_) => strip.draw(&Circle::new((x + 13, middle), 2, colour.filled()))?,
            Mark::Box => {
                let corners = [(x, middle - 8), (x + 24, middle + 8)];
                strip.draw(&Rectangle::new(corners, colour.filled()))?;
            }
        }
        if let Mark::Line(shape) | Mark::Dot(shape) = *mark {
            for line in shape_of(shape, 5.0, (x + 13, middle)) {
                strip.draw(&PathElement::new(line, colour.stroke_width(2)))?;
            }
        }
        let style = (FONT, 15).into_font().color(&INK);
        strip.draw(&Text::new((*text).to_owned(), (x + 32, y + 2), style))?;
    }
    Ok(rest)
}

/// Several charts, two a row.
///
/// # Errors
///
/// When one cannot be drawn.
pub fn panels(name: &str, charts: &[Chart]) -> Result<String, FigureError> {
    let rows = charts.len().div_ceil(2).max(1);
    draw(name, (1040, 380 * rows as u32), |area| {
        for (area, chart) in area.split_evenly((rows, 2)).iter().zip(charts) {
            chart.on(area)?;
        }
        Ok(())
    })
}

/// A bar of a Gantt chart.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bar {
    /// The row, from 0 at the top.
    pub row: usize,
    /// Its begin and its end.
    pub span: (f64, f64),
    /// Number of its kind.
    pub kind: usize,
}

/// What happens when, in rows.
#[derive(Clone, Debug, PartialEq)]
pub struct Gantt {
    /// A title, or nothing.
    pub title: String,
    /// Names of the rows; numbers where there are none.
    pub rows: Vec<String>,
    /// Number of rows.
    pub count: usize,
    /// What the rows are, where they have no names.
    pub label: String,
    /// First and last cycle.
    pub range: (f64, f64),
    /// Kinds of bars, and the colour of each.
    pub kinds: Vec<(String, usize)>,
    /// The bars.
    pub bars: Vec<Bar>,
    /// Whether bars have an edge.
    pub edges: bool,
}

impl Gantt {
    /// The chart as a figure of this height.
    ///
    /// # Errors
    ///
    /// When it cannot be drawn.
    pub fn svg(&self, name: &str, height: u32) -> Result<String, FigureError> {
        draw(name, (1040, height), |area| self.on(area))
    }

    fn on(&self, area: &Area<'_>) -> Result<(), Cause> {
        let items: Vec<_> = (self.kinds.iter())
            .map(|(text, colour)| (text.as_str(), *colour, Mark::Box))
            .collect();
        let area = legend(area, &items)?;
        let named = !self.rows.is_empty();
        let mut builder = ChartBuilder::on(&area);
        builder
            .margin(8)
            .margin_right(24)
            .x_label_area_size(46)
            .y_label_area_size(if named { 200 } else { 64 });
        if !self.title.is_empty() {
            builder.caption(&self.title, (FONT, 18).into_font().color(&INK));
        }
        let bottom = self.count as f64;
        let mut chart = builder.build_cartesian_2d(self.range.0..self.range.1, bottom..0.0)?;
        let rows = &self.rows;
        let row_text = move |value: &f64| {
            if !named {
                return short(*value);
            }
            // A name stands in the middle of its row.
            let row = value.floor();
            let middle = (value - row - 0.5).abs() < 0.01;
            let name = rows.get(row as usize).filter(|_| middle);
            name.cloned().unwrap_or_default()
        };
        let mut mesh = chart.configure_mesh();
        mesh.x_desc("cycles")
            .axis_desc_style((FONT, 16).into_font().color(&INK))
            .label_style((FONT, 14).into_font().color(&INK))
            .bold_line_style(GRID)
            .light_line_style(TRANSPARENT)
            .axis_style(INK)
            .x_label_formatter(&|value| short(*value))
            .y_label_formatter(&row_text);
        if named {
            // Marks at every half: the names, and nothing.
            mesh.y_labels(2 * self.count + 1).disable_y_mesh();
        } else {
            mesh.y_desc(&self.label);
        }
        mesh.draw()?;
        for bar in &self.bars {
            let Some((_, colour)) = self.kinds.get(bar.kind) else {
                continue;
            };
            let colour = COLOURS[*colour % COLOURS.len()];
            let (begin, end) = (bar.span.0.max(self.range.0), bar.span.1.min(self.range.1));
            let (top, bottom) = if named {
                (bar.row as f64 + 0.12, bar.row as f64 + 0.88)
            } else {
                (bar.row as f64, bar.row as f64 + 1.0)
            };
            let corners = [(begin, top), (end, bottom)];
            chart.draw_series([Rectangle::new(corners, colour.filled())])?;
            if self.edges {
                chart.draw_series([Rectangle::new(corners, PAGE.stroke_width(1))])?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        assert_eq!(short(0.0), "0");
        assert_eq!(short(12.5), "12.5");
        assert_eq!(short(1_234_567.0), "1\u{202f}234\u{202f}567");
        assert_eq!(percent(0.99994), "100 %");
        assert_eq!(power_of_two(12.0), "2¹²");
    }

    #[test]
    fn a_chart_shows_its_axes_and_series() {
        let axis = |label: &str, logarithmic| Axis {
            label: label.to_owned(),
            range: (1.0, 100.0),
            logarithmic,
        };
        let points = vec![(1.0, 2.0), (50.0, 80.0)];
        // Two lines that cover each other.
        let series =
            [0, 1].map(|number| Series::line(format!("measured {number}"), number, points.clone()));
        let chart = Chart {
            title: String::new(),
            x: axis("leaves", true),
            y: axis("time in ms", false),
            x_text: short,
            y_text: short,
            series: series.to_vec(),
        };
        let svg = chart.svg("test").unwrap();
        assert!(
            svg.starts_with("<svg viewBox") && svg.trim_end().ends_with("</svg>"),
            "{svg}"
        );
        for text in ["leaves", "time in ms", "measured 0", "measured 1"] {
            assert!(svg.contains(text), "{text}: {svg}");
        }
        // The lower one is wider.
        for (colour, width) in [(COLOURS[0], 4), (COLOURS[1], 2)] {
            let line = format!(
                "stroke=\"{}\" stroke-width=\"{width}\"",
                hexadecimal(colour)
            );
            assert!(svg.contains(&line), "{line}: {svg}");
        }
        // On a page no colour is fixed.
        let on_page = with_variables(&svg);
        for name in ["--page", "--ink", "--grid", "--colour-0", "--colour-1"] {
            assert!(on_page.contains(&format!("\"var({name})\"")), "{name}");
        }
        assert!(!on_page.contains("=\"#"), "{on_page}");
    }

    #[test]
    fn lines_differ() {
        let lines: Vec<_> = (0..MOST_LINES)
            .map(|number| Series::line("", number, Vec::new()))
            .map(|line| (line.colour, line.shape % SHAPES))
            .collect();
        for (number, line) in lines.iter().enumerate() {
            assert!(!lines[..number].contains(line), "{number}");
        }
    }

    #[test]
    fn axes_take_all_values() {
        assert_eq!(range_of([].into_iter(), false), (1.0, 2.0));
        let (low, high) = range_of([4.0].into_iter(), false);
        assert!(low < 4.0 && 4.0 < high);
        let (low, high) = range_of([0.0, 10.0].into_iter(), false);
        assert!(low < 0.0 && 10.0 < high && high < 11.0);
        let (low, high) = range_of([1.0, 100.0].into_iter(), true);
        assert!(0.0 < low && low < 1.0 && 100.0 < high);
    }
}
