import {
  namedReplies,
  type ToolPermissionRequest,
  type NoteChange,
} from '../../core/permission/ask';
import { noteName } from '../ui/text';
import { diffLines, textDiff, type DiffLine } from '../ui/text-diff';
import type { PermissionRequest } from '../../protocol/snapshot';
import { languageCode, t } from '../language/text';

/** The texts of a request of one of our tools. All are plain text, never markup. */
export function askText(ask: ToolPermissionRequest) {
  const { change } = ask;
  const shown = change === undefined || change === 'restricted' ? undefined : changeView(change);
  const words = askWords(ask);
  return {
    ...words,
    /** "6 lines added, 2 removed · 2.1 kB to 2.3 kB" */
    change: shown?.words,
    /** name of the region that shows the change */
    changeName: t('ask.changeTo', { note: noteName(words.object) }),
    /** what the agent sent, one entry each, if no change is shown */
    sent: shown === undefined ? sentLines(ask) : [],
  };
}

/** The question, its short form after "Needs you", and the kind and path of its object. */
function askWords({ operation, tool, path = '' }: ToolPermissionRequest) {
  if (operation === 'tasks') {
    const object = path === '' ? t('ask.boardOfSession') : path;
    return {
      ...requestTexts(t('ask.boardQuestion'), t('ask.boardShort'), t('common.board')),
      object,
    };
  }
  const folder = path === '' ? t('ask.theWholeVault') : path;
  const inFolder = (question: string, short: string) => ({
    ...requestTexts(question, short, t('ask.folder')),
    object: folder,
  });
  if (operation === 'read' && tool === 'obsidian.search_vault') {
    return inFolder(t('ask.searchInQuestion', { folder }), t('ask.searchNotesShort'));
  }
  if (operation === 'read' && tool === 'obsidian.list_notes') {
    return inFolder(t('ask.listInQuestion', { folder }), t('ask.listNotesShort'));
  }
  const question = t(`ask.${operation}Question`, { note: noteName(path) });
  return { ...requestTexts(question, t(`ask.${operation}Short`), t('ask.note')), object: path };
}

/**
 * @param short shown after "Needs you": "Edit a note"
 * @param label of the object: "Command"
 */
function requestTexts(question: string, short: string, label: string) {
  return { question, short, label };
}

/** Arguments that the dialog shows elsewhere, or that do not affect the action. */
const SHOWN_ELSEWHERE = new Set(['path', 'folder', 'dryRun']);

/**
 * What the agent sent, readable and complete. Each operation on the board is one entry ("complete ·
 * id: 3"), and so is any other argument ("query: index").
 */
function sentLines({
  args,
  operation,
}: Pick<ToolPermissionRequest, 'args' | 'operation'>): readonly string[] {
  const fields = fieldsOf(args);
  const operations = new Map(fields).get('operations');
  if (operation === 'tasks' && Array.isArray(operations)) {
    const rest = fields.filter(([name]) => name !== 'operations');
    return [...operations.map(operationLine), ...rest.map(fieldWords)];
  }
  const shownFields =
    operation === 'tasks' ? fields : fields.filter(([name]) => !SHOWN_ELSEWHERE.has(name));
  return shownFields.map(fieldWords);
}

function operationLine(operation: unknown): string {
  const fields = fieldsOf(operation);
  if (fields.length === 0) return textOf(operation);
  const type = new Map(fields).get('type');
  const rest = fields.filter(([name]) => name !== 'type').map(fieldWords);
  return [textOf(type ?? t('ask.noType')), ...rest].join(' · ');
}

function fieldsOf(value: unknown): readonly (readonly [string, unknown])[] {
  return typeof value === 'object' && value !== null ? Object.entries(value) : [];
}

function fieldWords([name, value]: readonly [string, unknown]): string {
  return `${name}: ${textOf(value)}`;
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  return value === undefined ? t('ask.nothing') : JSON.stringify(value);
}

/** The displayed form of each change, computed once. */
const changeViews = new WeakMap<NoteChange, { lines: readonly DiffLine[]; words: string }>();

export function changeView(change: NoteChange) {
  let view = changeViews.get(change);
  if (view === undefined) {
    const lines = textDiff(change.before ?? '', change.after);
    view = {
      lines,
      words: `${countWords(lines) ?? t('ask.noLineChanges')} · ${sizeWords(change)}`,
    };
    changeViews.set(change, view);
  }
  return view;
}

const NO_LINES: readonly DiffLine[] = [];

/** The diff of the change; empty if nothing would be written or it may not be shown. */
export function askLines({ change }: Pick<ToolPermissionRequest, 'change'>): readonly DiffLine[] {
  return change === undefined || change === 'restricted' ? NO_LINES : changeView(change).lines;
}

