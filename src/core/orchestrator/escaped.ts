/**
 * Text of an agent in one line of markdown: nothing in it is a link, an embed, code, HTML or a mark,
 * and what would show it in another order, or be no UTF-8, is replaced.
 */
export function escaped(text: string): string {
  return text
    .replace(/[\p{Cc}\s\u2028\u2029]+/gu, ' ')
    .replace(/[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\p{Surrogate}]/gu, '\ufffd')
    .trim()
    .replace(/[\\`*_[\]<>#|!%^~$=]/g, '\\$&')
    .replace(/:(?=[/:])/g, '\\:');
}
