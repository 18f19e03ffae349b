import { useState } from 'preact/hooks';
import { Field } from '../settings/permissions/field';
import { LIMIT_FIELDS, type StartProblems, type StartValues } from './start-values';

/** How far a run may go; folded away until it is wanted, or something in it is wrong. */
export function LimitFields(props: {
  readonly limits: StartValues['limits'];
  readonly problems: StartProblems;
  readonly forced: boolean;
  readonly onChange: (limits: StartValues['limits']) => void;
}) {
  const [open, setOpen] = useState(false);
  const shown = open || props.forced;
  const { limits, problems } = props;
  return (
    <div class="atb-run-limits">
      <button
        type="button"
        class="atb-run-fold"
        aria-expanded={shown}
        onClick={() => setOpen(!shown)}
      >
        <span class="atb-twisty" aria-hidden="true" />
        <span class="atb-run-fold-name">Limits</span>
        <span class="atb-count">
          {limits.turns} turns, {limits.minutes} min
        </span>
      </button>
      {shown && (
        <div class="atb-run-numbers">
          {LIMIT_FIELDS.map(({ limit, name }) => (
            <Field name={name} problem={problems[limit]} key={limit}>
              <input
                type="text"
                inputMode="numeric"
                value={limits[limit]}
                maxLength={13}
                aria-invalid={problems[limit] !== undefined}
                onInput={(event) =>
                  props.onChange({ ...limits, [limit]: event.currentTarget.value })
                }
              />
            </Field>
          ))}
        </div>
      )}
    </div>
  );
}
