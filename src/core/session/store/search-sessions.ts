import type { Block, Transcript } from '../transcript/transcript';
import { readPage, type StoredSession } from './session-files';

/** A match: a title or a block that contains all words of a search. */
export interface Hit {
  readonly sessionId: string;
  /** title of the session */
  readonly title: string;
  /** undefined if the title matches */
  readonly block?: Block;
  /** text around the first word found, on one line */
  readonly excerpt: string;
}

export interface SearchSources {
  /** newest activity first */
  readonly sessions: readonly Pick<StoredSession, 'id' | 'title' | 'pages'>[];
  /** undefined if it has to be read from disk */
  readonly transcript: (sessionId: string) => Transcript | undefined;
  readonly texts: (sessionId: string, pages: readonly number[]) => Promise<readonly string[]>;
}

/** Maximum hits of one session, so that a long one does not hide the others. */
const MAX_PER_SESSION = 20;
/** UTF-16 units of an excerpt before the first word found, and in total. */
const BEFORE = 40;
const EXCERPT = 160;

/**
 * Searches titles and blocks that contain all words of `text`, ignoring case: titles first, then
 * newest first.
 * @param isCancelled returns true to end the search early, because another one began
 */
export async function searchSessions(
  { sessions, transcript, texts }: SearchSources,
  text: string,
  limit: number,
  isCancelled: () => boolean = () => false,
): Promise<readonly Hit[]> {
  const words = folded(text).split(/\s+/).filter(Boolean);
  if (words.length === 0) return [];
  const titles = sessions.filter(({ title }) => includesAll(folded(title), words));
  const hits: Hit[] = titles.map(({ id, title }) => ({ sessionId: id, title, excerpt: title }));
  for (const { id, title, pages } of sessions) {
    if (hits.length >= limit || isCancelled()) break;
    const known = transcript(id)?.blocks;
    const found = known?.filter((block) => includesAll(folded(searchableText(block)), words));
    const blocks = found ?? (await texts(id, pages)).flatMap((page) => onPage(page, words));
    for (const block of blocks.slice(-MAX_PER_SESSION).reverse()) {
      hits.push({ sessionId: id, title, block, excerpt: excerpt(searchableText(block), words) });
    }
  }
  return hits.slice(0, limit);
}

/** Parses only pages that may contain the words: most words look the same in JSON. */
function onPage(page: string, words: readonly string[]): readonly Block[] {
  const plain = words.filter((word) => !/["\\\p{Cc}\p{Surrogate}]/u.test(word));
  if (!includesAll(folded(page), plain)) return [];
  return readPage(page).blocks.filter((block) => includesAll(folded(searchableText(block)), words));
}

/** The searchable text of a block. */
export function searchableText(block: Block): string {
  switch (block.kind) {
    case 'prompt':
    case 'text':
    case 'thinking':
      return block.text;
    case 'tool':
      return [block.tool, block.title, block.input, block.output, block.error].join('\n');
    case 'board':
      return block.changes.map(({ title }) => title).join('\n');
    case 'permission':
      return [block.request.permission, ...block.request.patterns].join('\n');
    case 'question':
      return block.request.questions.map(({ question }) => question).join('\n');
    case 'turn':
      return block.error?.message ?? '';
    case 'todos':
      return block.todos.map(({ content }) => content).join('\n');
    case 'compacted':
      return block.summary ?? '';
    case 'missed':
      return '';
  }
}

function folded(text: string): string {
  return text.normalize('NFC').toLowerCase();
}

function includesAll(text: string, words: readonly string[]): boolean {
  return words.every((word) => text.includes(word));
}

function excerpt(text: string, words: readonly string[]): string {
  const at = Math.max(0, folded(text).indexOf(words[0] ?? ''));
  const from = Math.max(0, at - BEFORE);
  const part = text
    .slice(from, from + EXCERPT)
    .replace(/\s+/g, ' ')
    .trim();
  return `${from > 0 ? '…' : ''}${part}${from + EXCERPT < text.length ? '…' : ''}`;
}
