import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { TokenUse } from '../../core/session/transcript/transcript';
import { Icon, IconButton } from '../part/icon';
import { ContextChips } from './context-chips';
import { contextOf, withoutSent, type ContextChip, type Draft, type Drafts } from './drafts';
import { NoteList, useNotePicker } from './note-list';
import type { SendOptions } from '../../core/session/session-runtime';

export interface ComposerMeans {
  readonly drafts: Drafts;
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

export interface ComposerProps {
  readonly sessionId: string;
  /** the session's own */
  readonly agent: string;
  readonly online: boolean;
  /** connected, and OpenCode has no such session: nothing can be said in it any more */
  readonly ended: boolean;
  readonly tokens: TokenUse | undefined;
  readonly means: ComposerMeans;
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
  const change = (part: Partial<Draft>) => setDraft((now) => ({ ...now, ...part }));
  const add = (chip: ContextChip) => {
    const there = draft.chips.some((one) => JSON.stringify(one) === JSON.stringify(chip));
    return there ? draft.chips : [...draft.chips, chip];
  };
  const picker = useNotePicker(field, draft.text, means.notes, (path, text) =>
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
      {props.ended && (
        <p class="atb-talk-note" role="status">
          This session has ended. It can be read and saved; start another to go on.
        </p>
      )}
      {!online && (
        <p class="atb-talk-note" role="status">
          Not connected. Your text is kept.
        </p>
      )}
      <div class="atb-composer-foot">
        {!props.ended && (
          <>
            <IconButton icon="at-sign" label="Add a note" onClick={() => picker.begin()} />
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
          disabled={!can}
          onClick={() => void send()}
        >
          <Icon name="arrow-up" />
        </button>
      </div>
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
  drafts: Drafts,
): [Draft, (change: (now: Draft) => Draft) => void] {
  const [draft, setDraft] = useState(() => drafts.get(sessionId));
  const now = useRef(draft);
  const put = (change: (now: Draft) => Draft) => {
    now.current = change(now.current);
    setDraft(now.current);
    drafts.put(sessionId, now.current);
  };
  return [draft, put];
}

function sendsNow({ shiftKey, ctrlKey, metaKey }: KeyboardEvent, enterSends: boolean): boolean {
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
