import type * as z from 'zod/mini';
import { defineTool, type Tool, type ToolFault, type ToolOutcome } from '../tool';
import {
  fittingLines,
  findBlock,
  findHeadings,
  headingNotFound,
  sectionOf,
  type LineRange,
} from './note-part';
import { readNote } from './definitions';
import { suggestNote, noteNotFound } from './suggest-note';
import { readAllowed, type VaultNotes } from './vault-notes';
import { scanNote, type NoteScan } from './scan-note';

type PartArgs = Pick<z.infer<ReturnType<typeof readNote.args>>, 'heading' | 'block' | 'lines'>;

/**
 * Tool that reads a note, or the part of it under a heading, with a block id or between two lines.
 */
export function readNoteTool(notes: Pick<VaultNotes, 'list' | 'read'>): Tool {
  return defineTool({
    ...readNote,
    plan({ path, ...wanted }) {
      if (wanted.heading !== undefined && wanted.block !== undefined) {
        return { code: 'bad_arguments', message: 'Send heading or block, not both.' };
      }
      return {
        kind: 'read',
        place: 'file',
        path,
        run: async (access) => {
          const { target } = access;
          const text = await readAllowed(notes, access, target.path, target.real);
          if (text === undefined) {
            const mayRead = (one: string) => access.allows(one, 'file');
            const meant = await suggestNote(notes, target.path, mayRead);
            return { ok: false, error: noteNotFound(target.path, meant) };
          }
          return readPart(target.path, text, wanted);
        },
      };
    },
  });
}

function readPart(path: string, text: string, wanted: PartArgs): ToolOutcome {
  const scan = scanNote(text);
  const found = rangeOf(text, scan, wanted);
  if ('code' in found) return { ok: false, error: found };
  const { range, about } = found;
  const cut = fittingLines(text, scan.starts, range);
  const all = scan.starts.length;
  const place = { path, from: range.from, to: cut.to, lines: all };
  if (all === 0) {
    return { ok: true, title: path, output: `${path} is empty.`, metadata: { ...place, from: 0 } };
  }
  const rest = cut.to < range.to ? `; ask for lines from ${cut.to + 1}` : '';
  const left =
    cut.left > 0
      ? `; ${number(cut.left)} characters at the end of line ${cut.to} are left out`
      : '';
  const head = `${path}, lines ${number(range.from)}–${number(cut.to)} of ${number(all)}${left}${rest}${about}`;
  return { ok: true, title: path, output: `${head}\n\n${cut.text}`, metadata: place };
}

interface FoundRange {
  readonly range: LineRange;
  /** additional information for the answer's first line */
  readonly about: string;
}

/** The lines to read. Line numbers refer to the whole note, even with a heading or block. */
function rangeOf(
  text: string,
  scan: NoteScan,
  { heading, block, lines }: PartArgs,
): FoundRange | ToolFault {
  const part = partRange(text, scan, heading, block);
  if ('code' in part) return part;
  const { range } = part;
  const from = Math.max(range.from, lines?.from ?? 1);
  const to = Math.min(range.to, lines?.to ?? range.to);
  if (from <= to || scan.starts.length === 0) return { ...part, range: { from, to } };
  const has = heading ?? block;
  const what = has === undefined ? 'The note' : `"${has}"`;
  const message = `${what} has the lines ${range.from} to ${range.to}. Send lines within.`;
  return { code: 'not_found', message };
}

function partRange(
  text: string,
  scan: NoteScan,
  heading: string | undefined,
  block: string | undefined,
): FoundRange | ToolFault {
  if (block !== undefined) {
    const range = findBlock(text, scan, block);
    return 'code' in range ? range : { range, about: '' };
  }
  if (heading === undefined) return { range: { from: 1, to: scan.starts.length }, about: '' };
  const [first, ...others] = findHeadings(scan.headings, heading);
  if (first === undefined) return headingNotFound(scan.headings, heading);
  const lines = others.slice(0, 5).map(({ line }) => line);
  const about = lines.length > 0 ? `; the heading stands in line ${lines.join(', ')} too` : '';
  return { range: sectionOf(scan, first), about };
}

/** Formats a number: "3,120". */
function number(value: number): string {
  return value.toLocaleString('en');
}
