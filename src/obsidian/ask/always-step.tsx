import { useState } from 'preact/hooks';
import { alwaysRule, type AlwaysProposal } from '../../core/permission/always-proposals';
import type { Ask } from '../../core/permission/ask';
import { ruleWords, type Rule } from '../../core/permission/rule';
import { plainLine } from './plain-line';
import { ShownText } from './shown-text';
import { StepButtons } from './step-buttons';
import { endOfDay, timeOfDay } from './time-of-day';

type Whom = AlwaysProposal['whom'][number];

const UNTIL = [
  ['ever', 'I remove it'],
  ['today', 'the end of today'],
  ['hour', '1 hour from now'],
] as const;
type Until = (typeof UNTIL)[number][0];

const HOUR = 3_600_000;

/** The second step of "always": what is recorded, for whom and for how long; the least is preset. */
export function AlwaysStep(props: {
  readonly ask: Ask;
  readonly proposal: AlwaysProposal;
  readonly armed: boolean;
  /** ms since the epoch */
  readonly now: () => number;
  readonly onBack: () => void;
  readonly onSave: (rule: Rule) => void;
}) {
  const { ask, proposal, armed, onBack } = props;
  const [wanted, setPattern] = useState('');
  const [whom, setWhom] = useState<Whom>(proposal.whom[0] ?? 'agent');
  const [until, setUntil] = useState<Until>('ever');
  const pattern = proposal.patterns.includes(wanted) ? wanted : (proposal.patterns[0] ?? '');
  const rule = (): Rule => {
    const end = endOf(until, props.now());
    return alwaysRule(proposal, { pattern, whom, ...(end !== undefined && { until: end }) }, ask);
  };
  const whomWords = {
    session: 'this session',
    agent: `every session of ${plainLine(ask.agent)}`,
    everyone: 'everyone',
  };
  return (
    <>
      <p class="atb-ask-sentence">
        From now on allow <strong>{proposal.permission}</strong> on{' '}
        <Choice
          name="What is allowed"
          value={pattern}
          options={proposal.patterns.map((one) => [one, one])}
          onChoose={setPattern}
        />{' '}
        for{' '}
        <Choice
          name="For whom"
          value={whom}
          options={proposal.whom.map((one) => [one, whomWords[one]])}
          onChoose={setWhom}
        />{' '}
        until <Choice name="Until when" value={until} options={UNTIL} onChoose={setUntil} />
      </p>
      <Recorded rule={rule()} />
      <StepButtons
        {...{ armed, onBack }}
        reply="always"
        words="Save and allow"
        onClick={() => props.onSave(rule())}
      />
    </>
  );
}

function endOf(until: Until, now: number): number | undefined {
  if (until === 'ever') return undefined;
  return until === 'hour' ? now + HOUR : endOfDay(now);
}

/** The rule letter for letter, as the settings will list it. */
function Recorded({ rule }: { readonly rule: Rule }) {
  return (
    <p class="atb-ask-note">
      This is added to your rules:{' '}
      <code class="atb-ask-pattern">
        <ShownText text={ruleWords(rule)} />
      </code>
      {rule.until !== undefined && ` until ${untilWords(rule.until)}`}
    </p>
  );
}

function untilWords(at: number): string {
  const time = timeOfDay(at);
  return time === '00:00' ? 'midnight' : time;
}

function Choice<T extends string>(props: {
  readonly name: string;
  readonly value: T;
  readonly options: readonly (readonly [T, string])[];
  readonly onChoose: (value: T) => void;
}) {
  return (
    <select
      class="dropdown atb-ask-choice"
      aria-label={props.name}
      value={props.value}
      onChange={({ currentTarget }) => {
        const option = props.options[currentTarget.selectedIndex];
        if (option !== undefined) props.onChoose(option[0]);
      }}
    >
      {props.options.map(([value, words]) => (
        <option key={value} value={value}>
          {words}
        </option>
      ))}
    </select>
  );
}
