import type { App } from 'obsidian';
import { useState } from 'preact/hooks';
import type { RunAction } from '../../core/orchestrator/event';
import { Field } from '../settings/permissions/field';
import { openForm } from '../settings/permissions/form-dialog';

export type SkipAnswer = Pick<Extract<RunAction, { type: 'skip' }>, 'how' | 'reason'>;

/** Asks what becomes of a task that is skipped; undefined where it is not. */
export function skipForm(app: App, title: string): Promise<SkipAnswer | undefined> {
  return openForm<SkipAnswer>(app, `Skip ${title}?`, (done) => <SkipForm done={done} />);
}

const WAYS = [
  ['cancelled', 'Skip it', 'It is cancelled, with the reason. What waits for it can begin.'],
  ['deferred', 'Defer it', 'It stays on the board. What waits for it stays blocked.'],
] as const;

function SkipForm({ done }: { readonly done: (answer: SkipAnswer | undefined) => void }) {
  const [how, setHow] = useState<SkipAnswer['how']>('cancelled');
  const [reason, setReason] = useState('');
  const [missing, setMissing] = useState(false);
  const skip = () => {
    if (how === 'cancelled' && reason.trim() === '') return setMissing(true);
    done({ how, reason: reason.trim() });
  };
  return (
    <div
      class="atb-form"
      onKeyDown={(event) => {
        if (event.key !== 'Enter' || event.isComposing || isButton(event.target)) return;
        event.preventDefault();
        skip();
      }}
    >
      <fieldset class="atb-run-ways">
        <legend class="atb-unseen">What becomes of the task</legend>
        {WAYS.map(([value, words, means]) => (
          <label class="atb-run-way" key={value}>
            <input
              type="radio"
              name="atb-run-way"
              checked={how === value}
              onChange={() => setHow(value)}
            />
            <span>
              {words}
              <span class="atb-form-words">{means}</span>
            </span>
          </label>
        ))}
      </fieldset>
      <Field
        name={how === 'cancelled' ? 'Reason' : 'Reason (optional)'}
        problem={missing ? 'Say why: the board keeps the reason.' : undefined}
      >
        <input
          type="text"
          value={reason}
          maxLength={300}
          aria-invalid={missing}
          onInput={(event) => {
            setReason(event.currentTarget.value);
            setMissing(false);
          }}
        />
      </Field>
      <div class="atb-buttons">
        <button type="button" class="atb-button-quiet" onClick={() => done(undefined)}>
          Keep it
        </button>
        <button type="button" class="mod-cta atb-button" onClick={skip}>
          {how === 'cancelled' ? 'Skip the task' : 'Defer the task'}
        </button>
      </div>
    </div>
  );
}

function isButton(target: EventTarget | null): boolean {
  return target instanceof HTMLButtonElement;
}
