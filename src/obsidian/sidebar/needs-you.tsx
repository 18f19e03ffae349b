import { Fragment } from 'preact';
import { useLayoutEffect, useMemo, useReducer, useRef, useState } from 'preact/hooks';
import {
  cardOptions,
  itemQuestion,
  itemShort,
  itemTitle,
  boardsInUse,
  personTasks,
  useAttention,
  versionConflicts,
  type AttentionItem,
  type AttentionItemOf,
  type AttentionSource,
  type PersonTask,
} from '../model/attention';
import type { OverviewState, RunSummary } from '../model/overview';
import { ContinueCard, type ContinueCardProps } from '../session/auto-continue';
import { Card, FoldHead } from '../ui/banner';
import { Button, useAccessibleName } from '../ui/icon';
import type { Intents } from '../board/intents';
import type { SidebarRequests } from './ui-state';
import { theirsWithOurId } from '../../core/board/merge/choose-version';
import type { Board, KeptLine } from '../../core/board/task';
import { useArmed } from '../ui/armed';
import { askText, askLines, permissionText } from '../ask/ask-text';
import { DiffLines, shownInFull, VisibleText } from '../ui/diff-view';
import { diffLines, textDiff, type DiffLine } from '../ui/text-diff';
import { noteName, plainLine } from '../ui/text';
import { RunButtons } from '../run/run-intent';
import { t } from '../language/text';

export interface NeedsYouProps {
  readonly needs: AttentionSource;
  readonly requests?: SidebarRequests;
  readonly state: OverviewState;
  readonly intents: Intents;
}

/** Most tasks of the person that are listed; the others are in the tree. */
const MAX_PERSON_TASKS = 5;

/** Everything that waits for the person, and sessions that will continue unless stopped. */
export function NeedsYou({ needs: source, requests, state, intents }: NeedsYouProps) {
  const [open, setOpen] = useState(true);
  const needs = useAttention(source);
  const { boards, sessions, runs } = state;
  const mine = useMemo(() => personTasks({ boards, sessions, runs }), [boards, sessions, runs]);
  const ofRuns = runs.flatMap((run) => run.needs.map((need) => ({ run, need })));
  const versions = useMemo(
    () => versionConflicts(boardsInUse({ boards, sessions })),
    [boards, sessions],
  );
  const count = needs.length + ofRuns.length + versions.length + mine.length;
  const [named, name] = useAccessibleName(t('sidebar.needsYouCount', { count }));
  const cards = useNextCard(requests, () => setOpen(true));
  return (
    <>
      {[...state.continues].map(([id, now]) => {
        if (now.kind !== 'waiting') return null;
        const title = state.sessions.find((session) => session.id === id)?.title || id;
        return <SessionContinueCard key={id} {...{ id, title, now, intents }} />;
      })}
      {count > 0 && (
        <section class="atb-needs" {...named} ref={cards}>
          {name}
          <FoldHead class="atb-needs-head" open={open} onToggle={() => setOpen(!open)}>
            {t('session.needsYou')} <span class="atb-badge">{count}</span>
          </FoldHead>
          {open &&
            needs.map((need, place) => (
              <AttentionCard key={need.request.requestId} {...{ need, place, intents }} />
            ))}
          {open &&
            ofRuns.map(({ run, need }) => (
              <RunAttentionCard key={`${run.id} ${need.key}`} {...{ run, need, intents }} />
            ))}
          {open &&
            versions.map(({ board, kept }) => (
              <VersionsCard key={`${board.path} ${kept.text}`} {...{ board, kept, intents }} />
            ))}
          {open &&
            mine
              .slice(0, MAX_PERSON_TASKS)
              .map((one) => (
                <PersonTaskCard
                  key={`${one.board.path}#${one.task.key}`}
                  mine={one}
                  intents={intents}
                />
              ))}
          {open && mine.length > MAX_PERSON_TASKS && (
            <div class="atb-card-text">
              {t('sidebar.moreOfYours', { count: mine.length - MAX_PERSON_TASKS })}
            </div>
          )}
        </section>
      )}
    </>
  );
}

