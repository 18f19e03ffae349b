/** Beside the board; not named as a board is, so none is read from it. */
export function notePath(board: string, run: string): string {
  return board.replace(/-tasks\.md$/, `-run-${run}.md`);
}

/**
 * The note with the run's part as it is now, between two comments of which the first has a check sum.
 * All around it is the person's. So is a part that they changed, or whose comments are incomplete: it
 * stays without its comments, and a new one is put at the end.
 */
export function withOwnPart(text: string | undefined, run: string, part: string): string {
  const own = framed(run, part);
  if (text === undefined || text.trim() === '') return own;
  const found = ownPart(text, run);
  if (found === undefined) return `${ended(withoutFrame(text, run))}\n${own}`;
  return text.slice(0, found.from) + own + text.slice(found.to);
}

function framed(run: string, part: string): string {
  const body = part.endsWith('\n') ? part : `${part}\n`;
  return `${openOf(run)} ${sumOf(body)} -->\n${body}${closeOf(run)}\n`;
}

function openOf(run: string): string {
  return `<!-- run ${run}`;
}

function closeOf(run: string): string {
  return `<!-- end of run ${run} -->`;
}

interface Found {
  readonly from: number;
  readonly to: number;
}

/** Undefined where it is not there, or not as it was written. */
function ownPart(text: string, run: string): Found | undefined {
  const from = text.indexOf(openOf(run));
  const head = /^ ([0-9a-f]{8}) -->\r?\n/.exec(text.slice(from + openOf(run).length));
  const close = text.indexOf(closeOf(run), from);
  if (from < 0 || head === null || close < 0) return undefined;
  const body = text.slice(from + openOf(run).length + head[0].length, close);
  // An editor or a sync may have changed how lines end, which nobody wrote.
  if (sumOf(body.replaceAll('\r\n', '\n')) !== head[1]) return undefined;
  const end = close + closeOf(run).length;
  const eol = /^\r?\n/.exec(text.slice(end, end + 2))?.[0] ?? '';
  return { from, to: end + eol.length };
}

function withoutFrame(text: string, run: string): string {
  return text
    .split('\n')
    .filter((line) => !line.startsWith(openOf(run)) && !line.startsWith(closeOf(run)))
    .join('\n');
}

function ended(text: string): string {
  return text.endsWith('\n') ? text : `${text}\n`;
}

/** FNV-1a, 32 bits: tells an edit from none, and no more. */
function sumOf(text: string): string {
  let sum = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) {
    sum = Math.imul(sum ^ text.charCodeAt(at), 0x01000193) >>> 0;
  }
  return sum.toString(16).padStart(8, '0');
}
