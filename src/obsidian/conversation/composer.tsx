import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { TokenUse } from '../../core/session/transcript/transcript';
import { Icon, IconButton } from '../ui/icon';
import {
  ContextChips,
  contextOf,
  withoutSent,
  type ContextChip,
  type PromptDraft,
  type PromptDrafts,
} from './drafts';
import type { SendOptions } from '../../core/session/session-runtime';
import type { RefObject } from 'preact';
import { noteName } from '../ui/text';

export interface ComposerActions {
  readonly drafts: PromptDrafts;
  /** Resolves true when the words were taken; what went wrong is told. */
  readonly send: (text: string, options: SendOptions) => Promise<boolean>;
  /** Notes of the vault that fit some words, the best first. */
  readonly notes: (words: string) => readonly string[];
  /** What the person has before them beside this view. */
  readonly before: () => ContextChip | undefined;
  /** Asks which; empty: the session's own. */
  readonly chooseAgent: (chosen: (name: string) => void) => void;
  readonly chooseModel: (chosen: (name: string) => void) => void;
  readonly enterSends: () => boolean;
  /** The person has begun to write, or has no words any more. */
  readonly typing: (has: boolean) => void;
}

interface ComposerProps {
  readonly sessionId: string;
  /** the session's own */
  readonly agent: string;
  readonly online: boolean;
  /** connected, and OpenCode has no such session: nothing can be said in it any more */
  readonly ended: boolean;
  readonly tokens: TokenUse | undefined;
  readonly means: ComposerActions;
  /** Esc: the keyboard goes to the transcript. */
  readonly onLeave: () => void;
  readonly onSent: () => void;
}

/** Words for the agent, and what goes with them. */
export function Composer(props: ComposerProps) {
  const { sessionId, means, online } = props;
  const [draft, setDraft] = useDraft(sessionId, means.drafts);
  const [sending, setSending] = useState(false);
  const field = useRef<HTMLTextAreaElement>(null);
  const writes = draft.text.trim() !== '';
  useLayoutEffect(() => means.typing(writes), [means, writes]);
  useLayoutEffect(() => () => means.typing(false), [means]);
  const change = (part: Partial<PromptDraft>) => setDraft((now) => ({ ...now, ...part }));
  const add = (chip: ContextChip) => {
    const there = draft.chips.some((one) => JSON.stringify(one) === JSON.stringify(chip));
    return there ? draft.chips : [...draft.chips, chip];
  };
  const picker = useNotePicker(field, draft, means.notes, (path, text) =>
    change({ text, chips: add({ kind: 'note', path }) }),
  );
  const can = online && !props.ended && !sending && writes;
  const send = async () => {
    if (!can) return;
    const { text, chips, agent, model } = draft;
    const context = contextOf(chips);
    setSending(true);
    // At once, not when it is taken: the person may be elsewhere then.
    field.current?.focus();
    const taken = await means.send(text, {
      ...(agent !== '' && { agent }),
      ...(model !== '' && { model }),
      ...(context !== undefined && { context }),
    });
    setSending(false);
    if (!taken) return;
    setDraft((now) => withoutSent(now, { text, chips }));
    props.onSent();
  };
  const onKey = (event: KeyboardEvent) => {
    if (event.isComposing || picker.onKey(event)) return;
    if (event.key === 'Escape') {
      event.preventDefault();
      props.onLeave();
    } else if (event.key === 'Enter' && sendsNow(event, means.enterSends())) {
      event.preventDefault();
      void send();
    }
  };
  return (
    <div class="atb-composer">
      <NoteList picker={picker} />
      <ContextChips
        chips={draft.chips}
        before={props.ended ? undefined : means.before()}
        onAdd={(chip) => change({ chips: add(chip) })}
        onRemove={(chip) => change({ chips: draft.chips.filter((one) => one !== chip) })}
      />
      <div class="atb-grow" data-text={draft.text}>
        <textarea
          ref={field}
          rows={1}
          value={draft.text}
          readOnly={props.ended}
          placeholder={`Message ${draft.agent || props.agent}, @ to add a note`}
          aria-label={`Message ${draft.agent || props.agent}`}
          {...picker.attributes}
          onInput={(event) => {
            change({ text: event.currentTarget.value });
            picker.look(event.currentTarget);
          }}
          onKeyDown={onKey}
        />
      </div>
      <StateNotes ended={props.ended} online={online} />
      <ComposerFoot
        {...{ props, draft, change, can }}
        onAddNote={() => picker.begin()}
        onSend={send}
      />
    </div>
  );
}

