//! Tables of diagnostic codes: a stable code, a name for it in the source, and one line of explanation.

/// Defines a table of codes: a constant each, and `ALL`.
#[macro_export]
macro_rules! codes {
    ($($name:ident = $code:literal: $text:literal;)*) => {
        $(#[doc = $text] pub const $name: &str = $code;)*
        /// Every code with its explanation, in order.
        pub static ALL: &[(&str, &str)] = &[$(($code, $text),)*];
    };
}
