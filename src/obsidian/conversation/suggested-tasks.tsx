import type { App } from 'obsidian';
import { createContext } from 'preact';
import { useContext, useLayoutEffect, useMemo, useState } from 'preact/hooks';
import type { Board } from '../../core/board/task';
import { newSuggestions, suggestTodos, type Suggestion } from '../../core/exchange/text-plans';
import type { BlockOf } from '../../core/session/transcript/transcript';
import { isWritable } from '../board-view/shown-boards';
import { useOverview, type Overview, type OverviewState } from '../model/overview';
import { boardSession } from '../session/session-list';
import { Button, Icon, IconButton } from '../ui/icon';
import { t } from '../language/text';

/** The board to which suggested tasks of a session are added. */
interface Target {
  readonly session: string;
  readonly agent: string;
  /** undefined: created with the first task */
  readonly board: Board | undefined;
}

/** The board for suggested tasks. Subagents and workers of runs have no board of their own. */
function findTarget({ sessions, boards }: OverviewState, sessionId: string): Target | undefined {
  const now = sessions.find(({ id }) => id === sessionId);
  // The agent may still add the tasks to the board itself.
  if (now?.state.kind === 'busy' || now?.state.kind === 'retry') return undefined;
  if (now !== undefined && now.parentId !== null && now.board === undefined) return undefined;
  const { session, agent } = now?.board ?? { session: sessionId, agent: now?.agent ?? null };
  const own = boards.filter((one) => boardSession(one) === session);
  const board = own.find((one) => one.agent === agent) ?? own[0];
  if (board !== undefined) {
    return isWritable(board) ? { session: board.session, agent: board.agent, board } : undefined;
  }
  return agent === null || now?.state.kind === 'ended' ? undefined : { session, agent, board };
}

interface SuggestedDeps {
  readonly overview: Pick<Overview, 'state' | 'onChange'>;
  /** remembers dismissed messages on this device, for this vault */
  readonly storage: Pick<App, 'loadLocalStorage' | 'saveLocalStorage'>;
  /** Asks which tasks to add and adds them; resolves to false if none was added. */
  readonly add: (
    to: Pick<Board, 'session' | 'agent'>,
    found: readonly Suggestion[],
  ) => Promise<boolean>;
}

const STORAGE_KEY = 'agent-task-boards-suggestions';

/** Most dismissed messages that are remembered. */
const MAX_DISMISSED = 1_000;

/** Actions on the suggested tasks of one message. */
interface Offer {
  readonly add: () => void;
  readonly dismiss: () => void;
}

/** Suggested tasks found in a session's messages. */
export class SuggestedTasks {
  /** offers that are drawn now, by the key of their block */
  readonly offers = new Map<string, Offer>();

  constructor(
    private readonly deps: SuggestedDeps,
    private readonly sessionId: string,
  ) {}

  get overview(): SuggestedDeps['overview'] {
    return this.deps.overview;
  }

  target(state: OverviewState): Target | undefined {
    return findTarget(state, this.sessionId);
  }

  isDismissed(block: string): boolean {
    return this.dismissed().includes(`${this.sessionId} ${block}`);
  }

  dismiss(block: string): void {
    const kept = [...this.dismissed(), `${this.sessionId} ${block}`].slice(-MAX_DISMISSED);
    this.deps.storage.saveLocalStorage(STORAGE_KEY, kept);
  }

  add(to: Target, found: readonly Suggestion[]): Promise<boolean> {
    return this.deps.add(to, found);
  }

  private dismissed(): readonly unknown[] {
    const kept: unknown = this.deps.storage.loadLocalStorage(STORAGE_KEY);
    return Array.isArray(kept) ? kept : [];
  }
}

/** Undefined if the view offers no tasks. */
export const SuggestedContext = createContext<SuggestedTasks | undefined>(undefined);

/** Below a complete message: how many tasks it contains that are not on the board. */
export function MessageTasks({
  block,
  id,
}: {
  readonly block: BlockOf<'text'>;
  readonly id: string;
}) {
  const suggested = useContext(SuggestedContext);
  const { text, live, partial } = block;
  const found = useMemo(
    () => (suggested === undefined || live || partial === true ? [] : suggestTodos(text)),
    [suggested, text, live, partial],
  );
  if (suggested === undefined || found.length === 0) return null;
  return <OfferLine {...{ suggested, found, id }} />;
}

function OfferLine(props: {
  readonly suggested: SuggestedTasks;
  readonly found: readonly Suggestion[];
  readonly id: string;
}) {
  const { suggested, found, id } = props;
  const target = suggested.target(useOverview(suggested.overview));
  const board = target?.board;
  const fresh = useMemo(() => newSuggestions(found, board), [found, board]);
  const [dismissed, setDismissed] = useState(() => suggested.isDismissed(id));
  const shown = target !== undefined && fresh.length > 0 && !dismissed;
  const dismiss = () => {
    suggested.dismiss(id);
    setDismissed(true);
  };
  const add = async () => {
    if (target !== undefined && (await suggested.add(target, fresh))) dismiss();
  };
  useLayoutEffect(() => {
    if (!shown) return undefined;
    suggested.offers.set(id, { add: () => void add(), dismiss });
    return () => void suggested.offers.delete(id);
  });
  if (!shown) return null;
  const words = t('conversation.tasksInThisMessage', { count: fresh.length });
  return (
    <div class="atb-talk-offer" role="group" aria-label={words}>
      <Icon name="list-plus" />
      <span>{words}</span>
      <Button kind="quiet" words={t('conversation.addToPlan')} onClick={() => void add()} />
      <IconButton icon="x" label={t('conversation.dismissTasks')} onClick={dismiss} />
    </div>
  );
}
