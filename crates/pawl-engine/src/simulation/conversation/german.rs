//! German.

use super::{Language, Texts};

pub(super) const LANGUAGE: Language = Language {
    topics: [
        Texts {
            questions: [
                "Wo bleibt meine Bestellung {order}? Sie sollte vor {days} Tagen da sein.",
                "Die Sendungsverfolgung zu {order} steht seit {days} Tagen still. Ist der {product} verloren?",
            ],
            answer: "Die Bestellung {order} hat unser Lager verlassen und ist in spätestens {days} Tagen bei Ihnen. Wenn \
                     nicht, schicke ich Ihnen einen neuen {product}.",
            mistake: "Die Bestellung {order} wurde Ihnen gestern persönlich übergeben, mehr kann ich nicht tun.",
        },
        Texts {
            questions: [
                "Ich habe den {product} aus {order} vor {days} Tagen zurückgeschickt und noch kein Geld bekommen.",
                "Bitte erstatten Sie mir {amount} für {order}, der {product} war schon beim Auspacken kaputt.",
            ],
            answer: "Ich habe die Erstattung von {amount} für die Bestellung {order} veranlasst. Das Geld ist in {days} \
                     Tagen auf Ihrem Konto.",
            mistake: "Nach dem ersten Tag erstatten wir grundsätzlich nichts mehr.",
        },
        Texts {
            questions: [
                "Können Sie mir die Rechnung zu {order} noch einmal schicken?",
                "Auf der Rechnung zu {order} stehen {amount}, bezahlt habe ich weniger. Was stimmt?",
            ],
            answer: "Hier ist die Rechnung zur Bestellung {order} über {amount}. Der Unterschied sind die Versandkosten, \
                     die in der zweiten Zeile stehen.",
            mistake: "Rechnungen gibt es nur auf Antrag vor der Bestellung.",
        },
        Texts {
            questions: [
                "Ich komme nicht mehr in mein Konto, angeblich ist das Passwort falsch.",
                "Wie ändere ich mein Passwort? Der Link in Ihrer Nachricht ist abgelaufen.",
            ],
            answer: "Ich habe Ihnen einen neuen Link geschickt, mit dem Sie das Passwort setzen. Er gilt eine Stunde.",
            mistake: "Ihr altes Passwort gilt noch, probieren Sie es einfach öfter.",
        },
        Texts {
            questions: [
                "Ich möchte mein Abonnement für den {product} zum Monatsende kündigen.",
                "Warum wurden {amount} abgebucht, obwohl ich vor {days} Tagen gekündigt habe?",
            ],
            answer: "Ihr Abonnement endet mit diesem Monat und verlängert sich nicht. Die {amount} bekommen Sie zurück.",
            mistake: "Kunden können ein Abonnement nicht kündigen. Es läuft, bis wir es beenden.",
        },
        Texts {
            questions: [
                "Der {product} blinkt rot und startet nicht. Was bedeutet das?",
                "Wie setze ich den {product} auf Werkseinstellungen zurück?",
            ],
            answer: "Halten Sie die Taste am {product} zehn Sekunden, bis das Licht weiß wird. Danach startet er neu und \
                     lässt sich koppeln wie am ersten Tag.",
            mistake: "Öffnen Sie das Gehäuse und überbrücken Sie die beiden Kontakte neben dem Akku.",
        },
        Texts {
            questions: [
                "Ich bin umgezogen. Lässt sich die Lieferadresse von {order} noch ändern?",
                "Bitte liefern Sie den {product} beim Nachbarn ab, ich bin {days} Tage verreist.",
            ],
            answer: "Die Adresse der Bestellung {order} ist geändert, der Zusteller weiß Bescheid.",
            mistake: "Adressen ändern sich nach einem Umzug von selbst.",
        },
    ],
    personal: &[
        "Meine E-Mail-Adresse ist {email}.",
        "Sie erreichen mich unter {phone}.",
        "Mein Name ist {name}.",
        "Bezahlt habe ich mit der Karte {card}.",
        "Bitte überweisen Sie auf {iban}.",
    ],
    repeats: "Notiert habe ich {personal}.",
    doubts: "Ganz sicher bin ich mir dabei allerdings nicht.",
};
