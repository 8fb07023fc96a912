export interface Prose {
  /** BCP 47 tag for the page's lang attribute. */
  language: string;
  title: string;
  paragraphs: string[];
}

const RUSSIAN: Prose = {
  language: "ru",
  title: "Маяк на краю залива",
  paragraphs: [
    "Смотритель маяка поднимается по лестнице дважды в день: утром, чтобы погасить лампу, и вечером, чтобы зажечь её снова. Ступеней сто сорок две, и каждая скрипит по-своему.",
    "Зимой, когда залив замерзает, почту привозят на санях. Письма пахнут дымом и рыбой, а газеты приходят сразу за неделю. Смотритель читает их по порядку, не заглядывая вперёд, и потому новости для него всегда свежие.",
    "Рыбаки говорят, что свет маяка виден за двадцать миль. Сам он этого не проверял: чтобы увидеть свой свет издалека, пришлось бы оставить лампу без присмотра.",
  ],
};

const JAPANESE: Prose = {
  language: "ja",
  title: "港町の朝市",
  paragraphs: [
    "港町の朝は早い。まだ暗いうちから漁船が戻り、魚市場には氷を砕く音が響く。競りが始まるころ、空の端がようやく白くなってくる。",
    "市場の隅にある小さな食堂では、漁師たちが湯気の立つ味噌汁をすすりながら、昨夜の海の話をする。「風が変わったから、明日は休みだ」と年寄りが言えば、誰も逆らわない。",
    "観光客がやって来る九時には、もう片付けが終わっている。残っているのは、濡れた石畳と、満腹の猫だけである。",
  ],
};

const SIMPLIFIED_CHINESE: Prose = {
  language: "zh-CN",
  title: "渡口的老船工",
  paragraphs: [
    "渡口的老船工姓陈，在这条江上撑了四十年的船。两岸的人都认识他，孩子们叫他陈爷爷，商人们叫他老陈，而他自己说，江水从来不叫他的名字。",
    "前年上游修了一座大桥，过江的汽车不再等船。有人劝他把船卖了，到城里和儿子一起住。他摇摇头，说桥上看不见水里的月亮。",
    "如今每天清晨，仍有几位老人提着菜篮坐他的船。船到江心，他会停一停桨，让大家听一听远处的钟声。",
  ],
};

const TRADITIONAL_CHINESE: Prose = {
  language: "zh-TW",
  title: "山城的茶館",
  paragraphs: [
    "山城的茶館開在石階的轉角，門前掛著一盞舊燈籠。老闆娘每天清晨點起爐火，用山泉水煮第一壺茶，香氣順著霧飄到港口。",
    "來喝茶的多半是熟客：退休的船長、畫招牌的師傅，還有一位寫了三十年仍未寫完小說的先生。他們各有固定的座位，誰也不會坐錯。",
    "下雨的日子，遊客會擠滿整間屋子。老闆娘總是說，雨停了再走，茶錢不必急著付。",
  ],
};

const KOREAN: Prose = {
  language: "ko",
  title: "섬마을 도서관",
  paragraphs: [
    "섬마을 도서관은 옛 등대지기의 집에 있다. 책은 모두 이천 권 남짓이고, 그 가운데 절반은 육지 사람들이 배에 두고 내린 것이다.",
    "사서는 한 사람뿐인데, 오전에는 우체국 일을 보고 오후에는 책을 빌려준다. 비가 오는 날이면 아이들이 창가에 모여 앉아 같은 그림책을 차례로 읽는다.",
    "책을 늦게 돌려주어도 벌금은 없다. 대신 다음에 읽을 사람에게 짧은 편지를 한 장 써서 책 사이에 끼워 두어야 한다.",
  ],
};

