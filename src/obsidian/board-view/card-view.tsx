import { useMemo } from 'preact/hooks';
import { markState } from '../../core/board/task-display';
import type { Intents } from '../board/intents';
import { useIsCurrent, type CurrentTask } from '../model/current-task';
import type { Overview } from '../model/overview';
import { TaskWorkView, useTaskWork, workWords } from '../session/task-work';
import { useShownStatus, type PendingStatuses } from '../model/pending-status';
import { RenameField } from '../sidebar/row-views';
import { Icon, StatusCheckbox, Title } from '../ui/icon';
import { cardWords, cardColumn, COLUMNS, type BoardCard } from './columns';
import { isWritable } from './shown-boards';
import { t } from '../language/text';

/** What every card needs of its board. */
export interface CardEvents {
  readonly pending: PendingStatuses;
  readonly current: CurrentTask | undefined;
  readonly overview: Pick<Overview, 'state' | 'onChange'>;
  readonly intents: Intents;
  readonly press: (card: BoardCard, event: MouseEvent) => void;
  readonly menu: (card: BoardCard, event: MouseEvent) => void;
  readonly focused: (card: BoardCard) => void;
  /** The field for a title was closed; `back`: the focus returns to its card. */
  readonly edited: (back: boolean) => void;
}

/** One task: mark, title, dot, subtasks and number; what it waits for; facts. */
export function CardView(props: {
  readonly card: BoardCard;
  /** number of changes by others since the person looked */
  readonly touched: number;
  readonly several: boolean;
  readonly today: string;
  /** whether Tab reaches this card */
  readonly stop: boolean;
  readonly picked: boolean;
  /** it was picked up; this card shows where it came from */
  readonly carried: boolean;
  readonly editing: boolean;
  readonly events: CardEvents;
}) {
  const { card, touched, several, today, stop, picked, carried, editing, events } = props;
  const status = useShownStatus(events.pending, card.board.path, card.task);
  const current = useIsCurrent(events.current, card.id);
  const work = useTaskWork({ overview: events.overview, board: card.board, task: card.task });
  return useMemo(() => {
    const { board, id } = card;
    const task = status === card.task.status ? card.task : { ...card.task, status };
    const mark = status === card.task.status ? card.mark : markState(task, false);
    const shown = task === card.task ? card : { ...card, task, mark };
    const words = cardWords(shown, { changed: touched > 0, several, today, work: workWords(work) });
    return (
      <div
        class="atb-board-card"
        role="gridcell"
        data-at={id}
        data-card=""
        data-id={task.id ?? ''}
        data-state={mark}
        data-carried={carried}
        data-touch={touched === 0 ? undefined : touched % 2 === 1 ? 'odd' : 'even'}
        tabIndex={stop ? 0 : -1}
        aria-label={words.name}
        aria-selected={picked}
        aria-current={current}
        aria-colindex={COLUMNS.indexOf(cardColumn(card.task)) + 1}
        onClick={(event) => events.press(card, event)}
        onDblClick={(event) => events.intents.open(board, task, event.ctrlKey || event.metaKey)}
        onContextMenu={(event) => events.menu(card, event)}
        onFocus={() => events.focused(card)}
        {...(touched > 0 && {
          onPointerEnter: () => events.intents.markSeen(board.path, task.key),
        })}
      >
        <StatusCheckbox
          state={mark}
          checked={words.checked}
          label={task.title}
          disabled={!isWritable(board)}
          onTick={() => events.intents.tick(board, card.task)}
        />
        <div class="atb-card-main">
          <div class="atb-card-line">
            {editing ? (
              <RenameField
                {...{ board, task: card.task, intents: events.intents }}
                onClose={events.edited}
              />
            ) : (
              <Title words={task.title} />
            )}{' '}
            <CardEnd touched={touched > 0} {...words} />
          </div>{' '}
          <CardFacts {...words} />{' '}
          <TaskWorkView {...{ board, task, work, intents: events.intents }} />
        </div>
      </div>
    );
  }, [
    ...[card, status, touched, several, today, stop, picked, current, work, carried, editing],
    events,
  ]);
}

function CardEnd({
  touched,
  subtasks,
  number,
}: Pick<ReturnType<typeof cardWords>, 'subtasks' | 'number'> & { readonly touched: boolean }) {
  return (
    <span class="atb-card-end">
      {touched && <span class="atb-dot" title={t('boardView.changedSinceYouLastLooked')} />}
      {subtasks !== undefined && (
        <span class="atb-fact">
          <Icon name="list-tree" />
          {subtasks}
        </span>
      )}{' '}
      {number}
    </span>
  );
}

function CardFacts({ reason, facts }: Pick<ReturnType<typeof cardWords>, 'reason' | 'facts'>) {
  return (
    <>
      {reason !== undefined && (
        <div class="atb-reason">
          {reason.icon !== undefined && <Icon name={reason.icon} />}
          <span class="atb-reason-text" title={reason.text}>
            {reason.text}
          </span>
        </div>
      )}{' '}
      {facts.length > 0 && (
        <div class="atb-card-facts">
          {facts.map(({ kind, icon, text }) => (
            <span class="atb-fact" data-fact={kind} key={kind}>
              {icon !== null && <Icon name={icon} />}
              {text}{' '}
            </span>
          ))}
        </div>
      )}
    </>
  );
}

/** Shows where a picked up card would land. */
export function CardSlot({ card, more }: { readonly card: BoardCard; readonly more: number }) {
  return (
    <div class="atb-board-card atb-card-slot" data-state={card.mark} aria-hidden="true">
      <span class="atb-mark" data-state={card.mark} />
      <div class="atb-card-main">
        <div class="atb-card-line">
          <Title words={card.task.title} />
          <span class="atb-card-end">{more > 0 ? t('boardView.andMore', { more }) : ''}</span>
        </div>
      </div>
    </div>
  );
}
