/** Words that tell prose, and prices, in the most used languages of the web. */

/** The most frequent function words of each language; of Chinese and Japanese the characters. */
export const STOP_WORDS: readonly string[] = (
  "the a an and or of to in is it that for on with as was are be this by at from not but have has you your we our they " +
  "their i he she his her its will can more der die das und ist zu den mit von im ein eine für auf nicht auch sich dem " +
  "des als es sie wir ich werden le la les de et est un une que pour dans qui sur pas el au du ce il nous vous los las " +
  "en y es por con para no se del al lo su como más di che e per non sono gli della si ha o os um do da em não na uma com " +
  "mais het van op voor niet dat met zijn een te er aan w i z się nie jest na do że to jak a v se je že s na si och att " +
  "det som på är av med inte til af ikke og der ja on ei se että oli ovat és az hogy nem egy meg și să nu este din pe cu " +
  "ve bir bu için ile da çok olarak και το να η ο του της με για δεν και в не на что с по это как из к у о за и та що не " +
  "до як від є та ця في من على أن إلى هذا التي عن مع هذه الذي كان لا ما و در به از که این را با است برای آن है के में की से " +
  "का को और पर यह ने नहीं हैं এর ও এ và của là có cho không được các một trong với những yang dan di dengan untuk dari ini " +
  "itu pada tidak akan של את על לא זה עם הוא או 은 는 이 가 을 를 에 의 것 수 있는 있다 한 그 하는 " +
  "的 了 是 在 不 和 有 也 就 都 与 與 及 而 但 被 把 对 對 从 從 到 于 於 这 這 那 他 她 你 我 们 們 个 個 " +
  "の に は を が と で た し て も な れ さ る か ら す い"
).split(" ");

/** Words behind an amount that make it a price. */
export const CURRENCY_WORDS: readonly string[] = (
  "eur euro euros usd dollars gbp chf kr sek nok dkk zł pln kč czk huf lei ron лв bgn руб рублей р грн tl vnd " +
  "rp idr rm myr inr rs jpy cny rmb krw brl mxn aud cad nzd تومان ریال ريال درهم جنيه رुपये 원 円 元 บาท"
).split(" ");
