import type { Clients } from './clients';
import type { EditGuard } from './edit-guard';
import { readEvent } from './opencode-event';
import type { Prompter } from './prompter';
import type { SessionBook } from './session-book';
import { START_MARK, type SessionStarts } from './session-starts';
import type { StoredPrompts } from './stored-prompts';
import type { TodoFeed } from './todo-feed';
import type { Translator } from './translate';

export interface EventHookParts {
  readonly book: SessionBook;
  readonly clients: Clients;
  readonly edits: Pick<EditGuard, 'heard'>;
  readonly prompter: Prompter;
  readonly prompts: Pick<StoredPrompts, 'heard'>;
  readonly starts: SessionStarts;
  readonly todos: TodoFeed;
  readonly translator: Translator;
}

/** One event of OpenCode, from hearing it to telling the clients, without a pause in between. */
export function eventHook(parts: EventHookParts): (input: { event: unknown }) => void {
  const { book, clients, edits, prompter, prompts, starts, todos, translator } = parts;
  return (input) => {
    const event = readEvent(input.event);
    if (!event) return;
    book.heard(event);
    todos.heard(event);
    edits.heard(event);
    prompts.heard(event);
    if (event.type === 'session.deleted') prompter.forget(event.properties.sessionID);
    const mark =
      event.type === 'session.created' ? event.properties.info.metadata?.[START_MARK] : undefined;
    for (const draft of translator.translate(event)) {
      if (draft.type === 'session.created') starts.created(draft, mark);
      else clients.publish(draft);
    }
  };
}
