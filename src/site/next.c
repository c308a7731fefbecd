/*
 * next.c: the link to the next page of a list: see next.h.
 *
 * words of links -> evidence of each link -> weighing; then rules, which are what the links of
 * several pages of a site have in common.
 */
#include "site/next.h"

#include <math.h>
#include <string.h>

#include <utf8proc.h>

#include "base/error.h"
#include "base/key_map.h"
#include "base/str.h"
#include "base/utf8.h"
#include "index/view.h"
#include "page/charref.h"
#include "page/tags.h"
#include "page/text.h"
#include "page/url.h"

/* ---- words of links, in many languages ------------------------------------------------------- */

/* A text is reduced to its words, in lower case and with one blank between them, and compared with
 * the phrases below: as a whole, or as its beginning or end. In scripts without blanks between
 * words ("次の20件") a phrase may begin a longer word. */

/* What a text says: bits of the evidence that it is for its link. */
enum {
    SAYS_NEXT = 1 << TH__NEXT_WORD,       /* "Next", "Next page" and nothing else */
    SAYS_NEXT_IN = 1 << TH__NEXT_WORD_IN, /* begins or ends with it: "Next 20 results" */
    SAYS_OLDER = 1 << TH__NEXT_OLDER,     /* "Older posts": further down in a blog */
    SAYS_BACK = 1 << TH__NEXT_BACK,       /* "Previous", "First", "Last", "Newer posts" */
    SAYS_OTHER = 1 << TH__NEXT_OTHER, /* the next of something else: "Next post", "Next month" */
    SAYS_MORE = 1 << TH__NEXT_MORE,   /* "More", "Show more" */
    SAYS_RIGHT = 1 << TH__NEXT_ARROW, /* an arrow: "›", ">" */
    SAYS_FAR = 1 << TH__NEXT_FAR,     /* a double one: "»", ">>" */
    SAYS_LEFT = 1 << TH__NEXT_LEFT    /* an arrow to the left, single or double */
};

/* Phrases, separated by commas; what is written with and without accents is there twice. */
static const char next_phrases[] =
    /* English */
    "next,next page,next results,nextpage,go to next page,go to the next page,next results page,"
    "show next page,view next page,next set,forward,continue,continued,next screen,"
    /* German */
    "weiter,nächste,naechste,nächste seite,naechste seite,nächsten,vor,vorwärts,vorwaerts,weitere,"
    "eine seite vor,zur nächsten seite,nächste treffer,"
    /* French */
    "suivant,suivante,suivants,suivantes,page suivante,aller à la page suivante,"
    "résultats suivants,"
    /* Spanish, Portuguese, Catalan, Galician */
    "siguiente,siguientes,página siguiente,pagina siguiente,siguiente página,sig,próxima,próximo,"
    "proxima,proximo,próxima página,proxima pagina,página seguinte,seguinte,seguintes,avançar,"
    "próximos,próximas,avanzar,adelante,següent,següents,pàgina següent,ir a la página siguiente,"
    "ir para a próxima página,"
    /* Italian, Romanian */
    "successivo,successiva,successivi,avanti,prossimo,prossima,pagina successiva,prossima pagina,"
    "seguente,pagina seguente,succ,următoarea,urmatoarea,următorul,urmatorul,următor,urmator,"
    "pagina următoare,pagina urmatoare,înainte,inainte,"
    /* Dutch, Afrikaans */
    "volgende,volgende pagina,verder,ga naar de volgende pagina,volgende bladsy,"
    /* Danish, Norwegian, Swedish, Icelandic, Faroese */
    "næste,næste side,frem,neste,neste side,videre,nästa,nästa sida,nesta,nasta,nasta sida,framåt,"
    "næsta,næsta síða,áfram,næsta síða,"
    /* Finnish, Estonian, Hungarian */
    "seuraava,seuraavat,seuraava sivu,järgmine,järgmised,edasi,järgmine lehekülg,következő,"
    "következő oldal,kovetkezo,tovább,előre,"
    /* Polish, Czech, Slovak, Slovenian, Croatian, Serbian, Bosnian */
    "następna,następny,następne,następna strona,nastepna,nastepny,nastepne,dalej,"
    "nastepna strona,další,další strana,další stránka,dalsi,dalsi strana,následující,"
    "následující strana,ďalšia,ďalší,ďalej,nasledujúca,nasledujúca strana,ďalšia strana,"
    "naslednja,naslednji,naprej,naslednja stran,sljedeća,sljedeći,sljedeca,sljedeća stranica,"
    "iduća,dalje,sledeća,sledeći,sledeca,sledeća strana,následujúce,"
    /* Lithuanian, Latvian, Albanian */
    "kitas,kitas puslapis,sekantis,toliau,pirmyn,nākamā,nākošā,nākamais,tālāk,nākamā lapa,"
    "tjetra,faqja tjetër,përpara,"
    /* Russian, Ukrainian, Belarusian, Bulgarian, Serbian, Macedonian, Kazakh */
    "следующая,следующий,следующие,следующая страница,след,вперёд,вперед,далее,дальше,"
    "на следующую страницу,след страница,наступна,наступна сторінка,наступні,наступний,далі,"
    "уперед,наступная,наступная старонка,следваща,следващи,следваща страница,напред,"
    "следећа,следећа страна,следна,следна страница,келесі,"
    /* Greek, Turkish, Azerbaijani, Armenian, Georgian */
    "επόμενη,επόμενο,επόμενα,επόμενη σελίδα,επομενη,sonraki,sonraki sayfa,ileri,sonrakı,növbəti,"
    "irəli,հաջորդ,հաջորդը,შემდეგი,შემდეგ,"
    /* Arabic, Persian, Urdu, Hebrew, Kurdish */
    "التالي,التالية,الصفحة التالية,بعدی,صفحه بعد,صفحه بعدی,بعد,بعدي,اگلا,اگلا صفحہ,اگلے,הבא,הבאה,"
    "הדף הבא,העמוד הבא,לעמוד הבא,לדף הבא,دواتر,"
    /* Hindi, Bengali, Marathi, Nepali, Tamil, Telugu, Thai, Lao, Burmese, Khmer */
    "अगला,अगले,अगला पृष्ठ,आगे,पुढील,पुढे,अर्को,পরবর্তী,পরের পাতা,পরের,அடுத்த,அடுத்து,తదుపరి,"
    "ถัดไป,หน้าถัดไป,หน้าต่อไป,ต่อไป,ຕໍ່ໄປ,နောက်,បន្ទាប់,"
    /* Chinese, Japanese, Korean */
    "下一页,下一頁,下页,下頁,下一张,后页,後頁,后一页,後一頁,次へ,次のページ,次の,次ページ,次頁,"
    "次,つぎへ,進む,다음,다음 페이지,다음페이지,다음 목록,"
    /* Vietnamese, Indonesian, Malay, Filipino, Swahili, Basque, Welsh, Irish, Esperanto */
    "trang sau,tiếp,tiếp theo,trang tiếp,trang tiếp theo,sau,tiep theo,berikutnya,selanjutnya,"
    "halaman berikutnya,halaman selanjutnya,lanjut,seterusnya,halaman seterusnya,berikut,"
    "susunod,ifuatayo,hurrengoa,hurrengo orria,hurrengo,nesaf,tudalen nesaf,ar aghaidh,sekva,"
    "sekva paĝo,sekvanta";

static const char older_phrases[] =
    "older,older posts,older entries,older articles,older stories,older news,older comments,"
    "previous posts,previous entries,earlier posts,earlier,ältere,ältere beiträge,ältere artikel,"
    "ältere einträge,aeltere beitraege,anciens articles,articles plus anciens,plus anciens,"
    "billets plus anciens,articles précédents,entradas antiguas,entradas anteriores,"
    "entradas más antiguas,artículos más antiguos,más antiguas,posts antigos,postagens mais "
    "antigas,"
    "postagens antigas,mais antigos,mais antigas,articoli meno recenti,post più vecchi,"
    "articoli precedenti,vecchi post,oudere berichten,oudere,ældre indlæg,eldre innlegg,"
    "äldre inlägg,vanhemmat artikkelit,vanhemmat,starsze posty,starsze wpisy,starsze,starší,"
    "starší příspěvky,starší články,staršie príspevky,régebbi bejegyzések,korábbi bejegyzések,"
    "articole mai vechi,postări mai vechi,стари,по стари публикации,предыдущие записи,старые "
    "записи,"
    "более старые,старше,ранее,старіші записи,попередні записи,старији,stariji postovi,"
    "παλαιότερα άρθρα,παλαιότερες αναρτήσεις,eski yazılar,önceki yazılar,daha eski kayıtlar,"
    "المقالات الأقدم,رسائل أقدم,نوشته های قدیمی تر,نوشتههای قدیمیتر,הרשומות "
    "הקודמות,過去の投稿,古い投稿,以前の記事,"
    "過去の記事,前の投稿,旧文章,较旧的文章,较早的文章,較舊的文章,舊文章,이전 글,이전 게시물,"
    "bài cũ hơn,cũ hơn,pos lama,pos pos lama,postingan lama,posting lama,เรื่องเก่ากว่า";

