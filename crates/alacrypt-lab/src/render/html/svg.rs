//! A few SVG elements as text. Text stays text, so it can be selected and found.

use std::fmt::Write;

/// A drawing being made.
pub(super) struct Svg {
    width: f64,
    height: f64,
    label: String,
    body: String,
}

impl Svg {
    /// An empty drawing; `label` is what a screen reader says.
    pub(super) fn new(width: f64, height: f64, label: &str) -> Self {
        Self {
            width,
            height,
            label: escape(label),
            body: String::new(),
        }
    }

    pub(super) fn line(&mut self, class: &str, from: (f64, f64), to: (f64, f64)) {
        let ((x1, y1), (x2, y2)) = (from, to);
        let _ = write!(
            self.body,
            "<line class=\"{class}\" x1=\"{x1:.1}\" y1=\"{y1:.1}\" x2=\"{x2:.1}\" y2=\"{y2:.1}\"/>"
        );
    }

    pub(super) fn rect(&mut self, class: &str, corner: (f64, f64), size: (f64, f64)) {
        let ((x, y), (w, h)) = (corner, size);
        let _ = write!(
            self.body,
            "<rect class=\"{class}\" x=\"{x:.1}\" y=\"{y:.1}\" width=\"{:.1}\" height=\"{:.1}\"/>",
            w.max(0.0),
            h.max(0.0)
        );
    }

    /// A dot that tells `title` under the pointer.
    pub(super) fn dot(&mut self, class: &str, (x, y): (f64, f64), radius: f64, title: &str) {
        let _ = write!(
            self.body,
            "<circle class=\"{class}\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{radius}\"><title>{}</title></circle>",
            escape(title)
        );
    }

    /// Text; `class` says where it is anchored.
    pub(super) fn text(&mut self, class: &str, (x, y): (f64, f64), text: &str) {
        let _ = write!(
            self.body,
            "<text class=\"{class}\" x=\"{x:.1}\" y=\"{y:.1}\">{}</text>",
            escape(text)
        );
    }

    pub(super) fn polyline(&mut self, class: &str, points: &[(f64, f64)]) {
        let list: Vec<String> = points
            .iter()
            .map(|(x, y)| format!("{x:.1},{y:.1}"))
            .collect();
        let _ = write!(
            self.body,
            "<polyline class=\"{class}\" points=\"{}\"/>",
            list.join(" ")
        );
    }

    /// Opens a group that the filter finds by name.
    pub(super) fn open_group(&mut self, name: &str) {
        let name = escape(name);
        let _ = write!(self.body, "<g data-name=\"{name}\"><title>{name}</title>");
    }

    pub(super) fn close_group(&mut self) {
        self.body.push_str("</g>");
    }

    /// The finished element.
    pub(super) fn finish(self) -> String {
        format!(
            "<div class=\"plot\"><svg role=\"img\" aria-label=\"{}\" viewBox=\"0 0 {:.0} {:.0}\" \
             width=\"{:.0}\" height=\"{:.0}\">{}</svg></div>",
            self.label, self.width, self.height, self.width, self.height, self.body
        )
    }
}

/// Text that may stand in HTML and in attributes.
pub(super) fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c if c.is_control() && c != '\n' && c != '\t' => {}
            c => out.push(c),
        }
    }
    out
}
