import { counted, type Forms } from "./counted";
import type { Translation } from "./words";

// Arabic has six forms: none, one, two, few (3 to 10), many (11 to 99), and the rest (100 and so on).
const count = (zero: string, one: string, two: string, few: string, many: string, other: string) => counted("ar", { zero, one, two, few, many, other } satisfies Forms);

export const ar: Translation = {
  views: {
    pages: "الصفحات", lists: "القوائم", labels: "الأمثلة", template: "مقارنة الصفحات", wrappers: "المستخرِجات", life: "المراقبة", records: "النتائج",
    all: "العروض",
  },
  count: {
    pages: count("لا صفحات", "صفحة واحدة", "صفحتان", "# صفحات", "# صفحة", "# صفحة"),
    records: count("لا سجلات", "سجل واحد", "سجلان", "# سجلات", "# سجلًا", "# سجل"),
    lists: count("لا قوائم", "قائمة واحدة", "قائمتان", "# قوائم", "# قائمة", "# قائمة"),
    values: count("لا قيم", "قيمة واحدة", "قيمتان", "# قيم", "# قيمة", "# قيمة"),
    runs: count("لا عمليات تشغيل", "عملية تشغيل واحدة", "عمليتا تشغيل", "# عمليات تشغيل", "# عملية تشغيل", "# عملية تشغيل"),
    notes: count("لا ملاحظات", "ملاحظة واحدة", "ملاحظتان", "# ملاحظات", "# ملاحظة", "# ملاحظة"),
  },
  answerValues: {
    none: "لا شيء", sameMore: count("ولا شيء غيرها", "وقيمة أخرى مماثلة", "وقيمتان أخريان متماثلتان", "و# قيم أخرى متماثلة", "و# قيمة أخرى متماثلة", "و# قيمة أخرى متماثلة"),
  },
  commandLine: {
    copied: "تم النسخ",
    copy: "نسخ كأمر",
  },
  downloads: {
    csv: "تنزيل CSV",
    allPages: "جميع صفحات الموقع",
    sqliteHelp: "جميع صفحات الموقع، كملف قاعدة بيانات (كما يكتبه `thresh extract -f sqlite`)",
    excelHelp: "جميع صفحات الموقع، كمصنف",
    other: "صيغ أخرى",
    otherFormats: "صيغ أخرى",
    table: "جدول كنص",
    lines: "سطر لكل صفحة",
    html: "صفحة فيها جدول",
    markdown: "جدول بصيغة Markdown",
  },
  main: {
    title: (site) => `${site} · منضدة عمل Thresh`,
    undo: "تراجع",
    undoKey: "Ctrl+Z",
    undoOf: (what) => `تراجع: ${what}`,
    loading: (site) => `جارٍ تحميل صفحات ${site}…`,
    language: "اللغة",
  },
  nextStep: {
    next: "الخطوة التالية:",
    addPage: "أضف صفحة أو مجلدًا أو عنوانًا، أو جرّب المثال",
    seeLists: "اعرض القوائم الموجودة في صفحة",
    saveList: "نزّل القائمة، أو أعطها اسمًا واحفظها كمستخرِج لجميع الصفحات المشابهة",
    nameField: "سمِّ حقلًا، ثم انقر قيمته في الصفحة",
    saveLabels: "عندما تكون القيم صحيحة، أعطها اسمًا واحفظها كمستخرِج",
    saveTemplate: "أعطِ الجدول اسمًا واحفظه كمستخرِج",
    makeExtractor: "احفظ مستخرِجًا من قائمة",
    runExtractor: "شغّل المستخرِج على جميع الصفحات",
    runThis: "شغّله على جميع الصفحات",
    seeResults: "اعرض نتائج آخر تشغيل",
    checkNow: "تحقّق من أن الصفحات ما زالت كما كانت",
    monitor: "تابع الصفحات: المراقبة تخبرك عندما تتغير",
  },
  sample: {
    added: "متجر الكتب النموذجي",
    adding: "جارٍ إضافة المثال…",
    ready: "متجر الكتب النموذجي جاهز، وقد عُثر على قائمة كتبه.",
  },
  saveWrapper: {
    name: "اسم المستخرِج",
    placeholder: "الاسم",
    save: "حفظ كمستخرِج",
    saved: (name, version) => `حُفظ باسم ${name}، الإصدار ${version}`,
    undo: (name, version) => `حفظ ${name}، الإصدار ${version}`,
  },
  startView: {
    title: "ابدأ بصفحة",
    what: "يحوّل Thresh صفحات الويب إلى جداول: أعطه صفحة، فيجد القوائم والقيم التي فيها ويجمعها من كل صفحة مبنية بالطريقة نفسها.",
    sample: "جرّبه بمثال",
    sampleHelp: "متجر كتب صغير من عشر صفحات يأتي مع Thresh. لا يحتاج إلى شبكة، ويمكنك التراجع عن إضافته.",
    steps: "ماذا بعد ذلك",
    step1: "أضف صفحة. يعرضها Thresh كما تبدو، مع القوائم التي وجدها.",
    step2: "هل هي القائمة الصحيحة؟ نزّلها كجدول. هل ينقص شيء؟ انقر قيمة في الصفحة لتُري Thresh ما تريد.",
    step3: "احفظ ما لديك كمستخرِج. إنه يقرأ جميع صفحات الموقع، ويخبرك عندما يتغير الموقع.",
    docs: (file) => `المزيد في ${file} الذي يأتي مع Thresh (بالإنجليزية).`,
    needsPage: "يحتاج هذا العرض إلى صفحة، وليس في هذا الموقع أي صفحة بعد.",
    toPages: "أضف صفحة",
  },
  thumbnail: {
    tooLarge: "أكبر من أن تُرسم",
  },
  values: {
    bytes: (from, to) => `البايتات ${from} إلى ${to}`,
  },
};
