import type { Fields } from './fields';
import { readYamlText } from './yaml-value';

export type FrontMatterRead =
  | {
      readonly ok: true;
      readonly fields: Fields;
      /** the lines behind it, without blank ones around them */
      readonly body: readonly string[];
    }
  | { readonly ok: false; readonly why: string };

/**
 * Reads the front matter of a note: its values are text, or lists of text.
 */
export function readFrontMatter(text: string, longest?: number): FrontMatterRead {
  const lines = text.replace(/^\ufeff/, '').split(/\r\n|\r|\n/);
  if (lines[0]?.trimEnd() !== '---') return { ok: false, why: 'It has no front matter.' };
  const end = lines.findIndex((line, at) => at > 0 && /^(?:---|\.\.\.)\s*$/.test(line));
  if (end < 0) return { ok: false, why: 'Its front matter is not closed.' };
  const yaml = lines.slice(1, end).join('\n');
  const read = readYamlText(yaml, longest);
  if (typeof read === 'string') return { ok: false, why: read };
  return { ok: true, fields: read, body: withoutBlankEnds(lines.slice(end + 1)) };
}

export function withoutBlankEnds(lines: readonly string[]): readonly string[] {
  const from = lines.findIndex((line) => line.trim() !== '');
  if (from < 0) return [];
  return lines.slice(from, lines.findLastIndex((line) => line.trim() !== '') + 1);
}
