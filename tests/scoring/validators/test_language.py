import py3langid
import pytest

from gate.config.values import LANGUAGES
from tests.scoring.validators.scored import score

SENTENCES = {
    "de": "Ihre Bestellung wurde gestern versandt und kommt morgen an.",
    "en": "Your order was shipped yesterday and will arrive tomorrow.",
    "es": "Su pedido fue enviado ayer y llegará mañana.",
    "fr": "Votre commande a été expédiée hier et arrivera demain.",
    "it": "Il suo ordine è stato spedito ieri e arriverà domani.",
    "nl": "Uw bestelling is gisteren verzonden en komt morgen aan.",
    "pl": "Państwa zamówienie zostało wysłane wczoraj i dotrze jutro.",
    "pt": "O seu pedido foi enviado ontem e chegará amanhã.",
    "ru": "Ваш заказ был отправлен вчера и придет завтра.",
    "tr": "Siparişiniz dün gönderildi ve yarın ulaşacak.",
    "ar": "تم شحن طلبك أمس وسيصل غدا.",
    "hi": "आपका ऑर्डर कल भेजा गया था और कल पहुंचेगा।",
    "ja": "ご注文の品は昨日発送され、明日届きます。",
    "ko": "주문하신 상품은 어제 발송되었으며 내일 도착합니다.",
    "zh": "您的订单昨天已发货,明天送达。",
}


@pytest.mark.parametrize("code", SENTENCES)
def test_a_sentence_is_of_its_language_and_of_no_other(code: str) -> None:
    other = "en" if code == "de" else "de"
    assert score({"language": code}, SENTENCES[code]) == 1.0
    assert score({"language": code}, SENTENCES[other]) == score({"language": other}, SENTENCES[code]) == 0.0


@pytest.mark.parametrize(
    ("code", "answer"),
    [
        ("en", "Hello"),
        ("de", "Hallo"),
        ("en", "OK"),
        ("fr", "OK"),
        ("de", "42"),
        ("de", "Gerne!"),
        ("fr", "Merci"),
    ],
)
def test_what_is_too_short_to_tell_passes_where_it_is_plausible(code: str, answer: str) -> None:
    assert score({"language": code}, answer) == 1.0


@pytest.mark.parametrize(
    ("code", "answer"), [("en", "Bonjour"), ("de", "Thanks!"), ("en", "你好吗"), ("zh", "Hello there")]
)
def test_what_is_short_but_not_plausible_fails(code: str, answer: str) -> None:
    assert score({"language": code}, answer) == 0.0


def test_code_and_addresses_are_no_language() -> None:
    german = "Nutzen Sie diesen Befehl:\n```\nfor line in open(path): print('the line is', line, 'and so on')\n```"
    assert score({"language": "de"}, german + " https://example.com/this/is/the/english/page") == 1.0


def test_the_language_may_come_from_the_case() -> None:
    assert score({"language": "{{ expected }}"}, SENTENCES["de"], "de-AT") == 1.0


def test_every_language_is_one_that_the_detector_knows() -> None:
    assert {label for label, _ in py3langid.rank("Hello") if len(label) == 2} == LANGUAGES
