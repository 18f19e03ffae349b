import type { Block, Transcript } from '../transcript/transcript';
import { readPage, type KeptSession } from './session-files';

/** A place where all words of a search stand. */
export interface Hit {
  readonly sessionId: string;
  /** the session's */
  readonly title: string;
  /** undefined: the words stand in the title */
  readonly block?: Block;
  /** some words around the first that was found, on one line */
  readonly excerpt: string;
}

export interface SearchSources {
  /** newest activity first */
  readonly sessions: readonly Pick<KeptSession, 'id' | 'title' | 'pages'>[];
  /** undefined: it has to be read */
  readonly transcript: (sessionId: string) => Transcript | undefined;
  readonly texts: (sessionId: string, pages: readonly number[]) => Promise<readonly string[]>;
}

/** Hits of one session, so that a long one hides no other. */
const MOST_PER_SESSION = 20;
/** UTF-16 units before the first found word, and in all. */
const BEFORE = 40;
const EXCERPT = 160;

/**
 * Where all words of `text` stand, upper or lower case, in a title or in one block: titles first,
 * then newest first.
 * @param givenUp ends the search early: another was begun
 */
export async function searchSessions(
  { sessions, transcript, texts }: SearchSources,
  text: string,
  limit: number,
  givenUp: () => boolean = () => false,
): Promise<readonly Hit[]> {
  const words = folded(text).split(/\s+/).filter(Boolean);
  if (words.length === 0) return [];
  const titles = sessions.filter(({ title }) => holds(folded(title), words));
  const hits: Hit[] = titles.map(({ id, title }) => ({ sessionId: id, title, excerpt: title }));
  for (const { id, title, pages } of sessions) {
    if (hits.length >= limit || givenUp()) break;
    const known = transcript(id)?.blocks;
    const found = known?.filter((block) => holds(folded(blockWords(block)), words));
    const blocks = found ?? (await texts(id, pages)).flatMap((page) => onPage(page, words));
    for (const block of blocks.slice(-MOST_PER_SESSION).reverse()) {
      hits.push({ sessionId: id, title, block, excerpt: excerpt(blockWords(block), words) });
    }
  }
  return hits.slice(0, limit);
}

/** Reads only pages that may hold the words: as JSON most words stand there as they are. */
function onPage(page: string, words: readonly string[]): readonly Block[] {
  const plain = words.filter((word) => !/["\\\p{Cc}\p{Surrogate}]/u.test(word));
  if (!holds(folded(page), plain)) return [];
  return readPage(page).blocks.filter((block) => holds(folded(blockWords(block)), words));
}

/** What a person reads in a block. */
export function blockWords(block: Block): string {
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

function holds(text: string, words: readonly string[]): boolean {
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
