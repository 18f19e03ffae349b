import type { App } from 'obsidian';
import type { Undo } from '../../core/ports';
import { Listeners } from '../../core/session/listeners';
import type { PromptContext, SendOptions } from '../../core/session/bridge-runtime';
import type { Attachment } from '../../protocol/snapshot';
import { noteName } from '../ui/text';
import { Icon } from '../ui/icon';
import { t } from '../language/text';

/**
 * An attachment of a prompt, shown as a chip: a note chosen by name, the open note, a selection.
 */
export type ContextChip =
  | { readonly kind: 'note' | 'open'; readonly path: string }
  | { readonly kind: 'selection'; readonly path: string; readonly text: string };

/** A prompt that is not sent yet, and what goes with it. */
export interface PromptDraft {
  readonly text: string;
  readonly chips: readonly ContextChip[];
  /** empty: the session's own */
  readonly agent: string;
  /** `provider/model`; empty: the session's own */
  readonly model: string;
  /** if defined, related notes are sent along, except those whose paths are in this list */
  readonly related: readonly string[] | undefined;
}

export const EMPTY_DRAFT: PromptDraft = {
  ...{ text: '', chips: [], agent: '', model: '' },
  related: undefined,
};

/** Most sessions whose drafts are stored, the ones changed last. */
const MAX_STORED = 100;

/** Drafts of all sessions; they survive closing the view and restarting. */
export class PromptDrafts {
  private readonly listeners = new Listeners<string>();
  private readonly known = new Map<string, PromptDraft>();
  private readonly sending = new Set<string>();
  /** by session: the last prompt sent since the start, and what went with it, for another attempt */
  readonly lastSent = new Map<
    string,
    {
      readonly text: string;
      readonly context: PromptContext | undefined;
      /** its key, as long as it is not known to be accepted */
      readonly unconfirmed?: string;
    }
  >();

  /** @param values local storage of this device for this vault */
  constructor(private readonly values: Pick<App, 'loadLocalStorage' | 'saveLocalStorage'>) {}

  get(sessionId: string): PromptDraft {
    const draft = this.known.get(sessionId) ?? this.read(sessionId);
    this.known.set(sessionId, draft);
    return draft;
  }

  private read(sessionId: string): PromptDraft {
    const stored: unknown = this.values.loadLocalStorage(storageKey(sessionId));
    if (typeof stored !== 'object' || stored === null) return EMPTY_DRAFT;
    const { text, chips, agent, model, related } = stored as Partial<
      Record<keyof PromptDraft, unknown>
    >;
    return {
      related: Array.isArray(related) ? related.map(textOrEmpty) : undefined,
      text: textOrEmpty(text),
      chips: Array.isArray(chips) ? chips.flatMap(readChip) : [],
      agent: textOrEmpty(agent),
      model: textOrEmpty(model),
    };
  }

  /** Attaches something to a session's draft from outside its composer. */
  attach(sessionId: string, chip: ContextChip): void {
    const draft = this.get(sessionId);
    this.save(sessionId, { ...draft, chips: [...draft.chips, chip] });
  }

  /** Calls the listener with the session whose draft changed, or began or ended to be sent. */
  onChange(listener: (sessionId: string) => void): Undo {
    return this.listeners.add(listener);
  }

  isSending(sessionId: string): boolean {
    return this.sending.has(sessionId);
  }

  /**
   * Sends a session's draft, and removes what was sent once it is accepted. Until then the session
   * sends nothing else, even if its view is closed and opened again.
   * @param send resolves to whether the prompt was accepted
   * @returns whether it was
   */
  async send(sessionId: string, send: (draft: PromptDraft) => Promise<boolean>): Promise<boolean> {
    if (this.isSending(sessionId)) return false;
    this.sending.add(sessionId);
    this.listeners.call(sessionId);
    const draft = this.get(sessionId);
    try {
      const accepted = await send(draft);
      if (accepted) this.save(sessionId, withoutSent(this.get(sessionId), draft));
      return accepted;
    } finally {
      this.sending.delete(sessionId);
      this.listeners.call(sessionId);
    }
  }

  save(sessionId: string, draft: PromptDraft): void {
    this.known.set(sessionId, draft);
    const { text, chips, agent, model, related } = draft;
    const bare = text === '' && chips.length === 0 && related === undefined;
    const empty = bare && agent === '' && model === '';
    this.values.saveLocalStorage(storageKey(sessionId), empty ? null : draft);
    this.limitStored(sessionId, empty);
    this.listeners.call(sessionId);
  }

