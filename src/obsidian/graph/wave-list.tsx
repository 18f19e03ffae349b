import { Icon } from '../ui/icon';
import { GraphTitle, OutsideWords, type GraphActions, type ShownGraph } from './graph-canvas';
import { nodeFacts, waitsWords } from './graph-words';
import { FOLDED_KEY, type DrawnTask, type OutsideTask } from './plan-drawing';
import { t } from '../language/text';

interface WaveListProps {
  readonly shown: ShownGraph;
  readonly acts: GraphActions;
  /** shown in addition to the drawing, which has the focus */
  readonly screenReaderOnly: boolean;
}

/**
 * The plan as a list, wave by wave: replaces the drawing if that would be too large, and
 * accompanies it for screen readers.
 */
export function WaveList(props: WaveListProps) {
  const { screenReaderOnly } = props;
  const { board, drawing } = props.shown;
  const { outside } = drawing;
  const groups = [drawing.waves, drawing.folded.slice(0, 1), outside.slice(0, 1)];
  const size = groups.flat().length;
  return (
    <div
      class={screenReaderOnly ? 'atb-unseen' : 'atb-graph-list'}
      role="tree"
      aria-label={t('graph.tasksByWave', { title: board.title })}
    >
      {drawing.waves.flatMap(({ title, tasks }, at) => [
        <GroupHead key={title} {...{ title, size }} count={tasks.length} place={at + 1} />,
        ...tasks.map((one, place) => (
          <TaskRow
            key={one.task.key}
            {...{ ...props, one }}
            place={{ 'aria-setsize': tasks.length, 'aria-posinset': place + 1 }}
          />
        )),
      ])}
      {drawing.folded.length > 0 && (
        <FoldedRow {...props} {...{ size }} place={drawing.waves.length + 1} />
      )}
      {outside.length > 0 && (
        <GroupHead
          title={t('graph.otherSessions')}
          count={outside.length}
          {...{ size }}
          place={size}
        />
      )}
      {outside.map((one, at) => (
        <OutsideRow
          key={one.key}
          {...{ ...props, one }}
          place={{ 'aria-setsize': outside.length, 'aria-posinset': at + 1 }}
        />
      ))}
    </div>
  );
}

function GroupHead(props: {
  readonly title: string;
  readonly count: number;
  readonly size: number;
  readonly place: number;
}) {
  return (
    <div
      class="atb-graph-wave-head"
      role="treeitem"
      aria-level={1}
      aria-expanded="true"
      aria-setsize={props.size}
      aria-posinset={props.place}
    >
      {props.title} <span class="atb-quiet">{t('common.tasks', { count: props.count })}</span>
    </div>
  );
}

type AriaPosition = Readonly<Record<'aria-setsize' | 'aria-posinset', number>>;

function TaskRow({
  one,
  shown,
  acts,
  screenReaderOnly,
  place,
}: WaveListProps & { readonly one: DrawnTask; readonly place: AriaPosition }) {
  const { board, selected, titleOf, today, found } = shown;
  const editing = !screenReaderOnly && shown.editing === one.task.key;
  const { key } = one.task;
  return (
    <div
      class="atb-graph-row"
      role="treeitem"
      aria-level={2}
      {...place}
      aria-selected={selected === key}
      data-stuck={one.stuck.length > 0}
      data-found={found.has(key)}
      {...(!screenReaderOnly && focusProps(key, shown, acts))}
      onClick={() => {
        acts.select(key);
        acts.show();
      }}
      onDblClick={() => acts.open(key, false)}
      onContextMenu={(event) => acts.menu(key, event)}
    >
      <span class="atb-mark" data-state={one.mark} aria-hidden="true" />
      <WaveRowText
        {...{ one, board, acts, today, editing }}
        waits={waitsWords(one, board, titleOf)}
      />
    </div>
  );
}

/** Props of a row that can be focused. */
function focusProps(key: string, { stop }: ShownGraph, acts: GraphActions) {
  return { 'data-node': key, tabIndex: stop === key ? 0 : -1, onFocus: () => acts.select(key) };
}

function WaveRowText(
  props: Parameters<typeof GraphTitle>[0] & { readonly today: string; readonly waits: string },
) {
  const { one, waits } = props;
  const path = one.critical ? [{ icon: 'route', text: t('boardView.criticalPath') }] : [];
  return (
    <span class="atb-graph-words">
      <GraphTitle {...props} />{' '}
      <span class="atb-graph-facts">
        {[...nodeFacts(one, props.today), ...path].map(({ icon, text }) => (
          <span key={text} class="atb-fact">
            {icon !== null && <Icon name={icon} />}
            {text}
          </span>
        ))}
      </span>
      {waits !== '' && <span class="atb-graph-about">{waits}</span>}
      <span class="atb-unseen">{t(`mark.${one.mark}`)}</span>
    </span>
  );
}

/** The row of the folded finished tasks. */
function FoldedRow({
  shown,
  acts,
  screenReaderOnly,
  size,
  place,
}: WaveListProps & { readonly size: number; readonly place: number }) {
  return (
    <div
      class="atb-graph-row"
      role="treeitem"
      aria-level={1}
      aria-expanded="false"
      aria-setsize={size}
      aria-posinset={place}
      {...(!screenReaderOnly && focusProps(FOLDED_KEY, shown, acts))}
      onClick={acts.unfold}
    >
      <span class="atb-mark" data-state="completed" aria-hidden="true" />
      {t('graph.finishedCount', { count: shown.drawing.folded.length })}
    </div>
  );
}

/** A task of another plan, which opens in its note. */
function OutsideRow({
  one,
  shown,
  acts,
  screenReaderOnly,
  place,
}: WaveListProps & { readonly one: OutsideTask; readonly place: AriaPosition }) {
  return (
    <div
      class="atb-graph-row"
      role="treeitem"
      aria-level={2}
      aria-selected={shown.selected === one.key}
      {...place}
      {...(!screenReaderOnly && focusProps(one.key, shown, acts))}
      onClick={(event) => acts.open(one.key, event.ctrlKey || event.metaKey)}
    >
      <span class="atb-mark" data-state={one.mark} aria-hidden="true" />
      <OutsideWords {...one} />
    </div>
  );
}
