//! Encrypted files: with the right password their text, with any other a typed error.

use std::collections::BTreeMap;
use std::sync::Arc;

use lopdf::encryption::crypt_filters::{Aes128CryptFilter, Aes256CryptFilter, CryptFilter};
use lopdf::{Document, EncryptionState, EncryptionVersion, Permissions};
use ragtest::corpus::reader::{Extract, Reader};
use ragtest::error::ExtractErrorKind;
use rstest::rstest;

use super::make::{Maker, lines, save};

#[derive(Clone, Copy, Debug)]
enum Method {
    Rc4Of40,
    Rc4Of128,
    Aes128,
    Aes256,
}

fn encrypted(method: Method, user_password: &str) -> Vec<u8> {
    let mut maker = Maker::new();
    maker.page(lines(&["The limit is 30 days."]));
    let mut document: Document = maker.document();
    let (owner_password, permissions) = ("owner", Permissions::all());
    let name = b"StdCF".to_vec();
    let filters = |filter: Arc<dyn CryptFilter>| BTreeMap::from([(name.clone(), filter)]);
    let key = [7; 32];
    let state = match method {
        Method::Rc4Of40 => {
            EncryptionState::try_from(EncryptionVersion::V1 { document: &document, owner_password, user_password, permissions })
        }
        Method::Rc4Of128 => EncryptionState::try_from(EncryptionVersion::V2 {
            document: &document,
            owner_password,
            user_password,
            key_length: 128,
            permissions,
        }),
        Method::Aes128 => EncryptionState::try_from(EncryptionVersion::V4 {
            document: &document,
            encrypt_metadata: true,
            crypt_filters: filters(Arc::new(Aes128CryptFilter)),
            stream_filter: name.clone(),
            string_filter: name.clone(),
            owner_password,
            user_password,
            permissions,
        }),
        Method::Aes256 => EncryptionState::try_from(EncryptionVersion::V5 {
            encrypt_metadata: true,
            crypt_filters: filters(Arc::new(Aes256CryptFilter)),
            file_encryption_key: &key,
            stream_filter: name.clone(),
            string_filter: name.clone(),
            owner_password,
            user_password,
            permissions,
        }),
    };
    document.encrypt(&state.expect("a state")).expect("encrypts");
    save(document)
}

#[rstest]
fn only_the_right_password_opens(
    #[values(Method::Rc4Of40, Method::Rc4Of128, Method::Aes128, Method::Aes256)] method: Method,
    #[values(("", None, true), ("secret", None, false), ("secret", Some("guess"), false), ("secret", Some("secret"), true),
        ("secret", Some(""), false), ("secret", Some("owner"), true))]
    (user, given, opens): (&str, Option<&str>, bool),
) {
    let reader = given.map_or_else(Reader::default, |password| Reader::default().with_password(password));
    match reader.extract("folder/a.pdf", &encrypted(method, user)) {
        Ok(document) => assert!(opens && document.text == "The limit is 30 days.", "{document:?}"),
        Err(error) => {
            assert!(!opens && matches!(error.kind, ExtractErrorKind::Encrypted), "{error}");
            let shown = error.to_string();
            assert!(shown.contains("folder/a.pdf") && shown.contains("password_env") && !shown.contains("guess"), "{shown}");
        }
    }
}
