import { useState } from 'preact/hooks';
import type {
  BlockOf,
  FieldChange,
  ReportedChange,
} from '../../core/session/transcript/transcript';
import { Button, Icon, StatusCheckbox } from '../ui/icon';
import { durationWords, refusalWords, STATUS_WORDS, noteName, plainLine } from '../ui/text';
import { Disclosure } from '../ui/banner';
import type { BlockActions } from './conversation-actions';
import { readStatus } from '../../core/board/task';
import { fieldTexts } from '../language/en/conversation';
import { t } from '../language/text';

/** Whether something is unfolded, and a function that toggles it. */
export interface FoldState {
  readonly open: boolean;
  readonly onToggle: () => void;
}

interface ToolBlockProps extends FoldState {
  readonly block: BlockOf<'tool'>;
  readonly board: BlockOf<'board'> | undefined;
  readonly actions: Pick<BlockActions, 'openSession'>;
}

/** A tool call as one line; unfolds to the changes on the board, input and output. */
export function ToolBlock(props: ToolBlockProps) {
  const { block, board, open, onToggle, actions } = props;
  const { input, output, error, refusals, child } = block;
  const { icon, name, object } = toolCallWords(block);
  const empty = !input && !output && !error;
  const state = <CallState block={block} />;
  const parts = (
    <>
      <CallPart name={t('conversation.input')} text={input && pretty(input)} />
      <CallPart name={t('conversation.output')} text={output} />
      <CallPart name={t('conversation.error')} text={error} />
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
          name={t('boardChangedBy.agent')}
          object={changeCountWords(board)}
        >
          <ChangeRows {...board} />
          {!empty && (
            <details class="atb-call-more">
              <summary>{t('conversation.whatWasSentAndAnswered')}</summary>
              {parts}
            </details>
          )}
        </Disclosure>
      )}
      {refusals !== undefined && (
        <p class="atb-talk-note">{t('conversation.refused', { reason: refusals.reason })}</p>
      )}
      {child !== undefined && (
        <Button
          kind="quiet"
          class="atb-call-child"
          words={t('conversation.openSession')}
          onClick={() => actions.openSession(child)}
        />
      )}
    </>
  );
}

const STATUS_ICONS = {
  pending: '',
  running: '',
  completed: 'check',
  error: 'circle-alert',
} as const;

