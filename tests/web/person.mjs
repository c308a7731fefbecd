// A person at the mouse and the keyboard: pauses before each move and between letters.
//
// Playwright's own clicks and texts come within a millisecond, which no person does: what is lost at the speed of
// people (an answer that comes between two letters) is not seen then. A page that has a pace is used at that pace.
const MOVE = 350, LETTER = 110; // milliseconds of somebody who knows what to do next
const paces = new WeakMap(); // page: 1 for a person, 0.1 for ten times as quick
const pacesOfKeys = new WeakMap();
const patched = new WeakSet();

const rest = (time) => new Promise((resolve) => setTimeout(resolve, time));
export const pauseOf = (page) => rest(MOVE * (paces.get(page) ?? 0));

// Letters one by one; what is no text (a date, a colour) is set as a whole.
async function type(locator, text, pace, fill) {
  const plain = await locator.evaluate((one) => one.tagName === "TEXTAREA" || (one.tagName === "INPUT" && /^(text|search|url|number|password|email)$/.test(one.type)));
  if (!plain) { await fill.call(locator, text); return; }
  await fill.call(locator, ""); // all that was there is replaced
  if (text) await locator.pressSequentially(text, { delay: LETTER * pace });
}

// From now on whoever acts on the page does it at this pace.
export function setPace(page, pace) {
  paces.set(page, pace);
  pacesOfKeys.set(page.keyboard, pace);
  const moves = Object.getPrototypeOf(page.locator("html"));
  if (patched.has(moves)) return;
  patched.add(moves);
  for (const name of ["click", "dblclick", "check", "uncheck", "setChecked", "selectOption", "press", "hover", "dragTo", "fill"]) {
    const plain = moves[name];
    moves[name] = async function (...args) {
      const at = paces.get(this.page());
      if (!at) return plain.apply(this, args);
      await pauseOf(this.page());
      return name === "fill" ? type(this, args[0], at, plain) : plain.apply(this, args);
    };
  }
  const keys = Object.getPrototypeOf(page.keyboard), press = keys.press;
  keys.press = async function (...args) {
    await rest(MOVE * (pacesOfKeys.get(this) ?? 0));
    return press.apply(this, args);
  };
}
