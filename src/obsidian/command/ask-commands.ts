import type { Command } from 'obsidian';
import type { Asker } from '../ask/asker';
import type { Need } from '../ask/need';
import { when } from './when';

export interface AskCommandDeps {
  readonly asker: Pick<Asker, 'needs' | 'review'>;
  /** whether a task of the person waits for them */
  readonly needsMine: () => boolean;
  /** Brings the sidebar up, at the next card of what needs the person. */
  readonly showNext: () => Promise<void>;
}

/** The commands about what agents ask. They open the dialog; none of them answers unseen. */
export function askCommands({ asker, needsMine, showNext }: AskCommandDeps): readonly Command[] {
  const waiting = (fits: (need: Need) => boolean) => () => asker.needs().find(fits);
  const permission = waiting(({ kind }) => kind !== 'question');
  const question = waiting(({ kind }) => kind === 'question');
  const open = (id: string, name: string, first: typeof permission, step?: 'deny'): Command =>
    when(
      id,
      name,
      () => first() !== undefined,
      () => asker.review(first()?.request.requestId, step),
    );
  return [
    when(
      'needs-you-next',
      'Go to what needs you',
      () => needsMine() || asker.needs().length > 0,
      showNext,
    ),
    open('permission-review', 'Review permission request', permission),
    open('permission-allow-once', 'Allow request once…', permission),
    open('permission-deny', 'Deny request…', permission, 'deny'),
    open('answer-question', 'Answer question…', question),
  ];
}
