import { markClose, markerEnd, skipBlanks } from '../../board/note/lines';
import { readNoteHeader, scanNote, textsOf, type FrontMatter, type NoteHeading } from './scan-note';
import { codeSpans, maskCode } from '../../board/note/code-spans';

/** A line with a checkbox. */
interface NoteTask {
  readonly line: number;
  /** between the brackets */
  readonly mark: string;
  readonly text: string;
}

/** What a note says of itself, read from its text alone. */
export interface NoteFacts {
  /** undefined for none */
  readonly frontMatter: FrontMatter | undefined;
  /** without `#`, each once, as first written */
  readonly tags: readonly string[];
  readonly links: readonly (NoteLink & { readonly line: number })[];
  readonly headings: readonly NoteHeading[];
  readonly tasks: readonly NoteTask[];
  readonly lines: number;
}

/** What stands in code and comments is no tag, link or task. */
export function noteFacts(text: string): NoteFacts {
  const { frontMatter: place, headings, prose, starts } = scanNote(text);
  const frontMatter = place && readNoteHeader(text.slice(place.from, place.to));
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
  return { frontMatter, tags: once(tags), links, headings, tasks, lines: starts.length };
}

function headerTags(values: Readonly<Record<string, unknown>>): string[] {
  return textsOf(values, ['tags', 'tag'])
    .flatMap((text) => text.split(/[,\s]+/))
    .map((tag) => tag.replace(/^#/, ''))
    .filter((tag) => tag !== '');
}

/** Tags are the same in any case. */
function once(tags: readonly string[]): readonly string[] {
  const seen = new Map<string, string>();
  for (const tag of tags) {
    const key = tag.toLowerCase();
    if (!seen.has(key)) seen.set(key, tag);
  }
  return [...seen.values()];
}

/** In quotes and callouts too. */
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

/** A link as it is written in a note. */
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

/** A line with its code spans taken out; offsets stay. */
function withoutCode(line: string): string {
  return line.includes('`') ? maskCode(line, codeSpans(line, true)) : line;
}

/** Links of a line whose code was taken out, those to the web included. */
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

/** Tags of a line whose code was taken out, without `#`. A number alone is none. */
function tagsIn(line: string): readonly string[] {
  if (!line.includes('#')) return [];
  return [...line.matchAll(TAG)]
    .map(([, tag = '']) => tag.replace(/\/+$/, ''))
    .filter((tag) => /[^\d/]/.test(tag));
}

/** What a link says of the place it leads to: the path of a note, without heading or block; undefined for the web. */
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
