/*
 * next_words.c: what the text of a link says about where it leads, in many languages.
 *
 * A text is reduced to its words, in lower case and with one blank between them, and compared with
 * the phrases below: as a whole, or as its beginning or end. In scripts without blanks between
 * words
 * ("次の20件") a phrase may begin a longer word.
 */
#include <string.h>

#include <utf8proc.h>

#include "base/utf8.h"
#include "site/next.h"

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

/* The next one of what: not a page of the list. */
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
    {other_phrases, TH__SAYS_OTHER, TH__SAYS_OTHER},
    {older_phrases, TH__SAYS_OLDER, TH__SAYS_OLDER},
    {back_phrases, TH__SAYS_BACK, 0},
    {next_phrases, TH__SAYS_NEXT, TH__SAYS_NEXT_IN},
    {more_phrases, TH__SAYS_MORE, 0},
};

enum { MOST_BYTES = 120, MOST_WORDS = 8 };

/* Scripts that have no blanks between words: Thai to Khmer, and those of East Asia. */
static bool is_unspaced(const char *phrase)
{
    uint32_t code;
    th__utf8_next(phrase, &code);
    return (code >= 0x0E00 && code < 0x1100) || (code >= 0x1780 && code < 0x1800) ||
           (code >= 0x2E80 && code < 0xD7B0);
}

/* Returns 2 if the words are the phrase, 1 if they begin or end with it, else 0. */
static int compare(th_str words, th_str phrase)
{
    if (words.len < phrase.len)
        return 0;
    size_t rest = words.len - phrase.len;
    if (*words.ptr != *phrase.ptr && words.ptr[words.len - 1] != phrase.ptr[phrase.len - 1])
        return 0; /* most are told apart here */
    bool begins = !memcmp(words.ptr, phrase.ptr, phrase.len);
    if (!rest)
        return begins ? 2 : 0;
    if (begins && (words.ptr[phrase.len] == ' ' || is_unspaced(phrase.ptr)))
        return 1;
    return words.ptr[rest - 1] == ' ' && !memcmp(words.ptr + rest, phrase.ptr, phrase.len);
}

static unsigned says_words(th_str words)
{
    for (size_t t = 0; t < sizeof tables / sizeof *tables; t++) {
        int best = 0;
        for (const char *at = tables[t].phrases; best < 2 && *at;) {
            size_t len = strcspn(at, ",");
            int found = compare(words, (th_str){at, len});
            best = found > best ? found : best;
            at += len + (at[len] == ',');
        }
        if (best && (best == 2 ? tables[t].whole : tables[t].part))
            return best == 2 ? tables[t].whole : tables[t].part;
    }
    return 0;
}

/* Most texts of links are titles, or numbers. */
static bool has_letter(const char *plain, size_t len)
{
    for (size_t i = 0; i < len; i++)
        if ((unsigned char)plain[i] > '9')
            return true;
    return false;
}

static unsigned arrow_of(uint32_t code)
{
    switch (code) {
    case '>':
    case 0x203A: /* › */
    case 0x2192: /* → */
    case 0x27A1:
    case 0x25B6: /* ▶ */
    case 0x25B8:
    case 0x25BA: /* ► */
    case 0x276F:
    case 0x276D:
    case 0x2771:
    case 0x27A4:
    case 0x279C:
    case 0x27F6:
    case 0x21E8:
    case 0x3009: /* 〉 */
    case 0x232A:
    case 0xFF1E: /* ＞ */
    case 0x02C3:
        return TH__SAYS_RIGHT;
    case 0xBB: /* » */
    case 0x226B:
    case 0x300B:
    case 0x23E9:
    case 0x21D2: /* ⇒ */
        return TH__SAYS_FAR;
    case '<':
    case 0x2039: /* ‹ */
    case 0x2190: /* ← */
    case 0x2B05:
    case 0x25C0: /* ◀ */
    case 0x25C2:
    case 0x25C4: /* ◄ */
    case 0x276E:
    case 0x276C:
    case 0x27F5:
    case 0x21E6:
    case 0x3008:
    case 0x2329:
    case 0xFF1C:
    case 0xAB: /* « */
    case 0x226A:
    case 0x300A:
    case 0x23EA:
    case 0x21D0: /* ⇐ */
        return TH__SAYS_LEFT;
    default:
        return 0;
    }
}

unsigned th__next_says(th_str text, bool *words)
{
    char plain[2 * MOST_BYTES + 8];
    size_t len = 0, count = 0, right = 0;
    unsigned arrows = 0;
    bool blank = true;
    for (const char *at = text.ptr, *end = at + text.len; at < end;) {
        uint32_t code;
        at += th__utf8_decode(at, end, &code, NULL);
        unsigned arrow = arrow_of(code);
        arrows |= arrow;
        right += arrow == TH__SAYS_RIGHT;
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
        arrows = (arrows & ~(unsigned)TH__SAYS_RIGHT) | TH__SAYS_FAR;
    return arrows |
           (len && count <= MOST_WORDS && has_letter(plain, len) ? says_words((th_str){plain, len})
                                                                 : 0);
}
