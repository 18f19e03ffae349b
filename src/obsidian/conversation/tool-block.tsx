import { useState } from 'preact/hooks';
import type { BlockOf, FieldChange, ToldChange } from '../../core/session/transcript/transcript';
import { Button, Icon, Mark } from '../ui/icon';
import { durationWords, refusalWords, STATUS_WORDS } from '../ui/text';
import { Disclosure } from '../ui/banner';
import type { BlockActions } from './conversation-actions';
import { type Status, readStatus } from '../../core/board/task';

/** Whether something is unfolded, and what turns that. */
export interface Fold {
  readonly open: boolean;
  readonly onToggle: () => void;
}

interface ToolBlockProps extends Fold {
  readonly block: BlockOf<'tool'>;
  readonly board: BlockOf<'board'> | undefined;
  readonly means: Pick<BlockActions, 'openSession'>;
}

/** A call of a tool: one line; what it changed on the board, what went in and came out behind it. */
export function ToolBlock(props: ToolBlockProps) {
  const { block, board, open, onToggle, means } = props;
  const { input, output, error, refusals, child } = block;
  const { icon, name, object } = toolCallWords(block);
  const empty = !input && !output && !error;
  const state = <CallState block={block} />;
  const parts = (
    <>
      <Part name="Input" text={input && pretty(input)} />
      <Part name="Output" text={output} />
      <Part name="Error" text={error} />
    </>
  );
  const fold = { onToggle, open: empty && board === undefined ? null : open };
  return (
    <>
      {board === undefined ? (
        <Disclosure {...{ icon, name, object, state, ...fold }}>{parts}</Disclosure>
      ) : (
        <Disclosure
          {...{ icon, state, ...fold }}
          name="Updated the board"
          object={changeCountWords(board)}
        >
          <ChangeRows {...board} />
          {!empty && (
            <details class="atb-call-more">
              <summary>What was sent and answered</summary>
              {parts}
            </details>
          )}
        </Disclosure>
      )}
      {refusals !== undefined && <p class="atb-talk-note">Refused: {refusals.reason}</p>}
      {child !== undefined && (
        <Button
          kind="quiet"
          class="atb-call-child"
          words="Open session"
          onClick={() => means.openSession(child)}
        />
      )}
    </>
  );
}

const STATES = {
  pending: ['', 'Waiting'],
  running: ['', 'Running'],
  completed: ['check', 'Done'],
  error: ['circle-alert', 'Failed'],
} as const;

function CallState({ block }: { readonly block: BlockOf<'tool'> }) {
  const { refusals } = block;
  const [icon, word] =
    refusals === undefined
      ? STATES[block.status]
      : (['circle-alert', refusalWords(refusals)] as const);
  const took = block.ended === undefined ? 0 : block.ended - block.at;
  const done = block.status === 'completed' && refusals === undefined;
  return (
    <span class="atb-call-state" data-state={refusals === undefined ? block.status : 'error'}>
      {icon === '' ? null : <Icon name={icon} />}
      <span class={done ? 'atb-unseen' : undefined}>{word}</span>
      {took > 0 && <span>{durationWords(took)}</span>}
    </span>
  );
}

/** UTF-16 units that are drawn at first. */
const FIRST = 4_000;

function Part({ name, text }: { readonly name: string; readonly text: string | undefined }) {
  const [all, setAll] = useState(false);
  if (text === undefined || text === '') return null;
  const short = all || text.length <= FIRST ? text : text.slice(0, FIRST);
  return (
    <>
      <div class="atb-call-part">{name}</div>
      <pre class="atb-call-text" tabIndex={0} aria-label={name}>
        {short}
      </pre>
      {short.length < text.length && (
        <Button
          kind="quiet"
          words={`Show all ${text.length.toLocaleString('en')} characters`}
          onClick={() => setAll(true)}
        />
      )}
    </>
  );
}

/** JSON with its lines; what is none stays as it is. */
function pretty(text: string): string {
  const value = readJson(text);
  return value === undefined ? text : JSON.stringify(value, null, 2);
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

/** A call of a tool in words. What is done is told as done; what waits, runs or failed is not. */
export function toolCallWords({ tool, title, input, status }: BlockOf<'tool'>) {
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
  const value: unknown = input === undefined ? undefined : readJson(input);
  if (typeof value !== 'object' || value === null) return undefined;
  const found = new Map<string, unknown>(Object.entries(value)).get(field);
  return typeof found === 'string' ? found : undefined;
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function noteName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1).replace(/\.md$/, '');
}

const BY = {
  agent: 'Updated the board',
  person: 'You changed the board',
  disk: 'The board was changed on disk',
} as const;

