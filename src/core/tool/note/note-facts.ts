import { markClose, markerEnd, skipBlanks } from '../../board/note/lines';
import {
  parseFrontMatter,
  scanNote,
  frontMatterTexts,
  type FrontMatter,
  type NoteHeading,
} from './scan-note';
import { codeSpans, maskCode } from '../../board/note/code-spans';

/** A line with a checkbox. */
interface NoteTask {
  readonly line: number;
  /** the character between the brackets */
  readonly mark: string;
  readonly text: string;
}

/** The facts that can be read from a note's text alone. */
export interface NoteFacts {
  /** undefined if there is none */
  readonly frontMatter: FrontMatter | undefined;
  /** without `#`, without duplicates, in the spelling of the first occurrence */
  readonly tags: readonly string[];
  readonly links: readonly (NoteLink & { readonly line: number })[];
  readonly headings: readonly NoteHeading[];
  readonly tasks: readonly NoteTask[];
  readonly lines: number;
}

/** Extracts a note's facts. Ignores tags, links and tasks in code and comments. */
export function noteFacts(text: string): NoteFacts {
  const { frontMatter: place, headings, prose, starts } = scanNote(text);
  const frontMatter = place && parseFrontMatter(text.slice(place.from, place.to));
  const tags = frontMatter?.ok === true ? headerTags(frontMatter.values) : [];
  const links: (NoteLink & { readonly line: number })[] = [];
  const tasks: NoteTask[] = [];
  for (const { line, start, end } of prose) {
    const raw = text.slice(start, end);
    const task = taskIn(raw);
    if (task !== undefined) tasks.push({ line, ...task });
    const words = withoutCode(raw);
    tags.push(...tagsIn(words));
    for (const link of linksIn(words)) links.push({ ...link, line });
  }
  return { frontMatter, tags: uniqueTags(tags), links, headings, tasks, lines: starts.length };
}

function headerTags(values: Readonly<Record<string, unknown>>): string[] {
  return frontMatterTexts(values, ['tags', 'tag'])
    .flatMap((text) => text.split(/[,\s]+/))
    .map((tag) => tag.replace(/^#/, ''))
    .filter((tag) => tag !== '');
}

/** Removes duplicates, ignoring case. */
function uniqueTags(tags: readonly string[]): readonly string[] {
  const seen = new Map<string, string>();
  for (const tag of tags) {
    const key = tag.toLowerCase();
    if (!seen.has(key)) seen.set(key, tag);
  }
  return [...seen.values()];
}

/** Parses a task line, also in quotes and callouts. */
function taskIn(line: string): Omit<NoteTask, 'line'> | undefined {
  const end = line.length;
  let at = skipBlanks(line, line.startsWith('\uFEFF') ? 1 : 0, end);
  while (line.charCodeAt(at) === 0x3e) at = skipBlanks(line, at + 1, end);
  const marker = markerEnd(line, at, end);
  if (marker < 0) return undefined;
  const box = skipBlanks(line, marker, end);
  const close = markClose(line, box, end);
  if (close < 0) return undefined;
  return { mark: line.slice(box + 1, close), text: line.slice(close + 1).trim() };
}

/** A link as written in a note. */
export interface NoteLink {
  /** `[[…]]`, or `[…](…)` */
  readonly kind: 'wiki' | 'markdown';
  readonly embed: boolean;
  /** without alias and title, as written */
  readonly target: string;
}

const WIKI = /(!?)\[\[([^[\]\r\n]+)\]\]/g;

const MARKDOWN =
  /(!?)\[[^[\]]*\]\((?:<([^<>]*)>|([^()\s<][^()\s]*(?:\([^()\s]*\)[^()\s]*)*))(?:[ \t]+"[^"]*")?[ \t]*\)/g;

const TAG = /(?:^|[\s>])#([\p{L}\p{N}\p{M}\p{Extended_Pictographic}_/-]+)/gu;

/** The line with its code spans masked. Offsets stay the same. */
function withoutCode(line: string): string {
  return line.includes('`') ? maskCode(line, codeSpans(line, true)) : line;
}

/** Links of a line without code, including links to the web. */
export function linksIn(line: string): readonly NoteLink[] {
  if (!line.includes('](') && !line.includes('[[')) return [];
  const wiki = [...line.matchAll(WIKI)].map(([, bang, inside = '']): NoteLink => {
    const target = inside.split('|', 1)[0] ?? '';
    return { kind: 'wiki', embed: bang === '!', target: target.trim() };
  });
  const markdown = [...line.matchAll(MARKDOWN)].map(([, bang, angled, plain = '']): NoteLink => {
    return { kind: 'markdown', embed: bang === '!', target: angled ?? plain };
  });
  return [...wiki, ...markdown].filter(({ target }) => target !== '');
}

/** Tags of a line without code, without `#`. A number alone is not a tag. */
function tagsIn(line: string): readonly string[] {
  if (!line.includes('#')) return [];
  return [...line.matchAll(TAG)]
    .map(([, tag = '']) => tag.replace(/\/+$/, ''))
    .filter((tag) => /[^\d/]/.test(tag));
}

/** The note path in a link, without heading or block; undefined for a web address. */
export function linkPath({ kind, target }: NoteLink): string | undefined {
  if (kind === 'markdown' && /^(?:[a-z][a-z0-9+.-]*:|\/\/)/i.test(target)) return undefined;
  const path = target.split('#', 1)[0] ?? '';
  return kind === 'markdown' ? decoded(path) : path;
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch (error) {
    if (error instanceof URIError) return path;
    throw error;
  }
}
