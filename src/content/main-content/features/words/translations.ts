/**
 * Words that pages around their content use, in the most used languages of the web beside English: German, French,
 * Spanish, Portuguese, Italian, Dutch, Polish, Czech, Swedish, Danish, Finnish, Hungarian, Romanian, Greek, Turkish,
 * Russian, Ukrainian, Arabic, Persian, Hindi, Vietnamese, Indonesian, Korean, and pairs of characters of Chinese and
 * Japanese. What the model has learned of the English word holds for them too.
 */
import { HashTable, hashWord } from "./word-hash.ts";
import { withoutPrototype } from "../../../../core/without-prototype.ts";

const TRANSLATIONS: Record<string, string> = withoutPrototype({
  comments:
    "kommentare commentaires comentarios comentários commenti reacties komentarze komentáře kommentarer kommentit " +
    "hozzászólások comentarii σχόλια yorumlar комментарии коментарі تعليقات نظرات टिप्पणियां 댓글 评论 評論 コメ",
  comment:
    "kommentar commentaire comentario comentário commento reactie komentarz komentář kommentti hozzászólás comentariu σχόλιο " +
    "yorum комментарий коментар تعليق نظر टिप्पणी komentar",
  reply:
    "antworten répondre responder rispondi reageer odpowiedz odpovědět svara svar vastaa válasz răspunde απάντηση yanıtla ответить відповісти رد پاسخ उत्तर balas 답글 回复 回覆 返信",
  share:
    "teilen partager compartir compartilhar partilhar condividi delen udostępnij sdílet dela del jaa megosztás distribuie " +
    "κοινοποίηση paylaş поделиться поділитися مشاركة شارك اشتراک शेयर bagikan 공유 分享 シェ",
  related:
    "verwandte ähnliche liés connexes relacionados relacionadas relacionado correlati correlate gerelateerd gerelateerde " +
    "powiązane související relaterade relaterede kapcsolódó similare σχετικά ilgili похожие пов'язані مرتبط ذات مرتبطة संबंधित terkait 관련 相关 相關 関連",
  recommended:
    "empfohlen empfehlungen recommandé recommandés recomendado recomendados raccomandati consigliati aanbevolen polecane doporučené rekommenderat anbefalet suositellut ajánlott recomandate προτεινόμενα önerilen рекомендуем рекомендовані موصى پیشنهاد 추천 推荐 推薦 おす",
  popular:
    "beliebt beliebte meistgelesen populaires populares popolari populair popularne popularna oblíbené populära populære suosituimmat népszerű populare δημοφιλή popüler популярное популярні شائع محبوب लोकप्रिय populer 인기 热门 熱門 人気",
  latest:
    "neueste aktuelle aktuell derniers dernières últimas últimos ultime ultimi laatste najnowsze nejnovější senaste seneste uusimmat legfrissebb ultimele τελευταία son последние останні أحدث آخر جدیدترین ताजा terbaru 최신 最新 新着",
  news: "nachrichten actualités noticias notícias notizie nieuws wiadomości aktuality zprávy nyheter nyheder uutiset hírek știri νέα haberler haber новости новини أخبار اخبار समाचार berita 뉴스 新闻 新聞 ニュ",
  more: "mehr weitere plus más mais altro altri meer więcej více mer mere lisää több mai περισσότερα daha ещё ещe більше المزيد بیشتر और thêm lagi 더보기 更多 もっ",
  read: "lesen lire leer ler leia leggi lees czytaj číst läs læs lue olvass citește διάβασε oku читать читати اقرأ بخوانید पढ़ें đọc baca 阅读 閱讀 読む",
  subscribe:
    "abonnieren abonnez suscríbete suscribirse assine inscreva iscriviti abonneer subskrybuj odebírat prenumerera abonner tilaa feliratkozás abonează εγγραφή abone подписаться підписатися اشترك 구독 订阅 訂閱 購読",
  login:
    "anmelden einloggen connexion connecter entrar accedi inloggen zaloguj přihlásit logga bejelentkezés autentificare σύνδεση giriş войти увійти دخول ورود लॉगिन masuk 로그인 登录 登錄 登入",
  register:
    "registrieren inscription registrarse cadastre registrati registreren zarejestruj registrace registrera rekisteröidy regisztráció înregistrare kayıt регистрация реєстрація تسجيل ثبت daftar 회원가입 注册 註冊 登録",
  search:
    "suche suchen recherche rechercher buscar busca pesquisar cerca ricerca zoeken szukaj hledat sök søg haku keresés căutare αναζήτηση ara поиск пошук بحث جستجو खोज cari 검색 搜索 搜尋 検索",
  home: "startseite accueil inicio início strona hem forside etusivu főoldal acasă αρχική anasayfa главная головна الرئيسية خانه होम beranda 首页 首頁 ホー",
  contact:
    "kontakt contacto contato contatti yhteystiedot kapcsolat επικοινωνία iletişim контакты контакти اتصل تماس संपर्क kontak 문의 联系 聯絡 問い",
  about: "über acerca sobre om tietoa rólunk despre σχετικά hakkında нас عن درباره tentang 소개 关于 關於 につ",
  privacy:
    "datenschutz confidentialité privacidad privacidade prywatności soukromí integritet tietosuoja adatvédelem confidențialitate απορρήτου gizlilik конфиденциальности конфіденційності الخصوصية خصوصی गोपनीयता privasi 개인정보 隐私 隱私 プラ",
  terms:
    "nutzungsbedingungen agb conditions términos condiciones termos termini voorwaarden regulamin podmínky villkor vilkår ehdot feltételek termeni όροι koşulları условия умови الشروط شرایط शर्तें syarat 이용약관 条款 條款 規約",
  imprint: "impressum mentions colofon tiráž",
  reserved:
    "vorbehalten réservés reservados riservati voorbehouden zastrzeżone vyhrazena förbehållna pidätetään fenntartva rezervate saklıdır защищены захищені محفوظة محفوظ सुरक्षित 版权 版權 無断",
  advertisement:
    "anzeige werbung publicité publicidad publicidade pubblicità advertentie reklama annons annonce mainos hirdetés publicitate διαφήμιση reklam реклама إعلان تبلیغات विज्ञापन iklan 광고 广告 廣告 広告",
  follow:
    "folgen folge suivez suivre síguenos seguir siga segui volg obserwuj sledovat följ følg seuraa kövess urmărește takip подписывайтесь تابعنا ikuti 팔로우 关注 關注 フォ",
  next: "weiter nächste nächster suivant siguiente próximo seguinte successivo prossimo volgende następny další nästa næste seuraava következő următorul επόμενο sonraki следующая наступна التالي بعدی अगला tiếp berikutnya 다음 下一 次へ",
  previous:
    "zurück vorherige précédent anterior precedente vorige poprzedni předchozí föregående forrige edellinen előző anteriorul προηγούμενο önceki предыдущая попередня السابق قبلی पिछला sebelumnya 이전 上一 前へ",
  tags: "schlagwörter schlagworte stichwörter étiquettes etiquetas tagi štítky taggar címkék etichete ετικέτες etiketler теги وسوم برچسب 태그 标签 標籤 タグ",
  categories:
    "kategorien catégories categorías categorias categorie categorieën kategorie kategorier kategóriák categorii κατηγορίες kategoriler категории категорії تصنيفات دسته श्रेणियां kategori 카테고리 分类 分類 カテ",
  author:
    "autor autorin auteur autore författare forfatter kirjoittaja szerző συντάκτης yazar автор الكاتب نویسنده लेखक penulis 기자 作者 著者",
  published:
    "veröffentlicht publié publicado pubblicato gepubliceerd opublikowano publikováno publicerad offentliggjort julkaistu megjelent publicat δημοσίευση yayınlanma опубликовано опубліковано نشر منتشر प्रकाशित diterbitkan 发布 發布 公開",
  updated:
    "aktualisiert mis actualizado atualizado aggiornato bijgewerkt zaktualizowano aktualizováno uppdaterad opdateret päivitetty frissítve actualizat ενημέρωση güncelleme обновлено оновлено تحديث 更新",
  photo:
    "foto bild fotografía fotografia immagine zdjęcie kuva kép φωτογραφία fotoğraf фото صورة عکس 사진 图片 圖片 写真",
  source:
    "quelle fuente fonte bron źródło zdroj källa kilde lähde forrás sursa πηγή kaynak источник джерело المصدر منبع स्रोत sumber 출처 来源 來源 出典",
  price:
    "preis prix precio preço prezzo prijs cena pris hinta ár preț τιμή fiyat цена ціна السعر قیمت कीमत giá harga 가격 价格 價格 価格",
  cart: "warenkorb panier carrito carrinho carrello winkelwagen koszyk košík varukorg kurv ostoskori kosár coș καλάθι sepet sepete корзина корзину кошик السلة سبد keranjang 장바구니 购物 購物 カー",
  buy: "kaufen acheter comprar acquista compra kopen kup koupit köp køb osta vásárlás cumpără αγορά satın купить купити شراء خرید खरीदें mua beli 구매 购买 購買 購入",
  description:
    "beschreibung descripción descrição descrizione beschrijving opis popis beskrivning beskrivelse kuvaus leírás descriere περιγραφή açıklama описание опис الوصف توضیحات विवरण deskripsi 설명 描述 説明",
  reviews:
    "bewertungen rezensionen avis opiniones avaliações recensioni beoordelingen opinie recenze recensioner anmeldelser arvostelut vélemények recenzii κριτικές değerlendirmeler отзывы відгуки مراجعات समीक्षा ulasan 리뷰 评价 評價 レビ",
  shipping:
    "versand livraison envío frete envio spedizione verzending wysyłka doprava frakt fragt toimitus szállítás livrare αποστολή kargo доставка شحن ارسال pengiriman 배송 配送",
  print:
    "drucken imprimer imprimir stampa afdrukken drukuj tisk skriv tulosta nyomtatás tipărește εκτύπωση yazdır печать друк طباعة چاپ cetak 인쇄 打印 列印 印刷",
  minutes:
    "minuten minutos minuti minuut minut minuter minutter minuuttia perc λεπτά dakika минут хвилин دقائق دقیقه मिनट phút menit 分钟 分鐘",
  views:
    "aufrufe vues visualizaciones visualizações visualizzazioni weergaven wyświetleń zobrazení visningar visninger megtekintés vizualizări προβολές görüntülenme просмотров переглядів مشاهدات بازدید 조회 浏览 瀏覽 閲覧",
  video: "vídeo videos wideo видео відео فيديو ویدیو वीडियो 영상 视频 視頻 動画",
  skip: "überspringen springe aller saltar pular salta naar przejdź přejít hoppa siirry ugrás μετάβαση geç перейти انتقل",
  questions:
    "fragen preguntas perguntas domande vragen pytania otázky frågor spørgsmål kysymykset kérdések întrebări ερωτήσεις sorular вопросы питання أسئلة سوالات प्रश्न pertanyaan 질문 问题 問題 質問",
  wrote:
    "schrieb écrit escribió escreveu scritto schreef napisał napsal skrev kirjoitti írta scris έγραψε yazdı написал написав كتب نوشت menulis",
});

const ENGLISH = Object.keys(TRANSLATIONS);
const ENGLISH_HASHES = Int32Array.from(ENGLISH, hashWord);
/** From the number of a foreign word to the place of the English one, from 1 on. */
const PLACES = new HashTable(Object.values(TRANSLATIONS).join(" ").split(" ").length);
ENGLISH.forEach((english, index) => {
  for (const word of (TRANSLATIONS[english] ?? "").split(" ")) PLACES.set(hashWord(word), index + 1);
});

/** Returns the number of the English word for the number of a foreign one; other numbers unchanged. */
export function translateHash(word: number): number {
  const place = PLACES.get(word);
  return place === 0 ? word : ENGLISH_HASHES[place - 1]!;
}

/** Returns the English word for a foreign one, in lower case; other words unchanged. */
export function translateWord(word: string): string {
  return ENGLISH[PLACES.get(hashWord(word)) - 1] ?? word;
}
