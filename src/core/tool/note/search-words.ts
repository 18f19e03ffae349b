/** Longest word that is kept: what is longer is data, not language. */
const LONGEST = 64;
const WORD = /[\p{L}\p{N}\p{M}]+/gu;
/** Scripts that put no blanks between words. */
const UNSPACED =
  /[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Thai}\p{scx=Laoo}\p{scx=Khmr}\p{scx=Mymr}]+/u;
const PARTS = new RegExp(`(${UNSPACED.source})`, 'u');

/** A text without case and accents, in which words are looked for. */
export function foldText(text: string): string {
  if (isAscii(text)) return text.toLowerCase();
  return text
    .normalize('NFKD')
    .replaceAll(/[\u0300-\u036f]/g, '')
    .normalize('NFC')
    .toLowerCase();
}

/**
 * The words under which a text is found, each once. Where words have no blanks between them, each pair of
 * characters is one, and the last character.
 */
export function indexWords(text: string): string[] {
  const found = words(text, (characters) => [...pairs(characters), characters.at(-1) ?? '']);
  return [...new Set(found)];
}

/** The words of a query, each once: of such a script its pairs, or the one character that it is. */
export function queryWords(text: string): string[] {
  const found = words(text, (characters) =>
    characters.length === 1 ? [...characters] : pairs(characters),
  );
  return [...new Set(found)];
}

/** Whether it is of a script without blanks: then it stands for just what it says. */
export function isUnspaced(word: string): boolean {
  return UNSPACED.test(word);
}

function words(text: string, split: (characters: readonly string[]) => string[]): string[] {
  return (foldText(text).match(WORD) ?? []).flatMap((word) => {
    if (isAscii(word) || !UNSPACED.test(word)) return word.length <= LONGEST ? [word] : [];
    return word.split(PARTS).flatMap((part, at) => {
      if (at % 2 === 1) return split(Array.from(part));
      return part === '' || part.length > LONGEST ? [] : [part];
    });
  });
}

function pairs(characters: readonly string[]): string[] {
  return characters.slice(1).map((character, at) => `${characters[at] ?? ''}${character}`);
}

function isAscii(text: string): boolean {
  return !/[^\t\n\r -~]/.test(text);
}
