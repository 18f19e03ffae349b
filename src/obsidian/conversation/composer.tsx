import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { ContextUse } from '../../core/context/context-use';
import { Icon, IconButton } from '../ui/icon';
import {
  ContextChips,
  contextOf,
  withoutSent,
  type ContextChip,
  type PromptDraft,
  type PromptDrafts,
} from './drafts';
import { ContextMeter, FullNote } from './context-meter';
import { RelatedNotes, useRelated } from './related-notes';
import type { ComposerActions } from './conversation-actions';
import type { Ref, RefObject } from 'preact';
import { useActs } from '../ui/use-acts';
import type { ActingView } from '../ui/view-actions';
import { noteName } from '../ui/text';
import { t } from '../language/text';

interface ComposerProps {
  readonly sessionId: string;
  /** the session's own */
  readonly agent: string;
  readonly online: boolean;
  /** why nothing can be said in it; undefined where something can, or it is not known */
  readonly closed: string | undefined;
  /** whether agent and model can be chosen */
  readonly choices: boolean;
  /** whether texts of notes can go along */
  readonly notes: boolean;
  /** how full its context is */
  readonly use: ContextUse;
  readonly means: ComposerActions;
  /** Esc: the keyboard goes to the transcript. */
  readonly onLeave: () => void;
  readonly onSent: () => void;
  readonly handle?: Ref<ActingView>;
}

/** Words for the agent, and what goes with them. */
export function Composer(props: ComposerProps) {
  const { sessionId, means, online } = props;
  const [draft, setDraft] = useDraft(sessionId, means.drafts);
  const [sending, setSending] = useState(false);
  const field = useRef<HTMLTextAreaElement>(null);
  const writes = draft.text.trim() !== '';
  useTyping(means, writes);
  const change = (part: Partial<PromptDraft>) => setDraft((now) => ({ ...now, ...part }));
  const add = (chip: ContextChip) => withChip(draft.chips, chip);
  const picker = useNotePicker(field, draft, means.notes, (path, text) =>
    change({ text, chips: add({ kind: 'note', path }) }),
  );
  const closed = props.closed !== undefined;
  const agentNow = draft.agent || props.agent;
  const along = useAlong(props, draft, agentNow, change);
  useComposerActs(props, picker.begin, along.toggle, change);
  const can = online && !closed && !sending && writes;
  const send = async () => {
    if (!can) return;
    const { text, chips, agent, model } = draft;
    setSending(true);
    // At once, not when it is taken: the person may be elsewhere then.
    field.current?.focus();
    const context = contextOf(chips, await along.sendable());
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
        before={closed ? undefined : means.before()}
        onAdd={(chip) => change({ chips: add(chip) })}
        onRemove={(chip) => change({ chips: draft.chips.filter((one) => one !== chip) })}
      />
      {along.panel}
      <div class="atb-grow" data-text={draft.text}>
        <textarea
          ref={field}
          rows={1}
          value={draft.text}
          readOnly={closed}
          placeholder={t('conversation.messageOrNote', { agent: agentNow })}
          aria-label={t('conversation.messageAgent', { agent: agentNow })}
          {...picker.attributes}
          onInput={(event) => {
            change({ text: event.currentTarget.value });
            picker.look(event.currentTarget);
          }}
          onKeyDown={onKey}
        />
      </div>
      <StateNotes closed={props.closed} online={online} />
      {!closed && online && <FullNote use={props.use} means={means} />}
      <ComposerFoot
        {...{ props, draft, change, can, onSend: send }}
        onAddNote={() => picker.begin()}
        onRelated={along.toggle}
      />
    </div>
  );
}

/** Says that the person has begun to write, and that there are no words any more. */
function useTyping(means: Pick<ComposerActions, 'typing'>, writes: boolean): void {
  useLayoutEffect(() => means.typing(writes), [means, writes]);
  useLayoutEffect(() => () => means.typing(false), [means]);
}

/** Notes that go along with the draft as they are shown, and what turns that on and off. */
function useAlong(
  { notes, closed, use, means }: ComposerProps,
  draft: PromptDraft,
  agent: string,
  change: (part: Partial<PromptDraft>) => void,
) {
  const related = notes && closed === undefined ? draft.related : undefined;
  const found = useRelated({ ...draft, related }, agent, use, means);
  const onRemove = (path: string) => change({ related: [...(related ?? []), path] });
  return {
    sendable: async () => found && means.sendable(agent, found),
    toggle: () => change({ related: draft.related === undefined ? [] : undefined }),
    panel: related !== undefined && <RelatedNotes {...{ found, onRemove }} />,
  };
}

/** The same chips where it is one of them. */
function withChip(chips: readonly ContextChip[], chip: ContextChip): readonly ContextChip[] {
  const there = chips.some((one) => JSON.stringify(one) === JSON.stringify(chip));
  return there ? chips : [...chips, chip];
}

/** Tells commands what can be done with the next message. */
function useComposerActs(
  { handle, closed, online, choices, notes, means }: ComposerProps,
  attach: () => void,
  toggleRelated: () => void,
  change: (part: Partial<PromptDraft>) => void,
): void {
  useActs(handle, () => ({
    ...(closed === undefined && { 'attach-note': attach }),
    ...(closed === undefined && notes && { 'related-notes': toggleRelated }),
    ...(closed === undefined &&
      online &&
      choices && {
        'choose-agent': () => means.chooseAgent((agent) => change({ agent })),
        'choose-model': () => means.chooseModel((model) => change({ model })),
      }),
  }));
}

