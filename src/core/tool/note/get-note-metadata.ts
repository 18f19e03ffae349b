import { defineTool, type ReadAccess, type Tool } from '../tool';
import { getNoteMetadata } from './definitions';
import type { FrontMatter } from './scan-note';
import { linkPath, noteFacts, type NoteFacts } from './note-facts';
import { readAllowed, type VaultNotes } from './vault-notes';
import { suggestNote, noteNotFound } from './suggest-note';
import { byteLength } from '../../board/answer/text-budget';
import { shortened } from '../../board/find-task';

/** Most links whose target is looked up. */
const MAX_LOOKED_UP = 200;

/** Most characters of front matter that are shown. */
const MAX_HEADER = 6_000;

/**
 * Tool that reports a note's metadata and links. Says nothing about notes that the agent may not
 * read.
 */
export function getNoteMetadataTool(notes: VaultNotes): Tool {
  return defineTool({
    ...getNoteMetadata,
    plan: ({ path: sent }) => ({
      kind: 'read',
      place: 'file',
      path: sent,
      run: async (access) => {
        const { path, real } = access.target;
        const stat = await notes.stat(real);
        const text = await readAllowed(notes, access, path, real);
        if (text === undefined || stat === undefined) {
          const meant = await suggestNote(notes, path, (one) => access.allows(one, 'file'));
          return { ok: false, error: noteNotFound(path, meant) };
        }
        const facts = noteFacts(text);
        const { links, backlinks } = await readableLinks(notes, access, facts.links);
        const changed = new Date(stat.mtime).toISOString();
        const output = [
          `${path}: ${stat.size} bytes, ${facts.lines} lines, changed ${changed}`,
          ...headerLines(facts.frontMatter),
          ...factLines('Tags', facts.tags, (tag) => `#${tag}`),
          ...factLines('Headings', facts.headings, ({ line, level, text: heading }) => {
            return `${line}: ${'#'.repeat(level)} ${heading}`;
          }),
          ...factLines('Tasks', facts.tasks, (task) => `${task.line}: [${task.mark}] ${task.text}`),
          ...factLines('Links', links, String),
          ...factLines('Backlinks', backlinks, String),
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

function headerLines(header: FrontMatter | undefined): readonly string[] {
  if (header === undefined) return [];
  if (!header.ok) return [header.reason];
  return [`Front matter: ${shortened(JSON.stringify(header.values), MAX_HEADER)}`];
}

/** Links and backlinks. Names other notes only if the agent may read them. */
async function readableLinks(notes: VaultNotes, access: ReadAccess, links: NoteFacts['links']) {
  const known = new Map<string, Promise<boolean>>();
  const allows = (path: string): Promise<boolean> => {
    const allowed = known.get(path) ?? access.allows(path, 'file');
    known.set(path, allowed);
    return allowed;
  };
  // At once, so that they share one look at the files of the vault.
  const targets = await Promise.all(
    links.slice(0, MAX_LOOKED_UP).map(async (link) => {
      const path = linkPath(link) ?? '';
      const to = path === '' ? undefined : await notes.leadsTo(path, access.target.path);
      return to !== undefined && (await allows(to)) ? ` → ${to}` : '';
    }),
  );
  const linkLines = links.map(({ line, kind, embed, target }, at) => {
    const written = kind === 'wiki' ? `[[${target}]]` : `(${target})`;
    return `${line}: ${embed ? '!' : ''}${written}${targets[at] ?? ''}`;
  });
  const backlinks: string[] = [];
  for (const path of await notes.backlinks(access.target.path)) {
    if (await allows(path)) backlinks.push(path);
  }
  return { links: linkLines, backlinks };
}

/** Most lines and bytes for one kind of facts. There are six kinds, and 48,000 bytes in all. */
const MAX_LINES = 200;

const MAX_BYTES = 7_500;

/** Most characters of one fact. */
const MAX_FACT_CHARS = 300;

/** A heading with as many facts as fit; empty if there are none. */
function factLines<F>(head: string, facts: readonly F[], say: (fact: F) => string) {
  if (facts.length === 0) return [];
  const lines: string[] = [];
  let bytes = 0;
  for (const fact of facts) {
    const line = `  ${shortened(say(fact), MAX_FACT_CHARS)}`;
    bytes += byteLength(line) + 1;
    if (lines.length === MAX_LINES || bytes > MAX_BYTES) break;
    lines.push(line);
  }
  const left = facts.length - lines.length;
  return [`${head} (${facts.length}):`, ...lines, ...(left > 0 ? [`  … ${left} more`] : [])];
}
