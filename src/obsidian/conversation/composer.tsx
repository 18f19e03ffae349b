import { useLayoutEffect, useRef } from 'preact/hooks';
import type { ContextUse } from '../../core/context/context-use';
import { Icon, IconButton } from '../ui/icon';
import {
  ContextChips,
  contextOf,
  promptOptions,
  type ContextChip,
  type PromptDraft,
  type PromptDrafts,
} from './drafts';
import { CompletionList, useCompletion } from './completion';
import { ContextMeter, ContextFullNote } from './context-meter';
import { RelatedNotes, useRelated } from './related-notes';
import type { ComposerActions } from './conversation-actions';
import type { Ref } from 'preact';
import { useRedraw } from '../ui/use-changes';
import { useViewActions } from '../ui/use-view-actions';
import type { ViewWithActions } from '../ui/view-actions';
import { plainLine } from '../ui/text';
import { t } from '../language/text';

interface ComposerProps {
  readonly sessionId: string;
  /** the session's agent */
  readonly agent: string;
  readonly online: boolean;
  /** why the session takes no prompts; undefined if it does or that is unknown */
  readonly closed: string | undefined;
  /** whether agent and model can be chosen */
  readonly choices: boolean;
  /** whether texts of notes can be sent along */
  readonly notes: boolean;
  /** how full the session's context is */
  readonly use: ContextUse;
  readonly actions: ComposerActions;
  /** Called on Esc: moves the focus to the transcript. */
  readonly onLeave: () => void;
  readonly onSent: () => void;
  readonly handle?: Ref<ViewWithActions>;
}

/** The field for the next prompt, and what is sent with it. */
export function Composer(props: ComposerProps) {
  const { sessionId, actions, online } = props;
  const { drafts } = actions;
  const [draft, change] = useDraft(sessionId, drafts);
  const field = useRef<HTMLTextAreaElement>(null);
  const writes = draft.text.trim() !== '';
  useTyping(actions, writes);
  const add = (chip: ContextChip) => withChip(draft.chips, chip);
  const closed = props.closed !== undefined;
  const completion = useCompletion(field, draft, actions, online && props.choices, (text, chip) =>
    change({ text, ...(chip && { chips: add(chip) }) }),
  );
  const agentNow = draft.agent || props.agent;
  const shownAgent = actions.titleOf(agentNow);
  const related = useRelatedPanel(props, draft, agentNow, change);
  useComposerActions(props, completion.begin, related.toggle, change);
  const canSend = online && !closed && writes && !drafts.isSending(sessionId);
  const send = async () => {
    if (!canSend) return;
    // Before waiting for the answer: the person may have moved on by then.
    field.current?.focus();
    const accepted = await drafts.send(sessionId, async (sent) => {
      const context = contextOf(sent.chips, await related.sendable());
      return actions.send(sent.text, promptOptions(sent, context));
    });
    if (accepted) props.onSent();
  };
  const onKey = (event: KeyboardEvent) => {
    if (event.isComposing || completion.onKey(event)) return;
    if (event.key === 'Escape') {
      event.preventDefault();
      props.onLeave();
    } else if (event.key === 'Enter' && isSendKey(event, actions.enterSends())) {
      event.preventDefault();
      void send();
    }
  };
  return (
    <div class="atb-composer">
      <CompletionList completion={completion} />
      <ContextChips
        chips={draft.chips}
        lastContext={closed ? undefined : actions.before()}
        onAdd={(chip) => change({ chips: add(chip) })}
        onRemove={(chip) => change({ chips: draft.chips.filter((one) => one !== chip) })}
      />
      {related.panel}
      <div class="atb-grow" data-text={draft.text}>
        <textarea
          ref={field}
          rows={1}
          value={draft.text}
          readOnly={closed}
          placeholder={t('conversation.messageOrNote', { agent: shownAgent })}
          aria-label={t('conversation.messageAgent', { agent: shownAgent })}
          {...completion.attributes}
          onInput={(event) => {
            change({ text: event.currentTarget.value });
            completion.look(event.currentTarget);
          }}
          onKeyDown={onKey}
        />
      </div>
      <StateNotes closed={props.closed} online={online} />
      {!closed && online && <ContextFullNote use={props.use} actions={actions} />}
      <ComposerFoot
        {...{ props, draft, change, canSend, onSend: send }}
        onAddNote={() => completion.begin()}
        onRelated={related.toggle}
      />
    </div>
  );
}