/** Why nothing can be sent now. */
function StateNotes({ closed, online }: Pick<ComposerProps, 'closed' | 'online'>) {
  const words = [
    ...(closed === undefined ? [] : [closed]),
    ...(online ? [] : [t('conversation.textIsKept')]),
  ];
  return words.map((one) => (
    <p class="atb-talk-note" role="status" key={one}>
      {one}
    </p>
  ));
}

function ComposerFoot(foot: {
  readonly props: ComposerProps;
  readonly draft: PromptDraft;
  readonly change: (part: Partial<PromptDraft>) => void;
  readonly can: boolean;
  readonly onAddNote: () => void;
  readonly onRelated: () => void;
  readonly onSend: () => Promise<void>;
}) {
  const { props, draft, change } = foot;
  const { means } = props;
  const chooseAgent = () => means.chooseAgent((agent) => change({ agent }));
  const chooseModel = () => means.chooseModel((model) => change({ model }));
  const model = draft.model === '' ? t('conversation.defaultModel') : modelWords(draft.model);
  const all = [
    {
      icon: 'bot',
      name: t('common.agent'),
      value: draft.agent || props.agent,
      onClick: chooseAgent,
    },
    { icon: 'cpu', name: t('conversation.model'), value: model, onClick: chooseModel },
  ];
  return (
    <div class="atb-composer-foot">
      {props.closed === undefined && (
        <>
          <IconButton icon="at-sign" label={t('conversation.addANote')} onClick={foot.onAddNote} />
          {props.notes && (
            <IconButton
              icon="library"
              label={t('related.add')}
              pressed={draft.related !== undefined}
              onClick={foot.onRelated}
            />
          )}
          {(props.choices ? all : []).map(({ icon, name, value, onClick }) => (
            <button
              key={name}
              type="button"
              class="atb-composer-choice"
              aria-haspopup="dialog"
              aria-label={`${name}: ${value}`}
              onClick={onClick}
            >
              <Icon name={icon} />
              <span>{value}</span>
              <Icon name="chevron-down" />
            </button>
          ))}
        </>
      )}
      <div class="atb-composer-end">
        <ContextMeter use={props.use} means={means} />
        <button
          type="button"
          class="atb-composer-send"
          aria-label={t('conversation.send')}
          disabled={!foot.can}
          onClick={() => void foot.onSend()}
        >
          <Icon name="arrow-up" />
        </button>
      </div>
    </div>
  );
}

/** Kept with each change, so that nothing is lost however the view goes, or what is awaited. */
function useDraft(sessionId: string, drafts: PromptDrafts) {
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
  return [draft, put] as const;
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

const LIST = 'atb-note-list';

/**
 * The notes that fit what stands behind an `@`, and the keys that choose one.
 * @param taken told the note, and the text with its name in place of the words that looked for it
 */
function useNotePicker(
  field: RefObject<HTMLTextAreaElement | null>,
  { text, chips }: Pick<PromptDraft, 'text' | 'chips'>,
  find: (words: string) => readonly string[],
  taken: (path: string, text: string) => void,
) {
  const [query, setQuery] = useState<ReturnType<typeof noteQuery>>();
  const [chosen, setChosen] = useState(0);
  /** where the cursor goes once a note was taken */
  const caret = useRef<number | undefined>(undefined);
  const notes = query === undefined ? [] : find(query.words);
  /** The text changed, or the cursor moved. */
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
  /** Puts an `@` at the cursor. */
  const begin = () => {
    const element = field.current;
    if (element === null) return;
    element.focus();
    const before = element.value.slice(0, element.selectionStart);
    const at = before === '' || /\s$/.test(before) ? '@' : ' @';
    element.setRangeText(at, element.selectionStart, element.selectionEnd, 'end');
    element.dispatchEvent(new Event('input', { bubbles: true }));
  };
  /** @returns whether the key was its own */
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
    'aria-autocomplete': 'list' as const,
    'aria-haspopup': 'listbox' as const,
    'aria-controls': open ? LIST : undefined,
    'aria-activedescendant': open ? `${LIST}-${chosen}` : undefined,
  };
  return { notes, chosen, look, begin, take, onKey, attributes };
}

/** The notes above the field; the field keeps the keyboard. */
function NoteList({ picker }: { readonly picker: ReturnType<typeof useNotePicker> }) {
  const { notes, chosen, take } = picker;
  const at = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => at.current?.scrollIntoView({ block: 'nearest' }), [chosen]);
  if (notes.length === 0) return null;
  return (
    <div class="atb-note-list" role="listbox" id={LIST} aria-label={t('conversation.notes')}>
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

/**
 * The words behind an `@` that the cursor stands in, and where that stands: a note that is looked for; an `@` inside of a word begins none, nor does one before the
 * name of a note that is attached already.
 * @param attached names of notes
 */
export function noteQuery(text: string, cursor: number, attached: readonly string[]) {
  const from = text.lastIndexOf('@', cursor - 1);
  if (from < 0 || /[^\s([{"']/.test(text.charAt(from - 1))) return undefined;
  const words = text.slice(from + 1, cursor);
  if (words.length > 60 || /[\n@]|^\s|\s{2}/.test(words)) return undefined;
  const named = attached.some(
    (name) => words.startsWith(name) && !/[\p{L}\p{N}]/u.test(words.charAt(name.length)),
  );
  return named ? undefined : { words, from, to: cursor };
}
