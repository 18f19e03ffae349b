import { codeSpans, maskCode } from '../../board/note/code-spans';

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
export function withoutCode(line: string): string {
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
export function tagsIn(line: string): readonly string[] {
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
