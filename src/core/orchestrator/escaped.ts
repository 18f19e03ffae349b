/** Text of an agent in one line of markdown: nothing in it is a link, an embed, code, HTML or a mark. */
export function escaped(text: string): string {
  return text
    .replace(/[\p{Cc}\s\u2028\u2029]+/gu, ' ')
    .trim()
    .replace(/[\\`*_[\]<>#|!%^~$=]/g, '\\$&');
}