static const char back_phrases[] =
    /* the page before */
    "previous,previous page,prev,prev page,back,newer,newer posts,newer entries,newer articles,"
    "newest,recent posts,return,go back,zurück,zurueck,vorherige,vorige,vorherige seite,"
    "vorhergehende,neuere,neuere beiträge,précédent,précédente,precedent,precedente,page "
    "précédente,"
    "retour,articles plus récents,anterior,anteriores,página anterior,pagina anterior,atrás,volver,"
    "voltar,entradas más recientes,entradas siguientes,indietro,precedenti,pagina precedente,"
    "înapoi,inapoi,vorige pagina,terug,nieuwere berichten,forrige,forrige side,föregående,bakåt,"
    "tilbake,tillbaka,tilbage,tidligere,nyere innlegg,edellinen,edelliset,takaisin,eelmine,tagasi,"
    "előző,elozo,vissza,poprzednia,poprzedni,poprzednie,poprzednia strona,wstecz,nowsze posty,"
    "předchozí,předešlá,zpět,predchozi,novější,predchádzajúca,späť,predošlá,prejšnja,nazaj,"
    "prethodna,prethodni,natrag,nazad,atgal,ankstesnis,iepriekšējā,atpakaļ,предыдущая,предыдущий,"
    "пред,назад,сюда,следующие записи,новые записи,попередня,попередній,предишна,предходна,"
    "претходна,προηγούμενη,προηγούμενο,πίσω,önceki,geri,əvvəlki,السابق,السابقة,الصفحة السابقة,قبلی,"
    "قبل,הקודם,הקודמת,חזרה,पिछला,पीछे,ก่อนหน้า,ย้อนกลับ,上一页,上一頁,上页,上頁,前へ,前のページ,前の,"
    "戻る,新しい投稿,이전,이전 페이지,trang trước,trước,sebelumnya,kembali,halaman sebelumnya,"
    /* the first page and the last one */
    "first,first page,start,home,top,last,last page,end,letzte,letzte seite,erste,erste seite,"
    "anfang,ende,dernier,dernière,derniere,dernière page,premier,première,début,fin,último,última,"
    "ultimo,ultima,última página,primero,primera,primeiro,primeira,final,inicio,início,"
    "ultima pagina,prima pagina,fine,inizio,prima,primo,laatste,laatste pagina,eerste,sidste,siste,"
    "sista,første,första,viimeinen,ensimmäinen,utolsó,első,ostatnia,pierwsza,koniec,poslední,první,"
    "posledná,prvá,zadnja,prva,последняя,первая,в конец,в начало,конец,начало,остання,перша,"
    "последна,първа,τελευταία,πρώτη,son,ilk,son sayfa,ilk sayfa,الأخيرة,الأولى,האחרון,הראשון,末页,"
    "末頁,尾页,首页,首頁,最後,最後へ,最初,最初へ,先頭,마지막,처음,맨끝,trang cuối,trang "
    "đầu,terakhir,pertama,"
    "akhir,awal";

/* The next one of something else than a page of the list. */
static const char other_phrases[] =
    "next post,next article,next entry,next thread,next topic,next story,next month,next week,"
    "next day,next year,next photo,next image,next video,next picture,next product,next item,"
    "next slide,next chapter,next lesson,next episode,next project,next event,next step,"
    "next blog,next question,next game,next match,next steps,next newest,next oldest,read more,"
    "learn more,"
    "continue reading,continue to site,continue shopping,nächster beitrag,nächster artikel,"
    "nächster monat,nächstes thema,nächster,nächstes bild,weiterlesen,weiter lesen,article suivant,"
    "mois suivant,sujet suivant,lire la suite,image suivante,artículo siguiente,siguiente artículo,"
    "entrada siguiente,siguiente entrada,mes siguiente,tema siguiente,leer más,próximo post,"
    "próximo artigo,post seguinte,mês seguinte,leia mais,articolo successivo,post successivo,"
    "mese successivo,leggi tutto,continua,volgend bericht,volgende bericht,volgende artikel,"
    "volgende maand,lees verder,lees meer,næste indlæg,neste innlegg,nästa inlägg,les mer,läs mer,"
    "seuraava artikkeli,lue lisää,następny artykuł,następny wpis,czytaj dalej,następny miesiąc,"
    "další článek,číst dál,articolul următor,следующая запись,следующая статья,читать далее,"
    "читать дальше,следующий месяц,следующая тема,наступний запис,детальніше,sonraki yazı,sonraki "
    "konu,devamı,"
    "المقال التالي,اقرأ المزيد,ادامه مطلب,הפוסט הבא,次の記事,次の投稿,続きを読む,次の日,翌月,次月,"
    "下一篇,下一篇文章,下一主题,下个月,다음 글,다음글,더 보기,bài tiếp theo,bài sau,artikel "
    "berikutnya,"
    "baca selengkapnya,next reading,next reads";

static const char more_phrases[] =
    "more,more results,show more,load more,view more,see more,more posts,more articles,more "
    "stories,"
    "more news,more events,more items,mehr,mehr anzeigen,mehr laden,weitere ergebnisse,"
    "weitere beiträge,plus,plus de résultats,voir plus,afficher plus,charger plus,más,ver más,"
    "más resultados,cargar más,mais,ver mais,mais resultados,carregar mais,altri risultati,"
    "mostra altri,carica altri,vedi altri,meer,meer resultaten,toon meer,meer laden,mere,vis mere,"
    "mer,vis mer,visa fler,visa mer,lisää,näytä lisää,więcej,pokaż więcej,více,další výsledky,"
    "zobrazit další,több,még több,mai mult,mai multe,показать ещё,показать еще,ещё,еще,"
    "загрузить ещё,більше,показати ще,още,περισσότερα,daha fazla,المزيد,بیشتر,עוד,もっと見る,"
    "さらに表示,加载更多,更多,載入更多,더보기,xem thêm,muat lebih banyak,lainnya";

static const struct {
    const char *phrases;
    unsigned whole, part; /* what a text says that is such a phrase, or begins or ends with it */
} tables[] = {
    {other_phrases, SAYS_OTHER, SAYS_OTHER},
    {older_phrases, SAYS_OLDER, SAYS_OLDER},
    {back_phrases, SAYS_BACK, 0},
    {next_phrases, SAYS_NEXT, SAYS_NEXT_IN},
    {more_phrases, SAYS_MORE, 0},
};

enum { MOST_BYTES = 120, MOST_WORDS = 8 };

/* Scripts that have no blanks between words: Thai to Khmer, and those of East Asia. */
static bool is_unspaced(th_str text)
{
    uint32_t code;
    th__utf8_decode(text.ptr, text.ptr + text.len, &code, NULL);
    return (code >= 0x0E00 && code < 0x1100) || (code >= 0x1780 && code < 0x1800) ||
           (code >= 0x2E80 && code < 0xD7B0);
}

/* Makes a map from the hash of each phrase to the tables that it is in, a bit for each. False if
 * out of memory. */
static bool map_phrases(th__key_map *map)
{
    for (size_t t = 0; t < sizeof tables / sizeof *tables; t++)
        for (th_str rest = th_str_from(tables[t].phrases); rest.len;) {
            th_str phrase = th__str_take(&rest, ',');
            uint64_t key = th__hash(phrase.ptr, phrase.len);
            if (!th__key_map_put(map, key, th__key_map_get(map, key) | 1u << t))
                return false;
        }
    return true;
}

/* What words say that are a phrase, or begin or end with one. */
static unsigned says_words(const th__key_map *map, th_str words)
{
    bool unspaced = is_unspaced(words);
    uint32_t whole = th__key_map_get(map, th__hash(words.ptr, words.len)), part = 0;
    unsigned says = 0;
    for (size_t i = 1; i < words.len; i++) {
        if (words.ptr[i] == ' ' || unspaced)
            part |= th__key_map_get(map, th__hash(words.ptr, i));
        if (words.ptr[i - 1] == ' ')
            part |= th__key_map_get(map, th__hash(words.ptr + i, words.len - i));
    }
    for (size_t t = 0; !says && t < sizeof tables / sizeof *tables; t++)
        says = whole >> t & 1 ? tables[t].whole : part >> t & 1 ? tables[t].part : 0;
    return says;
}

/* Most texts of links are titles, or numbers. */
static bool has_letter(const char *plain, size_t len)
{
    for (size_t i = 0; i < len; i++)
        if ((unsigned char)plain[i] > '9')
            return true;
    return false;
}