/** Focuses the next card on request; after the last card, the first. */
function useNextCard(requests: SidebarRequests | undefined, unfold: () => void) {
  const section = useRef<HTMLElement>(null);
  const [requestCount, countRequest] = useReducer((count: number) => count + 1, 0);
  // Layout effect, since whoever opens the sidebar sends the request at once.
  useLayoutEffect(
    () =>
      requests?.onRequest((request) => {
        if (request !== 'needs-you') return;
        unfold();
        countRequest(undefined);
      }),
    [requests],
  );
  // Runs when the unfolded cards are drawn.
  useLayoutEffect(() => {
    if (requestCount > 0) focusNext(section.current);
  }, [requestCount]);
  return section;
}

function focusNext(section: HTMLElement | null): void {
  const cards = [...(section?.querySelectorAll('.atb-card') ?? [])];
  const at = cards.findIndex((card) => card.contains(card.ownerDocument.activeElement));
  const next = cards[(at + 1) % cards.length];
  next?.scrollIntoView({ block: 'nearest' });
  next?.querySelector<HTMLElement>('button, input, [tabindex]')?.focus();
}

/** The countdown of a session until it continues, with its title. */
function SessionContinueCard(props: {
  readonly id: string;
  readonly title: string;
  readonly now: ContinueCardProps['state'];
  readonly intents: NeedsYouProps['intents'];
}) {
  const { id, title, now, intents } = props;
  const [named, name] = useAccessibleName(t('sidebar.titleContinuesByItself', { title }));
  return (
    <section class="atb-needs" {...named}>
      {name}
      <div class="atb-card-text">{title}</div>
      <ContinueCard
        state={now}
        onContinue={() => intents.continueNow(id)}
        onStop={() => intents.stopContinuing(id)}
      />
    </section>
  );
}

type CardIntents = Pick<Intents, 'review' | 'allowOnce' | 'choose'>;

interface CardProps<K extends AttentionItem['kind']> {
  readonly need: AttentionItemOf<K>;
  /** index from 0; a card that moved accepts no answer for a moment, so that no click hits it */
  readonly place: number;
  readonly intents: CardIntents;
}

/** A request that can be answered in its card. */
export function AttentionCard(props: CardProps<AttentionItem['kind']>) {
  const { need } = props;
  const icon = need.kind === 'question' ? 'message-circle-question-mark' : 'shield-question-mark';
  return (
    <Card name={itemQuestion(need)} icon={icon} requestId={need.request.requestId}>
      {need.kind === 'permission' && <Permission {...props} need={need} />}
      {need.kind === 'ask' && <OwnAsk {...props} need={need} />}
      {need.kind === 'question' && <Question {...props} need={need} />}
    </Card>
  );
}

/** Most lines of a change that a card shows. */
const MAX_LINES = 8;

/** Most UTF-16 units that a card shows; longer or several texts are reviewed in the dialog. */
const MAX_SHOWN = 160;

function Permission(props: CardProps<'permission'>) {
  const { need } = props;
  const text = permissionText(need.request);
  const [only = '', more] = text.objects;
  const short = more === undefined && only.length <= MAX_SHOWN && !only.includes('\n');
  const change = { lines: diffLines(need.request), words: text.change ?? undefined };
  // The path of an edit alone does not show all of it.
  const whole = short && only !== '' && !(text.edits && change.lines.length === 0);
  return <ApprovalBody {...props} {...{ change, whole }} object={short ? only : undefined} />;
}

