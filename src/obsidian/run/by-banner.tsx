import type { RunView } from '../../core/orchestrator/runs';
import { Banner } from '../part/banner';
import type { Deed } from './deed';
import { goingOf, runOf } from './run-of';

/** That something keeps the run from being carried out, that it rests, or who else carries it out. */
export function ByBanner(props: {
  readonly view: RunView;
  readonly canStart: boolean;
  readonly onDo: (deed: Deed) => void;
}) {
  const { view, onDo } = props;
  if (view.fault !== null) {
    const can = runOf(view) !== undefined && props.canStart;
    const again = { label: 'Try again', onClick: () => onDo({ kind: 'take_up' }) };
    return (
      <Banner
        {...{ icon: 'circle-alert', tone: 'error', text: view.fault }}
        label="The run is not carried out"
        title="The run is not carried out"
        buttons={can ? [again] : []}
      />
    );
  }
  if (goingOf(view) === undefined || view.by === 'here') return null;
  if (view.by === 'elsewhere') {
    return (
      <p class="atb-run-none">
        Another program on this computer carries it out. What you do here is told to it.
      </p>
    );
  }
  const take = { label: 'Take up', onClick: () => onDo({ kind: 'take_up' }) };
  return (
    <Banner
      icon="circle-pause"
      label="The run rests"
      title="The run rests"
      text="No program carries it out. It goes on where it stands when one takes it up."
      buttons={props.canStart ? [take] : []}
    />
  );
}
