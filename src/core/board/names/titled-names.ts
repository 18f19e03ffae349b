import { isDeviceName, encodeName } from '../board-path';
import { byteLength } from '../answer/text-budget';
import { foldedPath } from '../journal';

/**
 * Maximum length of a title in a name, in bytes. Two titles, six characters of the session and an
 * agent's name stay below the 260 characters that Windows allows for a whole path.
 */
const MAX_TITLE_BYTES = 80;

/** Maximum length of a file name in bytes. */
const LONGEST = 255;

/** The longest suffix after an agent's name: that of the archive. */
const LONGEST_ENDING = '-tasks.archive.md'.length;

/** `<title> (<tail>)`; the name of a folder without a title has no blank. */
const TITLED_FOLDER = /^.+ \(([A-Za-z0-9_~-]{1,6})\)$/s;

/**
 * `<title> - <agent>-tasks.md`, or without the title; captures the name without the title. A suffix
 * added by a sync tool makes a copy, and is captured too.
 */
const TITLED_FILE =
  /^(?:.* - )?((?:[A-Za-z0-9_-]|~[0-9a-f]{2})+-(?:tasks(?:[ ._(].*)?|run-[A-Za-z0-9_-]+)\.md)$/s;

const BOARD_ENDING = /-(?:tasks(?:\.archive)?|run-[A-Za-z0-9_-]+)\.md$/;

/** The last six characters of a session's encoded id, used in the name of its folder. */
export function sessionTail(session: string): string {
  return encodeName(session, []).slice(-6);
}

/** The tail of a session's id in the name of a folder; undefined for a folder without a title. */
export function tailOf(folder: string): string | undefined {
  return TITLED_FOLDER.exec(folder)?.[1];
}

/** The name of a file without its title: boards, their archives, and notes of runs. */
export function plainFile(name: string): string {
  return TITLED_FILE.exec(name)?.[1] ?? name;
}

/** Whether a file's name begins with a title. */
export function isTitled(file: string): boolean {
  const name = file.slice(file.lastIndexOf('/') + 1);
  return plainFile(name) !== name;
}

/** The agent's encoded name at the start of a plain file name; undefined for other files. */
export function agentPart(plain: string): string | undefined {
  return plainFile(plain) === plain && BOARD_ENDING.test(plain)
    ? plain.replace(BOARD_ENDING, '')
    : undefined;
}

/**
 * The name of a session's folder with a title. A number after the title makes it differ from all
 * `taken` names, regardless of case and Unicode form.
 */
export function titledFolder(title: string, tail: string, taken: readonly string[]): string {
  const there = new Set(taken.map(foldName));
  for (let number = 1; ; number += 1) {
    const count = number === 1 ? '' : ` ${number}`;
    const name = `${legalTitle(title, MAX_TITLE_BYTES - count.length)}${count} (${tail})`;
    if (!there.has(foldName(name))) return name;
  }
}

/** The name of a board's note, its archive or the note of a run, with the board's title. */
export function titledFile(title: string, plain: string): string {
  const agent = agentPart(plain);
  if (agent === undefined) return plain;
  const most = LONGEST - LONGEST_ENDING - ' - '.length - agent.length;
  return `${legalTitle(title, Math.min(MAX_TITLE_BYTES, most))} - ${plain}`;
}

/**
 * Turns a title into the beginning of a name that is valid on every system: NFC, one line, without
 * invisible characters and those that Windows forbids or that break links; no dot or blank at
 * either end; no name of a Windows device before the first dot.
 * @param most maximum length in bytes of UTF-8
 */
export function legalTitle(title: string, most: number): string {
  const legal = title
    // Joiners are part of emoji and some scripts; the other such characters are invisible.
    .replace(/(?![\u200c\u200d\s])\p{C}/gu, '')
    .replace(/[\\/:*?"<>|#^[\]]/g, ' ')
    .replace(/\s+/g, ' ')
    .normalize('NFC');
  const named = trimmed(legal);
  const safe = isDeviceName((named.split('.')[0] ?? '').trimEnd()) ? `_${named}` : named;
  return trimmed(truncate(safe, most)) || 'Untitled';
}

function trimmed(text: string): string {
  return text.replace(/^[. \u200c\u200d]+|[. \u200c\u200d]+$/g, '');
}

/** Shortens a text to at most `most` bytes, without splitting characters as a person sees them. */
function truncate(text: string, most: number): string {
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

/** Upper case first, since some letters have one capital and two small forms. */
function foldName(name: string): string {
  return foldedPath(name.toUpperCase());
}
