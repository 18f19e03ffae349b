import { needsRestoring, restore } from './reading-text';

/** Elements that load or run something, or take input; none of them belongs into a plan. */
const REMOVED =
  'iframe, object, embed, script, style, link, meta, base, form, img, picture, video, audio, source, track, portal, webview, svg use, animate';
/** Kinds of address that a link may have; everything without a colon is a note. */
const ALLOWED = /^(https?:|mailto:|obsidian:|#|[^:]*$)/i;

/**
 * Takes out of rendered markdown whatever could run, load or send something, and puts the characters
 * back that had stand-ins. Works on the element itself, before it is shown.
 */
export function sanitise(root: HTMLElement): void {
  for (const element of root.querySelectorAll(REMOVED)) element.remove();
  for (const element of root.querySelectorAll('*')) cleanAttributes(element);
  for (const node of textNodes(root)) {
    if (needsRestoring(node.data)) node.data = restore(node.data);
  }
}

/** All text nodes below an element, in order. */
export function textNodes(root: Node): readonly Text[] {
  return [...root.childNodes].flatMap((node) =>
    node.nodeType === 3 ? [node as Text] : textNodes(node),
  );
}

function cleanAttributes(element: Element): void {
  for (const { name, value } of [...element.attributes]) {
    const lower = name.toLowerCase();
    const address = ['href', 'src', 'xlink:href', 'action', 'formaction', 'srcset', 'data'];
    if (lower.startsWith('on') || lower === 'style' || lower === 'srcdoc') {
      element.removeAttribute(name);
    } else if (address.includes(lower) && !ALLOWED.test(bare(value))) {
      element.removeAttribute(name);
    } else if (needsRestoring(value)) {
      // A class with its language back could still be found by a code block processor.
      if (lower === 'class') element.removeAttribute(name);
      else element.setAttribute(name, restore(value));
    }
  }
}

/** An address as a browser reads it: without the blanks and control characters that it skips. */
function bare(address: string): string {
  return [...restore(address)].filter((character) => character > ' ').join('');
}