/** Why nothing can be sent now. */
function StateNotes(props: { readonly ended: boolean; readonly online: boolean }) {
  return (
    <>
      {props.ended && (
        <p class="atb-talk-note" role="status">
          This session has ended. It can be read and saved; start another to go on.
        </p>
      )}
      {!props.online && (
        <p class="atb-talk-note" role="status">
          Not connected. Your text is kept.
        </p>
      )}
    </>
  );
}

function ComposerFoot(foot: {
  readonly props: ComposerProps;
  readonly draft: PromptDraft;
  readonly change: (part: Partial<PromptDraft>) => void;
  readonly can: boolean;
  readonly onAddNote: () => void;
  readonly onSend: () => Promise<void>;
}) {
  const { props, draft, change } = foot;
  const { means } = props;
  return (
    <div class="atb-composer-foot">
      {!props.ended && (
        <>
          <IconButton icon="at-sign" label="Add a note" onClick={foot.onAddNote} />
          <Choice
            icon="bot"
            name="Agent"
            value={draft.agent || props.agent}
            onChoose={() => means.chooseAgent((agent) => change({ agent }))}
          />
          <Choice
            icon="cpu"
            name="Model"
            value={draft.model === '' ? 'Default model' : modelWords(draft.model)}
            onChoose={() => means.chooseModel((model) => change({ model }))}
          />
        </>
      )}
      <span class="atb-composer-use">{contextWords(props.tokens)}</span>
      <button
        type="button"
        class="atb-composer-send"
        aria-label="Send"
        disabled={!foot.can}
        onClick={() => void foot.onSend()}
      >
        <Icon name="arrow-up" />
      </button>
    </div>
  );
}

function Choice(props: {
  readonly icon: string;
  readonly name: string;
  readonly value: string;
  readonly onChoose: () => void;
}) {
  return (
    <button
      type="button"
      class="atb-composer-choice"
      aria-haspopup="dialog"
      aria-label={`${props.name}: ${props.value}`}
      onClick={props.onChoose}
    >
      <Icon name={props.icon} />
      <span>{props.value}</span>
      <Icon name="chevron-down" />
    </button>
  );
}

/** Kept with each change, so that nothing is lost however the view goes, or what is awaited. */
function useDraft(
  sessionId: string,
  drafts: PromptDrafts,
): [PromptDraft, (change: (now: PromptDraft) => PromptDraft) => void] {
  const [draft, setDraft] = useState(() => drafts.get(sessionId));
  const now = useRef(draft);
  useLayoutEffect(
    () =>
      drafts.onAttach((id) => {
        if (id === sessionId) setDraft((now.current = drafts.get(sessionId)));
      }),
    [drafts, sessionId],
  );
  const put = (change: (now: PromptDraft) => PromptDraft) => {
    now.current = change(now.current);
    setDraft(now.current);
    drafts.put(sessionId, now.current);
  };
  return [draft, put];
}

/** Whether an Enter sends; with Ctrl or ⌘ it always does. */
export function sendsNow(
  { shiftKey, ctrlKey, metaKey }: KeyboardEvent,
  enterSends: boolean,
): boolean {
  return ctrlKey || metaKey || shiftKey !== enterSends;
}

/** The model's own name; its provider stands in the menu. */
function modelWords(model: string): string {
  return model.slice(model.indexOf('/') + 1);
}

function contextWords(tokens: TokenUse | undefined): string {
  const { context = 0, limit = 0 } = tokens ?? {};
  if (context === 0) return '';
  if (limit > 0)
    return `${Math.min(100, Math.max(1, Math.round((100 * context) / limit)))}% of context`;
  return `${context.toLocaleString('en')} tokens of context`;
}

/** The notes that fit what stands behind an `@`, and the keys that choose one. */
interface NotePicker {
  readonly notes: readonly string[];
  readonly chosen: number;
  /** The text changed, or the cursor moved. */
  readonly look: (field: HTMLTextAreaElement) => void;
  /** Puts an `@` at the cursor. */
  readonly begin: () => void;
  readonly take: (path: string) => void;
  /** @returns whether the key was its own */
  readonly onKey: (event: KeyboardEvent) => boolean;
  readonly attributes: Readonly<Record<string, string | undefined>>;
}

