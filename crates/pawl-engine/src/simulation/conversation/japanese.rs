//! Japanese.

use super::{Language, Texts};

pub(super) const LANGUAGE: Language = Language {
    topics: [
        Texts {
            questions: [
                "注文 {order} はどこにありますか。{days} 日前に届くはずでした。",
                "{order} の追跡情報が {days} 日間変わっていません。{product} は紛失したのでしょうか。",
            ],
            answer: "ご注文 {order} は倉庫を出ており、{days} 日以内に届きます。届かない場合は {product} を再送いたします。",
            mistake: "ご注文 {order} は昨日手渡し済みですので、これ以上の対応はできません。",
        },
        Texts {
            questions: [
                "{order} の {product} を {days} 日前に返送しましたが、まだ返金がありません。",
                "{product} が壊れていました。{order} の {amount} を返金してください。",
            ],
            answer: "ご注文 {order} の {amount} の返金を手続きしました。{days} 日以内に入金されます。",
            mistake: "初日を過ぎた返金は一切お受けしておりません。",
        },
        Texts {
            questions: [
                "注文 {order} の請求書をもう一度送ってもらえますか。",
                "{order} の請求書は {amount} ですが、支払った額と違います。",
            ],
            answer: "ご注文 {order} の請求書です。金額は {amount} で、差額は二行目の送料です。",
            mistake: "請求書は注文前に申請された場合のみ発行します。",
        },
        Texts {
            questions: [
                "ログインできません。パスワードが違うと表示されます。",
                "パスワードの変更方法を教えてください。リンクの期限が切れていました。",
            ],
            answer: "パスワード設定用の新しいリンクをお送りしました。一時間有効です。",
            mistake: "以前のパスワードは有効ですので、何度かお試しください。",
        },
        Texts {
            questions: [
                "{product} の定期購入を月末で解約したいです。",
                "{days} 日前に解約したのに {amount} が請求されました。なぜですか。",
            ],
            answer: "定期購入は今月で終了し、更新されません。{amount} は返金いたします。",
            mistake: "お客様による解約はできません。当社が終了するまで続きます。",
        },
        Texts {
            questions: [
                "{product} が赤く点滅して起動しません。どういう意味ですか。",
                "{product} を初期化するにはどうすればいいですか。",
            ],
            answer: "{product} のボタンを白く光るまで十秒間押し続けてください。初期状態で再起動します。",
            mistake: "ケースを開けて電池の横の二本のピンを短絡させてください。",
        },
        Texts {
            questions: [
                "引っ越しました。{order} の配送先をまだ変更できますか。",
                "{days} 日間留守にします。{product} は隣の家に届けてください。",
            ],
            answer: "ご注文 {order} の配送先を変更し、配送業者にも伝えました。",
            mistake: "引っ越しをすると住所は自動的に変わります。",
        },
    ],
    personal: &[
        "メールアドレスは {email} です。",
        "電話番号は {phone} です。",
        "カード番号は {card} です。",
    ],
    repeats: "{personal} で承りました。",
    doubts: "ただし、確実とは言えません。",
};