function OwnAsk(props: CardProps<'ask'>) {
  const { change } = props.need.request;
  const { object, sent, change: words } = askText(props.need.request);
  const lines = askLines(props.need.request);
  // What the agent sent is shown below the path if there is room.
  const shownText = [object, ...sent].join('\n');
  const short = sent.length <= 3 && shownText.length <= MAX_SHOWN && !sent.join('').includes('\n');
  const whole = change !== 'restricted' && (sent.length === 0 || short);
  return (
    <ApprovalBody
      {...props}
      {...{ whole, change: { lines, words } }}
      object={short ? shownText : object}
    />
  );
}

/** Offers "Allow once" only if the card shows everything that would be allowed. */
function ApprovalBody(
  props: CardProps<'permission' | 'ask'> & {
    /** command, address or path, if there is room for it */
    readonly object: string | undefined;
    readonly change: {
      readonly lines: readonly DiffLine[];
      readonly words: string | undefined;
    };
    readonly whole: boolean;
  },
) {
  const { need, place, intents, object, change } = props;
  const { requestId } = need.request;
  const armed = useArmed(`${requestId} ${place}`);
  const fits = shownInFull(change.lines, MAX_LINES);
  return (
    <>
      <div>{itemQuestion(need)}</div>
      <div class="atb-card-text">
        <SessionName title={itemTitle(need)} /> · {change.words ?? itemShort(need)}
      </div>
      {object !== undefined && (
        <code class="atb-card-object">
          <VisibleText text={object} />
        </code>
      )}
      {fits && (
        <DiffLines
          lines={change.lines}
          name={t('ask.changeTo', { note: noteName(object ?? '') })}
        />
      )}
      <div class="atb-buttons">
        <Button
          kind="primary"
          words={t('sidebar.review')}
          onClick={() => intents.review(requestId)}
        />
        {props.whole && fits && (
          <Button
            words={t('common.allowOnce')}
            disabled={!armed}
            onClick={() => armed && intents.allowOnce(requestId)}
          />
        )}
        <Button
          kind="quiet"
          words={t('sidebar.deny')}
          onClick={() => intents.review(requestId, 'deny')}
        />
      </div>
    </>
  );
}

function Question({ need, place, intents }: CardProps<'question'>) {
  const { requestId } = need.request;
  const armed = useArmed(`${requestId} ${place}`);
  const options = cardOptions(need.request);
  return (
    <>
      <div>{itemQuestion(need)}</div>
      <div class="atb-card-text">{t('sidebar.asks', { title: itemTitle(need) })}</div>
      <div class="atb-buttons">
        {options.map(({ label, description = '' }) => (
          <Fragment key={label}>
            <Button
              words={label}
              disabled={!armed}
              onClick={() => armed && intents.choose(requestId, label)}
            />
            {description !== '' && <div class="atb-card-text atb-card-option">{description}</div>}
          </Fragment>
        ))}
        <Button
          kind={options.length === 0 ? 'plain' : 'quiet'}
          words={options.length === 0 ? t('sidebar.answer') : t('sidebar.answer2')}
          onClick={() => intents.review(requestId)}
        />
      </div>
    </>
  );
}

/** The session's title on one line; the tooltip has all of it. */
function SessionName({ title }: { readonly title: string }) {
  return (
    <span class="atb-card-session" title={title}>
      {title}
    </span>
  );
}

/** One reason why a run waits for the person, with its actions and a link to the run's panel. */
function RunAttentionCard(props: {
  readonly run: RunSummary;
  readonly need: RunSummary['needs'][number];
  readonly intents: Pick<Intents, 'openRun' | 'doRun'>;
}) {
  const { run, need, intents } = props;
  const open = () => intents.openRun(run.id);
  const text = [run.goal, need.text].filter((part) => part !== '').join(' · ');
  return (
    <Card name={need.title} icon={need.icon} tone={need.tone}>
      <div>{plainLine(need.title)}</div>
      <div class="atb-card-text">{text}</div>
      <RunButtons buttons={need.buttons} onDo={(intent) => intents.doRun(run.id, intent)} />
      <div class="atb-buttons">
        {need.buttons.length === 0 ? (
          <Button kind="primary" words={t('sidebar.review')} onClick={open} />
        ) : (
          <Button kind="quiet" words={t('common.openRunPanel')} onClick={open} />
        )}
      </div>
    </Card>
  );
}

