//! Words that end a key under which a secret or a name stands.

use std::sync::LazyLock;

use crate::mask::words;

/// What stands under a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::mask) enum Class {
    /// A password, whatever it looks like.
    Password,
    /// A password, though the word means other things as well.
    Pass,
    /// A secret that people do not choose.
    Secret,
    /// An API key or token.
    ApiKey,
    /// The value of an `Authorization` header.
    Authorization,
    /// A secret key or session token of AWS.
    AwsKey,
    /// The name of a person.
    Name,
}

const WORDS: [(Class, &str); 7] = [
    (
        Class::Password,
        "password, passwd, passwort, kennwort, passphrase, passcode, pwd, contraseña, contrasena, \
         mot de passe, motdepasse, senha, palavra-passe, hasło, haslo, пароль, Пароль, 密码, 密碼, \
         パスワード, 비밀번호, 암호, كلمة المرور, كلمة السر, पासवर्ड, wachtwoord, lösenord, şifre, parola",
    ),
    (Class::Pass, "pass, clave"),
    (
        Class::Secret,
        "secret, secret_key, secret-key, secretkey, secret key, private_key, privatekey, encryption_key, \
         signing_key, account_key, accountkey",
    ),
    (
        Class::ApiKey,
        "api_key, api-key, apikey, api key, access_key, accesskey, access-key, token, auth_key, \
         subscription-key, app_key, license_key, webhook_secret",
    ),
    (Class::Authorization, "authorization"),
    (
        Class::AwsKey,
        "aws_secret_access_key, aws_secret_key, secret_access_key, secretaccesskey, aws_session_token, \
         sessiontoken",
    ),
    (
        Class::Name,
        "first_name, firstname, first name, last_name, lastname, last name, full_name, fullname, \
         full name, surname, given_name, givenname, given name, family_name, familyname, family name, \
         middle_name, middlename, maiden_name, customer_name, customername, customer name, patient_name, \
         patientname, patient name, contact_name, contactname, contact name, employee_name, \
         employee name, applicant_name, applicant name, cardholder, cardholder_name, cardholdername, \
         cardholder name, account_holder, accountholder, account holder, guest name, client name, \
         vorname, nachname, familienname, nombre completo, apellido, apellidos, prénom, nom de famille, \
         nome completo, sobrenome, cognome, imię, nazwisko, фамилия, Фамилия, 姓名, 氏名, お名前, 성명, \
         성함, الاسم",
    ),
];

static ENTRIES: LazyLock<Vec<(Class, &str)>> = LazyLock::new(|| words::entries(&WORDS));

/// All words, in the order of `class`.
pub(super) fn literals() -> Vec<&'static str> {
    ENTRIES.iter().map(|(_, word)| *word).collect()
}

/// The class of the word of this index.
pub(super) fn class(index: usize) -> Class {
    ENTRIES[index].0
}

/// The words by their last byte.
static BY_LAST_BYTE: LazyLock<[Vec<(&str, Class)>; 256]> = LazyLock::new(|| {
    let mut table = [const { Vec::new() }; 256];
    for (class, word) in &*ENTRIES {
        let last = word.as_bytes().last().copied().unwrap_or_default();
        table[usize::from(last)].push((*word, *class));
    }
    table
});

/// The class of a key of JSON: that of the longest word which ends it.
pub(in crate::mask) fn class_of_key(key: &str) -> Option<Class> {
    let key = key.trim_end_matches(|c: char| c.is_ascii_digit());
    let last = key.as_bytes().last()?.to_ascii_lowercase();
    let ends = |word: &str| {
        let (_, end) = key.split_at_checked(key.len().checked_sub(word.len())?)?;
        (end.eq_ignore_ascii_case(word) && begins_word(key, key.len() - word.len())).then_some(word.len())
    };
    let words = &BY_LAST_BYTE[usize::from(last)];
    let matches = words
        .iter()
        .filter_map(|(word, class)| Some((ends(word)?, *class)));
    matches.max_by_key(|(length, _)| *length).map(|(_, class)| class)
}

/// Whether a word begins at a place: at the start, behind what is no letter, or in `camelCase`. In `dbpassword` one does
/// as well.
pub(super) fn begins_word(text: &str, start: usize) -> bool {
    const ALWAYS: &str = "password";
    let (before, after) = text.split_at(start);
    match (before.chars().next_back(), after.chars().next()) {
        (Some(before), Some(first)) if before.is_alphanumeric() => {
            before.is_ascii_digit()
                || !first.is_ascii()
                || before.is_ascii_lowercase() && first.is_ascii_uppercase()
                || after
                    .get(..ALWAYS.len())
                    .is_some_and(|word| word.eq_ignore_ascii_case(ALWAYS))
        }
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_classed_by_their_ends() {
        for (key, class) in [
            ("password", Some(Class::Password)),
            ("DB_PASSWORD", Some(Class::Password)),
            ("userPassword", Some(Class::Password)),
            ("dbpassword2", Some(Class::Password)),
            ("password_hash", None),
            ("bypass", None),
            ("max_tokens", None),
            ("accessToken", Some(Class::ApiKey)),
            ("X-Api-Key", Some(Class::ApiKey)),
            ("SecretAccessKey", Some(Class::AwsKey)),
            ("Authorization", Some(Class::Authorization)),
            ("firstName", Some(Class::Name)),
            ("name", None),
            ("氏名", Some(Class::Name)),
        ] {
            assert_eq!(class_of_key(key), class, "of {key}");
        }
    }
}
