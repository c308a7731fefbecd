// What of a page can be seen of an element: elements that scroll or cut off what they hold do so for those that are placed
// by them, which is not all of their descendants: an element that is placed absolutely goes by the next positioned one.

export interface Box { left: number; top: number; right: number; bottom: number }

export const meet = (one: Box | null, other: Box | null): Box | null => !one ? other : !other ? one
  : { left: Math.max(one.left, other.left), top: Math.max(one.top, other.top), right: Math.min(one.right, other.right), bottom: Math.min(one.bottom, other.bottom) };
export const touch = (one: Box, other: Box) => one.left < other.right && other.left < one.right && one.top < other.bottom && other.top < one.bottom;
export const bounds = (boxes: Iterable<Box>): Box | null => {
  let all: Box | null = null;
  for (const { left, top, right, bottom } of boxes)
    all = all ? { left: Math.min(all.left, left), top: Math.min(all.top, top), right: Math.max(all.right, right), bottom: Math.max(all.bottom, bottom) } : { left, top, right, bottom };
  return all;
};

// How an element treats what is in it. It seldom changes: it is kept until somebody says that it may have.
interface Manner { position: string; cutsX: boolean; cutsY: boolean; places: boolean; hidden: boolean }
// What cuts off the descendants of an element, by how they are placed; null: nothing. `pinned`: it does not scroll with the page.
export interface Clip { flow: Box | null; absolute: Box | null; fixed: Box | null; pinned: boolean; hidden: boolean }

const OPEN: Clip = { flow: null, absolute: null, fixed: null, pinned: false, hidden: false };
const FAR = 1e7;
const placed = (position: string, above: Clip) => (position === "fixed" ? above.fixed : position === "absolute" ? above.absolute : above.flow);
const isPinned = (position: string) => position === "fixed" || position === "sticky";

export class Clips {
  private manners = new WeakMap<Element, Manner>();
  private clips = new Map<Element, Clip>();
  constructor(private readonly root: Document) {}
  // Something was scrolled or laid out.
  moved(): void { this.clips.clear(); }
  // Styles may be others.
  changed(): void { this.manners = new WeakMap(); this.moved(); }
  // What cuts off that which is in an element.
  in(element: Element | null): Clip {
    const above: Element[] = [];
    let clip: Clip | undefined = OPEN;
    for (let at = element; at && at !== this.root.documentElement; at = at.parentElement) {
      const known = this.clips.get(at);
      if (known) { clip = known; break; }
      above.push(at);
    }
    for (let i = above.length - 1; i >= 0; i--) this.clips.set(above[i]!, (clip = this.below(above[i]!, clip)));
    return clip;
  }
  // What cuts off an element itself.
  on(element: Element): Clip {
    const above = this.in(element.parentElement), { position, hidden } = this.mannerOf(element);
    return { ...above, flow: placed(position, above), hidden: above.hidden || hidden, pinned: above.pinned || isPinned(position) };
  }
  private below(element: Element, above: Clip): Clip {
    const how = this.mannerOf(element);
    const own = placed(how.position, above), pinned = above.pinned || isPinned(how.position);
    let inner = own;
    if (how.cutsX || how.cutsY) {
      const box = element.getBoundingClientRect(), wide = (element as HTMLElement).offsetWidth, scale = wide ? box.width / wide : 1;
      const left = box.left + element.clientLeft * scale, top = box.top + element.clientTop * scale;
      inner = meet(own, {
        left: how.cutsX ? left : -FAR, right: how.cutsX ? left + element.clientWidth * scale : FAR,
        top: how.cutsY ? top : -FAR, bottom: how.cutsY ? top + element.clientHeight * scale : FAR,
      });
    }
    return {
      flow: inner, absolute: how.position !== "static" || how.places ? inner : above.absolute, fixed: how.places ? inner : above.fixed,
      pinned, hidden: above.hidden || how.hidden,
    };
  }
  private mannerOf(element: Element): Manner {
    let how = this.manners.get(element);
    if (how) return how;
    const style = this.root.defaultView!.getComputedStyle(element);
    // what the body says of overflow is the window's, unless the root says something itself
    const whole = element === this.root.body && this.root.defaultView!.getComputedStyle(this.root.documentElement).overflow === "visible";
    const cuts = !whole && style.display !== "inline" && style.display !== "contents";
    how = {
      position: style.position, cutsX: cuts && style.overflowX !== "visible", cutsY: cuts && style.overflowY !== "visible",
      places: style.transform !== "none" || style.filter !== "none" || style.perspective !== "none" || style.translate !== "none" || style.rotate !== "none" || style.scale !== "none" || /paint|layout|strict|content/.test(style.contain),
      hidden: style.opacity === "0",
    };
    this.manners.set(element, how);
    return how;
  }
}