/** Reports whether the draft has text, and on unmount that it has none. */
function useTyping(actions: Pick<ComposerActions, 'typing'>, writes: boolean): void {
  useLayoutEffect(() => actions.typing(writes), [actions, writes]);
  useLayoutEffect(() => () => actions.typing(false), [actions]);
}

/**
 * The related notes that go with the draft: their panel, what can be sent of them, and a toggle.
 */
function useRelatedPanel(
  { notes, closed, use, actions }: ComposerProps,
  draft: PromptDraft,
  agent: string,
  change: (part: Partial<PromptDraft>) => void,
) {
  const related = notes && closed === undefined ? draft.related : undefined;
  const found = useRelated({ ...draft, related }, agent, use, actions);
  const onRemove = (path: string) => change({ related: [...(related ?? []), path] });
  return {
    sendable: async () => found && actions.sendable(agent, found),
    toggle: () => change({ related: draft.related === undefined ? [] : undefined }),
    panel: related !== undefined && <RelatedNotes {...{ found, onRemove }} />,
  };
}

/** Adds a chip; returns the same array if it already contains the chip. */
function withChip(chips: readonly ContextChip[], chip: ContextChip): readonly ContextChip[] {
  const there = chips.some((one) => JSON.stringify(one) === JSON.stringify(chip));
  return there ? chips : [...chips, chip];
}

/** Offers the actions on the next message to commands. */
function useComposerActions(
  { handle, closed, online, choices, notes, actions }: ComposerProps,
  attach: () => void,
  toggleRelated: () => void,
  change: (part: Partial<PromptDraft>) => void,
): void {
  useViewActions(handle, () => ({
    ...(closed === undefined && { 'attach-note': attach }),
    ...(closed === undefined && notes && { 'related-notes': toggleRelated }),
    ...(closed === undefined &&
      online &&
      choices && {
        'choose-agent': () => actions.chooseAgent((agent) => change({ agent })),
        'choose-model': () => actions.chooseModel((model) => change({ model })),
      }),
  }));
}

/** Notes that say why nothing can be sent now. */
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
  readonly canSend: boolean;
  readonly onAddNote: () => void;
  readonly onRelated: () => void;
  readonly onSend: () => Promise<void>;
}) {
  const { props, draft, change } = foot;
  const { actions } = props;
  const chooseAgent = () => actions.chooseAgent((agent) => change({ agent }));
  const chooseModel = () => actions.chooseModel((model) => change({ model }));
  const model = draft.model === '' ? t('conversation.defaultModel') : modelName(draft.model);
  const all = [
    {
      icon: 'bot',
      name: t('common.agent'),
      value: actions.titleOf(draft.agent || props.agent),
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
              aria-label={`${name}: ${plainLine(value)}`}
              onClick={onClick}
            >
              <Icon name={icon} />
              <span>{plainLine(value)}</span>
              <Icon name="chevron-down" />
            </button>
          ))}
        </>
      )}
      <div class="atb-composer-end">
        <ContextMeter use={props.use} actions={actions} />
        <button
          type="button"
          class="atb-composer-send"
          aria-label={t('conversation.send')}
          disabled={!foot.canSend}
          onClick={() => void foot.onSend()}
        >
          <Icon name="arrow-up" />
        </button>
      </div>
    </div>
  );
}

/** A session's draft, and a function that changes it; closing the view loses nothing. */
function useDraft(sessionId: string, drafts: PromptDrafts) {
  const draw = useRedraw();
  useLayoutEffect(() => drafts.onChange((id) => id === sessionId && draw()), [drafts, sessionId]);
  const change = (part: Partial<PromptDraft>) =>
    drafts.save(sessionId, { ...drafts.get(sessionId), ...part });
  return [drafts.get(sessionId), change] as const;
}

/** Whether an Enter key sends; with Ctrl or ⌘ it always does. */
export function isSendKey(
  { shiftKey, ctrlKey, metaKey }: KeyboardEvent,
  enterSends: boolean,
): boolean {
  return ctrlKey || metaKey || shiftKey !== enterSends;
}

/** The model's name without its provider, which the menu shows. */
function modelName(model: string): string {
  return model.slice(model.indexOf('/') + 1);
}
