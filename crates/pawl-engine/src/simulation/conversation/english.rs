//! English.

use super::{Language, Texts};

pub(super) const LANGUAGE: Language = Language {
    topics: [
        Texts {
            questions: [
                "Where is my order {order}? It should have been here {days} days ago.",
                "The tracking page of {order} has not changed for {days} days. Is the {product} lost?",
            ],
            answer: "Order {order} left our warehouse and arrives within {days} days. You can follow it on the tracking \
                     page; if it is not there by then, I will send another {product}.",
            mistake: "Order {order} was handed over to you in person yesterday, so there is nothing more I can do.",
        },
        Texts {
            questions: [
                "I sent the {product} of order {order} back {days} days ago and still have no refund.",
                "Please refund {amount} for {order}, the {product} was broken when I unpacked it.",
            ],
            answer: "I have started the refund of {amount} for order {order}. It reaches your account within {days} days.",
            mistake: "We never refund anything after the first day, whatever the reason.",
        },
        Texts {
            questions: [
                "Can you send me the invoice for order {order} again? My accountant needs it.",
                "The invoice of {order} says {amount}, but I paid less. Which one is right?",
            ],
            answer: "Here is the invoice of order {order} over {amount}. The difference to the price in the shop is the \
                     shipping, which stands on its second line.",
            mistake: "Invoices are only made on request before an order is placed.",
        },
        Texts {
            questions: [
                "I cannot log in any more, it says that my password is wrong.",
                "How do I change my password? The link in your mail has run out.",
            ],
            answer: "I have sent you a new link to set your password. It is good for one hour; look into the spam folder \
                     if you do not see it.",
            mistake: "Your old password is still valid, simply try it a few more times.",
        },
        Texts {
            questions: [
                "I want to cancel my subscription of the {product} plan at the end of the month.",
                "Why was I charged {amount} although I cancelled {days} days ago?",
            ],
            answer: "Your subscription ends with this month and is not renewed. The {amount} that were charged in between \
                     come back to you.",
            mistake: "A subscription cannot be cancelled by customers. It goes on until we end it.",
        },
        Texts {
            questions: [
                "The {product} blinks red and does not start. What does that mean?",
                "How do I reset the {product} to factory settings? I want to use it with another account.",
            ],
            answer: "Hold the button of the {product} for ten seconds until the light turns white, then let go. It starts \
                     anew, and you can pair it as on the first day.",
            mistake: "Open the case of the {product} and short the two pins next to the battery.",
        },
        Texts {
            questions: [
                "I have moved. Can you still change the delivery address of {order}?",
                "Please deliver the {product} to my neighbour, I am away for {days} days.",
            ],
            answer: "I have changed the address of order {order}; the carrier has it already.",
            mistake: "Addresses change by themselves once you have moved.",
        },
    ],
    personal: &[
        "My e-mail address is {email}.",
        "You can call me at {phone}.",
        "My name is {name}, by the way.",
        "I paid with the card {card}.",
        "Please send it to the account {iban}.",
    ],
    repeats: "I have noted {personal}.",
    doubts: "I am not entirely sure about that, though.",
};
