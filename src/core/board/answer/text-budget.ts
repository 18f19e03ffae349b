/**
 * OpenCode cuts a tool's output at 2,000 lines or 51,200 bytes; these limits leave room for what
 * OpenCode adds.
 */
export const MAX_LINES = 1_900;

export const MAX_BYTES = 48_000;

/** Maximum number of lines of an answer about notes, in all; the rest can be requested. */
export const LONG_ANSWER = 500;

/** Length of a well-formed text in UTF-8 bytes, without encoding: a title may have megabytes. */
export function byteLength(text: string): number {
  let bytes = text.length;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit < 0x80) continue;
    // The two units of a surrogate pair are 4 bytes together, so each counts as 2.
    bytes += unit < 0x800 || (unit >= 0xd800 && unit < 0xe000) ? 1 : 2;
  }
  return bytes;
}

/** Lines and bytes of a text of lines, each with its line end. */
export interface Extent {
  readonly lines: number;
  readonly bytes: number;
}

export function extentOf(lines: readonly string[]): Extent {
  return {
    lines: lines.length,
    bytes: lines.reduce((sum, line) => sum + byteLength(line) + 1, 0),
  };
}

export function fits(lines: readonly string[], room: Extent): boolean {
  const { lines: count, bytes } = extentOf(lines);
  return count <= room.lines && bytes <= room.bytes;
}

/** Encodes a well-formed text in UTF-8. Core has no TextEncoder, which belongs to the platform. */
export function utf8Bytes(text: string): readonly number[] {
  const bytes: number[] = [];
  for (const char of text) {
    const code = char.codePointAt(0) as number;
    if (code < 0x80) bytes.push(code);
    else if (code < 0x800) bytes.push(0xc0 | (code >> 6), continuationByte(code));
    else if (code < 0x10000)
      bytes.push(0xe0 | (code >> 12), continuationByte(code >> 6), continuationByte(code));
    else
      bytes.push(
        0xf0 | (code >> 18),
        continuationByte(code >> 12),
        continuationByte(code >> 6),
        continuationByte(code),
      );
  }
  return bytes;
}

function continuationByte(bits: number): number {
  return 0x80 | (bits & 0x3f);
}