/* Arrows, by what they say. */
static const struct {
    const char *signs;
    unsigned says;
} arrows[] = {
    {">›→➡▶▸►❯❭❱➤➜⟶⇨〉\u232A＞˃", SAYS_RIGHT},
    {"»≫》⏩⇒", SAYS_FAR},
    {"<‹←⬅◀◂◄❮❬⟵⇦〈\u2329＜«≪《⏪⇐", SAYS_LEFT},
};

/* What the character at the beginning of a text says. */
static unsigned arrow_of(th_str character)
{
    unsigned char first = (unsigned char)character.ptr[0];
    if (first < 0xC2 && first != '<' && first != '>')
        return 0;
    for (size_t i = 0; i < sizeof arrows / sizeof *arrows; i++)
        if (th__str_find(th_str_from(arrows[i].signs), character) != SIZE_MAX)
            return arrows[i].says;
    return 0;
}

/* Returns what a text says; *words is true if it contains more than signs. `phrases` is that of
 * map_phrases. */
static unsigned text_says(const th__key_map *phrases, th_str text, bool *words)
{
    char plain[2 * MOST_BYTES + 8];
    size_t len = 0, count = 0, right = 0;
    unsigned signs = 0;
    bool blank = true;
    for (const char *at = text.ptr, *end = text.len ? at + text.len : at; at < end;) {
        uint32_t code;
        size_t bytes = th__utf8_decode(at, end, &code, NULL);
        unsigned arrow = arrow_of((th_str){at, bytes});
        at += bytes;
        signs |= arrow;
        right += arrow == SAYS_RIGHT;
        utf8proc_category_t category = utf8proc_category((int32_t)code);
        /* Letters, marks and digits; joiners (U+200C in Persian) are left out. */
        bool part = category >= UTF8PROC_CATEGORY_LU && category <= UTF8PROC_CATEGORY_NO;
        if (category == UTF8PROC_CATEGORY_CF || (!part && blank))
            continue;
        if (len > 2 * MOST_BYTES) {
            *words = true;
            return 0; /* too long to say anything */
        }
        count += part && blank;
        blank = !part;
        if (part)
            len += th__utf8_encode((uint32_t)utf8proc_tolower((int32_t)code), plain + len);
        else
            plain[len++] = ' ';
    }
    if (len && plain[len - 1] == ' ')
        len--;
    *words = len > 0;
    if (right > 1) /* ">>" */
        signs = (signs & ~(unsigned)SAYS_RIGHT) | SAYS_FAR;
    return signs | (len && count <= MOST_WORDS && has_letter(plain, len)
                        ? says_words(phrases, (th_str){plain, len})
                        : 0);
}

/* ---- evidence -------------------------------------------------------------------------------- */

/* Time is linear in the page: each link looks at a bounded part of the page around it. */

enum {
    MOST_LINKS = 20000,   /* of a page; further ones are left out */
    MOST_LABEL = 64,      /* tokens of a link that says anything */
    LONG_LABEL = 32,      /* characters: a title rather than a button */
    SMALL_PART = 250,     /* nodes of an element that may be a pager */
    PAGER_LEVELS = 6,     /* above a link, to the pager */
    ABOVE_LEVELS = 64,    /* above a link, to what it is a part of */
    NUMBER_GAP = 2,       /* texts between two numbers of a run: "…", "|" */
    SHORT_GAP = 12,       /* bytes of such a text */
    MOST_NUMBER = 999999, /* of a page */
    MOST_RUN = 1000,      /* numbers of a run */
    MOST_QUERY = 32       /* parameters of a URL that are looked at */
};

/* ---- classes ---- */

enum {
    CLASS_NEXT = 1,
    CLASS_BACK = 2,
    CLASS_PAGER = 4,
    CLASS_CURRENT = 8,
    CLASS_ASIDE = 16, /* a carousel, a calendar */
    CLASS_ARROW = 32, /* an icon: "arrow-right", "chevron" */
    CLASS_RIGHT = 64,
    CLASS_LEFT = 128,
    KNOWN = 256
};

static const struct {
    const char *word;
    unsigned says;
    bool begins; /* a longer word may begin with it */
} class_words[] = {
    {"next", CLASS_NEXT, true},         {"nxt", CLASS_NEXT, false},
    {"forward", CLASS_NEXT, false},     {"suivant", CLASS_NEXT, true},
    {"siguiente", CLASS_NEXT, true},    {"weiter", CLASS_NEXT, false},
    {"volgende", CLASS_NEXT, false},    {"prev", CLASS_BACK, true},
    {"back", CLASS_BACK, false},        {"backward", CLASS_BACK, false},
    {"first", CLASS_BACK, false},       {"newer", CLASS_BACK, false},
    {"pag", CLASS_PAGER, true},         {"multipage", CLASS_PAGER, true},
    {"navpages", CLASS_PAGER, false},   {"seiten", CLASS_PAGER, true},
    {"pnav", CLASS_PAGER, false},       {"current", CLASS_CURRENT, true},
    {"active", CLASS_CURRENT, true},    {"selected", CLASS_CURRENT, false},
    {"cur", CLASS_CURRENT, false},      {"here", CLASS_CURRENT, false},
    {"activ", CLASS_CURRENT, false},    {"now", CLASS_CURRENT, false},
    {"this", CLASS_CURRENT, false},     {"on", CLASS_CURRENT, false},
    {"disabled", CLASS_CURRENT, false}, {"carousel", CLASS_ASIDE, true},
    {"jcarousel", CLASS_ASIDE, true},   {"slider", CLASS_ASIDE, true},
    {"slide", CLASS_ASIDE, true},       {"slick", CLASS_ASIDE, true},
    {"swiper", CLASS_ASIDE, true},      {"lightbox", CLASS_ASIDE, true},
    {"calendar", CLASS_ASIDE, true},    {"datepicker", CLASS_ASIDE, true},
    {"gallery", CLASS_ASIDE, false},    {"breadcrumb", CLASS_ASIDE, true},
    {"breadcrumbs", CLASS_ASIDE, true}, {"arrow", CLASS_ARROW, true},
    {"chevron", CLASS_ARROW, true},     {"angle", CLASS_ARROW, true},
    {"caret", CLASS_ARROW, true},       {"right", CLASS_RIGHT, false},
    {"left", CLASS_LEFT, false},        {"arrowright", CLASS_ARROW | CLASS_RIGHT, false},
};

static unsigned class_word(th_str word)
{
    for (size_t i = 0; i < sizeof class_words / sizeof *class_words; i++) {
        if (th__lower((unsigned char)word.ptr[0]) != class_words[i].word[0])
            continue; /* most words are not known */
        th_str known = th_str_from(class_words[i].word);
        if (class_words[i].begins ? th__str_starts_nocase(word, known)
                                  : th__str_eq_nocase(word, known))
            return class_words[i].says;
    }
    return 0;
}

/* What the words of an attribute say: "nav-next", "pageNext", "btn_next2". */
static unsigned name_says(th_str text)
{
    unsigned says = 0;
    for (size_t at = 0; at < text.len && at < 400;) {
        size_t from = at;
        bool lower = false;
        for (; at < text.len && th__is_alpha((unsigned char)text.ptr[at]); at++) {
            bool capital = text.ptr[at] < 'a';
            if (capital && lower)
                break;
            lower = lower || !capital;
        }
        if (at > from + 1)
            says |= class_word((th_str){text.ptr + from, at - from});
        at += at == from || at == text.len || !th__is_alpha((unsigned char)text.ptr[at]);
    }
    return says;
}

static unsigned read_node(const th_page *page, uint32_t node)
{
    th_attr attr;
    unsigned says = 0;
    uint32_t token = page->nodes[node].token;
    if (!node || !(page->tokens[token].flags & TH_TOKEN_HAS_ATTRS))
        return 0;
    for (th_attr_iter it = th_attrs(page, token); th_attr_next(&it, &attr);) {
        if (th__str_eq_nocase(attr.name, TH_STR("class")) ||
            th__str_eq_nocase(attr.name, TH_STR("id")) ||
            th__str_eq_nocase(attr.name, TH_STR("data-icon")))
            says |= name_says(attr.value);
        else if (th__str_eq_nocase(attr.name, TH_STR("aria-current")) &&
                 !th__str_eq_nocase(attr.value, TH_STR("false")))
            says |= CLASS_CURRENT;
    }
    return says;
}

/* ---- URLs ---- */

/* Host and what follows it, without "www." and the fragment. */
typedef struct place {
    th_str host, path, query;
    bool known;
} place;

static place place_of(th_str url)
{
    place p = {0};
    p.known = th__url_place(url, &p.host, &p.path);
    if (!p.known)
        return p;
    th_str rest = th__str_slice(url, (size_t)(p.path.ptr - url.ptr), url.len);
    p.query = th__str_take(&rest, '#');
    th__str_take(&p.query, '?');
    return p;
}

