import { byteLength, LONG_ANSWER, MAX_BYTES } from '../../board/answer/text-budget';
import { StoreError } from '../../ports';
import { defineTool, type ReadAccess, type Tool, type ToolOutcome } from '../tool';
import { fittingLines } from './note-part';
import { searchVault } from './definitions';
import { MAX_INDEXED, type NoteIndex } from './note-index';
import { foldText, queryWords, type Candidate } from './word-index';
import { countNotesToAskAbout, MAX_FOLDER_DEPTH, omittedWords, missingFolder } from './list-notes';
import { readAllowed, type VaultNotes } from './vault-notes';
import { scanNote } from './scan-note';
import { LineScanner } from '../../board/note/lines';

/**
 * Notes read for each one that is reported: among notes of equal score, the first are not always
 * the best.
 */
const READS_PER_RESULT = 3;

interface Hit {
  readonly path: string;
  readonly score: number;
  readonly lines: readonly FoundLine[];
  /** undefined if the note was not read */
  readonly text: string | undefined;
}

/**
 * Tool that finds notes by their words. Leaves out notes that the agent may not read before it
 * reads anything of them.
 */
export function searchVaultTool(
  notes: Pick<VaultNotes, 'list' | 'read' | 'stat'>,
  index: Pick<NoteIndex, 'search'>,
): Tool {
  return defineTool({
    ...searchVault,
    plan({ query, folder, limit, includeContent }) {
      if (queryWords(query).length === 0) {
        const message = 'The query has no letter or digit to look for. Send words of the note.';
        return { code: 'bad_arguments', message };
      }
      return {
        kind: 'read',
        place: 'folder',
        path: folder ?? '',
        run: async (access) => {
          const { path } = access.target;
          const entries = await notes.list(path);
          if (entries === undefined) return { ok: false, error: missingFolder(path) };
          const candidates = await index.search(query);
          const allowed = await firstAllowed(candidates, access, limit * READS_PER_RESULT);
          const hits: Hit[] = [];
          for (const one of allowed) {
            const hit = await readHit(notes, access, one, query);
            if (hit !== undefined) hits.push(hit);
          }
          hits.sort((a, b) => b.score - a.score || (a.path < b.path ? -1 : 1));
          const notSearched = await countNotesToAskAbout(notes, access, entries, MAX_FOLDER_DEPTH);
          return searchOutcome(query, hits, { limit, includeContent, notSearched });
        },
      };
    },
  });
}

/** Takes candidates from the best on, and checks only as many as needed. */
async function firstAllowed(
  candidates: Iterable<Candidate>,
  access: ReadAccess,
  most: number,
): Promise<readonly Candidate[]> {
  const folder = access.target.path;
  const allowed: Candidate[] = [];
  for (const candidate of candidates) {
    if (folder !== '' && !candidate.path.startsWith(`${folder}/`)) continue;
    if (!(await access.allows(candidate.path, 'file'))) continue;
    allowed.push(candidate);
    if (allowed.length === most) break;
  }
  return allowed;
}

/** Returns undefined if the note is gone or can no longer be read. */
async function readHit(
  notes: Pick<VaultNotes, 'read' | 'stat'>,
  access: ReadAccess,
  { path, score, words }: Candidate,
  query: string,
): Promise<Hit | undefined> {
  try {
    const stat = await notes.stat(path);
    if (stat === undefined) return undefined;
    if (stat.size > MAX_INDEXED) return { path, score, lines: [], text: undefined };
    const text = await readAllowed(notes, access, path);
    if (text === undefined) return undefined;
    const { lines, count } = foundLines(text, words);
    const phrase = foldText(`${path}\n${text}`).includes(foldText(query).trim()) ? 1.5 : 1;
    return { path, score: score * phrase * (1 + Math.log2(1 + count) / 8), lines, text };
  } catch (error) {
    if (error instanceof StoreError) return undefined;
    throw error;
  }
}