function CallState({ block }: { readonly block: BlockOf<'tool'> }) {
  const { refusals } = block;
  const [icon, word] =
    refusals === undefined
      ? ([STATUS_ICONS[block.status], t(`callState.${block.status}`)] as const)
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

/** UTF-16 units that are drawn until the person asks for all. */
const PREVIEW_LENGTH = 4_000;

function CallPart({ name, text }: { readonly name: string; readonly text: string | undefined }) {
  const [all, setAll] = useState(false);
  if (text === undefined || text === '') return null;
  const shown = all || text.length <= PREVIEW_LENGTH ? text : text.slice(0, PREVIEW_LENGTH);
  return (
    <>
      <div class="atb-call-part">{name}</div>
      <pre class="atb-call-text" tabIndex={0} aria-label={name}>
        {shown}
      </pre>
      {shown.length < text.length && (
        <Button
          kind="quiet"
          words={t('conversation.showAllCharacters', { count: text.length })}
          onClick={() => setAll(true)}
        />
      )}
    </>
  );
}

/** Indents JSON; returns other text unchanged. */
function pretty(text: string): string {
  const value = readJson(text);
  return value === undefined ? text : JSON.stringify(value, null, 2);
}

/** OpenCode's tools and ours: the icon, and the input field that names the object. */
const TOOLS = {
  read: ['file-text', 'filePath'],
  write: ['pencil', 'filePath'],
  edit: ['pencil', 'filePath'],
  patch: ['pencil', 'filePath'],
  bash: ['terminal', 'command'],
  grep: ['search', 'pattern'],
  glob: ['search', 'pattern'],
  list: ['folder', 'path'],
  webfetch: ['globe', 'url'],
  websearch: ['globe', 'query'],
  task: ['bot', 'description'],
  question: ['message-circle-question-mark', ''],
  todowrite: ['list-checks', ''],
  obsidian_search_vault: ['search', 'query'],
  obsidian_list_notes: ['folder', 'folder'],
  obsidian_read_note: ['file-text', 'path'],
  obsidian_get_note_metadata: ['file-text', 'path'],
  obsidian_create_note: ['file-plus', 'path'],
  obsidian_update_note: ['pencil', 'path'],
  tasks: ['list-checks', ''],
} as const;

function isKnown(tool: string): tool is keyof typeof TOOLS {
  return Object.hasOwn(TOOLS, tool);
}

/** Most UTF-16 units of an object's name in the line. */
const MAX_OBJECT_LENGTH = 200;

/** Describes a tool call in words: in the past tense only if it completed. */
export function toolCallWords({ tool, title, input, status }: BlockOf<'tool'>) {
  const [icon, field] = isKnown(tool) ? TOOLS[tool] : ['wrench', ''];
  const given = field === '' ? undefined : fieldOf(input, field);
  const about = given ?? title ?? '';
  const isNote = field === 'filePath' || (field === 'path' && tool !== 'list');
  const object = isNote && about !== '' ? noteName(about) : about;
  const [line = ''] = object.split('\n');
  return {
    icon,
    name: toolName(tool, status === 'completed'),
    object: line.slice(0, MAX_OBJECT_LENGTH),
  };
}

function toolName(tool: string, done: boolean): string {
  if (!isKnown(tool)) return tool;
  return done ? t(`toolDid.${tool}`) : t(`toolDoes.${tool}`);
}

/** A field of the input, which is JSON text and may be truncated. */
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

/** Changes on the board by a call, a person or another program: the tasks as rows. */
export function BoardBlock({ block, ...fold }: FoldState & { readonly block: BlockOf<'board'> }) {
  return (
    <Disclosure
      {...{
        icon: 'list-checks',
        name: t(`boardChangedBy.${block.by}`),
        object: changeCountWords(block),
        ...fold,
      }}
      state={block.by === 'agent' ? <Icon name="check" /> : null}
    >
      <ChangeRows {...block} />
    </Disclosure>
  );
}

function ChangeRow({ change }: { readonly change: ReportedChange }) {
  const { status = 'pending' } = change;
  const title = plainLine(change.title);
  const word = describeChange(change);
  const state = status === 'pending' ? 'ready' : status;
  const checked = status === 'completed' ? 'true' : status === 'in_progress' ? 'mixed' : 'false';
  return (
    <li class="atb-talk-task">
      <StatusCheckbox
        {...{ state, checked }}
        label={`${title}, ${word}`}
        disabled
        onTick={() => undefined}
      />
      <span class="atb-talk-title" data-state={change.what === 'removed' ? 'cancelled' : status}>
        {title}
      </span>
      <span class="atb-disclosure-state">{word}</span>
    </li>
  );
}

/** Describes a change: the task's new status, and the other fields that differ. */
export function describeChange({ what, status = 'pending', details = [] }: ReportedChange): string {
  if (what === 'removed') return t('conversation.removed');
  const fields = details.map(fieldWords);
  if (what === 'changed') return fields.join(' · ') || t('conversation.changed');
  const became =
    what === 'added' && status === 'pending' ? t('conversation.added') : t(`became.${status}`);
  return [became, ...fields].join(' · ');
}

/** Describes one changed field: "Due 2026-11-28", "Renamed, was “Sing”". */
function fieldWords({ field, before, after }: FieldChange): string {
  switch (field) {
    case 'title':
      return t('conversation.renamed', { before: before ?? '' });
    case 'dependsOn':
      return after === null
        ? t('conversation.waitsForNothingMore')
        : t('conversation.waitsFor', { after });
    case 'phase':
      return after === null
        ? t('conversation.movedOutOfItsPhase')
        : t('conversation.movedTo', { after });
    case 'parent':
      return after === null
        ? t('conversation.noLongerASubtask')
        : t('conversation.nowSubtaskOf', { after });
    case 'body':
      return t('conversation.textChanged');
    case 'reason':
      return after === null ? t('conversation.noReason') : t('conversation.reason', { after });
    default: {
      const name = hasFieldText(field) ? t(`field.${field}`) : field;
      return after === null
        ? t('conversation.noField', { field: name })
        : t('conversation.fieldValue', { field: name, value: after });
    }
  }
}

function hasFieldText(field: string): field is keyof typeof fieldTexts {
  return field in fieldTexts;
}

type BoardChanges = Pick<BlockOf<'board'>, 'changes' | 'more'>;

/** The changed tasks as rows. */
function ChangeRows({ changes, more = 0 }: BoardChanges) {
  return (
    <>
      <ul class="atb-talk-tasks">
        {changes.map((change) => (
          <ChangeRow key={change.key} change={change} />
        ))}
      </ul>
      {more > 0 && <p class="atb-talk-note">{t('conversation.andMore', { more })}</p>}
    </>
  );
}

/** "1 change": the number of changed tasks. */
function changeCountWords({ changes, more = 0 }: BoardChanges): string {
  const count = changes.length + more;
  return count === 0 ? t('conversation.takenBack') : t('conversation.changes', { count });
}

export const COMPACTED_TEXT = t('conversation.compacted');

/** "Done: Read the notes" */
export function todoWords({ content, status }: BlockOf<'todos'>['todos'][number]): string {
  const known = readStatus(status);
  return `${known === undefined ? status : STATUS_WORDS[known].word}: ${content}`;
}

/** The todo list that OpenCode keeps itself, for agents without a board. */
export function TodosBlock({ block, ...fold }: FoldState & { readonly block: BlockOf<'todos'> }) {
  const { todos } = block;
  const done = todos.filter(({ status }) => readStatus(status) === 'completed').length;
  const object = t('conversation.doneOf', { done, length: todos.length });
  return (
    <Disclosure {...{ icon: 'list-checks', name: t('conversation.toDoList'), object, ...fold }}>
      <ul>
        {todos.map((one, at) => (
          <li key={at}>{todoWords(one)}</li>
        ))}
      </ul>
    </Disclosure>
  );
}
