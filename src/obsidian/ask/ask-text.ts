import type { Ask, NoteChange } from '../../core/permission/ask';
import { noteName } from '../ui/text';
import { diffLines, textDiff, type DiffLine } from '../ui/text-diff';
import type { PermissionRequest } from '../../protocol/snapshot';

/** What one of our tools asks, in words. Everything in it is plain text, never markup. */
export function askText(ask: Ask) {
  const { change } = ask;
  const shown = change === undefined || change === 'restricted' ? undefined : changeView(change);
  const words = askWords(ask);
  return {
    ...words,
    /** "6 lines added, 2 removed · 2.1 kB to 2.3 kB" */
    change: shown?.words,
    /** of the region that shows what is written */
    changeName: `Change to ${noteName(words.object)}`,
    /** what the agent sent, where the change does not show it: one entry each */
    sent: shown === undefined ? sentLines(ask) : [],
  };
}

/** The beginning of the question about a note, and in short what is asked. */
const NOTE_WORDS = {
  update: ['Allow an edit of', 'Edit a note'],
  create: ['Create the note', 'Create a note'],
  delete: ['Allow deleting', 'Delete a note'],
  read: ['Allow reading', 'Read a note'],
} as const;

/** The question, in short what stands after "Needs you", and the kind and path of what it is about. */
function askWords({ operation, tool, path = '' }: Ask) {
  if (operation === 'tasks') {
    const object = path === '' ? 'the board of this session' : path;
    return { ...words('Allow this use of the board?', 'Use the board', 'Board'), object };
  }
  const folder = path === '' ? 'the whole vault' : path;
  const inFolder = (question: string, short: string) => ({
    ...words(`${question} in ${folder}?`, short, 'Folder'),
    object: folder,
  });
  if (operation === 'read' && tool === 'obsidian.search_vault') {
    return inFolder('Allow a search', 'Search notes');
  }
  if (operation === 'read' && tool === 'obsidian.list_notes') {
    return inFolder('Allow a list of the notes', 'List notes');
  }
  const [question, short] = NOTE_WORDS[operation];
  return { ...words(`${question} ${noteName(path)}?`, short, 'Note'), object: path };
}

/** @param short stands after "Needs you": "Edit a note" @param label of what it is about: "Command" */
function words(question: string, short: string, label: string) {
  return { question, short, label };
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
const views = new WeakMap<NoteChange, { lines: readonly DiffLine[]; words: string }>();

export function changeView(change: NoteChange) {
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

/** What OpenCode, or an MCP server, asks for, by the name of its permission. */
const WORDS: ReadonlyMap<string, ReturnType<typeof words>> = new Map([
  ['bash', words('Allow this command?', 'Run a command', 'Command')],
  ['webfetch', words('Allow access to the web?', 'Use the web', 'Address')],
  ['websearch', words('Allow a search of the web?', 'Search the web', 'Words')],
  [
    'external_directory',
    words('Allow work outside this vault?', 'Work outside the vault', 'Folder'),
  ],
  ['doom_loop', words('Let the agent repeat itself?', 'Repeat the same call', 'Call')],
  ['obsidian_search_vault', words('Allow a search of your notes?', 'Search notes', 'Folder')],
  ['obsidian_list_notes', words('Allow a list of your notes?', 'List notes', 'Folder')],
  ['tasks', words('Allow this use of the board?', 'Use the board', 'Board')],
  ['task', words('Allow a sub-agent?', 'Start a sub-agent', 'Agent')],
  ['resume', words('Let the agent go on with this board?', 'Take over a board', 'Board')],
]);

/** OpenCode's tools and ours for notes; what ours would write is asked about by ours, after this. */
const EDITS = new Set(['edit', 'write', 'patch', 'obsidian_create_note', 'obsidian_update_note']);

const READS = new Set(['read', 'obsidian_read_note', 'obsidian_get_note_metadata']);

/**
 * Describes a request of OpenCode for a person. `objects` are its exact objects, one line each; `change` is
 * "6 lines added, 2 removed" if the request has a change. Everything in it is plain text, never markup.
 */
export function permissionText(request: PermissionRequest) {
  const { permission } = request;
  const objects = objectsOf(request);
  const edits = EDITS.has(permission);
  const files = edits || READS.has(permission);
  const unknown = words(`Allow ${permission}?`, `Use ${permission}`, 'Asked for');
  const known = WORDS.get(permission) ?? (files ? fileWords(edits, objects) : unknown);
  return { ...known, objects, files, edits, change: countWords(diffLines(request)) ?? null };
}

function fileWords(edits: boolean, paths: readonly string[]) {
  const [first = ''] = paths;
  const label = first.endsWith('.md') ? 'Note' : 'File';
  const kind = label.toLowerCase();
  if (!edits) return words(`Allow reading ${noteName(first)}?`, `Read a ${kind}`, label);
  const what = paths.length > 1 ? 'these files' : noteName(first);
  return words(`Allow an edit of ${what}?`, `Edit a ${kind}`, label);
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