  /** Lists the sessions that have a stored draft, and removes the oldest drafts above the limit. */
  private limitStored(sessionId: string, empty: boolean): void {
    const listed: unknown = this.values.loadLocalStorage(STORED_KEY);
    const before = Array.isArray(listed) ? listed.map(textOrEmpty) : [];
    // While a draft is typed, it is the last one already.
    if (!empty && before.at(-1) === sessionId) return;
    const others = before.filter((id) => id !== sessionId);
    const all = empty ? others : [...others, sessionId];
    for (const id of all.slice(0, -MAX_STORED)) {
      this.values.saveLocalStorage(storageKey(id), null);
    }
    this.values.saveLocalStorage(STORED_KEY, all.slice(-MAX_STORED));
  }
}

/** What remains of a draft after some of it was sent: what was written and chosen meanwhile. */
function withoutSent(draft: PromptDraft, sent: PromptDraft): PromptDraft {
  const { text } = draft;
  return {
    ...draft,
    text: text.startsWith(sent.text) ? text.slice(sent.text.length) : text,
    chips: draft.chips.filter((chip) => !sent.chips.includes(chip)),
    related: draft.related && [],
  };
}

/** Converts chips to a prompt's context: one open or selected note, the others as attachments. */
export function contextOf(
  chips: readonly ContextChip[],
  related?: PromptContext['related'],
): PromptContext | undefined {
  if (chips.length === 0 && related === undefined) return undefined;
  const selected = chips.flatMap((chip) => (chip.kind === 'selection' ? [chip.text] : []));
  const at = selected.length > 0 ? 'selection' : 'open';
  const note = chips.find(({ kind }) => kind === at)?.path;
  const attached = [...new Set(chips.map(({ path }) => path))].filter((path) => path !== note);
  return {
    ...(note !== undefined && { note }),
    ...(selected.length > 0 && { selection: selected.join('\n\n') }),
    ...(attached.length > 0 && { attached }),
    ...(related !== undefined && { related }),
  };
}

/** How to send a prompt: by the agent and model that were chosen, with its context. */
export function promptOptions(
  { agent, model }: Pick<PromptDraft, 'agent' | 'model'>,
  context: PromptContext | undefined,
): SendOptions {
  return {
    ...(agent !== '' && { agent }),
    ...(model !== '' && { model }),
    ...(context !== undefined && { context }),
  };
}

const STORED_KEY = 'agent-task-boards-drafts';

function storageKey(sessionId: string): string {
  return `agent-task-boards-draft:${sessionId}`;
}

function textOrEmpty(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function readChip(value: unknown): readonly ContextChip[] {
  if (typeof value !== 'object' || value === null) return [];
  const { kind, path, text } = value as Record<string, unknown>;
  if (typeof path !== 'string') return [];
  if (kind === 'note' || kind === 'open') return [{ kind, path }];
  return kind === 'selection' && typeof text === 'string' ? [{ kind, path, text }] : [];
}

/** The attached chips, which can be removed, and an offer to attach the open note or selection. */
export function ContextChips(props: {
  readonly chips: readonly ContextChip[];
  /** the open note or selection; offered unless it is attached */
  readonly lastContext: ContextChip | undefined;
  readonly onAdd: (chip: ContextChip) => void;
  readonly onRemove: (chip: ContextChip) => void;
}) {
  const { chips, lastContext } = props;
  const offered = lastContext !== undefined && !chips.some((chip) => isAttached(chip, lastContext));
  if (chips.length === 0 && !offered) return null;
  return (
    <div class="atb-chips">
      {chips.map((chip) => {
        const words = attachmentWords(chip);
        return (
          <span
            class="atb-chip"
            key={`${chip.kind} ${chip.path}`}
            title={t(`attached.${chip.kind}`, { path: chip.path })}
          >
            <Icon name={CHIP_ICONS[chip.kind]} />
            {words}
            <button
              type="button"
              class="clickable-icon"
              aria-label={t('conversation.remove', { what: words })}
              onClick={() => props.onRemove(chip)}
            >
              <Icon name="x" />
            </button>
          </span>
        );
      })}
      {offered && (
        <button
          type="button"
          class="atb-chip atb-chip-offer"
          onClick={() => props.onAdd(lastContext)}
        >
          <Icon name="plus" />
          {attachmentWords(lastContext)}
        </button>
      )}
    </div>
  );
}

/** A note attached by name counts as attached, so it isn't offered as the open one. */
function isAttached(chip: ContextChip, lastContext: ContextChip): boolean {
  if (chip.path !== lastContext.path) return false;
  return (chip.kind === 'selection') === (lastContext.kind === 'selection');
}

const CHIP_ICONS = {
  note: 'paperclip',
  open: 'file',
  selection: 'text-select',
} as const;

/** Text for something attached to a prompt. */
export function attachmentWords({ kind, path }: Attachment): string {
  if (path === undefined) return t('conversation.selection');
  return kind === 'selection'
    ? t('conversation.selectionInPath', { path: noteName(path) })
    : noteName(path);
}
