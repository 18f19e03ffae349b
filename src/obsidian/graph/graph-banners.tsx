import { Banner } from '../ui/banner';
import type { ShownGraph } from './graph-canvas';
import { cycleWords } from './graph-words';
import { FOLDED_KEY } from './plan-drawing';
import type { PlanActions } from './use-graph';
import { t } from '../language/text';

/** Notices about the plan that a person should read before the graph. */
export function GraphBanners(props: {
  readonly shown: ShownGraph;
  readonly tooMany: boolean;
  readonly acts: Pick<PlanActions, 'undepend' | 'pickDependency' | 'add'>;
  readonly onChoose: () => void;
}) {
  const { acts } = props;
  const { drawing, editable, titleOf, stop = FOLDED_KEY } = props.shown;
  const waits = drawing.tasks.some(({ task }) => task.dependsOn.length > 0);
  return (
    <>
      {drawing.cycles.map(({ way, edges }) => (
        <Banner
          key={way.join()}
          icon="refresh-cw"
          tone="error"
          label={t('graph.tasksWaitForEachOther')}
          title={cycleWords(way, titleOf)}
          text=""
          buttons={edges.map((edge) => ({
            label: t('graph.letTaskNotWaitForOn', {
              task: titleOf(edge.task),
              on: titleOf(edge.on),
            }),
            disabled: !editable,
            onClick: () => acts.undepend(edge),
          }))}
        />
      ))}
      {props.tooMany && (
        <Banner
          icon="layers"
          label={t('graph.tooManyTasksToDraw')}
          title={t('graph.tooMany', { count: drawing.tasks.length })}
          text=""
          buttons={[{ label: t('graph.chooseATask'), onClick: props.onChoose }]}
        />
      )}
      {!waits && drawing.tasks.length > 0 && (
        <Banner
          icon="workflow"
          label={t('graph.noDependenciesYet')}
          title={t('graph.noDependenciesText')}
          text=""
          buttons={
            editable && stop !== FOLDED_KEY && drawing.tasks.length > 1
              ? [{ label: t('common.addDependency'), onClick: () => acts.pickDependency(stop) }]
              : []
          }
        />
      )}
      {drawing.tasks.length + drawing.folded.length === 0 && (
        <Banner
          icon="workflow"
          label={t('boardView.noTasksYet')}
          title={t('graph.noTasksText')}
          text=""
          buttons={
            editable
              ? [{ label: t('boardView.addTask'), onClick: () => acts.add(undefined, false) }]
              : []
          }
        />
      )}
    </>
  );
}