/** Two versions of a line that a merge left; the person can choose if both are shown in full. */
function VersionsCard(props: {
  readonly board: Board;
  readonly kept: KeptLine;
  readonly intents: Pick<Intents, 'chooseVersion' | 'openFinding'>;
}) {
  const { board, kept, intents } = props;
  const { beside, line, text } = kept;
  const lines = useMemo(() => {
    const [mine = '', theirs] = [beside?.text, theirsWithOurId(kept)];
    return textDiff(`${mine.trim()}\n`, `${theirs.trim()}\n`).filter(
      ({ kind }) => kind !== 'place',
    );
  }, [kept]);
  const name =
    beside === undefined
      ? t('sidebar.twoVersionsOfALine')
      : t('board.twoVersionsOf', { title: beside.title });
  const open = () =>
    intents.openFinding(board, { kind: 'two-versions', path: board.path, line, text });
  return (
    <Card name={name} icon="git-merge">
      <div>{name}</div>
      <div class="atb-card-text">{t('sidebar.aMergeKeptBoth', { title: board.title })}</div>
      {beside === undefined ? (
        <code class="atb-card-object">
          <VisibleText text={text} />
        </code>
      ) : (
        <DiffLines lines={lines} name={t('ask.changeTo', { note: beside.title })} />
      )}
      <div class="atb-buttons">
        {beside !== undefined && (
          <>
            <Button
              words={t('sidebar.keepTheFirst')}
              onClick={() => intents.chooseVersion(board, kept, 'mine')}
            />
            <Button
              words={t('sidebar.useTheOther')}
              onClick={() => intents.chooseVersion(board, kept, 'theirs')}
            />
          </>
        )}
        <Button kind="quiet" words={t('sidebar.open')} onClick={open} />
      </div>
    </Card>
  );
}

const PERSON_TASK_TEXTS = {
  own: { icon: 'user-round', question: t('sidebar.yourTask'), yes: t('common.markDone') },
  approve: {
    icon: 'circle-check',
    question: t('sidebar.approveWhatWasDone'),
    yes: t('sidebar.approve'),
  },
  review: { icon: 'eye', question: t('sidebar.acceptWhatWasDone'), yes: t('sidebar.accept') },
} as const;

/** A task that waits for the person: to be done, to be approved, or to be reviewed. */
function PersonTaskCard(props: {
  readonly mine: PersonTask;
  readonly intents: Pick<Intents, 'tick' | 'open' | 'reviewTask' | 'accept' | 'sendBack'>;
}) {
  const { intents } = props;
  const { board, task, why, title } = props.mine;
  const { icon, question, yes } = PERSON_TASK_TEXTS[why];
  const review = why === 'review';
  return (
    <Card name={`${question} ${task.title}`} icon={icon}>
      <div class="atb-title" title={plainLine(task.title)}>
        {plainLine(task.title)}
      </div>
      <div class="atb-card-text">
        <SessionName title={plainLine(title)} /> · {question}
      </div>
      <div class="atb-buttons">
        {review && (
          <Button
            kind="primary"
            words={t('sidebar.review')}
            onClick={() => intents.reviewTask(board, task)}
          />
        )}
        <Button
          words={yes}
          onClick={() => (review ? intents.accept(board, task) : intents.tick(board, task))}
        />
        {review && (
          <Button
            kind="quiet"
            words={t('app.sendBack')}
            onClick={() => intents.sendBack(board, task)}
          />
        )}
        {!review && (
          <Button
            kind="quiet"
            words={t('sidebar.open')}
            onClick={() => intents.open(board, task, false)}
          />
        )}
      </div>
    </Card>
  );
}
