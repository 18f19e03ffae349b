import { utf8Length } from '../../protocol/frame-limits';
import type { SnapshotState } from './engine';

type Message = SnapshotState['messages'][number];

/**
 * Maximum bytes of the JSON of one page: far below a frame, even if the largest prompt is alone on a
 * page.
 */
const PAGE_BYTES = 256 * 1024;

const MAX_TEXT = 8 * 1024;

/** For a run's prompt: its goal has up to 20,000 characters, and the task follows it. */
const MAX_PROMPT = 32 * 1024;

/**
 * The end that is kept of a cut prompt: longer than the instructions at the end of a run's prompt.
 */
const PROMPT_END = 8 * 1024;

/** Splits messages into pages that each fit into a frame; at least one page. */
export function splitIntoPages(messages: readonly Message[]): readonly (readonly Message[])[] {
  const pages: Message[][] = [[]];
  let bytes = 0;
  for (const one of messages) {
    const size = utf8Length(JSON.stringify(one));
    bytes += size;
    const page = pages.at(-1) ?? [];
    if (page.length === 0 || bytes <= PAGE_BYTES) page.push(one);
    else {
      pages.push([one]);
      bytes = size;
    }
  }
  return pages;
}

/** Cuts the text of an answer or a tool for the history. */
export function cutText(text: string): string {
  return text.length <= MAX_TEXT ? text : `${text.slice(0, MAX_TEXT)}…`;
}

/** Cuts a prompt for the history: keeps its beginning and its end. */
export function cutPrompt(text: string): string {
  if (text.length <= MAX_PROMPT) return text;
  const mark = '\n…\n';
  const beginning = text.slice(0, MAX_PROMPT - PROMPT_END - mark.length);
  return `${beginning}${mark}${text.slice(-PROMPT_END)}`;
}