/** "6 lines added, 2 removed"; undefined if there are neither. */
function countWords(lines: readonly DiffLine[]): string | undefined {
  let [added, removed] = [0, 0];
  for (const { kind } of lines) {
    if (kind === 'added') added += 1;
    if (kind === 'removed') removed += 1;
  }
  if (added === 0 && removed === 0) return undefined;
  if (added === 0) return t('ask.linesRemoved', { count: removed });
  if (removed === 0) return t('ask.linesAdded', { count: added });
  return t('ask.linesChanged', { count: added, removed });
}

function sizeWords({ before, after }: NoteChange): string {
  const now = bytesWords(after);
  if (before === undefined) return now;
  return t('ask.sizeFromTo', { before: bytesWords(before), after: now });
}

/** "312 bytes", "2.1 kB"; a kB is 1,000 bytes. */
function bytesWords(text: string): string {
  const bytes = new TextEncoder().encode(text).length;
  if (bytes < 1_000) return t('ask.bytes', { count: bytes });
  const digits = { minimumFractionDigits: 1, maximumFractionDigits: 1 };
  const size = (unit: number) => (bytes / unit).toLocaleString(languageCode, digits);
  return bytes < 1_000_000
    ? t('ask.kilobytes', { size: size(1_000) })
    : t('ask.megabytes', { size: size(1_000_000) });
}

/** The texts for a request of OpenCode or of an MCP server, by the name of its permission. */
const PERMISSION_TEXTS: ReadonlyMap<string, ReturnType<typeof requestTexts>> = new Map([
  ['bash', requestTexts(t('ask.commandQuestion'), t('ask.commandShort'), t('ask.command'))],
  ['webfetch', requestTexts(t('ask.webQuestion'), t('ask.webShort'), t('ask.address'))],
  [
    'websearch',
    requestTexts(t('ask.webSearchQuestion'), t('ask.webSearchShort'), t('ask.wordsLabel')),
  ],
  [
    'external_directory',
    requestTexts(t('ask.outsideQuestion'), t('ask.outsideShort'), t('ask.folder')),
  ],
  ['doom_loop', requestTexts(t('ask.repeatQuestion'), t('ask.repeatShort'), t('ask.call'))],
  [
    'obsidian_search_vault',
    requestTexts(t('ask.searchNotesQuestion'), t('ask.searchNotesShort'), t('ask.folder')),
  ],
  [
    'obsidian_list_notes',
    requestTexts(t('ask.listNotesQuestion'), t('ask.listNotesShort'), t('ask.folder')),
  ],
  ['tasks', requestTexts(t('ask.boardQuestion'), t('ask.boardShort'), t('common.board'))],
  ['task', requestTexts(t('ask.subAgentQuestion'), t('ask.subAgentShort'), t('common.agent'))],
  ['resume', requestTexts(t('ask.resumeQuestion'), t('ask.resumeShort'), t('common.board'))],
]);

/**
 * Tools of OpenCode and ours that change files. Our own tools ask about the change itself after
 * this request.
 */
const EDIT_PERMISSIONS = new Set([
  'edit',
  'write',
  'patch',
  'obsidian_create_note',
  'obsidian_update_note',
]);

const READ_PERMISSIONS = new Set(['read', 'obsidian_read_note', 'obsidian_get_note_metadata']);

/**
 * Describes a request of OpenCode for a person. `objects` are its exact objects, one line each; `change` is
 * "6 lines added, 2 removed" if the request has a change. Everything in it is plain text, never markup.
 */
export function permissionText(request: PermissionRequest) {
  const { permission } = request;
  const objects = objectsOf(request);
  const edits = EDIT_PERMISSIONS.has(permission);
  const files = edits || READ_PERMISSIONS.has(permission);
  const unknown = requestTexts(
    t('ask.otherQuestion', { permission }),
    t('ask.otherShort', { permission }),
    t('ask.askedFor'),
  );
  const known = PERMISSION_TEXTS.get(permission) ?? (files ? fileWords(edits, objects) : unknown);
  const change = countWords(diffLines(request)) ?? null;
  const answers = namedReplies(request).map(([reply, name]) => `${REPLY_LABELS[reply]}: ${name}`);
  return { ...known, objects, files, edits, change, answers };
}

const REPLY_LABELS = {
  ...{ once: t('common.allowOnce'), always: t('ask.alwaysAllow'), reject: t('common.deny') },
};

function fileWords(edits: boolean, paths: readonly string[]) {
  const [first = ''] = paths;
  const isNote = first.endsWith('.md');
  const label = isNote ? t('ask.note') : t('ask.file');
  const note = noteName(first);
  if (!edits) {
    const short = isNote ? t('ask.readShort') : t('ask.readFileShort');
    return requestTexts(t('ask.readQuestion', { note }), short, label);
  }
  const several = paths.length > 1;
  const question = several ? t('ask.filesQuestion') : t('ask.updateQuestion', { note });
  return requestTexts(question, isNote ? t('ask.updateShort') : t('ask.editFileShort'), label);
}

/**
 * The whole command, path or address if the request has one, else the patterns of the permission.
 */
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
