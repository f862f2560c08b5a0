//! Schemas of types that other crates have.

/// Declares a schema by its name in the document, what it is and its properties.
macro_rules! schemas {
    ($($name:ident = $word:literal, $description:literal, [$($property:literal: $schema:expr),* $(,)?];)+) => {$(
        #[doc = $description]
        pub(crate) struct $name;

        impl utoipa::PartialSchema for $name {
            fn schema() -> utoipa::openapi::RefOr<utoipa::openapi::Schema> {
                utoipa::openapi::schema::ObjectBuilder::new()
                    .description(Some($description))
                    $(.property($property, $schema).required($property))*
                    .into()
            }
        }

        impl utoipa::ToSchema for $name {
            fn name() -> std::borrow::Cow<'static, str> {
                std::borrow::Cow::Borrowed($word)
            }
        }
    )+};
}

pub(crate) use schemas;