/* How a counter of a URL compares with that of the page. */
typedef struct step {
    bool found;
    bool named;            /* by a word for pages: "page", "start" */
    bool had;              /* the page has the counter, too */
    uint64_t key;          /* which counter */
    uint32_t before, then; /* its value on the page and in the link */
} step;

static const char *const counter_names[] = {
    "page",        "p",          "pg",         "paged",       "pagina",     "pagenumber",
    "pagenum",     "pageno",     "pagenr",     "pn",          "pno",        "seite",
    "start",       "offset",     "from",       "skip",        "first",      "st",
    "begin",       "cpage",      "curpage",    "currentpage", "pageindex",  "index",
    "strona",      "strana",     "stranka",    "str",         "sida",       "side",
    "sayfa",       "halaman",    "trang",      "oldal",       "lk",         "startrow",
    "firstresult", "limitstart", "pageid",     "pagenav",     "or",         "pgn",
    "stpage",      "startindex", "pages",      "paginacion",  "pagination", "paging",
    "beginn",      "o",          "s",          "startat",     "rowstart",   "resultstart",
    "cur",         "currpage",   "activepage", "pnum",        "pgno",       "puslapis",
    "lapa",        "sivu",       "pag",        "pi"};

static bool is_counter_name(th_str name)
{
    char plain[16];
    size_t len = 0;
    for (size_t i = 0; i < name.len; i++)
        if (th__is_alpha((unsigned char)name.ptr[i])) {
            if (len == sizeof plain)
                return false;
            plain[len++] = (char)th__lower((unsigned char)name.ptr[i]);
        }
    for (size_t i = 0; len && i < sizeof counter_names / sizeof *counter_names; i++)
        if (th__str_eq((th_str){plain, len}, th_str_from(counter_names[i])))
            return true;
    return len > 4 && th__str_starts((th_str){plain, len}, TH_STR("page"));
}

/* A number of up to 9 digits and nothing else. */
static bool read_number(th_str text, uint32_t *out)
{
    *out = 0;
    if (!text.len || text.len > 9)
        return false;
    for (size_t i = 0; i < text.len; i++) {
        if (!th__is_digit((unsigned char)text.ptr[i]))
            return false;
        *out = *out * 10 + (uint32_t)(text.ptr[i] - '0');
    }
    return true;
}

/* The letters before a place of a text, with at most one sign between: "page" of "/page/2". */
static th_str name_before(th_str text, size_t at)
{
    if (at && !th__is_alpha((unsigned char)text.ptr[at - 1]))
        at--;
    size_t from = at;
    while (from && th__is_alpha((unsigned char)text.ptr[from - 1]))
        from--;
    return (th_str){text.ptr + from, at - from};
}

/* What was put into a text: signs and letters, one number, and no more than an ending behind it. */
static bool read_insertion(th_str text, uint32_t *value, th_str *name)
{
    size_t from = 0, digits;
    while (from < text.len && !th__is_digit((unsigned char)text.ptr[from]))
        from++;
    for (digits = from; digits < text.len && th__is_digit((unsigned char)text.ptr[digits]);)
        digits++;
    for (size_t i = digits; i < text.len; i++)
        if (th__is_digit((unsigned char)text.ptr[i]))
            return false;
    *name = name_before(text, from);
    return text.len - digits <= 6 && from <= 24 &&
           read_number((th_str){text.ptr + from, digits - from}, value);
}

static size_t count_digits(th_str text)
{
    size_t digits = 0;
    for (size_t i = 0; i < text.len; i++)
        digits += th__is_digit((unsigned char)text.ptr[i]);
    return digits;
}

/* Returns true for an end of a path that names no page: "", "/", ".html", "index.php". */
static bool is_plain_end(th_str text)
{
    while (text.len && *text.ptr == '/')
        text = (th_str){text.ptr + 1, text.len - 1};
    return !text.len || (text.len <= 12 && !count_digits(text) &&
                         (*text.ptr == '.' || th__str_starts_nocase(text, TH_STR("index")) ||
                          th__str_starts_nocase(text, TH_STR("default"))));
}

/* Compares a text of the page's URL with that of a link: the same but for a number that is in both,
 * or in one of them alone. False if they differ in anything else. */
static bool find_step(th_str page, th_str link, step *out)
{
    size_t least = page.len < link.len ? page.len : link.len, head = 0, tail = 0;
    while (head < least && page.ptr[head] == link.ptr[head])
        head++;
    while (tail < least - head && page.ptr[page.len - 1 - tail] == link.ptr[link.len - 1 - tail])
        tail++;
    th_str name;
    th_str in_page = {page.ptr + head, page.len - head - tail};
    th_str in_link = {link.ptr + head, link.len - head - tail};
    bool inside = head && th__is_digit((unsigned char)link.ptr[head - 1]) && in_link.len &&
                  th__is_digit((unsigned char)*in_link.ptr);
    if (is_plain_end(in_page) && !inside && read_insertion(in_link, &out->then, &name)) {
        out->named = is_counter_name(name.len ? name : name_before(link, head));
        out->key = th__hash(link.ptr, head);
        return out->found = true;
    }
    if (is_plain_end(in_link) && count_digits(in_page) && !out->found &&
        read_insertion(in_page, &out->before, &name) &&
        !(head && th__is_digit((unsigned char)page.ptr[head - 1]))) {
        out->named = is_counter_name(name.len ? name : name_before(page, head));
        out->had = true;
        out->then = 0;
        out->key = th__hash(link.ptr, head);
        return out->found = true;
    }
    while (head && th__is_digit((unsigned char)page.ptr[head - 1]))
        head--;
    while (tail && th__is_digit((unsigned char)page.ptr[page.len - tail]))
        tail--;
    out->had = true;
    out->key = th__hash(link.ptr, head);
    out->named = is_counter_name(name_before(link, head));
    return out->found =
               read_number((th_str){page.ptr + head, page.len - head - tail}, &out->before) &&
               read_number((th_str){link.ptr + head, link.len - head - tail}, &out->then);
}

typedef struct param {
    th_str name, value;
} param;

static size_t split_query(th_str query, param *out)
{
    size_t count = 0;
    for (size_t at = 0; at < query.len && count < MOST_QUERY;) {
        size_t end = at;
        while (end < query.len && query.ptr[end] != '&' && query.ptr[end] != ';')
            end++;
        const char *equals = memchr(query.ptr + at, '=', end - at);
        size_t name = equals ? (size_t)(equals - query.ptr) - at : end - at;
        out[count].name = (th_str){query.ptr + at, name};
        out[count].value = equals ? (th_str){equals + 1, end - at - name - 1} : (th_str){"", 0};
        count += end > at;
        at = end + 1;
    }
    return count;
}

static const param *find_param(const param *params, size_t count, th_str name)
{
    for (size_t i = 0; i < count; i++)
        if (th__str_eq(params[i].name, name))
            return &params[i];
    return NULL;
}

static void take_step(step *best, const step *other)
{
    if (!best->found || (other->named && !best->named) ||
        (other->named == best->named && other->had && !best->had))
        *best = *other;
}

/* The counter in which the queries differ. False if another value differs that both have. */
static bool find_query_step(th_str page, th_str link, step *out)
{
    param here[MOST_QUERY], there[MOST_QUERY];
    size_t here_count = split_query(page, here), there_count = split_query(link, there);
    bool same = true;
    for (size_t i = 0; i < there_count; i++) {
        const param *old = find_param(here, here_count, there[i].name);
        step found = {0};
        if (old && th__str_eq(old->value, there[i].value))
            continue;
        if (old ? find_step(old->value, there[i].value, &found)
                : read_number(there[i].value, &found.then)) {
            found.found = true;
            found.key = th__hash(there[i].name.ptr, there[i].name.len);
            found.named = is_counter_name(there[i].name);
            take_step(out, &found);
        } else if (old && there[i].value.len) {
            same = false;
        }
    }
    for (size_t i = 0; i < here_count; i++) {
        step found = {.found = true, .had = true};
        if (find_param(there, there_count, here[i].name) || !is_counter_name(here[i].name) ||
            !read_number(here[i].value, &found.before))
            continue;
        found.named = true;
        found.key = th__hash(here[i].name.ptr, here[i].name.len);
        take_step(out, &found);
    }
    return same;
}

/* ---- a page's links ---- */

typedef struct look {
    const th_page *page;
    th__arena *arena;
    th__next_page *out;
    place here; /* the page's own */
    th__key_map targets;
    th__key_map phrases; /* see map_phrases */
    th__buf text;        /* scratch */
    uint32_t *link_at;   /* by node: the link that is there, counted from 1; 0: none */
    uint16_t *says;      /* by node: what its classes say, and KNOWN once that was read */
    bool failed;
} look;

