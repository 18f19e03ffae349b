import { byteLength } from '../../protocol/frame-limits';
import { failed, type Ended } from './ended';
import { jsonSize } from './json-size';

/** UTF-8 bytes of an answer as JSON: what fits one message with its frame. */
const MOST_BYTES = 900_000;
/** Bytes that one UTF-16 unit can come to: `\u0000`. */
const MOST_OF_UNIT = 6;
/** Levels of metadata. */
const MOST_DEPTH = 32;

/** How a call ended, if that can be sent; else that it can't. What was done stays done, and is audited so. */
export function sendable(ended: Ended): Ended {
  const { outcome, result, more } = ended;
  if (!outcome.ok) return ended;
  if (!isJson(outcome.metadata, 0)) {
    return { ...failed(NO_JSON), ...(result === 'done' && { result, more }) };
  }
  // Most are far from too large, and so need not be written to be measured.
  if (jsonSize(outcome) * MOST_OF_UNIT <= MOST_BYTES) return ended;
  if (byteLength(JSON.stringify(outcome)) <= MOST_BYTES) return ended;
  return { ...failed(TOO_LARGE), ...(result === 'done' && { result, more }) };
}

const NO_JSON = {
  code: 'bad_answer',
  message: 'It was done, but its answer can’t be sent. Read the note or list the tasks to see it.',
};
const TOO_LARGE = {
  code: 'too_large',
  message:
    'It was done, but its answer is too long to be sent. Ask for less: a section, some lines, a smaller limit or a single task.',
};

function isJson(value: unknown, depth: number): boolean {
  if (value === null || ['string', 'boolean', 'undefined'].includes(typeof value)) return true;
  if (typeof value === 'number') return Number.isFinite(value);
  if (typeof value !== 'object' || depth === MOST_DEPTH) return false;
  const inside = Array.isArray(value) ? value : isPlain(value) ? Object.values(value) : undefined;
  return inside?.every((each) => isJson(each, depth + 1)) ?? false;
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
