import type { PermissionRequest } from '../../protocol/requests';
import { diffLines } from './diff-lines';
import { countWords } from './note-change';
import { noteName } from './note-name';

/** A permission request in words: the question, what it is in short, and what exactly is asked. */
export interface PermissionText {
  /** "Allow an edit of Index format?" */
  readonly question: string;
  /** after "Needs you": "Edit a note" */
  readonly short: string;
  /** "Note", "Command", "Address" */
  readonly label: string;
  /** one line each: the command, the paths, the addresses */
  readonly objects: readonly string[];
  /** the objects are paths of files */
  readonly files: boolean;
  /** files would be written */
  readonly edits: boolean;
  /** "6 lines added, 2 removed", where the request says what changes */
  readonly change: string | null;
}

type Words = Omit<PermissionText, 'objects' | 'files' | 'edits' | 'change'>;

const SEARCH = {
  question: 'Allow a search of your notes?',
  short: 'Search notes',
  label: 'Folder',
};

/** What OpenCode asks for, by the name of its permission. */
const WORDS: ReadonlyMap<string, Words> = new Map(
  Object.entries({
    bash: { question: 'Allow this command?', short: 'Run a command', label: 'Command' },
    webfetch: { question: 'Allow access to the web?', short: 'Use the web', label: 'Address' },
    websearch: { question: 'Allow a search of the web?', short: 'Search the web', label: 'Words' },
    external_directory: {
      question: 'Allow work outside this vault?',
      short: 'Work outside the vault',
      label: 'Folder',
    },
    doom_loop: {
      question: 'Let the agent repeat itself?',
      short: 'Repeat the same call',
      label: 'Call',
    },
    obsidian_search_vault: SEARCH,
    obsidian_list_notes: {
      ...SEARCH,
      question: 'Allow a list of your notes?',
      short: 'List notes',
    },
    tasks: { question: 'Allow this use of the board?', short: 'Use the board', label: 'Board' },
    task: { question: 'Allow a sub-agent?', short: 'Start a sub-agent', label: 'Agent' },
  }),
);

/** OpenCode's tools and ours for notes; what ours would write is asked about by ours, after this. */
const EDITS = new Set(['edit', 'write', 'patch', 'obsidian_create_note', 'obsidian_update_note']);
const READS = new Set(['read', 'obsidian_read_note', 'obsidian_get_note_metadata']);

/** What a request asks, in words for a person. Everything in it is plain text, never markup. */
export function permissionText(request: PermissionRequest): PermissionText {
  const { permission } = request;
  const objects = objectsOf(request);
  const named = WORDS.get(permission) ?? fileWords(permission, objects);
  const unknown = {
    question: `Allow ${permission}?`,
    short: `Use ${permission}`,
    label: 'Asked for',
  };
  const edits = EDITS.has(permission);
  const files = edits || READS.has(permission);
  const words = named ?? unknown;
  return { ...words, objects, files, edits, change: countWords(diffLines(request)) ?? null };
}

function fileWords(permission: string, paths: readonly string[]): Words | undefined {
  const [first = ''] = paths;
  const label = first.endsWith('.md') ? 'Note' : 'File';
  if (READS.has(permission)) {
    const short = `Read a ${label.toLowerCase()}`;
    return { question: `Allow reading ${noteName(first)}?`, short, label };
  }
  if (!EDITS.has(permission)) return undefined;
  const what = paths.length > 1 ? 'these files' : noteName(first);
  return { question: `Allow an edit of ${what}?`, short: `Edit a ${label.toLowerCase()}`, label };
}

/** The whole command, path or address where the request carries it, else what it was asked by. */
function objectsOf({ metadata, patterns }: PermissionRequest): readonly string[] {
  const text = (field: string) => {
    const value = metadata[field];
    return typeof value === 'string' && value !== '' ? value : undefined;
  };
  const command = text('command');
  if (command !== undefined) return [command];
  if (patterns.length > 1) return patterns;
  const path = text('filepath') ?? text('filePath') ?? text('url');
  return path === undefined ? patterns : [path];
}
