import { markClose, markerEnd, skipBlanks } from '../../board/note/list-item';
import { readFrontMatter, textsOf, type FrontMatter } from './front-matter';
import { linksIn, tagsIn, withoutCode, type NoteLink } from './inline-marks';
import { scanNote, type NoteHeading } from './scan-note';

/** A line with a checkbox. */
export interface NoteTask {
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
  const frontMatter = place && readFrontMatter(text.slice(place.from, place.to));
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