const FRENCH: Prose = {
  language: "fr",
  title: "Le café de l'écluse",
  paragraphs: [
    "À l'écluse de Saint-Rémy, le café n'ouvre que lorsqu'un bateau passe. La patronne, prévenue par la cloche, descend l'escalier, noue son tablier et pose deux tasses sur le comptoir, même s'il n'y a qu'un batelier.",
    "L'été, les péniches se suivent et la journée n'en finit pas. L'hiver, il arrive qu'une semaine entière s'écoule sans qu'une amarre soit lancée : elle répare alors les chaises, relit ses vieux journaux et prépare des confitures de mûres.",
    "Où trouverait-on ailleurs un café qui vous attend ? « Nulle part, répond-elle, et c'est très bien ainsi. »",
  ],
};

/** Holds the letters that ISO-8859-15 has and ISO-8859-1 has not: the euro sign, œ, Œ, Š. */
const FRENCH_WITH_EURO: Prose = {
  language: "fr",
  title: "Les œufs du marché",
  paragraphs: [
    "Au marché de L'Haÿ, la douzaine d'œufs coûte désormais 4 €, et le cœur de bœuf 11 € le kilo. Les habitués protestent, pour la forme, puis achètent.",
    "Le crémier, M. Šimek, tient sa caisse dans une boîte à biscuits. Il rend la monnaie au centime près et offre, à qui sait attendre, un verre de cidre et une histoire de sa sœur.",
    "ŒUVRE COMPLÈTE EN VENTE ICI, annonce une pancarte : ce sont trois romans, écrits les jours de pluie, à 9 € pièce.",
  ],
};

const ENGLISH: Prose = {
  language: "en",
  title: "The naïve pilot’s café",
  paragraphs: [
    "The pilot’s café — “no shoes, no sails, no service” — stands where the old customs house stood. Its tea costs 80¢ if you pay in dollars and nothing if you bring a story.",
    "On Sundays a choir rehearses upstairs. The customers have learned to stir in time, and the cook, a señora from Vigo, has learned every part but the bass.",
  ],
};

export interface EncodingPage {
  /** Name for iconv-lite. */
  codec: string;
  /** Name for declarations, as pages of the kind write it. */
  charset: string;
  /** Whether the bytes begin with a byte order mark. */
  bom?: boolean;
  prose: Prose;
}

/** Encodings by the name in /encoding/<name>. */
export const ENCODING_PAGES: Record<string, EncodingPage> = {
  "windows-1251": { codec: "win1251", charset: "windows-1251", prose: RUSSIAN },
  "koi8-r": { codec: "koi8-r", charset: "koi8-r", prose: RUSSIAN },
  "iso-8859-5": { codec: "iso-8859-5", charset: "iso-8859-5", prose: RUSSIAN },
  shift_jis: { codec: "shiftjis", charset: "Shift_JIS", prose: JAPANESE },
  "euc-jp": { codec: "eucjp", charset: "EUC-JP", prose: JAPANESE },
  gbk: { codec: "gbk", charset: "GBK", prose: SIMPLIFIED_CHINESE },
  gb18030: { codec: "gb18030", charset: "GB18030", prose: SIMPLIFIED_CHINESE },
  big5: { codec: "big5", charset: "Big5", prose: TRADITIONAL_CHINESE },
  "euc-kr": { codec: "euckr", charset: "EUC-KR", prose: KOREAN },
  "iso-8859-1": { codec: "iso-8859-1", charset: "ISO-8859-1", prose: FRENCH },
  "iso-8859-15": { codec: "iso-8859-15", charset: "ISO-8859-15", prose: FRENCH_WITH_EURO },
  "windows-1252": { codec: "win1252", charset: "windows-1252", prose: ENGLISH },
  "utf-16le": { codec: "utf-16le", charset: "utf-16le", prose: RUSSIAN },
  "utf-16le-bom": { codec: "utf-16le", charset: "utf-16le", bom: true, prose: JAPANESE },
  "utf-16be-bom": { codec: "utf-16be", charset: "utf-16be", bom: true, prose: KOREAN },
  "utf-8": { codec: "utf8", charset: "utf-8", prose: ENGLISH },
  "utf-8-bom": { codec: "utf8", charset: "utf-8", bom: true, prose: RUSSIAN },
};
