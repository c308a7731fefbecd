// Every text that people see is in the catalogue (web/src/words), every language has all of it, and nothing of it is
// left over: node words.mjs. Needs no browser.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, relative } from "node:path";
import { tmpdir } from "node:os";
import { fileURLToPath, pathToFileURL } from "node:url";

const WEB = join(dirname(fileURLToPath(import.meta.url)), "..", "..", "web");
const require = createRequire(join(WEB, "package.json"));
const ts = require("typescript");

// What is not words: names of formats, keys, programs and papers.
const NAMES = new Set(["Thresh", "JSON", "NDJSON", "SQLite", "Excel", "CSV"]);
const SEEN = new Set(["title", "aria-label", "aria-description", "aria-roledescription", "aria-valuetext", "placeholder", "alt", "label", "caption", "words", "data-is"]);
const CLASSES = new Set(["class", "className", "kind"]); // names of classes may have several words
const SAYING = new Set(["say", "fail", "Error", "setProblem", "alert", "confirm"]);

const problems = [];
const at = (node) => {
  const file = node.getSourceFile(), { line } = file.getLineAndCharacterOfPosition(node.getStart());
  return { file: relative(WEB, file.fileName), line: line + 1 };
};
// A text that the library gives and that is only compared, not shown, says so beside it.
const isTheirs = (file, line) => /\/\/ as the library says it/.test(file.text.split("\n")[line - 1] ?? "");
const complain = (node, what) => {
  const one = { ...at(node), what };
  if (isTheirs(node.getSourceFile(), one.line)) return;
  if (!problems.some((other) => other.file === one.file && other.line === one.line && other.what === what)) problems.push(one);
};

