import { utf8Length } from '../../protocol/frame-limits';
import type { SnapshotState } from './engine';

type Message = SnapshotState['messages'][number];

/** Of the JSON of one page: far under a frame, also with the largest prompt alone on it. */
const PAGE_BYTES = 256 * 1024;

const MOST_TEXT = 8 * 1024;

/** A prompt of a run: its goal has up to 20,000 characters, and its task stands behind it. */
const MOST_PROMPT = 32 * 1024;

/** Of a prompt that is cut: the instructions of a run, which end it, are shorter. */
const PROMPT_END = 8 * 1024;

/** Messages in pages that fit into a frame each; at least one. */
export function inPages(messages: readonly Message[]): readonly (readonly Message[])[] {
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

/** Words of an answer or a tool as the history has them. */
export function cutText(text: string): string {
  return text.length <= MOST_TEXT ? text : `${text.slice(0, MOST_TEXT)}…`;
}

/** A prompt as the history has it: its beginning and its end. */
export function cutPrompt(text: string): string {
  if (text.length <= MOST_PROMPT) return text;
  const mark = '\n…\n';
  const beginning = text.slice(0, MOST_PROMPT - PROMPT_END - mark.length);
  return `${beginning}${mark}${text.slice(-PROMPT_END)}`;
}
