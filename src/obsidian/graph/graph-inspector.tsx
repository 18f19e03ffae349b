import type { ComponentChildren } from 'preact';
import { boardFacts } from '../../core/board/facts';
import { whatIf } from '../../core/board/graph/schedule';
import type { Board } from '../../core/board/task';
import { markState, markWord, type MarkState } from '../../core/board/task-words';
import { Button, Icon, IconButton, useName } from '../ui/icon';
import type { Anchor } from '../ui/menu';
import { pathFacts, stillWords, stuckWords, type TitleOf } from './graph-words';
import type { Dependency, DrawnTask, PlanDrawing } from './plan-drawing';

/** What is asked of the panel beside the graph. */
export interface InspectorActs {
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
  readonly acts: InspectorActs;
}

/** One task within its plan: why it waits, and what it holds up. */
export function GraphInspector(props: InspectorProps) {
  const { board, one, acts } = props;
  const { key, title, n, phase } = one.task;
  const [named, name] = useName(`About ${title}`);
  const place = [...(n === null ? [] : [`#${n}`]), ...(phase === null ? [] : [phase])];
  return (
    <aside class="atb-graph-inspector" role="region" {...named}>
      {name}
      <div class="atb-graph-head">
        <span class="atb-mark" data-state={one.mark} aria-hidden="true" />
        <div class="atb-graph-name">
          {title}
          <div class="atb-quiet">{[...place, markWord(one.mark)].join(' · ')}</div>
        </div>
        <IconButton icon="x" label="Close" onClick={acts.close} />
      </div>
      <StuckPart {...props} />
      <WaitsPart {...props} />
      <FreesPart {...props} />
      <h4>Path</h4>
      <dl>
        {pathFacts(board, props.drawing, one.task).map(([fact, value]) => (
          <div key={fact}>
            <dt>{fact}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      <div class="atb-buttons">
        <Button words="Open in note" onClick={() => acts.open(key, false)} />
        <IconButton icon="ellipsis" label="Actions" onClick={(event) => acts.menu(key, event)} />
      </div>
    </aside>
  );
}

/** Why it can't be finished, and the way out. */
function StuckPart({ one, titleOf }: InspectorProps) {
  if (one.stuck.length === 0) return null;
  return (
    <div class="atb-graph-stuck">
      <h4>
        <Icon name="ban" />
        Can’t be finished
      </h4>
      {one.stuck
        .map((cause) => stuckWords(one.task.key, cause, titleOf))
        .map((words) => (
          <p key={words}>{words}</p>
        ))}
    </div>
  );
}

function WaitsPart({ board, one, titleOf, acts, editable }: InspectorProps) {
  const { key, dependsOn } = one.task;
  const marks = marksOf(board);
  return (
    <>
      <h4>Waits for</h4>
      <ul>
        {dependsOn.map((on) => (
          <TaskLine key={on} {...{ titleOf, acts, marks }} task={on}>
            {editable && (
              <IconButton
                icon="x"
                label={`Remove dependency on ${titleOf(on)}`}
                onClick={() => acts.removeDependency({ task: key, on })}
              />
            )}
          </TaskLine>
        ))}
      </ul>
      {dependsOn.length === 0 && !editable && <p class="atb-quiet">No task</p>}
      {editable && (
        <Button
          kind="quiet"
          class="atb-graph-add"
          icon="plus"
          words="Add dependency…"
          onClick={() => acts.addDependency(key)}
        />
      )}
    </>
  );
}

function FreesPart({ board, one, titleOf, acts }: InspectorProps) {
  const { key } = one.task;
  const { frees, stillWait } = whatIf(board, key);
  const marks = marksOf(board);
  return (
    <>
      <h4>
        {frees.length === 0 ? 'When done, frees nothing' : `When done, frees ${frees.length}`}
      </h4>
      <ul>
        {frees.map((freed) => (
          <TaskLine key={freed} {...{ titleOf, acts, marks }} task={freed} />
        ))}
      </ul>
      {stillWait.length > 0 && (
        <p class="atb-quiet">{stillWords(board, key, stillWait, titleOf)}</p>
      )}
    </>
  );
}

type Marks = ReadonlyMap<string, MarkState>;

function marksOf(board: Board): Marks {
  const facts = boardFacts(board);
  return new Map(
    board.tasks.map((task) => [task.key, markState(task, facts.get(task.key)?.blocked === true)]),
  );
}

function TaskLine(props: {
  readonly task: string;
  readonly titleOf: TitleOf;
  readonly marks: Marks;
  readonly acts: InspectorActs;
  readonly children?: ComponentChildren;
}) {
  const { task, titleOf, marks } = props;
  const mark = marks.get(task);
  return (
    <li>
      <span class="atb-mark" data-state={mark ?? 'waiting'} aria-hidden="true" />
      {mark === undefined ? (
        <span class="atb-graph-name">{task}, not on this board</span>
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