/* What the classes of an element say; many links are in the same one. */
static unsigned node_says(look *l, uint32_t node)
{
    if (!(l->says[node] & KNOWN))
        l->says[node] = (uint16_t)(read_node(l->page, node) | KNOWN);
    return l->says[node] & ~(unsigned)KNOWN;
}

static void add(th__next_link *link, th__next_evidence what)
{
    link->evidence[what] = 1;
}

static th_str attribute_text(look *l, uint32_t token, const char *name)
{
    th_str raw;
    th__buf_clear(&l->text);
    if (!th_attr_get(l->page, token, name, &raw) || raw.len > 2000)
        return (th_str){0};
    l->failed |= !th__decode_refs(raw, true, &l->text);
    return th__str_trim(th__buf_str(&l->text));
}

/* The name of an image's file: "/img/arrow_next.gif". */
static unsigned image_says(const th_page *page, uint32_t token)
{
    th_str src;
    if (!th_attr_get(page, token, "src", &src) || src.len > 1000)
        return 0;
    const char *slash = memrchr(src.ptr, '/', src.len);
    return slash ? name_says((th_str){slash, (size_t)(src.ptr + src.len - slash)}) : name_says(src);
}

/* What the texts of a link say: its own, those of its images, and its hints. */
static void read_label(look *l, th__next_link *link)
{
    const th_page *page = l->page;
    const th_node *node = &page->nodes[link->node];
    bool words = false, more;
    if (node->token_end - node->token > MOST_LABEL) {
        add(link, TH__NEXT_LONG);
        return;
    }
    th__buf_clear(&l->text);
    l->failed |= !th__span_text(page, th_page_node_span(page, link->node), &l->text);
    th_str text = th__str_trim(th__buf_str(&l->text));
    unsigned says = text_says(&l->phrases, text, &words);
    uint32_t number;
    bool numeric = read_number(text, &number);
    if (text.len > LONG_LABEL && !(says & (SAYS_NEXT | SAYS_OLDER)))
        add(link, TH__NEXT_LONG);
    for (uint32_t n = link->node + 1; n < node->end && !numeric; n++)
        if (page->tags[n] == TH_TAG_IMG)
            says |= text_says(&l->phrases, attribute_text(l, page->nodes[n].token, "alt"), &more);
    /* A hint repeats the words, or is all there is. A number's hint says "page 3 of 9". */
    if (!numeric) {
        says |= text_says(&l->phrases, attribute_text(l, node->token, "aria-label"), &more);
        says |= text_says(&l->phrases, attribute_text(l, node->token, "title"), &more);
    }
    if (words && !(says & ~(unsigned)(SAYS_RIGHT | SAYS_FAR | SAYS_LEFT)))
        says &= ~(unsigned)(SAYS_RIGHT | SAYS_FAR); /* "Read this »", "Shop >" */
    if (says & SAYS_OTHER)                          /* "Read more →" */
        says &= ~(unsigned)(SAYS_NEXT | SAYS_NEXT_IN | SAYS_RIGHT | SAYS_FAR);
    link->blank = !text.len && !says;
    for (unsigned e = 0; e < TH__NEXT_EVIDENCE; e++)
        if (says >> e & 1)
            add(link, (th__next_evidence)e);
}

/* The nearest element above that holds nothing but the link. */
static bool is_wrapped(const th_page *page, uint32_t parent, uint32_t node)
{
    uint32_t links = 0;
    if (!parent || page->nodes[parent].end - parent > 24)
        return false;
    for (uint32_t n = parent + 1; n < page->nodes[parent].end; n++)
        links += page->tags[n] == TH_TAG_A;
    return links == 1 && node > parent;
}

static void read_classes(look *l, th__next_link *link)
{
    const th_page *page = l->page;
    unsigned says = node_says(l, link->node);
    uint32_t end = page->nodes[link->node].end;
    unsigned inner = 0;
    for (uint32_t n = link->node + 1; n < end && n < link->node + 12; n++)
        inner |= node_says(l, n) |
                 (page->tags[n] == TH_TAG_IMG ? image_says(page, page->nodes[n].token) : 0);
    unsigned all = says | inner;
    uint32_t parent = page->nodes[link->node].parent;
    for (int level = 0; level < 2 && is_wrapped(page, parent, link->node); level++) {
        all |= node_says(l, parent);
        parent = page->nodes[parent].parent;
    }
    if ((all & CLASS_NEXT) && !(all & CLASS_BACK))
        add(link, TH__NEXT_CLASS_NEXT);
    if ((all & CLASS_BACK) && !(all & CLASS_NEXT))
        add(link, TH__NEXT_CLASS_BACK);
    if ((inner & CLASS_ARROW) && (inner & CLASS_RIGHT))
        add(link, TH__NEXT_ARROW);
    if ((inner & CLASS_ARROW) && (inner & CLASS_LEFT))
        add(link, TH__NEXT_LEFT);
    uint32_t above = link->node;
    uint32_t most = page->node_count / 2 > SMALL_PART ? page->node_count / 2 : SMALL_PART;
    for (int level = 0; level < ABOVE_LEVELS && above; level++) {
        if (page->tags[above] == TH_TAG_BODY || page->tags[above] == TH_TAG_HTML)
            break;
        unsigned part = node_says(l, above);
        if (level <= PAGER_LEVELS && page->nodes[above].end - above <= SMALL_PART &&
            (part & CLASS_PAGER))
            add(link, TH__NEXT_PAGER);
        if ((part & CLASS_ASIDE) && page->nodes[above].end - above < most)
            add(link, TH__NEXT_ASIDE);
        above = page->nodes[above].parent;
    }
}

static bool says_rel(const th_page *page, uint32_t token, th_str what)
{
    th_str rel;
    size_t at = 0;
    if (!th_attr_get(page, token, "rel", &rel))
        return false;
    for (th_str word; (word = th__str_word(rel, &at)).len;)
        if (th__str_eq_nocase(word, what))
            return true;
    return false;
}

static void read_rel(look *l, th__next_link *link)
{
    uint32_t token = l->page->nodes[link->node].token;
    bool visible = l->page->tags[link->node] == TH_TAG_A;
    if (says_rel(l->page, token, TH_STR("next")))
        add(link, visible ? TH__NEXT_REL_A : TH__NEXT_REL_LINK);
    if (says_rel(l->page, token, TH_STR("prev")) || says_rel(l->page, token, TH_STR("previous")))
        add(link, TH__NEXT_BACK);
}

/* Which counter of the URLs a link has, 0 for none, and its value. */
typedef struct counter {
    uint32_t number, value;
} counter;

/* Compares the URL of a link with that of the page. `counters` numbers the counters of the page's
 * links. */
static counter read_url(look *l, th__next_link *link, th__key_map *counters)
{
    place there = place_of(link->url);
    step path = {0}, query = {0};
    if (!l->here.known || !there.known)
        return (counter){0};
    bool same_path = th__str_eq(l->here.path, there.path);
    bool path_step = same_path || find_step(l->here.path, there.path, &path);
    bool same_query = find_query_step(l->here.query, there.query, &query);
    step *s = query.found && (query.named || !path.found) ? &query : &path;
    if (same_path && same_query && !query.found)
        add(link, TH__NEXT_SELF);
    if (!path_step)
        add(link, TH__NEXT_ELSEWHERE);
    if (!s->found)
        return (counter){0};
    if (s->named)
        add(link, TH__NEXT_COUNTER);
    if (s->had ? s->then <= s->before : s->then == 0) {
        add(link, TH__NEXT_LOWER);
        return (counter){0};
    }
    if (path_step && same_query && s->then == (s->had ? s->before + 1 : 2))
        add(link, TH__NEXT_PLUS);
    counter found = {th__key_map_number(counters, s->key), s->then};
    l->failed |= !found.number;
    return path_step ? found : (counter){0};
}

/* Of the links with one counter, those with the lowest value above the page's are the nearest. */
static bool read_urls(look *l)
{
    th__next_page *out = l->out;
    th__key_map counters = {0};
    counter *found = th__arena_zero(l->arena, out->link_count, sizeof *found);
    uint32_t *least = th__arena_zero(l->arena, (size_t)out->link_count + 1, sizeof *least);
    if (!found || !least)
        return false;
    for (uint32_t i = 0; i < out->link_count; i++) {
        found[i] = read_url(l, &out->links[i], &counters);
        uint32_t *lowest = &least[found[i].number];
        if (!*lowest || found[i].value < *lowest)
            *lowest = found[i].value;
    }
    for (uint32_t i = 0; i < out->link_count; i++)
        if (found[i].number && found[i].value == least[found[i].number])
            add(&out->links[i], TH__NEXT_NEAREST);
    th__key_map_release(&counters);
    return !l->failed;
}

