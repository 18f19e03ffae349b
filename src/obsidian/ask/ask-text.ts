import type { Ask, NoteChange } from '../../core/permission/ask';
import { noteName } from '../ui/text';
import { diffLines, textDiff, type DiffLine } from '../ui/text-diff';
import type { PermissionRequest } from '../../protocol/snapshot';

/** What one of our tools asks, in words. Everything in it is plain text, never markup. */
export interface AskText {
  /** "Allow an edit of Index format?" */
  readonly question: string;
  /** after "Needs you": "Edit a note" */
  readonly short: string;
  /** "Note", "Folder", "Board" */
  readonly label: string;
  /** path of the note or folder */
  readonly object: string;
  /** "6 lines added, 2 removed · 2.1 kB to 2.3 kB" */
  readonly change: string | undefined;
  /** of the region that shows what is written */
  readonly changeName: string;
  /** what the agent sent, where the change does not show it: one entry each */
  readonly sent: readonly string[];
}

type Words = Pick<AskText, 'question' | 'short' | 'label' | 'object'>;

export function askText(ask: Ask): AskText {
  const { change } = ask;
  const shown = change === undefined || change === 'restricted' ? undefined : changeView(change);
  const words = askWords(ask);
  return {
    ...words,
    change: shown?.words,
    changeName: `Change to ${noteName(words.object)}`,
    sent: shown === undefined ? sentLines(ask) : [],
  };
}

function askWords(ask: Ask): Words {
  const { operation, tool } = ask;
  const object = ask.path ?? '';
  const note = { label: 'Note', object };
  const name = noteName(object);
  switch (operation) {
    case 'update':
      return { question: `Allow an edit of ${name}?`, short: 'Edit a note', ...note };
    case 'create':
      return { question: `Create the note ${name}?`, short: 'Create a note', ...note };
    case 'delete':
      return { question: `Allow deleting ${name}?`, short: 'Delete a note', ...note };
    case 'read':
      return (
        readWords(tool, object) ?? {
          ...{ question: `Allow reading ${name}?`, short: 'Read a note' },
          ...note,
        }
      );
    case 'tasks':
      return {
        ...{ question: 'Allow this use of the board?', short: 'Use the board' },
        ...{ label: 'Board', object: object === '' ? 'the board of this session' : object },
      };
  }
}

/** Of tools that look into a folder. */
function readWords(tool: string, path: string): Words | undefined {
  const folder = path === '' ? 'the whole vault' : path;
  const place = { label: 'Folder', object: folder };
  if (tool === 'obsidian.search_vault') {
    return { question: `Allow a search in ${folder}?`, short: 'Search notes', ...place };
  }
  if (tool !== 'obsidian.list_notes') return undefined;
  return { question: `Allow a list of the notes in ${folder}?`, short: 'List notes', ...place };
}

/** Fields of arguments that the dialog shows by itself, or that say nothing about what is done. */
const TOLD = new Set(['path', 'folder', 'dryRun']);

/**
 * What the agent sent, readable and whole: an operation on the board is one entry ("complete · id:
 * 3"), any other argument one, too ("query: index").
 */
function sentLines({ args, operation }: Pick<Ask, 'args' | 'operation'>): readonly string[] {
  const fields = fieldsOf(args);
  const operations = new Map(fields).get('operations');
  if (operation === 'tasks' && Array.isArray(operations)) {
    const rest = fields.filter(([name]) => name !== 'operations');
    return [...operations.map(operationLine), ...rest.map(fieldWords)];
  }
  const told = operation === 'tasks' ? fields : fields.filter(([name]) => !TOLD.has(name));
  return told.map(fieldWords);
}

function operationLine(operation: unknown): string {
  const fields = fieldsOf(operation);
  if (fields.length === 0) return textOf(operation);
  const type = new Map(fields).get('type');
  const rest = fields.filter(([name]) => name !== 'type').map(fieldWords);
  return [textOf(type ?? 'no type'), ...rest].join(' · ');
}

function fieldsOf(value: unknown): readonly (readonly [string, unknown])[] {
  return typeof value === 'object' && value !== null ? Object.entries(value) : [];
}

function fieldWords([name, value]: readonly [string, unknown]): string {
  return `${name}: ${textOf(value)}`;
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  return value === undefined ? 'nothing' : JSON.stringify(value);
}

/** A change as it is shown: computed once, however often it is drawn. */
interface ChangeView {
  readonly lines: readonly DiffLine[];
  /** "6 lines added, 2 removed · 2.1 kB to 2.3 kB" */
  readonly words: string;
}

const views = new WeakMap<NoteChange, ChangeView>();

export function changeView(change: NoteChange): ChangeView {
  let view = views.get(change);
  if (view === undefined) {
    const lines = textDiff(change.before ?? '', change.after);
    view = { lines, words: `${countWords(lines) ?? 'No line changes'} · ${sizeWords(change)}` };
    views.set(change, view);
  }
  return view;
}

const NO_LINES: readonly DiffLine[] = [];

/** The lines of what would be written; none where nothing is, or it may not be shown. */
export function askLines({ change }: Pick<Ask, 'change'>): readonly DiffLine[] {
  return change === undefined || change === 'restricted' ? NO_LINES : changeView(change).lines;
}

/** "6 lines added, 2 removed"; undefined where there is neither. */
function countWords(lines: readonly DiffLine[]): string | undefined {
  let [added, removed] = [0, 0];
  for (const { kind } of lines) {
    if (kind === 'added') added += 1;
    if (kind === 'removed') removed += 1;
  }
  if (added === 0) return removed === 0 ? undefined : `${linesOf(removed)} removed`;
  const also = removed === 0 ? '' : `, ${removed.toLocaleString('en')} removed`;
  return `${linesOf(added)} added${also}`;
}

function linesOf(count: number): string {
  return count === 1 ? '1 line' : `${count.toLocaleString('en')} lines`;
}

function sizeWords({ before, after }: NoteChange): string {
  const now = bytesWords(after);
  return before === undefined ? now : `${bytesWords(before)} to ${now}`;
}

/** "312 bytes", "2.1 kB": a kB has 1,000 bytes. */
function bytesWords(text: string): string {
  const bytes = new TextEncoder().encode(text).length;
  if (bytes < 1_000) return bytes === 1 ? '1 byte' : `${bytes} bytes`;
  const digits = { minimumFractionDigits: 1, maximumFractionDigits: 1 };
  return bytes < 1_000_000
    ? `${(bytes / 1_000).toLocaleString('en', digits)} kB`
    : `${(bytes / 1_000_000).toLocaleString('en', digits)} MB`;
}

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

type PermissionWords = Omit<PermissionText, 'objects' | 'files' | 'edits' | 'change'>;

const SEARCH = {
  question: 'Allow a search of your notes?',
  short: 'Search notes',
  label: 'Folder',
};

/** What OpenCode asks for, by the name of its permission. */
const WORDS: ReadonlyMap<string, PermissionWords> = new Map(
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

function fileWords(permission: string, paths: readonly string[]): PermissionWords | undefined {
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
