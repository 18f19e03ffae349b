import type { Block, Transcript } from '../session/transcript/transcript';

/** What fills a model's context, in the order in which a person is shown it. */
export const CONTEXT_PARTS = [
  ...(['system', 'instructions', 'skills', 'board'] as const),
  ...(['notes', 'tools', 'conversation'] as const),
] as const;

export type ContextPart = (typeof CONTEXT_PARTS)[number];

/** How full a model's context is, in tokens. */
export interface ContextUse {
  readonly used: number;
  /** each at least 0; their sum is `used` */
  readonly parts: Readonly<Record<ContextPart, number>>;
  /** what fits into one request; undefined where nobody said it */
  readonly limit: number | undefined;
  /** how much of that is kept for the answer */
  readonly reserve: number;
  /** what goes along with each request is not counted until the next answer tells them */
  readonly summaryOnly: boolean;
  /** of what fits beside the reserve: 1 is full, and it may be more; undefined without a limit */
  readonly share: number | undefined;
}

/** Share from which room should be made before the next prompt, and from which there is none left. */
export const [NEARLY_FULL, FULL] = [0.85, 0.95];

/** Letters that are words or syllables: about a token each, where four others make one. */
const WIDE = /[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff]/g;

/**
 * Tokens of a text, estimated too high rather than too low: its characters ÷ 4, and a third more;
 * Chinese, Japanese and Korean letters count whole.
 */
export function tokensIn(text: string): number {
  const wide = text.match(WIDE)?.length ?? 0;
  return Math.ceil(((text.length - wide) / 4 + wide) * (4 / 3));
}

/** Texts that go along with each prompt, and no transcript has. */
interface Unseen {
  /** files of instructions of the agent */
  readonly instructions?: string | undefined;
  /** names and descriptions of its skills, and those that it has whole */
  readonly skills?: string | undefined;
  /** the board's summary */
  readonly board?: string | undefined;
  /** words that are about to be sent */
  readonly next?: string;
}

/**
 * What the newest answer told, and an estimate of what came since. The parts are estimated from what
 * the transcript shows since the last compaction; what is left is the system prompt and the descriptions of
 * tools, which nobody but OpenCode can read.
 */
export function contextUse(
  { blocks, tokens }: Pick<Transcript, 'blocks' | 'tokens'>,
  { instructions = '', skills = '', board = '', next = '' }: Unseen = {},
): ContextUse {
  const { context: told = 0, limit, reserve = 0, at = -Infinity } = tokens ?? {};
  const summaryOnly = tokens?.summary === true;
  const along = (text: string) => (summaryOnly ? 0 : tokensIn(text));
  const sizes = {
    instructions: along(instructions),
    skills: along(skills),
    board: along(board),
    ...{ notes: 0, tools: 0, conversation: tokensIn(next) },
  };
  let since = sizes.conversation;
  for (const block of blocks.slice(sinceCompaction(blocks))) {
    const size = sizeOf(block);
    const notes = sentAlongTokens(block);
    sizes[partOf(block)] += size;
    sizes.notes += notes;
    if (block.kind !== 'compacted' && endOf(block) > at) since += size + notes;
  }
  const known = sum(sizes);
  const used = told === 0 ? known : told + since;
  // What is estimated too high shrinks alike.
  const scale = known > used ? used / known : 1;
  const scaled = (size: number) => Math.floor(size * scale);
  const parts = {
    instructions: scaled(sizes.instructions),
    skills: scaled(sizes.skills),
    board: scaled(sizes.board),
    notes: scaled(sizes.notes),
    tools: scaled(sizes.tools),
    conversation: scaled(sizes.conversation),
  };
  const share = limit === undefined ? undefined : used / Math.max(1, limit - reserve);
  return {
    used,
    parts: { system: used - sum(parts), ...parts },
    limit,
    reserve,
    summaryOnly,
    share,
  };
}

/** Tokens that notes sent along with words may take, and of what is free at most a quarter. */
const MOST_FOR_NOTES = 6_000;

/** Tokens that notes may take which go along with words, beside all else that fills the context. */
export function roomForNotes({ used, limit, reserve }: ContextUse, next: string): number {
  if (limit === undefined) return MOST_FOR_NOTES;
  const free = limit - reserve - used - tokensIn(next);
  return Math.min(MOST_FOR_NOTES, Math.max(0, Math.floor(free / 4)));
}

/** Of the notes whose texts went along with a prompt. */
function sentAlongTokens(block: Block): number {
  if (block.kind !== 'prompt') return 0;
  return (block.attached ?? []).reduce((all, { tokens = 0 }) => all + tokens, 0);
}

function sinceCompaction(blocks: readonly Block[]): number {
  return Math.max(
    0,
    blocks.findLastIndex(({ kind }) => kind === 'compacted'),
  );
}

function endOf(block: Block): number {
  return block.kind === 'tool' ? (block.ended ?? block.at) : block.at;
}

function sum(sizes: Readonly<Record<string, number>>): number {
  return Object.values(sizes).reduce((all, size) => all + size, 0);
}

/** Calls that bring the text of notes and files into the context. */
const READS =
  /^(read|grep|glob|list|obsidian_(search_vault|list_notes|read_note|get_note_metadata))$/;

function partOf(block: Block): Exclude<ContextPart, 'system'> {
  if (block.kind !== 'tool') return 'conversation';
  return READS.test(block.tool) ? 'notes' : 'tools';
}

/** A block never changes. */
const SIZES = new WeakMap<Block, number>();

function sizeOf(block: Block): number {
  const size = SIZES.get(block) ?? tokensIn(wordsOf(block));
  SIZES.set(block, size);
  return size;
}

/** What a model is shown of a block again; reasoning it is not. */
function wordsOf(block: Block): string {
  switch (block.kind) {
    case 'prompt':
    case 'text':
      return block.text;
    case 'tool':
      return `${block.input ?? ''}${block.output ?? block.error ?? ''}`;
    case 'compacted':
      return block.summary ?? '';
    case 'thinking':
    case 'board':
    case 'permission':
    case 'question':
    case 'turn':
    case 'todos':
    case 'missed':
      return '';
  }
}
