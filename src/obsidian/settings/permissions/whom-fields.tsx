import { Field, Select, Suggested, type Options } from './field';
import { sessionName, type NamedSession } from './rule-text';

/** Whom a rule or a scope is for; empty: anyone, any session. */
export interface Whom {
  readonly agent: string;
  readonly session: string;
}

/** Of a rule or a scope. */
export function whomOf(of: { agent?: string | undefined; session?: string | undefined }): Whom {
  return { agent: of.agent ?? '', session: of.session ?? '' };
}

/** As a rule or a scope has it. */
export function concernedOf({ agent, session }: Whom): { agent?: string; session?: string } {
  const name = agent.trim();
  return { ...(name !== '' && { agent: name }), ...(session !== '' && { session }) };
}

/** Known sessions, and the one that is named already. */
export function sessionOptions(sessions: readonly NamedSession[], named: string): Options {
  const ids = new Set([...sessions.map(({ id }) => id), ...(named === '' ? [] : [named])]);
  return [['', 'any session'], ...[...ids].map((id) => [id, sessionName(id, sessions)] as const)];
}

export function WhomFields(props: {
  readonly whom: Whom;
  readonly agents: readonly string[];
  readonly sessions: readonly NamedSession[];
  readonly onChange: (whom: Whom) => void;
}) {
  const { whom, onChange } = props;
  return (
    <>
      <Field name="Agent">
        <Suggested
          value={whom.agent}
          known={props.agents}
          placeholder="Anyone"
          onInput={(agent) => onChange({ ...whom, agent })}
        />
      </Field>
      <Field name="Session">
        <Select
          value={whom.session}
          options={sessionOptions(props.sessions, whom.session)}
          onChange={(session) => onChange({ ...whom, session })}
        />
      </Field>
    </>
  );
}
