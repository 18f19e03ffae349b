import type { ComponentChildren } from 'preact';

/**
 * What is not seen, or turns the direction of writing, so that a text would look like another. Tabs
 * and line ends are seen; joiners are part of words in some scripts, and of emoji.
 */
const UNSEEN = /((?![\t\n\u200c\u200d])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Surrogate}])(\1*)/u;
const ALL_UNSEEN = new RegExp(UNSEEN.source, 'gu');

/** Marks in one text that are elements of their own; a text made of nothing else would stop the app. */
const MOST_MARKS = 500;

/** A text as it is, as text; characters that nobody would see stand there by their numbers. */
export function ShownText({ text }: { readonly text: string }): ComponentChildren {
  // The text, then for each mark its character, the same again, and the text behind it.
  const parts = text.split(UNSEEN, 3 * MOST_MARKS + 1);
  if (parts.length === 1) return text;
  const shown: ComponentChildren[] = [parts[0]];
  let end = parts[0]?.length ?? 0;
  for (let at = 1; at < parts.length; at += 3) {
    const [char = '', more = '', behind = ''] = parts.slice(at, at + 3);
    shown.push(<Mark key={at}>{markWords(char, more)}</Mark>, behind);
    end += char.length + more.length + behind.length;
  }
  if (end < text.length) shown.push(<Mark>{allMarked(text.slice(end))}</Mark>);
  return shown;
}

function Mark({ children }: { readonly children: ComponentChildren }) {
  return <span class="atb-unseen-mark">{children}</span>;
}

function allMarked(text: string): string {
  return text.replace(ALL_UNSEEN, (_, char: string, more: string) => `<${markWords(char, more)}>`);
}

/** "U+200B", "U+200B, 3 times" */
function markWords(char: string, more: string): string {
  const times = 1 + more.length / char.length;
  const number = `U+${numberOf(char)}`;
  return times === 1 ? number : `${number}, ${times.toLocaleString('en')} times`;
}

function numberOf(char: string): string {
  return (char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
}
