import { isDeviceName, encodeName } from '../board-path';
import { byteLength } from '../answer/text-budget';
import { keyText } from '../journal';

/**
 * Most bytes of a title in a name. Two of them, a session's six characters and an agent's name stay
 * below the 260 characters that a whole path may have on Windows.
 */
const TITLE = 80;

/** Bytes that file systems allow for a name. */
const LONGEST = 255;

/** The longest that follows an agent's name: the note of its archive. */
const LONGEST_ENDING = '-tasks.archive.md'.length;

/** `<title> (<tail>)`; a folder that is named by its session has no blank. */
const TITLED_FOLDER = /^.+ \(([A-Za-z0-9_~-]{1,6})\)$/s;

/**
 * `<title> - <agent>-tasks.md`, or without the title; what the file is called without it is kept. What a
 * sync tool puts behind that makes a copy, which keeps the title off too.
 */
const TITLED_FILE =
  /^(?:.* - )?((?:[A-Za-z0-9_-]|~[0-9a-f]{2})+-(?:tasks(?:[ ._(].*)?|run-[A-Za-z0-9_-]+)\.md)$/s;

const BOARD_ENDING = /-(?:tasks(?:\.archive)?|run-[A-Za-z0-9_-]+)\.md$/;

/** The end of a session's id that stands in the name of its folder. */
export function sessionTail(session: string): string {
  return encodeName(session, []).slice(-6);
}

/** The end of a session's id in the name of a folder; undefined for a folder that has no title. */
export function tailOf(folder: string): string | undefined {
  return TITLED_FOLDER.exec(folder)?.[1];
}

/** What a file in a session's folder is called without a title: boards, their archives, and notes of runs. */
export function plainFile(name: string): string {
  return TITLED_FILE.exec(name)?.[1] ?? name;
}

/** Whether a file's name begins with a title. */
export function isTitled(file: string): boolean {
  const name = file.slice(file.lastIndexOf('/') + 1);
  return plainFile(name) !== name;
}

/** The name of the agent that a plain file name begins with, as the name has it; undefined for other files. */
export function agentPart(plain: string): string | undefined {
  return plainFile(plain) === plain && BOARD_ENDING.test(plain)
    ? plain.replace(BOARD_ENDING, '')
    : undefined;
}

/**
 * The name of a session's folder by a title. A number behind the title keeps it apart from `taken`,
 * whatever case and Unicode form a disk compares by.
 */
export function titledFolder(title: string, tail: string, taken: readonly string[]): string {
  const there = new Set(taken.map(folded));
  for (let number = 1; ; number += 1) {
    const count = number === 1 ? '' : ` ${number}`;
    const name = `${legalTitle(title, TITLE - count.length)}${count} (${tail})`;
    if (!there.has(folded(name))) return name;
  }
}

/** The name of a board's note, its archive or the note of a run by the board's title. */
export function titledFile(title: string, plain: string): string {
  const agent = agentPart(plain);
  if (agent === undefined) return plain;
  const most = LONGEST - LONGEST_ENDING - ' - '.length - agent.length;
  return `${legalTitle(title, Math.min(TITLE, most))} - ${plain}`;
}

/**
 * A title as the beginning of a name that every system takes: NFC, one line, without the characters
 * that Windows forbids, that break links, or that nobody sees; no dot or blank at either end; no name
 * of a Windows device before its first dot.
 * @param most bytes of UTF-8
 */
export function legalTitle(title: string, most: number): string {
  const legal = title
    // Joiners hold emoji and letters of some scripts together; all else of this kind is invisible or private.
    .replace(/(?![\u200c\u200d\s])\p{C}/gu, '')
    .replace(/[\\/:*?"<>|#^[\]]/g, ' ')
    .replace(/\s+/g, ' ')
    .normalize('NFC');
  const named = trimmed(legal);
  const safe = isDeviceName((named.split('.')[0] ?? '').trimEnd()) ? `_${named}` : named;
  return trimmed(cut(safe, most)) || 'Untitled';
}

function trimmed(text: string): string {
  return text.replace(/^[. \u200c\u200d]+|[. \u200c\u200d]+$/g, '');
}

/** Whole characters, as a person sees them, up to so many bytes. */
function cut(text: string, most: number): string {
  if (byteLength(text) <= most) return text;
  let kept = '';
  let bytes = 0;
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    bytes += byteLength(segment);
    if (bytes > most) break;
    kept += segment;
  }
  return kept;
}

/** Upper case first: some letters have one capital and two small forms. */
function folded(name: string): string {
  return keyText(name.toUpperCase());
}
