//! Pages for people: HTML files that need nothing from elsewhere.

mod html;

pub use html::Page;
