import type { Block, Transcript } from '../session/transcript/transcript';

/** What fills a model's context, in the order in which it is shown. */
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
  /** tokens that fit into one request; undefined if unknown */
  readonly limit: number | undefined;
  /** the part of the limit that is reserved for the answer */
  readonly reserve: number;
  /** whether `used` counts only a new summary; the next answer reports the rest of the context */
  readonly summaryOnly: boolean;
  /**
   * `used` as a share of the limit without the reserve; 1 is full, more is possible; undefined
   * without a limit
   */
  readonly share: number | undefined;
}

/**
 * Share from which the context should be compacted before the next prompt; share from which it is
 * full.
 */
export const [NEARLY_FULL, FULL] = [0.85, 0.95];

/** Characters that are words or syllables: about one token each; of others, four make one. */
const WIDE = /[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff]/g;

/**
 * Estimates the tokens of a text, too high rather than too low: its characters ÷ 4, plus a third;
 * Chinese, Japanese and Korean characters are not divided.
 */
export function tokensIn(text: string): number {
  const wide = text.match(WIDE)?.length ?? 0;
  return Math.ceil(((text.length - wide) / 4 + wide) * (4 / 3));
}

/** Texts that are sent with each prompt and are not in the transcript. */
interface PromptExtras {
  /** the agent's instruction files */
  readonly instructions?: string | undefined;
  /** names and descriptions of its skills, and the full text of preloaded ones */
  readonly skills?: string | undefined;
  /** the board's summary */
  readonly board?: string | undefined;
  /** the prompt that is about to be sent */
  readonly next?: string;
}

/**
 * The count that the newest answer reported, plus an estimate of what came since. The parts are
 * estimated from the transcript since the last compaction; the remainder is the system prompt and
 * the descriptions of tools, which only OpenCode can read.
 */
export function contextUse(
  { blocks, tokens }: Pick<Transcript, 'blocks' | 'tokens'>,
  { instructions = '', skills = '', board = '', next = '' }: PromptExtras = {},
): ContextUse {
  const { context: reported = 0, limit, reserve = 0, at = -Infinity } = tokens ?? {};
  const summaryOnly = tokens?.summary === true;
  const extraTokens = (text: string) => (summaryOnly ? 0 : tokensIn(text));
  const sizes = {
    instructions: extraTokens(instructions),
    skills: extraTokens(skills),
    board: extraTokens(board),
    ...{ notes: 0, tools: 0, conversation: tokensIn(next) },
  };
  let since = sizes.conversation;
  for (const block of blocks.slice(compactionIndex(blocks))) {
    const size = sizeOf(block);
    const notes = sentAlongTokens(block);
    sizes[partOf(block)] += size;
    sizes.notes += notes;
    if (block.kind !== 'compacted' && endOf(block) > at) since += size + notes;
  }
  const known = sum(sizes);
  const used = reported === 0 ? known : reported + since;
  // If the estimates exceed `used`, all are scaled down by the same factor.
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

/** Maximum tokens for notes sent with a prompt; at most a quarter of the free tokens as well. */
const MAX_FOR_NOTES = 6_000;

/** Tokens that notes sent with a prompt may take, given all else that fills the context. */
export function roomForNotes({ used, limit, reserve }: ContextUse, next: string): number {
  if (limit === undefined) return MAX_FOR_NOTES;
  const free = limit - reserve - used - tokensIn(next);
  return Math.min(MAX_FOR_NOTES, Math.max(0, Math.floor(free / 4)));
}

/** Tokens of the notes that were sent with a prompt. */
function sentAlongTokens(block: Block): number {
  if (block.kind !== 'prompt') return 0;
  return (block.attached ?? []).reduce((all, { tokens = 0 }) => all + tokens, 0);
}

function compactionIndex(blocks: readonly Block[]): number {
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

/** Tools that bring the text of notes and files into the context. */
const READING_TOOLS =
  /^(read|grep|glob|list|obsidian_(search_vault|list_notes|read_note|get_note_metadata))$/;

function partOf(block: Block): Exclude<ContextPart, 'system'> {
  if (block.kind !== 'tool') return 'conversation';
  return READING_TOOLS.test(block.tool) ? 'notes' : 'tools';
}

/** Sizes by block; blocks are immutable. */
const SIZES = new WeakMap<Block, number>();

function sizeOf(block: Block): number {
  const size = SIZES.get(block) ?? tokensIn(sentText(block));
  SIZES.set(block, size);
  return size;
}

/** The text of a block that is sent to the model again; reasoning is not. */
function sentText(block: Block): string {
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
