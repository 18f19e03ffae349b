import { counted, count } from '../../core/orchestrator/counts';
import { duration } from '../../core/orchestrator/run-words';
import type { Limits } from '../../core/orchestrator/limits';
import { short } from './figures';
import { Section } from './section';

/** What the run may use, before it begins. */
export function LimitsSection({ limits }: { readonly limits: Limits }) {
  const { turns, tokens, minutes, attempts, parallel } = limits;
  const lines = [
    ['At the same time', counted(parallel, 'task')],
    ['Attempts per task', count(attempts)],
    ['Turns', count(turns)],
    ['Tokens', short(tokens)],
    ['Time', duration(minutes)],
  ] as const;
  return (
    <Section name="Limits">
      <dl class="atb-run-figures">
        {lines.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </Section>
  );
}
