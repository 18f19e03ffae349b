/** What follows a list item's own line inside it. */
const BLOCKS = 'ul, ol, p, pre, blockquote, table, div, hr';

/** The nodes of a task's own line: what stands between its box and the text or list below it. */
export interface OwnWords {
  replaceWith(...nodes: readonly Node[]): void;
}

/** @param item a list item as the app renders it */
export function ownWords(item: HTMLElement): OwnWords {
  const holder = item.querySelector<HTMLElement>(':scope > p') ?? item;
  const nodes: ChildNode[] = [];
  for (const node of [...holder.childNodes]) {
    if (isLineEnd(node)) break;
    if (isControl(node)) continue;
    const rest = splitAtLineEnd(node);
    nodes.push(node);
    if (rest) break;
  }
  return {
    replaceWith(...words) {
      const [first] = nodes;
      if (first === undefined) holder.prepend(...words);
      else first.before(...words);
      for (const node of nodes) node.remove();
    },
  };
}

/** With strict line breaks the next line of the note is in the same text. @returns whether it is */
function splitAtLineEnd(node: ChildNode): boolean {
  if (!node.instanceOf(Text)) return false;
  const at = node.data.trimEnd().indexOf('\n', node.data.search(/\S/));
  if (at < 0) return false;
  node.splitText(at);
  return true;
}

function isLineEnd(node: ChildNode): boolean {
  return node.instanceOf(Element) && (node.tagName === 'BR' || node.matches(BLOCKS));
}

/** The app's box, fold marker and bullet stay. */
function isControl(node: ChildNode): boolean {
  return (
    node.instanceOf(Element) &&
    node.matches('input, .task-list-item-checkbox, .list-bullet, .collapse-indicator')
  );
}