/* ---- runs of numbers ---- */

/* A number that is a text of its own. */
typedef struct page_number {
    uint32_t node, value;
    uint32_t link; /* counted from 1, of one that leads elsewhere; 0: none */
    bool current;  /* marked as such */
} page_number;

/* "2", "[2]", "2.", "1,097"; 0: something else. */
static uint32_t number_of(th_str text)
{
    char digits[8];
    size_t len = 0;
    text = th__str_trim(text);
    while (text.len && memchr("[(|", *text.ptr, 3))
        text = th__str_trim((th_str){text.ptr + 1, text.len - 1});
    while (text.len && memchr("])|.,", text.ptr[text.len - 1], 5))
        text = th__str_trim((th_str){text.ptr, text.len - 1});
    if (!text.len || text.len > 9)
        return 0;
    for (size_t i = 0; i < text.len; i++) {
        if (len && text.len - i == 4 && (text.ptr[i] == ',' || text.ptr[i] == '.'))
            continue;
        if (!th__is_digit((unsigned char)text.ptr[i]) || len == 7)
            return 0;
        digits[len++] = text.ptr[i];
    }
    uint32_t value;
    return len && *digits != '0' && read_number((th_str){digits, len}, &value) &&
                   value <= MOST_NUMBER
               ? value
               : 0;
}

/* Looks at the elements around a number: sets its link, and `current` if one of them marks the
 * current page. */
static void place_number(look *l, page_number *number)
{
    const th_page *page = l->page;
    uint32_t node = number->node;
    for (int level = 0; level < 4 && node; level++) {
        uint16_t tag = page->tags[node];
        if (page->nodes[node].end - node > 6)
            break;
        if (l->link_at[node])
            number->link = l->link_at[node];
        if ((node_says(l, node) & CLASS_CURRENT) || tag == TH_TAG_STRONG || tag == TH_TAG_B ||
            tag == TH_TAG_EM)
            number->current = true;
        node = page->nodes[node].parent;
    }
    if (number->link && l->out->links[number->link - 1].evidence[TH__NEXT_SELF])
        number->current = true;
}

/* The page that is shown: the only number of the run without a link, the only one that is marked,
 * or the page before 2 where a run begins with 2. */
static uint32_t current_of(const page_number *run, size_t count)
{
    uint32_t marked = 0, plain = 0, marks = 0, plains = 0;
    for (size_t i = 0; i < count; i++) {
        if (run[i].current) {
            marked = run[i].value;
            marks++;
        }
        if (!run[i].link) {
            plain = run[i].value;
            plains++;
        }
    }
    if (plains == 1)
        return plain;
    if (marks == 1)
        return marked;
    return !plains && !marks && count > 1 && run[0].value == 2 ? 1 : 0;
}

static void read_run(look *l, const page_number *run, size_t count)
{
    size_t links = 0;
    for (size_t i = 0; i < count; i++)
        links += run[i].link > 0;
    uint32_t current = links && count > 1 ? current_of(run, count) : 0;
    for (size_t i = 0; current && i < count; i++) {
        if (!run[i].link)
            continue;
        th__next_link *link = &l->out->links[run[i].link - 1];
        add(link, run[i].value == current + 1 ? TH__NEXT_NUMBER : TH__NEXT_NUMBER_OTHER);
        add(link, TH__NEXT_PAGER);
    }
}

/* The number that a text token is, or 0. */
static uint32_t token_number(look *l, uint32_t t)
{
    th_str text = th__token_text(l->page, t);
    bool plain = th__utf8_ascii(text.ptr, text.len) == text.len && !memchr(text.ptr, '&', text.len);
    if (plain || text.len > 100) /* else blanks beyond ASCII: "&nbsp;2" */
        return number_of(text);
    th__buf_clear(&l->text);
    l->failed |= !th__span_text(l->page, th_page_token_span(l->page, t), &l->text);
    return number_of(th__buf_str(&l->text));
}

/* Numbers that rise, with hardly a text between them, are a run. */
static bool read_runs(look *l)
{
    const th_page *page = l->page;
    page_number *run = th__arena_alloc(l->arena, MOST_RUN * sizeof *run);
    size_t count = 0, gap = 0;
    if (!run)
        return false;
    for (uint32_t t = 0; t < page->token_count; t++) {
        const th_token *token = &page->tokens[t];
        if (token->kind != TH_TOKEN_TEXT || token->flags & TH_TOKEN_BLANK)
            continue;
        uint32_t value = token_number(l, t);
        if (!value) {
            gap += token[1].start - token->start > SHORT_GAP ? NUMBER_GAP + 1 : 1;
            continue;
        }
        if (count && (gap > NUMBER_GAP || value <= run[count - 1].value || count == MOST_RUN)) {
            read_run(l, run, count);
            count = 0;
        }
        gap = 0;
        run[count] = (page_number){th__page_node_around(page, t, t), value, 0, false};
        place_number(l, &run[count++]);
    }
    read_run(l, run, count);
    return !l->failed;
}

/* ---- all together ---- */

/* A link that leads to a page: absolute, without its fragment. False if it does not. */
static bool read_href(look *l, th__next_link *link)
{
    th_str raw;
    uint32_t token = l->page->nodes[link->node].token;
    if (!th_attr_get(l->page, token, "href", &raw) || !raw.len || raw.len > 4000)
        return false;
    th__buf_clear(&l->text);
    l->failed |= !th__decode_refs(raw, true, &l->text);
    link->href = th__arena_copy(l->arena, th__str_trim(th__buf_str(&l->text)));
    l->failed |= !link->href.ptr;
    if (l->failed || !link->href.len || *link->href.ptr == '#')
        return false;
    th__buf_clear(&l->text);
    l->failed |=
        !th__url_resolve(l->page->base.ptr ? l->page->base : l->page->url, link->href, &l->text);
    th_str all = th__buf_str(&l->text), url = th__str_take(&all, '#');
    place there = place_of(url);
    /* "javascript:", "mailto:"; relative links are all there is where no URL is known. */
    const char *colon = memchr(url.ptr, ':', url.len), *slash = memchr(url.ptr, '/', url.len);
    if (!url.len || (!there.known && colon && (!slash || colon < slash)))
        return false;
    if (there.known && l->here.known && !th__str_eq_nocase(there.host, l->here.host))
        return false;
    link->url = th__arena_copy(l->arena, url);
    l->failed |= !link->url.ptr;
    return !l->failed;
}

static bool find_links(look *l)
{
    const th_page *page = l->page;
    uint32_t count = 0;
    for (uint32_t n = 1; n < page->node_count; n++)
        count += page->tags[n] == TH_TAG_A || page->tags[n] == TH_TAG_LINK;
    count = count < MOST_LINKS ? count : MOST_LINKS;
    l->out->links = th__arena_zero(l->arena, count + 1, sizeof *l->out->links);
    l->link_at = th__arena_zero(l->arena, page->node_count, sizeof *l->link_at);
    l->says = th__arena_zero(l->arena, page->node_count, sizeof *l->says);
    if (!l->out->links || !l->link_at || !l->says)
        return false;
    for (uint32_t n = 1; n < page->node_count && l->out->link_count < count; n++) {
        th__next_link *link = &l->out->links[l->out->link_count];
        bool visible = page->tags[n] == TH_TAG_A;
        if (!visible &&
            (page->tags[n] != TH_TAG_LINK || !says_rel(page, page->nodes[n].token, TH_STR("next"))))
            continue;
        *link = (th__next_link){.node = n};
        if (!read_href(l, link)) {
            if (l->failed)
                return false;
            continue;
        }
        l->link_at[n] = ++l->out->link_count;
    }
    return true;
}

/* Evidence without which a link is not worth weighing. */
static bool has_reason(const float *evidence)
{
    static const th__next_evidence reasons[] = {
        TH__NEXT_REL_LINK, TH__NEXT_REL_A, TH__NEXT_WORD, TH__NEXT_WORD_IN,
        TH__NEXT_OLDER,    TH__NEXT_ARROW, TH__NEXT_FAR,  TH__NEXT_CLASS_NEXT,
        TH__NEXT_NUMBER,   TH__NEXT_PLUS,  TH__NEXT_MORE};
    for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++)
        if (evidence[reasons[i]])
            return true;
    return false;
}

/* Adds the evidence of a link to that of its target. A link without a reason says only that it
 * leads back: that a title leads to the same page does not count against it. */
static void join_evidence(float *target, const float *link)
{
    bool reason = has_reason(link);
    for (size_t e = 0; e < TH__NEXT_EVIDENCE; e++)
        if (link[e] > target[e] && (reason || e == TH__NEXT_BACK || e == TH__NEXT_LEFT ||
                                    e == TH__NEXT_CLASS_BACK || e == TH__NEXT_NUMBER_OTHER))
            target[e] = link[e];
}

