/** What follows a list item's own line inside it. */
const BLOCKS = 'ul, ol, p, pre, blockquote, table, div, hr';

/** The nodes of a task's own line: its box and what stands before the text or the list below it. */
export interface OwnWords {
  replaceWith(head: HTMLElement): void;
}

/** @param item a list item as the app renders it */
export function ownWords(item: HTMLElement): OwnWords {
  const holder = item.querySelector<HTMLElement>(':scope > p') ?? item;
  item.querySelector(':scope > input')?.remove();
  const nodes: ChildNode[] = [];
  for (const node of [...holder.childNodes]) {
    if (isControl(node)) continue;
    if (isLineEnd(node)) break;
    const ends = splitAtLineEnd(node);
    nodes.push(node);
    if (ends) break;
  }
  return {
    replaceWith(head) {
      const [first] = nodes;
      if (first === undefined) holder.prepend(head);
      else first.before(head);
      for (const node of nodes) node.remove();
      // Behind a block a line break would be an empty line.
      const next = head.nextSibling;
      if (next?.nodeName === 'BR') next.remove();
    },
  };
}

/** With strict line breaks the next line of the note is in the same text. @returns whether it is */
function splitAtLineEnd(node: ChildNode): boolean {
  if (!node.instanceOf(Text)) return false;
  const at = node.data.trimEnd().indexOf('\n', Math.max(0, node.data.search(/\S/)));
  if (at < 0) return false;
  node.splitText(at);
  return true;
}

function isLineEnd(node: ChildNode): boolean {
  return node.instanceOf(Element) && (node.tagName === 'BR' || node.matches(BLOCKS));
}

/** The app's bullet and fold marker stay. */
function isControl(node: ChildNode): boolean {
  return node.instanceOf(Element) && node.matches('.list-bullet, .list-collapse-indicator');
}
