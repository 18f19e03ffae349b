import type { ComponentChildren } from 'preact';
import { boardFacts } from '../../core/board/facts';
import { whatIf } from '../../core/board/graph/schedule';
import type { Board } from '../../core/board/task';
import { markState, type MarkState } from '../../core/board/task-display';
import { Button, Icon, IconButton, useAccessibleName } from '../ui/icon';
import type { Anchor } from '../ui/menu';
import { pathFacts, stillWaitingWords, stuckWords, type TitleOf } from './graph-words';
import { outsideKeys, type Dependency, type DrawnTask, type PlanDrawing } from './plan-drawing';
import { t } from '../language/text';
import { plainLine } from '../ui/text';

/** Actions of the panel beside the graph. */
export interface InspectorActions {
  readonly close: () => void;
  readonly goTo: (key: string) => void;
  readonly open: (key: string, newTab: boolean) => void;
  readonly menu: (key: string, anchor: Anchor) => void;
  readonly addDependency: (key: string) => void;
  readonly removeDependency: (edge: Dependency) => void;
}

interface InspectorProps {
  readonly board: Board;
  readonly drawing: PlanDrawing;
  readonly one: DrawnTask;
  readonly titleOf: TitleOf;
  readonly editable: boolean;
  readonly acts: InspectorActions;
}

/** One task within its plan: what it waits for, and what it blocks. */
export function GraphInspector(props: InspectorProps) {
  const { board, one, acts } = props;
  const { key, n, phase } = one.task;
  const title = plainLine(one.task.title);
  const [named, name] = useAccessibleName(t('graph.aboutTitle', { title }));
  const place = [...(n === null ? [] : [`#${n}`]), ...(phase === null ? [] : [phase])];
  return (
    <aside class="atb-graph-inspector" role="region" {...named}>
      {name}
      <div class="atb-graph-head">
        <span class="atb-mark" data-state={one.mark} aria-hidden="true" />
        <div class="atb-graph-name">
          {title}
          <div class="atb-quiet">{[...place, t(`mark.${one.mark}`)].join(' · ')}</div>
        </div>
        <IconButton icon="x" label={t('common.close')} onClick={acts.close} />
      </div>
      <StuckPart {...props} />
      <WaitsPart {...props} />
      <FreesPart {...props} />
      <h4>{t('graph.path')}</h4>
      <dl>
        {pathFacts(board, props.drawing, one.task).map(([fact, value]) => (
          <div key={fact}>
            <dt>{fact}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      <div class="atb-buttons">
        <Button words={t('app.openInNote')} onClick={() => acts.open(key, false)} />
        <IconButton
          icon="ellipsis"
          label={t('graph.actions')}
          onClick={(event) => acts.menu(key, event)}
        />
      </div>
    </aside>
  );
}

/** Why the task can't be finished, and how to resolve that. */
function StuckPart({ one, titleOf }: InspectorProps) {
  if (one.stuck.length === 0) return null;
  return (
    <div class="atb-graph-stuck">
      <h4>
        <Icon name="ban" />
        {t('graph.cantBeFinished')}
      </h4>
      {one.stuck
        .map((cause) => stuckWords(one.task.key, cause, titleOf))
        .map((words) => (
          <p key={words}>{words}</p>
        ))}
    </div>
  );
}

function WaitsPart({ board, drawing, one, titleOf, acts, editable }: InspectorProps) {
  const { key, dependsOn } = one.task;
  const marks = taskMarks(board);
  const outside = outsideKeys(one.task);
  const others = new Map(drawing.outside.map((other) => [other.key, other.mark]));
  return (
    <>
      <h4>{t('graph.waitsFor')}</h4>
      <ul>
        {dependsOn.map((on) => (
          <TaskLine key={on} {...{ titleOf, acts, marks }} task={on}>
            {editable && (
              <IconButton
                icon="x"
                label={t('graph.removeDependencyOnOn', { on: titleOf(on) })}
                onClick={() => acts.removeDependency({ task: key, on })}
              />
            )}
          </TaskLine>
        ))}
      </ul>
      {outside.length > 0 && <h4>{t('graph.otherSessions')}</h4>}
      <ul>
        {outside.map((on) => (
          <TaskLine key={on} {...{ titleOf, acts }} marks={others} task={on} />
        ))}
      </ul>
      {dependsOn.length === 0 && !editable && <p class="atb-quiet">{t('graph.noTask')}</p>}
      {editable && (
        <Button
          kind="quiet"
          class="atb-graph-add"
          icon="plus"
          words={t('common.addDependency')}
          onClick={() => acts.addDependency(key)}
        />
      )}
    </>
  );
}

function FreesPart({ board, one, titleOf, acts }: InspectorProps) {
  const { key } = one.task;
  const { frees, stillWait } = whatIf(board, key);
  const marks = taskMarks(board);
  return (
    <>
      <h4>
        {frees.length === 0
          ? t('graph.whenDoneFreesNothing')
          : t('graph.whenDoneFrees', { frees: frees.length })}
      </h4>
      <ul>
        {frees.map((freed) => (
          <TaskLine key={freed} {...{ titleOf, acts, marks }} task={freed} />
        ))}
      </ul>
      {stillWait.length > 0 && (
        <p class="atb-quiet">{stillWaitingWords(board, key, stillWait, titleOf)}</p>
      )}
    </>
  );
}

type Marks = ReadonlyMap<string, MarkState>;

function taskMarks(board: Board): Marks {
  const facts = boardFacts(board);
  return new Map(
    board.tasks.map((task) => [task.key, markState(task, facts.get(task.key)?.blocked === true)]),
  );
}

function TaskLine(props: {
  readonly task: string;
  readonly titleOf: TitleOf;
  readonly marks: Marks;
  readonly acts: InspectorActions;
  readonly children?: ComponentChildren;
}) {
  const { task, titleOf, marks } = props;
  const mark = marks.get(task);
  return (
    <li>
      <span class="atb-mark" data-state={mark ?? 'waiting'} aria-hidden="true" />
      {mark === undefined ? (
        <span class="atb-graph-name">{t('graph.taskNotOnThisBoard', { task })}</span>
      ) : (
        <button
          type="button"
          class="atb-graph-name atb-graph-link-button"
          onClick={() => props.acts.goTo(task)}
        >
          {titleOf(task)}
        </button>
      )}
      {props.children}
    </li>
  );
}
