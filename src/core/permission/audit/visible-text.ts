/** Characters that a terminal or a view obeys, or doesn't show, instead of printing them. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Surrogate}]/gu;

/** JSON of one line in which all such characters are escapes; reads back as the same value. */
export function jsonLine(value: unknown): string {
  return JSON.stringify(value).replace(UNSEEN, (char) =>
    Array.from({ length: char.length }, (_, at) => `\\u${hex(char.charCodeAt(at))}`).join(''),
  );
}

/** For a person: such characters by their numbers, as in "a<U+202E>b". */
export function visibleText(text: string): string {
  return text.replace(UNSEEN, (char) => `<U+${hex(char.codePointAt(0) as number).toUpperCase()}>`);
}

function hex(code: number): string {
  return code.toString(16).padStart(4, '0');
}
