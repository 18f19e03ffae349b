import { count } from '../../core/orchestrator/counts';
import type { RunView } from '../../core/orchestrator/runs';
import { Select } from '../settings/permissions/field';
import { goalOf, stateWords } from './run-of';

/** Runs that can be chosen; older ones are counted. */
const MOST = 50;

/** Which run is shown, where there are several. */
export function RunChooser(props: {
  readonly all: readonly RunView[];
  readonly shown: RunView;
  readonly onChoose: (id: string) => void;
}) {
  const { all, shown, onChoose } = props;
  if (all.length < 2) return null;
  const listed = all.slice(0, MOST);
  const chosen = listed.includes(shown) ? listed : [...listed, shown];
  const older = all.length - chosen.length;
  return (
    <div class="atb-run-chooser">
      <Select
        name="Run"
        value={shown.id}
        options={chosen.map((one) => [one.id, `${stateWords(one)}: ${goalOf(one)}`] as const)}
        onChange={onChoose}
      />
      {older > 0 && <span class="atb-run-none">{count(older)} older are not listed.</span>}
    </div>
  );
}