/** What became of a task, by the status it has now. */
const BECAME: Readonly<Record<Status, string>> = {
  pending: 'Open again',
  in_progress: 'Started',
  completed: 'Done',
  failed: 'Failed',
  deferred: 'Deferred',
  cancelled: 'Cancelled',
};

/** What a call, a person or another program changed on the board: its tasks as rows. */
export function BoardBlock({ block, ...fold }: Fold & { readonly block: BlockOf<'board'> }) {
  return (
    <Disclosure
      {...{ icon: 'list-checks', name: BY[block.by], object: changeCountWords(block), ...fold }}
      state={block.by === 'agent' ? <Icon name="check" /> : null}
    >
      <ChangeRows {...block} />
    </Disclosure>
  );
}

function ChangeRow({ change }: { readonly change: ToldChange }) {
  const { title, status = 'pending' } = change;
  const word = changeWord(change);
  const state = status === 'pending' ? 'ready' : status;
  const checked = status === 'completed' ? 'true' : status === 'in_progress' ? 'mixed' : 'false';
  return (
    <li class="atb-talk-task">
      <Mark {...{ state, checked }} label={`${title}, ${word}`} disabled onTick={() => undefined} />
      <span class="atb-talk-title" data-state={change.what === 'removed' ? 'cancelled' : status}>
        {title}
      </span>
      <span class="atb-disclosure-state">{word}</span>
    </li>
  );
}

/** The change in words: what became of the task, and what else differs. */
export function changeWord({ what, status = 'pending', details = [] }: ToldChange): string {
  if (what === 'removed') return 'Removed';
  const fields = details.map(fieldWords);
  if (what === 'changed') return joined(fields.length === 0 ? ['Changed'] : fields);
  return joined([what === 'added' && status === 'pending' ? 'Added' : BECAME[status], ...fields]);
}

function joined([first = '', ...rest]: readonly string[]): string {
  return [first, ...rest.map((words) => words.charAt(0).toLowerCase() + words.slice(1))].join('; ');
}

/** One field that differs: "Due 2026-11-28", "Renamed, was “Sing”". */
function fieldWords({ field, before, after }: FieldChange): string {
  switch (field) {
    case 'title':
      return `Renamed, was “${before ?? ''}”`;
    case 'dependsOn':
      return after === null ? 'Waits for nothing more' : `Waits for ${after}`;
    case 'phase':
      return after === null ? 'Moved out of its phase' : `Moved to ${after}`;
    case 'parent':
      return after === null ? 'No longer a subtask' : `Now a subtask of ${after}`;
    case 'body':
      return 'Text changed';
    case 'reason':
      return after === null ? 'No reason' : `Reason: ${after}`;
    default: {
      const name = NAMES.get(field) ?? field;
      if (after === null) return `No ${name}`;
      return `${name.charAt(0).toUpperCase()}${name.slice(1)} ${after}`;
    }
  }
}

const NAMES: ReadonlyMap<string, string> = new Map([
  ['approve', 'approval by'],
  ['waitsFor', 'outside prerequisite'],
]);

type Told = Pick<BlockOf<'board'>, 'changes' | 'more'>;

/** The tasks that a change was about, as rows. */
function ChangeRows({ changes, more = 0 }: Told) {
  return (
    <>
      <ul class="atb-talk-tasks">
        {changes.map((change) => (
          <ChangeRow key={change.key} change={change} />
        ))}
      </ul>
      {more > 0 && <p class="atb-talk-note">And {more} more.</p>}
    </>
  );
}

/** "1 change": of how many tasks. */
function changeCountWords({ changes, more = 0 }: Told): string {
  const count = changes.length + more;
  return count === 1 ? '1 change' : `${count} changes`;
}

export const COMPACTED =
  'OpenCode summarised what was said before this, to make room in the model’s window.';

/** "Done: Read the notes" */
export function todoWords({ content, status }: BlockOf<'todos'>['todos'][number]): string {
  const known = readStatus(status);
  return `${known === undefined ? status : STATUS_WORDS[known].word}: ${content}`;
}

/** The list that OpenCode keeps itself, where the agent has no board. */
export function TodosBlock({ block, ...fold }: Fold & { readonly block: BlockOf<'todos'> }) {
  const { todos } = block;
  const done = todos.filter(({ status }) => readStatus(status) === 'completed').length;
  const object = `${done} of ${todos.length} done`;
  return (
    <Disclosure {...{ icon: 'list-checks', name: 'To-do list', object, ...fold }}>
      <ul>
        {todos.map((one, at) => (
          <li key={at}>{todoWords(one)}</li>
        ))}
      </ul>
    </Disclosure>
  );
}
