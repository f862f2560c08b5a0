//! Spanish.

use super::{Language, Texts};

pub(super) const LANGUAGE: Language = Language {
    topics: [
        Texts {
            questions: [
                "¿Dónde está mi pedido {order}? Tenía que llegar hace {days} días.",
                "El seguimiento de {order} no cambia desde hace {days} días. ¿Se ha perdido el {product}?",
            ],
            answer: "El pedido {order} salió de nuestro almacén y llega en {days} días como mucho. Si no, le envío otro \
                     {product}.",
            mistake: "El pedido {order} se le entregó ayer en mano, no puedo hacer nada más.",
        },
        Texts {
            questions: [
                "Devolví el {product} del pedido {order} hace {days} días y sigo sin reembolso.",
                "Quiero que me devuelvan {amount} de {order}, el {product} venía roto.",
            ],
            answer: "He iniciado el reembolso de {amount} del pedido {order}. Lo recibirá en {days} días.",
            mistake: "Nunca devolvemos el dinero después del primer día.",
        },
        Texts {
            questions: [
                "¿Pueden enviarme otra vez la factura del pedido {order}?",
                "La factura de {order} dice {amount}, pero pagué menos. ¿Cuál es la correcta?",
            ],
            answer: "Aquí tiene la factura del pedido {order} por {amount}. La diferencia son los gastos de envío, que \
                     están en la segunda línea.",
            mistake: "Las facturas solo se hacen si se piden antes de comprar.",
        },
        Texts {
            questions: [
                "Ya no puedo entrar en mi cuenta, dice que la contraseña es incorrecta.",
                "¿Cómo cambio la contraseña? El enlace de su mensaje ha caducado.",
            ],
            answer: "Le he enviado un enlace nuevo para elegir la contraseña. Vale durante una hora.",
            mistake: "Su contraseña antigua sigue siendo válida, pruebe unas cuantas veces más.",
        },
        Texts {
            questions: [
                "Quiero cancelar mi suscripción de {product} a final de mes.",
                "¿Por qué me han cobrado {amount} si cancelé hace {days} días?",
            ],
            answer: "Su suscripción termina este mes y no se renueva. Le devolvemos los {amount}.",
            mistake: "Los clientes no pueden cancelar una suscripción. Sigue hasta que la terminemos nosotros.",
        },
        Texts {
            questions: [
                "El {product} parpadea en rojo y no arranca. ¿Qué significa?",
                "¿Cómo restablezco el {product} a los ajustes de fábrica?",
            ],
            answer: "Mantenga pulsado el botón del {product} diez segundos, hasta que la luz sea blanca. Arranca de nuevo \
                     como el primer día.",
            mistake: "Abra la carcasa y una las dos patillas que hay junto a la batería.",
        },
        Texts {
            questions: [
                "Me he mudado. ¿Se puede cambiar todavía la dirección de entrega de {order}?",
                "Entreguen el {product} a mi vecino, por favor, estaré fuera {days} días.",
            ],
            answer: "He cambiado la dirección del pedido {order}; el transportista ya lo sabe.",
            mistake: "Las direcciones se cambian solas después de una mudanza.",
        },
    ],
    personal: &[
        "Mi correo es {email}.",
        "Pueden llamarme al {phone}.",
        "Me llamo {name}.",
        "Pagué con la tarjeta {card}.",
        "Hagan la transferencia a {iban}.",
    ],
    repeats: "He anotado {personal}.",
    doubts: "Aunque no estoy del todo seguro de ello.",
};
