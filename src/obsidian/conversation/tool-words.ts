import type { BlockOf } from '../../core/session/transcript/block';

/** A call of a tool in words: what it is, and what it is about. */
export interface ToolWords {
  readonly icon: string;
  readonly name: string;
  readonly object: string;
}

/** OpenCode's tools and ours: icon, what it did, what it does, and the field that says about what. */
const TOOLS: ReadonlyMap<string, readonly [string, string, string, string]> = new Map([
  ['read', ['file-text', 'Read', 'Read', 'filePath']],
  ['write', ['pencil', 'Wrote', 'Write', 'filePath']],
  ['edit', ['pencil', 'Edited', 'Edit', 'filePath']],
  ['patch', ['pencil', 'Edited', 'Edit', 'filePath']],
  ['bash', ['terminal', 'Ran', 'Run', 'command']],
  ['grep', ['search', 'Searched for', 'Search for', 'pattern']],
  ['glob', ['search', 'Looked for', 'Look for', 'pattern']],
  ['list', ['folder', 'Listed', 'List', 'path']],
  ['webfetch', ['globe', 'Fetched', 'Fetch', 'url']],
  ['websearch', ['globe', 'Searched the web for', 'Search the web for', 'query']],
  ['task', ['bot', 'Sub-agent', 'Sub-agent', 'description']],
  ['question', ['message-circle-question-mark', 'Asked you', 'Ask you', '']],
  ['todowrite', ['list-checks', 'Updated its list', 'Update its list', '']],
  ['obsidian_search_vault', ['search', 'Searched notes for', 'Search notes for', 'query']],
  ['obsidian_list_notes', ['folder', 'Listed notes', 'List notes', 'folder']],
  ['obsidian_read_note', ['file-text', 'Read note', 'Read note', 'path']],
  ['obsidian_get_note_metadata', ['file-text', 'Looked at note', 'Look at note', 'path']],
  ['obsidian_create_note', ['file-plus', 'Created note', 'Create note', 'path']],
  ['obsidian_update_note', ['pencil', 'Updated note', 'Update note', 'path']],
  ['tasks', ['list-checks', 'Used the board', 'Use the board', '']],
]);

/** UTF-16 units of an object in its line. */
const LONGEST = 200;

/** What is done is told as done; what waits, runs or failed is not. */
export function toolWords({ tool, title, input, status }: BlockOf<'tool'>): ToolWords {
  const [icon, did, does, field] = TOOLS.get(tool) ?? ['wrench', tool, tool, ''];
  const name = status === 'completed' ? did : does;
  const given = field === '' ? undefined : fieldOf(input, field);
  const about = given ?? title ?? '';
  const isNote = field === 'filePath' || (field === 'path' && tool !== 'list');
  const object = isNote ? noteName(about) : about;
  const [line = ''] = object.split('\n');
  return { icon, name, object: line.slice(0, LONGEST) };
}

/** A field of the input, which is JSON text and may be cut short. */
function fieldOf(input: string | undefined, field: string): string | undefined {
  if (input === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(input);
    if (typeof value !== 'object' || value === null) return undefined;
    const found = new Map<string, unknown>(Object.entries(value)).get(field);
    return typeof found === 'string' ? found : undefined;
  } catch {
    return undefined;
  }
}

function noteName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1).replace(/\.md$/, '');
}