/* Returns true if a visible link says by itself that it is the next page: a number does not. */
static bool says_next(const float *evidence)
{
    return evidence[TH__NEXT_REL_A] || evidence[TH__NEXT_WORD] || evidence[TH__NEXT_WORD_IN] ||
           evidence[TH__NEXT_OLDER] || evidence[TH__NEXT_ARROW] || evidence[TH__NEXT_FAR] ||
           evidence[TH__NEXT_CLASS_NEXT];
}

/* Returns true if a target is a page before this one, or of something else, whatever arrow is
 * beside it: a blog's "Newer posts →", a calendar's "»". */
static bool leads_away(const float *evidence)
{
    return (evidence[TH__NEXT_LOWER] || evidence[TH__NEXT_BACK] || evidence[TH__NEXT_ASIDE]) &&
           !evidence[TH__NEXT_WORD] && !evidence[TH__NEXT_REL_A];
}

static bool find_targets(look *l)
{
    th__next_page *out = l->out;
    out->targets = th__arena_zero(l->arena, (size_t)out->link_count + 1, sizeof *out->targets);
    if (!out->targets)
        return false;
    for (uint32_t i = 0; i < out->link_count; i++) {
        th__next_link *link = &out->links[i];
        link->evidence[TH__NEXT_ONE] = 1;
        uint32_t number = th__key_map_number(&l->targets, th__hash(link->url.ptr, link->url.len));
        if (!number)
            return false;
        if (number > out->target_count) {
            out->target_count = number;
            out->targets[number - 1].link = i;
        }
        link->target = number - 1;
        join_evidence(out->targets[number - 1].evidence, link->evidence);
    }
    /* An icon that leads to the number after the current one is an arrow. */
    for (uint32_t i = 0; i < out->link_count; i++)
        if (out->links[i].blank && out->targets[out->links[i].target].evidence[TH__NEXT_NUMBER])
            out->targets[out->links[i].target].evidence[TH__NEXT_ARROW] = 1;
    for (uint32_t t = 0; t < out->target_count; t++) {
        float *evidence = out->targets[t].evidence;
        /* On the last page but one "Last" leads to where "Next" does. */
        if (evidence[TH__NEXT_WORD] || evidence[TH__NEXT_NUMBER])
            evidence[TH__NEXT_BACK] = 0;
        evidence[TH__NEXT_MUTE] = !says_next(evidence);
        out->targets[t].weighed = has_reason(evidence) && !leads_away(evidence);
    }
    return true;
}

th_status th__next_look(const th_page *page, th__arena *arena, th__next_page *out, th_error *err)
{
    look l = {.page = page, .arena = arena, .out = out, .here = place_of(page->url)};
    *out = (th__next_page){0};
    bool ok = map_phrases(&l.phrases) && find_links(&l);
    for (uint32_t i = 0; ok && i < out->link_count; i++) {
        read_rel(&l, &out->links[i]);
        if (page->tags[out->links[i].node] == TH_TAG_A) {
            read_label(&l, &out->links[i]);
            read_classes(&l, &out->links[i]);
        }
        ok = !l.failed;
    }
    ok = ok && read_urls(&l) && read_runs(&l) && find_targets(&l);
    th__key_map_release(&l.targets);
    th__key_map_release(&l.phrases);
    th__buf_release(&l.text);
    return ok ? TH_OK : th__fail_memory(err);
}

/* ---- weighing -------------------------------------------------------------------------------- */

/* The reasons for a link in words, the strongest first. */
static const struct {
    th__next_evidence evidence;
    const char *words;
} reasons[] = {
    {TH__NEXT_REL_A, "rel=next"},
    {TH__NEXT_REL_LINK, "link rel=next in the head"},
    {TH__NEXT_WORD, "its text says next"},
    {TH__NEXT_WORD_IN, "its text says next"},
    {TH__NEXT_OLDER, "its text says older"},
    {TH__NEXT_ARROW, "an arrow to the right"},
    {TH__NEXT_FAR, "a double arrow to the right"},
    {TH__NEXT_CLASS_NEXT, "its class says next"},
    {TH__NEXT_NUMBER, "the number after the current one"},
    {TH__NEXT_PLUS, "the next number in the URL"},
    {TH__NEXT_NEAREST, "the nearest higher number in the URL"},
    {TH__NEXT_PAGER, "part of a pager"},
    {TH__NEXT_MORE, "its text says more"},
};

static float score_of(const float *evidence)
{
#define WEIGHT(name, weight) weight,
    static const float weights[] = {TH__NEXT_WEIGHTS(WEIGHT)};
#undef WEIGHT
    float sum = 0;
    for (size_t e = 0; e < TH__NEXT_EVIDENCE; e++)
        sum += weights[e] * evidence[e];
    return sum;
}

/* Returns true if a target is not called the next page but may well be it: a number in a pager, "←
 * Older posts", rel=next in the page's head. */
static bool is_likely(const th__next_target *target)
{
    const float *e = target->evidence;
    return target->weighed && !e[TH__NEXT_SELF] && !e[TH__NEXT_OTHER] &&
           (e[TH__NEXT_NUMBER] || e[TH__NEXT_REL_LINK] || e[TH__NEXT_OLDER] ||
            (e[TH__NEXT_PLUS] && e[TH__NEXT_COUNTER]));
}

/* Weighs the targets. Returns the best, or NULL; *chance is that it is the next page, *sure is true
 * if that is at least a half. */
static const th__next_target *weigh(th__next_page *found, double *chance, bool *sure)
{
    const th__next_target *best = NULL, *likely = NULL;
    double total = 1; /* no next page: a score of 0 */
    for (uint32_t t = 0; t < found->target_count; t++) {
        th__next_target *target = &found->targets[t];
        if (!target->weighed)
            continue;
        target->score = score_of(target->evidence);
        total += exp(target->score);
        if (!best || target->score > best->score)
            best = target;
        if (is_likely(target) && (!likely || target->score > likely->score))
            likely = target;
    }
    *sure = best && exp(best->score) / total >= 0.5;
    best = *sure ? best : likely;
    *chance = best ? exp(best->score) / total : 0;
    return best;
}

const th__next_link *th__next_best_link(const th_page *page, const th__next_page *found,
                                        uint32_t target)
{
    const th__next_link *best = NULL;
    float most = 0;
    for (uint32_t i = 0; i < found->link_count; i++) {
        const th__next_link *link = &found->links[i];
        float score = score_of(link->evidence) + (page->tags[link->node] == TH_TAG_A ? 100 : 0);
        if (link->target == target && (!best || score > most)) {
            best = link;
            most = score;
        }
    }
    return best;
}

/* ---- rules ----------------------------------------------------------------------------------- */

/* A rule is what the links of all pages have in common: the last steps of their paths, their text,
 * rel=next, or that they are the number after the current one. It is kept only if it finds on each
 * of the pages the link that was found there, and none where there was none. */

enum {
    MOST_STEPS = 3,  /* of the path: more would be the page's layout */
    MOST_TEXT = 60,  /* bytes of a text that says where a link leads */
    LEAST_UNSURE = 2 /* pages with links that are not sure */
};

/* The properties of a link that a rule can use. */
typedef struct traits {
    th__buf path; /* up to MOST_STEPS steps */
    th__buf text;
    bool rel, number;
} traits;

static void traits_release(traits *t)
{
    th__buf_release(&t->path);
    th__buf_release(&t->text);
}

/* Writes the last steps of the path to a node, from the outermost of them on. */
static bool write_path(const th_page *page, uint32_t node, th__buf *out)
{
    uint32_t above[MOST_STEPS], count = 0;
    for (; node && count < MOST_STEPS; node = page->nodes[node].parent)
        above[count++] = node;
    while (count--) {
        if (!th__class_step_write(page, above[count], out) ||
            (count && !th__buf_add_str(out, TH_STR(" > "))))
            return false;
    }
    return true;
}

/* False if out of memory. */
static bool read_traits(const th_page *page, const th__next_link *link, traits *out)
{
    const th_node *node = &page->nodes[link->node];
    th__buf_clear(&out->path);
    th__buf_clear(&out->text);
    out->rel = link->evidence[TH__NEXT_REL_A] || link->evidence[TH__NEXT_REL_LINK];
    if (!write_path(page, link->node, &out->path))
        return false;
    if (node->token_end - node->token <= MOST_TEXT &&
        !th__span_text(page, th_page_node_span(page, link->node), &out->text))
        return false;
    out->number = link->evidence[TH__NEXT_NUMBER] && count_digits(th__buf_str(&out->text));
    return true;
}