const LIST = 'atb-note-list';

/** @param taken told the note, and the text with its name in place of the words that looked for it */
function useNotePicker(
  field: RefObject<HTMLTextAreaElement | null>,
  { text, chips }: Pick<PromptDraft, 'text' | 'chips'>,
  find: (words: string) => readonly string[],
  taken: (path: string, text: string) => void,
): NotePicker {
  const [query, setQuery] = useState<NoteQuery | undefined>();
  const [chosen, setChosen] = useState(0);
  /** where the cursor goes once a note was taken */
  const caret = useRef<number | undefined>(undefined);
  const notes = query === undefined ? [] : find(query.words);
  const look = ({ value, selectionStart }: HTMLTextAreaElement) => {
    const attached = chips.flatMap(({ kind, path }) => (kind === 'note' ? [noteName(path)] : []));
    setQuery(noteQuery(value, selectionStart, attached));
    setChosen(0);
  };
  const take = (path: string) => {
    if (query === undefined) return;
    const before = `${text.slice(0, query.from)}@${noteName(path)}`;
    taken(path, before + text.slice(query.to));
    caret.current = before.length;
    setQuery(undefined);
    field.current?.focus();
  };
  // A field whose text is set has its cursor at the end.
  useLayoutEffect(() => {
    if (caret.current === undefined) return;
    field.current?.setSelectionRange(caret.current, caret.current);
    caret.current = undefined;
  });
  const begin = () => {
    const element = field.current;
    if (element === null) return;
    element.focus();
    const before = element.value.slice(0, element.selectionStart);
    element.setRangeText(
      before === '' || /\s$/.test(before) ? '@' : ' @',
      element.selectionStart,
      element.selectionEnd,
      'end',
    );
    element.dispatchEvent(new Event('input', { bubbles: true }));
  };
  const onKey = (event: KeyboardEvent) => {
    const note = notes[chosen];
    if (note === undefined) return false;
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if (step !== 0) setChosen((chosen + step + notes.length) % notes.length);
    else if (event.key === 'Enter' || event.key === 'Tab') take(note);
    else if (event.key === 'Escape') setQuery(undefined);
    else return false;
    event.preventDefault();
    return true;
  };
  const open = notes.length > 0;
  // A field of several lines can be no combobox; a list that opens is told by its chosen note.
  const attributes = {
    'aria-autocomplete': 'list',
    'aria-haspopup': 'listbox',
    'aria-controls': open ? LIST : undefined,
    'aria-activedescendant': open ? `${LIST}-${chosen}` : undefined,
  };
  return { notes, chosen, look, begin, take, onKey, attributes };
}

/** The notes above the field; the field keeps the keyboard. */
function NoteList({ picker }: { readonly picker: NotePicker }) {
  const { notes, chosen, take } = picker;
  const at = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => at.current?.scrollIntoView({ block: 'nearest' }), [chosen]);
  if (notes.length === 0) return null;
  return (
    <div class="atb-note-list" role="listbox" id={LIST} aria-label="Notes">
      {notes.map((path, index) => (
        <div
          key={path}
          id={`${LIST}-${index}`}
          ref={index === chosen ? at : null}
          class="atb-note-option"
          role="option"
          aria-selected={index === chosen}
          onPointerDown={(event) => {
            event.preventDefault();
            take(path);
          }}
        >
          {path.replace(/\.md$/, '')}
        </div>
      ))}
    </div>
  );
}

/** Words behind an `@` at the cursor: a note that is looked for. */
interface NoteQuery {
  readonly words: string;
  /** where the `@` stands */
  readonly from: number;
  readonly to: number;
}

/**
 * The query that the cursor stands in; an `@` inside of a word begins none, nor does one before the
 * name of a note that is attached already.
 * @param attached names of notes
 */
export function noteQuery(
  text: string,
  cursor: number,
  attached: readonly string[],
): NoteQuery | undefined {
  const from = text.lastIndexOf('@', cursor - 1);
  if (from < 0 || /[^\s([{"']/.test(text.charAt(from - 1))) return undefined;
  const words = text.slice(from + 1, cursor);
  if (words.length > 60 || /[\n@]|^\s|\s{2}/.test(words)) return undefined;
  const named = attached.some(
    (name) => words.startsWith(name) && !/[\p{L}\p{N}]/u.test(words.charAt(name.length)),
  );
  return named ? undefined : { words, from, to: cursor };
}
