/**
 * A path as a disk may see it that tells neither case nor Unicode forms apart: two spellings that any
 * such disk takes for one name are one here (more may be). Its length may differ from the path's.
 */
export function foldPath(path: string): string {
  if (isAscii(path)) return path.toLowerCase();
  const visible = path.replace(/\p{Default_Ignorable_Code_Point}/gu, '');
  const lower = visible.normalize('NFD').toUpperCase().toLowerCase();
  return lower.replaceAll('ς', 'σ').normalize('NFC');
}

/** The same, character by character, so that what `?` stands for stays one: for patterns and paths alike. */
export function foldChars(path: string): string {
  if (isAscii(path)) return path.toLowerCase();
  let folded = '';
  for (const char of path.normalize('NFC')) folded += foldChar(char);
  return folded;
}

function foldChar(char: string): string {
  const upper = char.toUpperCase();
  const lower = (isOne(upper) ? upper : char).toLowerCase();
  if (lower === 'ς') return 'σ';
  return isOne(lower) ? lower : char;
}

function isOne(text: string): boolean {
  return text.length === 1 || (text.length === 2 && (text.codePointAt(0) as number) > 0xffff);
}

function isAscii(text: string): boolean {
  return !/[^ -~]/.test(text);
}