function searchOutcome(
  query: string,
  best: readonly Hit[],
  {
    limit,
    includeContent,
    notSearched,
  }: {
    readonly limit: number;
    readonly includeContent: boolean;
    /** number of notes that a rule asks about */
    readonly notSearched: number;
  },
): ToolOutcome {
  const first = best.slice(0, limit);
  const room = { lines: 0, bytes: 0 };
  const blocks: string[] = [];
  for (const hit of first) {
    const block = includeContent ? withContent(hit, first.length) : withLines(hit);
    room.lines += block.split('\n').length;
    room.bytes += byteLength(block) + 1;
    if (room.lines >= LONG_ANSWER || room.bytes > MAX_BYTES) break;
    blocks.push(block);
  }
  const more = blocks.length < best.length;
  const count = blocks.length === 1 ? '1 note' : `${blocks.length} notes`;
  const words = JSON.stringify(query);
  const head =
    blocks.length === 0
      ? `No note that may be read has ${words}. Try other words, or obsidian_list_notes.`
      : `${more ? 'The best ' : ''}${count} for ${words}${more ? '; there are more: add words or a folder' : ''}.`;
  const paths = first.slice(0, blocks.length).map(({ path }) => path);
  const metadata = { query, paths, more, ...(notSearched > 0 && { notSearched }) };
  const output = [head + omittedWords(notSearched, 'searched'), ...blocks].join('\n');
  return { ok: true, title: query, output, metadata };
}

function withLines({ path, lines }: Hit): string {
  return [path, ...lines.map(({ line, text }) => `  ${line}: ${text}`)].join('\n');
}

/** The note's text, cut to its share of the answer. */
function withContent(hit: Hit, hits: number): string {
  const { path, text } = hit;
  if (text === undefined) return `${path} is too large to be shown here; read it in parts.`;
  const { starts } = scanNote(text);
  const share = {
    lines: Math.floor(LONG_ANSWER / hits) - 2,
    bytes: Math.floor(MAX_BYTES / hits) - 1_000,
  };
  const all = starts.length;
  const cut = fittingLines(text, starts, { from: 1, to: all }, share);
  const whole = cut.to === all && cut.left === 0;
  const about = whole ? `${all} lines` : `lines 1–${cut.to} of ${all}`;
  return `${path}, ${about}:\n${cut.text.replace(/(?:\r\n|\r|\n)$/, '')}\n`;
}

/** A line of a note that contains words of the query. */
interface FoundLine {
  /** 1-based */
  readonly line: number;
  /** excerpt around the first match */
  readonly text: string;
}

/** Most lines of one note that are shown. */
const MAX_FOUND = 3;

/** Characters of a line that are shown, and how many of them before the match. */
const EXCERPT_CHARS = 200;

const EXCERPT_BEFORE = 60;

/** Most words that are looked for. */
const MAX_WORDS = 40;

/**
 * The best lines of a note, in their order, and the number of lines that match.
 * @param words folded
 */
function foundLines(text: string, words: readonly string[]) {
  const wanted = words.slice(0, MAX_WORDS);
  const best: (FoundLine & { readonly score: number })[] = [];
  let count = 0;
  const lines = new LineScanner(text, text.startsWith('\uFEFF') ? 1 : 0, 0);
  while (lines.advance()) {
    const line = text.slice(lines.start, lines.end);
    const { score, at } = scoreOf(foldText(line), wanted);
    if (score === 0) continue;
    count += 1;
    if (best.length === MAX_FOUND && score <= (best.at(-1)?.score ?? 0)) continue;
    best.push({ line: lines.number, text: excerpt(line, at), score });
    best.sort((a, b) => b.score - a.score || a.line - b.line).splice(MAX_FOUND);
  }
  best.sort((a, b) => a.line - b.line);
  return { lines: best.map(({ line, text: told }) => ({ line, text: told })), count };
}

/** A match at the start of a word counts 1, within a word 0.2. */
function scoreOf(folded: string, words: readonly string[]) {
  let score = 0;
  let first = Infinity;
  for (const word of words) {
    const at = folded.indexOf(word);
    if (at < 0) continue;
    score += /[\p{L}\p{N}]/u.test(folded.charAt(at - 1)) ? 0.2 : 1;
    first = Math.min(first, at);
  }
  return { score, at: score === 0 ? 0 : first };
}

/** @param at approximate offset of the match */
function excerpt(line: string, at: number): string {
  if (line.length <= EXCERPT_CHARS) return line.trim();
  const from = at <= EXCERPT_BEFORE ? 0 : at - EXCERPT_BEFORE;
  const part = line
    .slice(from, from + EXCERPT_CHARS)
    .replace(/^[\udc00-\udfff]/, '')
    .replace(/[\ud800-\udbff]$/, '')
    .trim();
  return `${from > 0 ? '…' : ''}${part}${from + EXCERPT_CHARS < line.length ? '…' : ''}`;
}