/* Cuts the first step off a path. False if it is the only one. */
static bool cut_step(th_str *path)
{
    size_t at = th__str_find(*path, TH_STR(" > "));
    if (at == SIZE_MAX)
        return false;
    *path = (th_str){path->ptr + at + 3, path->len - at - 3};
    return true;
}

/* Returns true if a path ends with the steps of another. */
static bool ends_with(th_str path, th_str steps)
{
    do {
        if (th__str_eq(path, steps))
            return true;
    } while (cut_step(&path));
    return false;
}

static bool fits(const th__next_rule *rule, const traits *t)
{
    return (!rule->rel || t->rel) && rule->number == t->number &&
           (!rule->text.ptr || th__str_eq(rule->text, th__buf_str(&t->text))) &&
           ends_with(th__buf_str(&t->path), rule->path);
}

/* The best of the links that a rule is about, or NULL. */
static th_status run_rule(const th_page *page, const th__next_page *found,
                          const th__next_rule *rule, const th__next_link **out, th_error *err)
{
    traits t = {0};
    float most = 0;
    bool ok = true;
    *out = NULL;
    for (uint32_t i = 0; ok && i < found->link_count; i++) {
        const th__next_link *link = &found->links[i];
        if (link->evidence[TH__NEXT_LOWER] || link->evidence[TH__NEXT_SELF])
            continue;
        float score = score_of(link->evidence);
        if (*out && score <= most)
            continue;
        ok = read_traits(page, link, &t);
        if (ok && fits(rule, &t)) {
            *out = link;
            most = score;
        }
    }
    traits_release(&t);
    return ok ? TH_OK : th__fail_memory(err);
}

/* A page, and the link that was found on it. */
typedef struct seen_page {
    const th_page *page;
    th__next_page found;
    const th__next_link *link; /* or NULL */
    bool sure;
} seen_page;

static th_status see_page(const th_page *page, th__arena *arena, seen_page *out, th_error *err)
{
    double chance;
    out->page = page;
    th_status status = th__next_look(page, arena, &out->found, err);
    if (status)
        return status;
    const th__next_target *best = weigh(&out->found, &chance, &out->sure);
    if (best)
        out->link = th__next_best_link(page, &out->found, (uint32_t)(best - out->found.targets));
    return TH_OK;
}

/* Reduces the rule to what is also true of one more link. False if nothing is left. */
static bool join(th__next_rule *rule, const traits *t)
{
    rule->rel = rule->rel && t->rel;
    if (rule->text.ptr && !th__str_eq(rule->text, th__buf_str(&t->text)))
        rule->text = (th_str){0};
    while (!ends_with(th__buf_str(&t->path), rule->path))
        if (!cut_step(&rule->path))
            return false;
    return rule->number == t->number;
}

static bool begin(th__next_rule *rule, const traits *t, th__arena *arena)
{
    th_str text = th__buf_str(&t->text);
    rule->rel = t->rel;
    rule->number = t->number;
    rule->path = th__arena_copy(arena, th__buf_str(&t->path));
    if (!t->number && text.len && text.len <= MOST_TEXT)
        rule->text = th__arena_copy(arena, text);
    return rule->path.ptr && (rule->text.ptr || t->number || !text.len || text.len > MOST_TEXT);
}

/* What the links of all pages have in common. *good is false if that is nothing. */
static th_status find_rule(seen_page *pages, size_t count, th__arena *arena, th__next_rule *rule,
                           bool *good, th_error *err)
{
    traits t = {0};
    bool ok = true;
    size_t sure = 0;
    *good = true;
    *rule = (th__next_rule){.pages = (uint32_t)count};
    for (size_t i = 0; ok && *good && i < count; i++) {
        if (!pages[i].link)
            continue;
        ok = read_traits(pages[i].page, pages[i].link, &t);
        sure += pages[i].sure;
        if (ok && !rule->found++)
            ok = begin(rule, &t, arena);
        else if (ok)
            *good = join(rule, &t);
    }
    *good = *good && (sure || rule->found >= LEAST_UNSURE);
    traits_release(&t);
    return ok ? TH_OK : th__fail_memory(err);
}

/* Returns true if the rule finds on each page what was found there. */
static th_status try_rule(const seen_page *pages, size_t count, const th__next_rule *rule,
                          bool *good, th_error *err)
{
    th_status status = TH_OK;
    for (size_t i = 0; !status && *good && i < count; i++) {
        const th__next_link *link;
        status = run_rule(pages[i].page, &pages[i].found, rule, &link, err);
        *good = !link == !pages[i].link && (!link || link->target == pages[i].link->target);
    }
    return status;
}

th_status th_wrapper_learn_next(th_wrapper *wrapper, const th_page *const *pages, size_t count,
                                th_error *err)
{
    th__arena arena;
    th__next_rule rule;
    bool good = false;
    th_status status = TH_OK;
    wrapper->next = NULL;
    th__arena_init(&arena);
    seen_page *seen = th__arena_zero(&arena, count + 1, sizeof *seen);
    if (!seen)
        status = th__fail_memory(err);
    for (size_t i = 0; !status && i < count; i++)
        status = see_page(pages[i], &arena, &seen[i], err);
    if (!status)
        status = find_rule(seen, count, &wrapper->arena, &rule, &good, err);
    if (!status && good)
        status = try_rule(seen, count, &rule, &good, err);
    if (!status && good) {
        wrapper->next = th__arena_zero(&wrapper->arena, 1, sizeof rule);
        if (wrapper->next)
            *wrapper->next = rule;
        else
            status = th__fail_memory(err);
    }
    th__arena_release(&arena);
    return status;
}

/* ---- finding --------------------------------------------------------------------------------- */

/* Writes the text of the link and the evidence for it. */
static th_status put_why(th_text *out, const th_page *page, const th__next_link *link,
                         const th__next_target *target, th_error *err)
{
    th__buf why = {0};
    const th_node *node = &page->nodes[link->node];
    const char *last = NULL;
    th__buf_add_byte(&why, '"');
    if (node->token_end - node->token <= MOST_TEXT)
        th__span_text(page, th_page_node_span(page, link->node), &why);
    if (why.len == 1 || why.len > MOST_TEXT)
        why.len = 0;
    else
        th__buf_add_str(&why, TH_STR("\": "));
    for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++) {
        th__next_evidence e = reasons[i].evidence;
        bool repeated = (last && !strcmp(last, reasons[i].words)) ||
                        (e == TH__NEXT_NEAREST && target->evidence[TH__NEXT_PLUS]);
        if (!target->evidence[e] || repeated)
            continue;
        th__buf_printf(&why, "%s%s", last ? ", " : "", reasons[i].words);
        last = reasons[i].words;
    }
    th_status status =
        why.failed ? th__fail_memory(err) : th__text_set(out, th__buf_str(&why), err);
    th__buf_release(&why);
    return status;
}

/* What the model finds. */
static th_status find_best(const th_page *page, th__next_page *found, th_next *out, th_error *err)
{
    const th__next_target *best = weigh(found, &out->confidence, &out->sure);
    if (!best)
        return th__text_set(&out->why, TH_STR("no link looks like one to the next page"), err);
    const th__next_link *link = th__next_best_link(page, found, (uint32_t)(best - found->targets));
    th_status status = th__text_set(&out->href, link->href, err);
    if (!status)
        status = put_why(&out->why, page, link, best, err);
    out->node = link->node;
    return status;
}

/* What the rule of a wrapper finds; nothing if it has none. */
static th_status find_by_rule(const th_page *page, const th_wrapper *wrapper,
                              const th__next_page *found, th_next *out, th_error *err)
{
    const th__next_link *link = NULL;
    th_status status =
        wrapper && wrapper->next ? run_rule(page, found, wrapper->next, &link, err) : TH_OK;
    if (status || !link)
        return status;
    out->by_rule = out->sure = true;
    out->confidence = 1;
    out->node = link->node;
    status = th__text_set(&out->href, link->href, err);
    return status ? status : th__text_set(&out->why, TH_STR("the rule of the wrapper"), err);
}

th_status th_next_find(const th_page *page, const th_wrapper *wrapper, th_next *out, th_error *err)
{
    th__arena arena;
    th__next_page found;
    th__arena_init(&arena);
    out->url.len = out->href.len = out->why.len = 0;
    out->node = 0;
    out->by_rule = out->sure = false;
    out->confidence = 0;
    th_status status = th__next_look(page, &arena, &found, err);
    if (!status)
        status = find_by_rule(page, wrapper, &found, out, err);
    if (!status && !out->by_rule)
        status = find_best(page, &found, out, err);
    if (!status && out->node)
        status = th_page_resolve(page, (th_str){out->href.ptr, out->href.len}, &out->url, err);
    th__arena_release(&arena);
    return status;
}

void th_next_release(th_next *next)
{
    th_text_release(&next->url);
    th_text_release(&next->href);
    th_text_release(&next->why);
    *next = (th_next){0};
}
