import { useMemo } from 'preact/hooks';
import type { GraphActs, GraphShown } from './graph-canvas';
import { edgeWords, nodeFacts, nodeName } from './graph-words';
import { Icon } from '../ui/icon';
import type { DrawnTask } from './plan-drawing';

/**
 * The plan as a list, wave by wave: in place of the drawing where that is too much, and beside it for
 * screen readers.
 * @param beside the drawing is there too, and has the keyboard
 */
export function WaveList(props: {
  readonly shown: GraphShown;
  readonly acts: GraphActs;
  readonly beside: boolean;
}) {
  const { beside, acts } = props;
  const { board, drawing, selected, stop, titleOf, today } = props.shown;
  const tasks = useMemo(() => new Map(board.tasks.map((task) => [task.key, task])), [board]);
  const row = (one: DrawnTask, at: number, of: number) => {
    const { key, title } = one.task;
    const about = edgeWords(one, titleOf);
    const own = beside ? {} : { 'data-node': key, tabIndex: stop === key ? 0 : -1 };
    return (
      <div
        key={key}
        class="atb-graph-row"
        role="treeitem"
        aria-level={2}
        aria-setsize={of}
        aria-posinset={at + 1}
        aria-selected={selected === key}
        aria-label={[nodeName(one, board, tasks, today), ...(about === '' ? [] : [about])].join(
          '; ',
        )}
        data-stuck={one.stuck.length > 0}
        data-found={props.shown.found.has(key)}
        {...own}
        onFocus={beside ? undefined : () => acts.select(key)}
        onClick={() => {
          acts.select(key);
          acts.show();
        }}
        onDblClick={() => acts.open(key, false)}
        onContextMenu={(event) => acts.menu(key, event)}
      >
        <span class="atb-mark" data-state={one.mark} aria-hidden="true" />
        <span class="atb-graph-words">
          <span class="atb-graph-title" data-state={one.mark}>
            {title}
          </span>
          <span class="atb-graph-facts">
            {nodeFacts(one, today).map(({ icon, text }) => (
              <span key={text} class="atb-fact">
                {icon !== null && <Icon name={icon} />}
                {text}
              </span>
            ))}
            {one.critical && (
              <span class="atb-fact">
                <Icon name="route" />
                Critical path
              </span>
            )}
          </span>
          {about !== '' && <span class="atb-graph-about">{about}</span>}
        </span>
      </div>
    );
  };
  return (
    <div
      class={beside ? 'atb-unseen' : 'atb-graph-list'}
      role="tree"
      aria-label={`Tasks of ${board.title} by wave`}
    >
      {drawing.waves.map(({ title, tasks: all }, at) => (
        <div
          key={title}
          role="treeitem"
          aria-level={1}
          aria-expanded="true"
          aria-setsize={drawing.waves.length}
          aria-posinset={at + 1}
          aria-label={`${title}, ${all.length} ${all.length === 1 ? 'task' : 'tasks'}`}
          class="atb-graph-group"
        >
          <div class="atb-graph-wave-head" aria-hidden="true">
            {title} <span class="atb-quiet">{all.length}</span>
          </div>
          <div role="group">{all.map((one, place) => row(one, place, all.length))}</div>
        </div>
      ))}
    </div>
  );
}
