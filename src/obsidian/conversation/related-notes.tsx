import { useContext, useLayoutEffect, useState } from 'preact/hooks';
import { roomForNotes, type ContextUse } from '../../core/context/context-use';
import type { RelatedNote } from '../../core/context/related-notes';
import type { Attachment } from '../../protocol/snapshot';
import { useAccessibleName } from '../ui/icon';
import { IconButton } from '../ui/icon';
import { noteName } from '../ui/text';
import type { ComposerActions } from './conversation-actions';
import type { PromptDraft } from './drafts';
import { MarkdownContext, NoteLinkView } from './markdown/markdown';
import type { FoundNotes } from './related-source';
import { t } from '../language/text';

/** ms from the last keystroke to the search for notes. */
const SEARCH_DELAY = 400;

type Draft = Pick<PromptDraft, 'text' | 'chips' | 'related'>;

/**
 * Notes that would be sent with a draft; undefined if none are wanted or they are not known yet.
 */
export function useRelated(
  { text, chips, related }: Draft,
  agent: string,
  use: ContextUse,
  actions: Pick<ComposerActions, 'findNotes'>,
): FoundNotes | undefined {
  const [found, setFound] = useState<FoundNotes>();
  const on = related !== undefined;
  const room = roomForNotes(use, text);
  useLayoutEffect(() => {
    if (related === undefined) return setFound(undefined);
    let shown = true;
    const search = async () => {
      const now = await actions.findNotes(agent, { text, chips, related }, use);
      if (shown && now !== undefined) setFound(now);
    };
    const timer = window.setTimeout(() => void search(), found === undefined ? 0 : SEARCH_DELAY);
    return () => {
      shown = false;
      window.clearTimeout(timer);
    };
  }, [actions, text, chips, related, agent, room]);
  if (!on || found === undefined) return undefined;
  // A removed note disappears at once.
  const notes = found.notes.filter(({ path }) => !related.includes(path));
  return { ...found, notes };
}

/** Notes that would be sent with the prompt, each with reason and tokens, and their total. */
export function RelatedNotes(props: {
  readonly found: FoundNotes | undefined;
  readonly onRemove: (path: string) => void;
}) {
  const { found } = props;
  const { openNote } = useContext(MarkdownContext);
  const [named, name] = useAccessibleName(t('related.title'));
  return (
    <div class="atb-related" role="group" {...named}>
      {name}
      <div class="atb-related-head" role="status">
        {headWords(found)}
      </div>
      <ul>
        {found?.notes.map((note) => (
          <li key={note.path}>
            <div class="atb-related-words">
              <span title={note.path}>
                <NoteLinkView path={note.path} openNote={openNote}>
                  {noteName(note.path)}
                </NoteLinkView>
              </span>
              <span class="atb-related-why">{whyWords(note)}</span>
            </div>
            <span class="atb-related-size">{t('related.tokens', { count: note.tokens })}</span>
            <IconButton
              icon="x"
              label={t('conversation.remove', { what: noteName(note.path) })}
              onClick={() => props.onRemove(note.path)}
            />
          </li>
        ))}
      </ul>
    </div>
  );
}

function headWords(found: FoundNotes | undefined): string {
  if (found === undefined) return t('related.looking');
  const { notes, room } = found;
  if (notes.length === 0) return t(room === 0 ? 'related.noRoom' : 'related.none');
  const used = notes.reduce((all, { tokens }) => all + tokens, 0);
  return t('related.along', { count: notes.length, used, room });
}

function whyWords({ why, cut }: RelatedNote): string {
  const words = t(`relatedWhy.${why}`);
  return cut ? t('related.beginning', { why: words }) : words;
}

/** Notes whose texts were sent with a prompt. */
export function notesSentAlong(attached: readonly Attachment[] = []): Attachment[] {
  return attached.filter(({ tokens }) => tokens !== undefined);
}

/** The notes whose texts were sent with a prompt, with their tokens. */
export function SentNotes({ notes }: { readonly notes: readonly Attachment[] }) {
  const { openNote } = useContext(MarkdownContext);
  return (
    <ul class="atb-talk-along">
      {notes.map(({ path = '', tokens = 0 }) => (
        <li key={path} title={path}>
          <NoteLinkView path={path} openNote={openNote}>
            {noteName(path)}
          </NoteLinkView>{' '}
          <span class="atb-related-size">{t('related.tokens', { count: tokens })}</span>
        </li>
      ))}
    </ul>
  );
}
