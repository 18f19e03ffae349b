import { defineTool, type Look, type Tool } from '../tool';
import { getNoteMetadata } from './definitions';
import type { FrontMatter } from './scan-note';
import { linkPath, noteFacts, type NoteFacts, type NoteLink } from './note-facts';
import { readAllowed, type VaultNotes } from './vault-notes';
import { noNote } from './read-note';
import { byteLength } from '../../board/answer/text-budget';

/** Links whose place is looked up. */
const MOST_LOOKED_UP = 200;

/** Characters of front matter that are told. */
const MOST_HEADER = 6_000;

/** What stands in a note and around it. Notes that may not be read are told of in no way. */
export function getNoteMetadataTool(notes: VaultNotes): Tool {
  return defineTool({
    ...getNoteMetadata,
    plan: ({ path: sent }) => ({
      kind: 'read',
      place: 'file',
      path: sent,
      run: async (look) => {
        const { path, real } = look.target;
        const stat = await notes.stat(real);
        const text = await readAllowed(notes, look, path, real);
        if (text === undefined || stat === undefined) return { ok: false, error: noNote(path) };
        const facts = noteFacts(text);
        const around = new Around(notes, look);
        const changed = new Date(stat.mtime).toISOString();
        const output = [
          `${path}: ${stat.size} bytes, ${facts.lines} lines, changed ${changed}`,
          ...headerLines(facts.frontMatter),
          ...factLines(
            'Tags',
            facts.tags.map((tag) => `#${tag}`),
          ),
          ...factLines('Headings', facts.headings.map(headingLine)),
          ...factLines(
            'Tasks',
            facts.tasks.map(({ line, mark, text: task }) => `${line}: [${mark}] ${task}`),
          ),
          ...factLines('Links', await around.linkLines(facts)),
          ...factLines('Backlinks', await around.backlinks()),
        ].join('\n');
        const metadata = {
          path,
          size: stat.size,
          mtime: stat.mtime,
          tags: facts.tags.slice(0, 50),
          headings: facts.headings.length,
          tasks: facts.tasks.length,
        };
        return { ok: true, title: path, output, metadata };
      },
    }),
  });
}

function headingLine({ line, level, text }: NoteFacts['headings'][number]): string {
  return `${line}: ${'#'.repeat(level)} ${text}`;
}

function headerLines(header: FrontMatter | undefined): readonly string[] {
  if (header === undefined) return [];
  if (!header.ok) return [header.reason];
  return [`Front matter: ${shortened(JSON.stringify(header.values), MOST_HEADER)}`];
}

/** Other notes, as far as they may be read. */
class Around {
  private readonly known = new Map<string, Promise<boolean>>();

  constructor(
    private readonly notes: VaultNotes,
    private readonly look: Look,
  ) {}

  async linkLines({ links }: NoteFacts): Promise<readonly string[]> {
    const lines: string[] = [];
    for (const link of links) {
      const to = lines.length < MOST_LOOKED_UP ? await this.destination(link) : undefined;
      lines.push(`${link.line}: ${written(link)}${to === undefined ? '' : ` → ${to}`}`);
    }
    return lines;
  }

  async backlinks(): Promise<readonly string[]> {
    const from: string[] = [];
    for (const path of this.notes.backlinks(this.look.target.path)) {
      if (await this.allows(path)) from.push(path);
    }
    return from;
  }

  private async destination(link: NoteLink): Promise<string | undefined> {
    const path = linkPath(link);
    if (path === undefined || path === '') return undefined;
    const to = this.notes.leadsTo(path, this.look.target.path);
    return to !== undefined && (await this.allows(to)) ? to : undefined;
  }

  private allows(path: string): Promise<boolean> {
    const known = this.known.get(path) ?? this.look.allows(path, 'file');
    this.known.set(path, known);
    return known;
  }
}

function written({ kind, embed, target }: NoteLink): string {
  return `${embed ? '!' : ''}${kind === 'wiki' ? `[[${target}]]` : `(${target})`}`;
}

/** Lines, and bytes, of one kind of facts that are told; there are six kinds, and 48,000 bytes in all. */
const MOST_LINES = 200;

const MOST_BYTES = 7_500;

/** Characters of one fact. */
const MOST_OF_ONE = 300;

/** A head with facts below it, as many as have room; nothing where there are none. */
function factLines(head: string, facts: readonly string[]): readonly string[] {
  if (facts.length === 0) return [];
  const told: string[] = [];
  let bytes = 0;
  for (const fact of facts) {
    const line = `  ${shortened(fact)}`;
    bytes += byteLength(line) + 1;
    if (told.length === MOST_LINES || bytes > MOST_BYTES) break;
    told.push(line);
  }
  const left = facts.length - told.length;
  return [`${head} (${facts.length}):`, ...told, ...(left > 0 ? [`  … ${left} more`] : [])];
}

/** At most so many characters, no half of one. */
function shortened(text: string, most = MOST_OF_ONE): string {
  if (text.length <= most) return text;
  return `${text.slice(0, most - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}