const isWords = (text) => {
  const bare = text.replace(/&\w+;|https?:\S+|(^|\s)\/\S+/g, " ").trim(); // URLs and paths are not words
  return /\p{L}{2}/u.test(bare) && !NAMES.has(bare) && !/^(Alt|Ctrl|Esc|Enter|F\d+)([+]|$)/.test(bare);
};
// A word in a program, not in a language: a name of a class, a value of a setting, a command.
const isCode = (text) => /^[\w./:#@-]*$/.test(text.trim()) || /^\s*(thresh|\||--?\w)/.test(text);

// The texts that an expression may give.
function* texts(node) {
  if (!node) return;
  if (ts.isStringLiteralLike(node)) yield [node, node.text];
  else if (ts.isTemplateExpression(node)) {
    yield [node, [node.head.text, ...node.templateSpans.map((span) => span.literal.text)].join("")];
    for (const span of node.templateSpans) yield* texts(span.expression);
  } else if (ts.isConditionalExpression(node)) { yield* texts(node.whenTrue); yield* texts(node.whenFalse); }
  else if (ts.isParenthesizedExpression(node) || ts.isNonNullExpression(node) || ts.isAsExpression(node)) yield* texts(node.expression);
  else if (ts.isBinaryExpression(node)) {
    const kind = node.operatorToken.kind;
    if ([ts.SyntaxKind.PlusToken, ts.SyntaxKind.BarBarToken, ts.SyntaxKind.QuestionQuestionToken].includes(kind)) { yield* texts(node.left); yield* texts(node.right); }
    if (kind === ts.SyntaxKind.AmpersandAmpersandToken) yield* texts(node.right);
  } else if (ts.isArrayLiteralExpression(node)) for (const one of node.elements) yield* texts(one);
  else if (ts.isArrowFunction(node) && !ts.isBlock(node.body)) yield* texts(node.body);
  else if (ts.isNewExpression(node)) for (const one of node.arguments ?? []) yield* texts(one);
  else if (ts.isCallExpression(node) && ts.isPropertyAccessExpression(node.expression)) {
    if (["filter", "join", "map", "flatMap", "concat"].includes(node.expression.name.text)) yield* texts(node.expression.expression);
    if (["map", "flatMap", "concat"].includes(node.expression.name.text)) for (const one of node.arguments) yield* texts(one);
  }
}

const nameOf = (node) => (ts.isIdentifier(node) ? node.text : ts.isPropertyAccessExpression(node) ? node.name.text : "");
const insideCode = (node) => {
  for (let up = node.parent; up; up = up.parent) if (ts.isJsxElement(up) && up.openingElement.tagName.getText() === "code") return true;
  return false;
};

function look(node) {
  const found = (expression, allowCode) => {
    for (const [one, text] of texts(expression)) if (isWords(text) && !(allowCode && isCode(text)) && !insideCode(one)) complain(one, `"${text.trim().replace(/\s+/g, " ").slice(0, 60)}" is not from the catalogue`);
  };
  if (ts.isJsxText(node) && isWords(node.text) && !insideCode(node)) complain(node, `"${node.text.trim().replace(/\s+/g, " ").slice(0, 60)}" is not from the catalogue`);
  else if (ts.isJsxExpression(node) && !ts.isJsxAttribute(node.parent)) found(node.expression, false);
  else if (ts.isJsxAttribute(node) && SEEN.has(node.name.getText()) && node.initializer) found(ts.isJsxExpression(node.initializer) ? node.initializer.expression : node.initializer, false);
  else if (ts.isCallExpression(node) && SAYING.has(nameOf(node.expression))) found(node.arguments[0], false); // the second says where
  else if (ts.isNewExpression(node) && nameOf(node.expression) === "Error" && !ts.isThrowStatement(node.parent)) for (const one of node.arguments ?? []) found(one, false);
  else if (ts.isPropertyAssignment(node) && SEEN.has(node.name.getText().replaceAll('"', ""))) found(node.initializer, true);
  // a sentence in a constant or a variable is most likely shown somewhere
  else if ((ts.isVariableDeclaration(node) || ts.isPropertyAssignment(node)) && node.initializer && !CLASSES.has(node.name.getText()))
    for (const [one, text] of texts(node.initializer)) if (/^\p{Lu}?\p{Ll}+(,? \p{L}[\p{Ll}’']*)+[.…:!?]?$/u.test(text.trim()) && !isCode(text)) complain(one, `"${text.trim().slice(0, 60)}" is not from the catalogue`);
  if (ts.isCallExpression(node) && /^toLocale/.test(nameOf(node.expression)) && node.arguments.some(ts.isStringLiteralLike)) complain(node, "this is English in every language: number() and when() of words.ts");
  if (ts.isCallExpression(node) && nameOf(node.expression) === "plural") complain(node, "this plural is English in every language: counted() in the catalogue");
  ts.forEachChild(node, look);
}

// What of the catalogue is used, by the types: whatever it is called where it is used.
const declared = new Map(); // a text in en.ts -> its key
const groups = new Map();
function declare(object, path) {
  for (const one of object.properties) {
    const key = [...path, one.name.getText().replaceAll('"', "")];
    if (ts.isPropertyAssignment(one) && ts.isObjectLiteralExpression(one.initializer)) { groups.set(one, key.join(".")); declare(one.initializer, key); }
    else declared.set(one, key.join("."));
  }
}
const used = new Set();
function useAll(group) { for (const [one, key] of declared) if (key.startsWith(`${groups.get(group)}.`)) used.add(one); }
function usesOf(checker, node) {
  const symbol = ts.isPropertyAccessExpression(node) ? checker.getSymbolAtLocation(node.name) : ts.isBindingElement(node) ? checker.getTypeAtLocation(node.parent).getProperty((node.propertyName ?? node.name).getText()) : null;
  for (const one of symbol?.declarations ?? []) {
    if (declared.has(one)) used.add(one);
    // a group that is used as a whole, or by a key that is computed
    const alias = ts.isVariableDeclaration(node.parent ?? node) || ts.isPropertyAccessExpression(node.parent ?? node) && node.parent.expression === node;
    if (groups.has(one) && !alias && ts.isPropertyAccessExpression(node)) useAll(one);
  }
  // by a key that is computed: the keys that it may be, as far as the types tell
  if (ts.isElementAccessExpression(node)) {
    const key = checker.getTypeAtLocation(node.argumentExpression), known = (key.isUnion() ? key.types : [key]).filter((one) => one.isStringLiteral()).map((one) => one.value);
    for (const property of checker.getTypeAtLocation(node.expression).getProperties())
      for (const one of property.declarations ?? []) if (declared.has(one) && (!known.length || known.includes(property.name))) used.add(one);
  }
  ts.forEachChild(node, (inner) => usesOf(checker, inner));
}

const config = ts.parseJsonConfigFileContent(ts.readConfigFile(join(WEB, "tsconfig.json"), ts.sys.readFile).config, ts.sys, WEB);
const program = ts.createProgram(config.fileNames, { ...config.options, noEmit: true });
const checker = program.getTypeChecker();
const sources = program.getSourceFiles().filter((file) => file.fileName.startsWith(join(WEB, "src")));
const english = sources.find((file) => file.fileName.endsWith("words/en.ts"));
const isCatalogue = (file) => file.fileName.includes("/src/words/");
ts.forEachChild(english, function find(node) {
  if (ts.isVariableDeclaration(node) && node.name.getText() === "en") declare(node.initializer, []);
  else ts.forEachChild(node, find);
});
for (const file of sources.filter((one) => !isCatalogue(one))) { look(file); usesOf(checker, file); }

const open = [...problems];
for (const [node, key] of declared) if (!used.has(node)) open.push({ ...at(node), what: `nobody uses ${key}` });

// Styles follow the direction of the language; where they must not, a comment in the line says why.
const SIDED = /(margin|padding|border)-(left|right)\b|text-align: (left|right)|float: (left|right)|[{;]\s*(left|right):/;
for (const file of readdirSync(join(WEB, "src")).filter((one) => one.endsWith(".css"))) readFileSync(join(WEB, "src", file), "utf8").split("\n").forEach((line, index) => {
  if (SIDED.test(line) && !line.includes("/*")) open.push({ file: `src/${file}`, line: index + 1, what: "left or right in a style: use inline-start and inline-end, or say why not" });
});

// The languages: all keys, no more, and functions of as many values.
const out = mkdtempSync(join(tmpdir(), "thresh-words-"));
const { buildSync } = require("esbuild");
const spoken = readdirSync(join(WEB, "src", "words")).filter((file) => /^[a-z]{2}\.ts$/.test(file)).map((file) => file.slice(0, 2));
const catalogue = {};
for (const language of spoken) {
  const made = join(out, `${language}.mjs`);
  buildSync({ entryPoints: [join(WEB, "src", "words", `${language}.ts`)], bundle: true, format: "esm", outfile: made });
  catalogue[language] = (await import(pathToFileURL(made)))[language];
}
rmSync(out, { recursive: true });
const KIND = { object: "a group", function: "a function", string: "a text" };
function compare(language, own, base, path) {
  const file = `src/words/${language}.ts`;
  for (const key of new Set([...Object.keys(base), ...Object.keys(own)])) {
    const full = [...path, key].join("."), mine = own[key], theirs = base[key];
    if (mine === undefined) open.push({ file, line: 1, what: `lacks ${full}` });
    else if (theirs === undefined) open.push({ file, line: 1, what: `has ${full}, which is not in English` });
    else if (typeof mine !== typeof theirs) open.push({ file, line: 1, what: `${full} is ${KIND[typeof mine]}, in English ${KIND[typeof theirs]}` });
    else if (typeof mine === "object") compare(language, mine, theirs, [...path, key]);
    else if (typeof mine === "function" && mine.length !== theirs.length) open.push({ file, line: 1, what: `${full} takes ${mine.length} values, in English ${theirs.length}` });
    else if (mine === "" && theirs !== "") open.push({ file, line: 1, what: `${full} is empty` });
  }
}
for (const language of spoken) if (language !== "en") compare(language, catalogue[language], catalogue.en, []);

for (const one of open) console.log(`${one.file}:${one.line}: ${one.what}`);
console.log(`${declared.size} texts, ${spoken.join(", ")}; ${open.length} problems`);
process.exit(open.length ? 1 : 0);
