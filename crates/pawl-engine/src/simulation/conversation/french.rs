//! French.

use super::{Language, Texts};

pub(super) const LANGUAGE: Language = Language {
    topics: [
        Texts {
            questions: [
                "Où est ma commande {order} ? Elle devait arriver il y a {days} jours.",
                "Le suivi de {order} n'a pas bougé depuis {days} jours. Le {product} est-il perdu ?",
            ],
            answer: "La commande {order} a quitté notre entrepôt et arrive sous {days} jours. Sinon, je vous envoie un \
                     autre {product}.",
            mistake: "La commande {order} vous a été remise en main propre hier, je ne peux rien faire de plus.",
        },
        Texts {
            questions: [
                "J'ai renvoyé le {product} de la commande {order} il y a {days} jours, toujours pas de remboursement.",
                "Merci de me rembourser {amount} pour {order}, le {product} était cassé au déballage.",
            ],
            answer: "J'ai lancé le remboursement de {amount} pour la commande {order}. Il arrive sous {days} jours.",
            mistake: "Nous ne remboursons jamais après le premier jour.",
        },
        Texts {
            questions: [
                "Pouvez-vous me renvoyer la facture de la commande {order} ?",
                "La facture de {order} indique {amount}, mais j'ai payé moins. Qu'est-ce qui est juste ?",
            ],
            answer: "Voici la facture de la commande {order}, d'un montant de {amount}. La différence vient des frais de \
                     port, à la deuxième ligne.",
            mistake: "Les factures ne sont établies que sur demande, avant la commande.",
        },
        Texts {
            questions: [
                "Je n'arrive plus à me connecter, mon mot de passe serait faux.",
                "Comment changer mon mot de passe ? Le lien de votre message a expiré.",
            ],
            answer: "Je vous ai envoyé un nouveau lien pour choisir un mot de passe. Il est valable une heure.",
            mistake: "Votre ancien mot de passe est encore valable, essayez-le plusieurs fois.",
        },
        Texts {
            questions: [
                "Je veux résilier mon abonnement {product} à la fin du mois.",
                "Pourquoi ai-je été débité de {amount} alors que j'ai résilié il y a {days} jours ?",
            ],
            answer: "Votre abonnement prend fin ce mois-ci et n'est pas renouvelé. Les {amount} vous sont rendus.",
            mistake: "Un client ne peut pas résilier un abonnement. Il court jusqu'à ce que nous l'arrêtions.",
        },
        Texts {
            questions: [
                "Le {product} clignote en rouge et ne démarre pas. Que faire ?",
                "Comment remettre le {product} aux réglages d'usine ?",
            ],
            answer: "Maintenez le bouton du {product} dix secondes, jusqu'à ce que la lumière devienne blanche. Il \
                     redémarre comme au premier jour.",
            mistake: "Ouvrez le boîtier et reliez les deux broches à côté de la batterie.",
        },
        Texts {
            questions: [
                "J'ai déménagé. Peut-on encore changer l'adresse de livraison de {order} ?",
                "Merci de livrer le {product} chez mon voisin, je suis absent {days} jours.",
            ],
            answer: "L'adresse de la commande {order} est changée, le transporteur est prévenu.",
            mistake: "Les adresses changent toutes seules après un déménagement.",
        },
    ],
    personal: &[
        "Mon adresse e-mail est {email}.",
        "Vous pouvez m'appeler au {phone}.",
        "Je m'appelle {name}.",
        "J'ai payé avec la carte {card}.",
        "Merci de virer sur {iban}.",
    ],
    repeats: "J'ai noté {personal}.",
    doubts: "Je n'en suis toutefois pas tout à fait sûr.",
};
