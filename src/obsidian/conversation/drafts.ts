import type { PromptContext } from '../../core/session/session-runtime';

/** What the person has before them, as a chip above the text: a note, or a selection in one. */
export type ContextChip =
  | { readonly kind: 'note'; readonly path: string }
  | { readonly kind: 'selection'; readonly path: string; readonly text: string };

/** Words that are not sent yet, and what goes with them. */
export interface Draft {
  readonly text: string;
  readonly chips: readonly ContextChip[];
  /** empty: the session's own */
  readonly agent: string;
  /** `provider/model`; empty: the session's own */
  readonly model: string;
}

export const NO_DRAFT: Draft = { text: '', chips: [], agent: '', model: '' };

/** Where values are kept on this device, in this vault; the app's local storage. */
export interface LocalValues {
  loadLocalStorage(key: string): unknown;
  saveLocalStorage(key: string, value: unknown): void;
}

/** Drafts of all sessions: kept while a view is closed, and over a restart. */
export class Drafts {
  constructor(private readonly values: LocalValues) {}

  get(sessionId: string): Draft {
    const kept: unknown = this.values.loadLocalStorage(keyOf(sessionId));
    if (typeof kept !== 'object' || kept === null) return NO_DRAFT;
    const { text, chips, agent, model } = kept as Partial<Record<keyof Draft, unknown>>;
    return {
      text: wordOf(text),
      chips: Array.isArray(chips) ? chips.flatMap(chipOf) : [],
      agent: wordOf(agent),
      model: wordOf(model),
    };
  }

  put(sessionId: string, draft: Draft): void {
    const { text, chips, agent, model } = draft;
    const empty = text === '' && chips.length === 0 && agent === '' && model === '';
    this.values.saveLocalStorage(keyOf(sessionId), empty ? null : draft);
  }
}

/** What is left once some of it was taken: what was written and chosen meanwhile. */
export function withoutSent(draft: Draft, sent: Pick<Draft, 'text' | 'chips'>): Draft {
  const { text } = draft;
  return {
    ...draft,
    text: text.startsWith(sent.text) ? text.slice(sent.text.length) : text,
    chips: draft.chips.filter((chip) => !sent.chips.includes(chip)),
  };
}

/** What goes with a prompt: the first note and selection by name, further notes as links. */
export function contextOf(chips: readonly ContextChip[]): PromptContext | undefined {
  if (chips.length === 0) return undefined;
  const [note, ...links] = [...new Set(chips.map(({ path }) => path))];
  const selected = chips.flatMap((chip) => (chip.kind === 'selection' ? [chip.text] : []));
  return {
    ...(note !== undefined && { note }),
    ...(selected.length > 0 && { selection: selected.join('\n\n') }),
    ...(links.length > 0 && { links }),
  };
}

function keyOf(sessionId: string): string {
  return `agent-task-boards-draft:${sessionId}`;
}

function wordOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function chipOf(value: unknown): readonly ContextChip[] {
  if (typeof value !== 'object' || value === null) return [];
  const { kind, path, text } = value as Record<string, unknown>;
  if (typeof path !== 'string') return [];
  if (kind === 'note') return [{ kind, path }];
  return kind === 'selection' && typeof text === 'string' ? [{ kind, path, text }] : [];
}
