import { useLayoutEffect, useState } from 'preact/hooks';
import type { Catalog } from '../../core/session/session-runtime';
import { WireError } from '../../protocol/wire-error';
import { Field, Select, Suggested, type Options } from '../settings/permissions/field';

/** Agents that can plan, and models; none until OpenCode has answered, or where it does not. */
export interface Choices {
  readonly agents: readonly string[];
  readonly models: Options;
}

const NONE: Choices = { agents: [], models: [] };

export function useCatalog(catalog: () => Promise<Catalog>): Choices {
  const [choices, setChoices] = useState<Choices>(NONE);
  useLayoutEffect(() => {
    let left = false;
    catalog().then(
      ({ agents, models }) => {
        if (left) return;
        setChoices({
          agents: agents.filter(({ mode }) => mode !== 'subagent').map(({ name }) => name),
          models: models.map(({ id, name }) => [id, name ?? id] as const),
        });
      },
      (error: unknown) => {
        // Names can be typed: starting says what is wrong with the connection.
        if (!(error instanceof WireError)) throw error;
      },
    );
    return () => {
      left = true;
    };
  }, [catalog]);
  return choices;
}

/** Who plans, and works where the plan names nobody else. */
export function AgentField(props: {
  readonly catalog: Choices;
  readonly agent: string;
  /** the plan has its agent */
  readonly fixed: boolean;
  readonly problem: string | undefined;
  readonly onChange: (agent: string) => void;
}) {
  const { agents } = props.catalog;
  const { agent, onChange } = props;
  // Whoever is in the field when OpenCode answers goes on in it.
  const [entered, setEntered] = useState(false);
  const known = !entered && agents.length > 0 && (agent === '' || agents.includes(agent));
  return (
    <Field name="Agent" problem={props.problem}>
      {known || props.fixed ? (
        <Select
          value={agent}
          disabled={props.fixed}
          options={(props.fixed ? [agent] : agents).map((name) => [name, name] as const)}
          onChange={onChange}
        />
      ) : (
        <Suggested
          value={agent}
          known={agents}
          placeholder="build"
          onInput={onChange}
          onEnter={() => setEntered(true)}
        />
      )}
    </Field>
  );
}

export function ModelField(props: {
  readonly catalog: Choices;
  readonly model: string;
  readonly onChange: (model: string) => void;
}) {
  const { model } = props;
  const known = props.catalog.models;
  const own = model === '' || known.some(([id]) => id === model) ? [] : [[model, model] as const];
  return (
    <Field name="Model">
      <Select
        value={model}
        options={[['', 'OpenCode’s choice'], ...own, ...known]}
        onChange={props.onChange}
      />
    </Field>
  );
}
