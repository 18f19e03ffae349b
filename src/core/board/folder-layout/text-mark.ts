/**
 * What tells a text from every other one that comes about by editing: its length and 64 bits of a hash
 * of its UTF-16 units, as lowercase hexadecimal digits. No proof against who means to deceive.
 */
export function textMark(text: string): string {
  let [one, two] = [0x811c9dc5, 0x2f1b6a35];
  for (let i = 0; i < text.length; i += 1) {
    const unit = text.charCodeAt(i);
    one = Math.imul(one ^ unit, 0x01000193);
    two = Math.imul(two ^ unit, 0x5bd1e995);
    two ^= two >>> 15;
  }
  return `${text.length.toString(16)}${digits(one)}${digits(two)}`;
}

function digits(hash: number): string {
  return (hash >>> 0).toString(16).padStart(8, '0');
}
