/** What a line may stand in: quotes and list items, in each other. */
const INSIDE = String.raw`(?:[\s>]|(?:[-*+]|\d{1,9}[.)])\s)*`;
const BOX = new RegExp(String.raw`^(${INSIDE}(?:[-*+]|\d{1,9}[.)])\s+)\[(.)\]`, 'u');
const QUERY = new RegExp(String.raw`^(${INSIDE})(\$?=)`, 'u');
const FENCE_INSIDE = new RegExp(String.raw`^(${INSIDE})([\x60~]{3,})`, 'u');

/**
 * Markdown that does nothing when it is read: boxes, embeds, HTML and comments are text, and code
 * keeps its text, not its language. Code fences begin at the margin, where a reader and this agree
 * on what is code; in quotes and list items they are text.
 */
export function inertText(text: string): string {
  let fence: string | undefined;
  const lines = text.split(/\r\n?|\n/).map((line) => {
    const [, found = '', rest = ''] = /^\s*(`{3,}|~{3,})(.*)$/u.exec(line) ?? [];
    if (fence !== undefined) {
      const closes = found.startsWith(fence) && rest.trim() === '';
      if (!closes) return line;
      fence = undefined;
      return found;
    }
    if (found === '' || (found.startsWith('`') && rest.includes('`'))) return inertLine(line);
    fence = found;
    return `${found}text`;
  });
  // A fence that was never closed would take in what follows.
  return fence === undefined ? lines.join('\n') : [...lines, fence].join('\n');
}

/** The same on one line, within which no code begins. */
export function inertWords(text: string): string {
  return inertLine(text.replaceAll(/[\r\n]+/g, ' '));
}

function inertLine(line: string): string {
  return line
    .replace(FENCE_INSIDE, (_, before: string, run: string) => before + escaped(run))
    .replace(QUERY, '$1\u200b$2')
    .replace(BOX, '$1\\[$2\\]')
    .replace(/^(#{1,6}) /, '##$1 ')
    .replace(/^#{7,} /, '###### ')
    .replace(/^---\s*$/, '***')
    .replaceAll('![', '!\\[')
    .replaceAll(
      /(\\*)</g,
      (_, before: string) => `${before}${before.length % 2 === 0 ? '\\' : ''}<`,
    )
    .replaceAll('%%', '\\%\\%')
    .replaceAll('$$', () => '\\$\\$')
    .replaceAll(/`(\s*\$?=)/g, '`\u200b$1') // white space before a query is passed over
    .replaceAll(/\^([A-Za-z0-9-]+)\s*$/g, '\\^$1');
}

function escaped(run: string): string {
  return [...run].map((one) => `\\${one}`).join('');
}
